package view

import "strings"

// Notes is what the results say that the reader should know.
type Notes struct{ *App }

// notes lists them, each once with the systems it is about.
func (c *Notes) notes() []string {
	var texts []string
	about := map[string][]string{}
	for i := range c.Runs.List {
		if r := &c.Runs.List[i]; r.Shown() {
			for _, t := range r.Report.Notes {
				if about[t] == nil {
					texts = append(texts, t)
				}
				about[t] = append(about[t], r.System.Title)
			}
		}
	}
	for i, t := range texts {
		texts[i] = strings.Join(about[t], ", ") + ": " + t
	}
	return texts
}
