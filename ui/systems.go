package ui

// Systems chooses which systems are compared.
type Systems struct{ *App }

func (c *Systems) swatch(i int) string { return swatch(i) }
