package question

// Prices are the places of the quantities that say what a machine costs and what
// its result is for the price; -1 if the laboratory has none.
func (a *turns) Prices() (price, worth int) {
	i := a.room.Info
	return i.Quantity(i.Cost.Price), i.Quantity(i.Cost.PerPrice)
}
