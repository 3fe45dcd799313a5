package model

// prices are the places of the quantities that say what a machine costs and what
// its result is for the price; -1 if the laboratory has none.
func (a *Ask) prices() (price, worth int) { return -1, -1 }

// Price is the quantity that says what a machine costs, -1 if there is none.
func (a *Ask) Price() int {
	price, _ := a.prices()
	return price
}
