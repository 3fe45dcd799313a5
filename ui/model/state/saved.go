package state

// A Kept is a run with a name: one system with the settings of one setup text.
type Kept struct{ Name, System, Setup string }

// MostShown is how many runs the view Compare has side by side.
const MostShown = 8
