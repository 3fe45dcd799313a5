package view

import (
	"fmt"

	"spillway/ui/model/runs"
)

// Systems chooses which systems are compared.
type Systems struct{ *App }

// A family is systems that belong together.
type family struct {
	Name string
	Runs []*runs.Run
}

// families are the systems by family, in the laboratory's order.
func (c *Systems) families() []family {
	var fs []family
next:
	for i := range c.Runs.List {
		r := &c.Runs.List[i]
		for k := range fs {
			if fs[k].Name == r.System.Family {
				fs[k].Runs = append(fs[k].Runs, r)
				continue next
			}
		}
		fs = append(fs, family{r.System.Family, []*runs.Run{r}})
	}
	return fs
}

func (c *Systems) unfolded() bool { return !c.closed[c.folding("systems")] }

func (c *Systems) fold() { c.closed[c.folding("systems")] = c.unfolded() }

// count says how many are compared, if not all are.
func (c *Systems) count() string {
	if len(c.State.On) == len(c.Runs.List) {
		return ""
	}
	return fmt.Sprintf("%d of %d", len(c.State.On), len(c.Runs.List))
}
