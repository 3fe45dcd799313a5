package view

// Systems chooses which systems are compared.
type Systems struct{ *App }

func (c *Systems) unfolded() bool { return !c.closed[c.folding("systems")] }

func (c *Systems) fold() { c.closed[c.folding("systems")] = c.unfolded() }
