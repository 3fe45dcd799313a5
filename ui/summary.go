package ui

import (
	"strconv"
	"strings"

	"spillway/ui/model"
)

// Summary says who wins and how the runs stand.
type Summary struct{ *App }

func (c *Summary) swatch(i int) string { return swatch(i) }

func (c *Summary) state(r *model.Run) string { return r.RunState() }

func (c *Summary) class(r *model.Run) string {
	return "run " + strings.ReplaceAll(r.RunState(), " ", "-")
}

func (c *Summary) percent(r *model.Run) string { return strconv.Itoa(r.Percent()) }

func (c *Summary) title(i int) string { return c.Runs[i].System.Title }

// announce is what screen readers hear: only finished comparisons.
func (c *Summary) announce() string {
	if c.Active() {
		return ""
	}
	return c.Headline()
}

// canRunAgain reports whether something was cancelled or failed.
func (c *Summary) canRunAgain() bool {
	for i := range c.Runs {
		if r := &c.Runs[i]; r.On && !r.Active() && (r.Cancelled || r.Error != "") {
			return true
		}
	}
	return false
}

// troubles lists errors and refusals with their reasons.
func (c *Summary) troubles() []trouble {
	var ts []trouble
	for i := range c.Runs {
		switch r := &c.Runs[i]; {
		case !r.On:
		case r.Error != "":
			ts = append(ts, trouble{r.System.Title, r.Error, "error"})
		case r.Result != nil && !r.Result.Fits:
			ts = append(ts, trouble{r.System.Title, "does not fit: " + r.Result.Reason, "refusal"})
		}
	}
	return ts
}

// notes lists what the results say the reader should know, each once with the
// systems it is about.
func (c *Summary) notes() []string {
	var texts []string
	about := map[string][]string{}
	for i := range c.Runs {
		if r := &c.Runs[i]; r.Shown() {
			for _, t := range model.Remarks(r.Result) {
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

type trouble struct{ Title, Text, Class string }
