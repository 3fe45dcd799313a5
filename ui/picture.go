package ui

// Picture is the drawing of the first screen.
type Picture struct{ *App }
