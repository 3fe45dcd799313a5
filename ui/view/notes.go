package view

// Notes is what the results say that the reader should know.
type Notes struct{ *App }
