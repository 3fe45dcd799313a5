package main

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path"

	"spillway/build/tree"
	"spillway/ui/cards"
	labs "spillway/ui/lab/all"
	"spillway/ui/model/question"
	"spillway/ui/wire"
)

// addCards draws what the questions that are ready answer, as recorded beside each laboratory:
// cards-NAME.info has it, which the page asks for when What if is opened. Without a record the
// cards say what they vary.
func (s site) addCards() error {
	for _, door := range labs.Labs {
		name := path.Join("ui/lab", door.Package, "cards.json")
		text, err := os.ReadFile(name)
		if errors.Is(err, fs.ErrNotExist) {
			continue
		}
		var pictures []cards.Picture
		if err == nil {
			err = json.Unmarshal(text, &pictures)
		}
		if err != nil {
			return fmt.Errorf("%s: %w; it is written with: go test ./ui/lab/all -run '^TestAnswered$/^%s$' -update", name, err, door.Name)
		}
		var list []question.Card
		for i := range pictures {
			list = append(list, question.Card{Says: pictures[i].Says, Chart: cards.SVG(&pictures[i])})
		}
		data, err := wire.Marshal(&list)
		if err == nil {
			err = tree.Add(s, "cards-"+door.Name+".info", data)
		}
		if err != nil {
			return err
		}
	}
	return nil
}
