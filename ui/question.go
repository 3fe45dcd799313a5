package ui

// Question is the view that asks what if.
type Question struct{ *App }
