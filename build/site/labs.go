package main

import (
	"encoding/json"
	"fmt"

	"spillway/build/tree"
	labs "spillway/ui/lab/all"
	"spillway/ui/model/session"
	"spillway/ui/wire"
)

// addLabs writes what the page knows of the laboratories before their programs
// are there: labs.info lists them, NAME.info describes one. It also tells boot.js
// their names.
func (s site) addLabs() error {
	var tabs []session.Tab
	var names []string
	for _, door := range labs.Labs {
		lab := door.New()
		info := lab.Complete()
		err := info.Valid()
		if err != nil {
			return fmt.Errorf("laboratory %s: %w", lab.Name, err)
		}
		data, err := wire.Marshal(&info)
		if err == nil {
			err = tree.Add(s, door.Name+".info", data)
		}
		if err != nil {
			return err
		}
		tabs, names = append(tabs, session.Tab{Name: lab.Name, Title: lab.Title, About: lab.About, Ways: lab.Ways}), append(names, door.Name)
	}
	data, err := wire.Marshal(&tabs)
	if err == nil {
		err = tree.Add(s, "labs.info", data)
	}
	if err != nil {
		return err
	}
	list, err := json.Marshal(names)
	if err != nil {
		return err
	}
	return s.fill("boot.js", "const LABS = [];", "const LABS = "+string(list)+";")
}
