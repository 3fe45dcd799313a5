package view

// Caveat says what decides whether the numbers can be trusted.
type Caveat struct{ *App }
