package traces

import (
	"fmt"
	"path"
	"strings"

	"spillway/sim/workload"
	"spillway/traces/g10"
)

// openG10 lists one entry for each network and batch size that is complete,
// and one for each .config file.
func openG10(files []File) (*Source, error) {
	list := make([]g10.File, len(files))
	for i, f := range files {
		list[i] = g10.File{Name: f.Name, Data: f.Data}
	}
	set := g10.Collect(list)
	s := &Source{Notes: set.Notes}
	for _, n := range set.Networks {
		for _, b := range n.Batches {
			s.Entries = append(s.Entries, Entry{
				Name:   fmt.Sprintf("%s, batch %d", n.Title, b.Size),
				Detail: path.Base(n.File.Name) + " with " + b.Parts.Times.Name,
				Model:  n.Model, Batch: b.Size,
				Load: func() (*workload.Workload, error) { return b.Parts.BuildBare(b.Size) },
			})
		}
	}
	incomplete := 0
	for _, f := range set.Configs {
		e, missing, err := configEntry(set, f)
		if err != nil {
			s.Notes = append(s.Notes, err.Error())
			continue
		}
		if missing != "" {
			if incomplete++; incomplete <= mostNamed {
				s.Notes = append(s.Notes, missing)
			}
		}
		s.Entries = append(s.Entries, e)
	}
	if incomplete > mostNamed {
		s.Notes = append(s.Notes, fmt.Sprintf("%d more .config files name files that are missing.", incomplete-mostNamed))
	}
	return s, nil
}

// configEntry returns the entry of a .config file; missing says which files it
// names that are not there.
func configEntry(set *g10.Set, f g10.File) (e Entry, missing string, err error) {
	c, err := g10.ParseConfig(f.Name, f.Data)
	if err != nil {
		return e, "", err
	}
	model, network := "", strings.TrimSuffix(path.Base(c.Network), path.Ext(c.Network))
	for _, n := range set.Networks {
		if path.Base(n.File.Name) == path.Base(c.Network) {
			model, network = n.Model, n.Title
		}
	}
	var absent, names []string
	for _, p := range []string{c.Network, c.Times, c.InputFault, c.Fault, c.Workspace} {
		name, _, err := set.Find(f.Name, p)
		if err != nil {
			absent = append(absent, err.Error())
		}
		names = append(names, name)
	}
	if len(absent) > 0 {
		missing = f.Name + " needs more files: " + strings.Join(absent, "; ")
	}
	policy := c.Policy()
	if policy == "" {
		policy = "a policy outside the published experiments"
	}
	return Entry{
		Name:   strings.TrimSuffix(path.Join(path.Base(path.Dir(f.Name)), path.Base(f.Name)), ".config"),
		Detail: fmt.Sprintf("%s, batch %d, %s", network, c.Batch, policy),
		Model:  model, Batch: int(c.Batch), Config: c, Alike: fmt.Sprintf("%q %+v", names, c.Setup),
		Load: func() (*workload.Workload, error) {
			return g10.Build(c, func(p string) (string, []byte, error) { return set.Find(f.Name, p) })
		},
	}, missing, nil
}
