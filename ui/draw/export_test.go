package draw

// Palette returns the colors of both themes by name.
func Palette() map[string][2]string {
	all := map[string][2]string{}
	for name, c := range palette {
		all[name] = [2]string{c.light, c.dark}
	}
	return all
}
