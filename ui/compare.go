package ui

// Compare is the view with named runs side by side.
type Compare struct{ *App }
