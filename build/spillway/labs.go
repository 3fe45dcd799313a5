package main

import (
	"fmt"
	"strings"

	"spillway/ui/lab/all"
)

// door returns the laboratory with this name. The error says which there are.
func (s *shell) door(name string) (all.Door, error) {
	var names []string
	for _, d := range s.labs {
		if d.Name == name {
			return d, nil
		}
		names = append(names, d.Name)
	}
	return all.Door{}, fmt.Errorf("unknown laboratory %q; there are %s", name, strings.Join(names, ", "))
}
