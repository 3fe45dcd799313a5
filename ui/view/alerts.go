package view

import (
	"fmt"
	"strings"
	"time"
)

// Alerts is what must be said before all else.
type Alerts struct{ *App }

// opened says what dropped files held, until that was chosen from or closed.
func (c *Alerts) opened() string {
	f := c.Laboratory.Files
	switch {
	case f.Number == 0 || f.Opening || f.Said || c.Entry() != "" && f.Has(c.Entry()):
		return ""
	case f.Error != "":
		return f.Error
	}
	return fmt.Sprintf("Opened %s: %s. Choose one to run it.", f.What(), chosenOf(len(f.Entries)))
}

func chosenOf(n int) string {
	if n == 1 {
		return "1 workload"
	}
	return fmt.Sprintf("%d workloads", n)
}

// showOpened goes to the list of what was opened.
func (c *Alerts) showOpened() {
	c.OpenDrawer()
	id := "search"
	if len(c.Laboratory.Files.Entries) == 0 {
		id = "files-summary"
	}
	c.Page.Show(id)
}

// reading says how far files have been read. It is empty when none are.
func (c *Alerts) reading() string {
	f := c.Laboratory.Files
	done, total := f.Read()
	switch {
	case !f.Opening:
		return ""
	case total == 0:
		return "Reading " + f.What() + "…"
	case done >= total:
		return fmt.Sprintf("Read %s, %s. Finding out what it holds…", f.What(), megabytes(total))
	}
	return fmt.Sprintf("Reading %s: %s of %s", f.What(), megabytes(done), megabytes(total))
}

func megabytes(n int) string { return fmt.Sprintf("%.1f MB", float64(n)/1e6) }

// read is the percentage that has been read, nil while it is not known.
func (c *Alerts) read() any {
	if _, total := c.Laboratory.Files.Read(); total == 0 {
		return nil
	}
	return fmt.Sprint(c.Laboratory.Files.Percent())
}

// announce is what screen readers hear of it: every quarter.
func (c *Alerts) announce() string {
	f := c.Laboratory.Files
	_, total := f.Read()
	switch {
	case !f.Opening:
		return ""
	case total == 0:
		return "Reading " + f.What()
	}
	return fmt.Sprintf("Reading %s: %d %%", f.What(), f.Percent()/25*25)
}

// cancel leaves the files alone. The button is gone then, so the focus moves on.
func (c *Alerts) cancel() {
	c.Files.CancelOpening()
	c.Page.Focus("main")
}

// surveySays says how far the bytes of the entry that is shown have been gone through,
// and what the charts show meanwhile.
func (c *Alerts) surveySays() string {
	s := c.Files.Survey()
	if s == nil {
		return ""
	}
	far := fmt.Sprintf("%s: %s of %s read", s.Entry, gigabytes(s.Done()), gigabytes(s.Bytes))
	switch left := s.Left(); {
	case s.Error != "":
		return fmt.Sprintf("%s, then it broke off: %s. What was read is kept; the charts show a sample.", far, strings.TrimSuffix(s.Error, "."))
	case s.Cancelled:
		return far + ", then it was cancelled. What was read is kept; the charts show a sample."
	case left >= 90*time.Second:
		return fmt.Sprintf("%s, about %d min left. Until then the charts show a sample.", far, int(left.Round(time.Minute).Minutes()))
	case left > 0:
		return fmt.Sprintf("%s, about %d s left. Until then the charts show a sample.", far, int(left.Seconds())+1)
	}
	return far + ". Until then the charts show a sample."
}

func gigabytes(n int64) string {
	if n < 1e9 {
		return megabytes(int(n))
	}
	return fmt.Sprintf("%.2f GB", float64(n)/1e9)
}

// surveyed is the percentage that has been gone through, nil if nothing waits for it.
func (c *Alerts) surveyed() any {
	s := c.Files.Survey()
	if s == nil {
		return nil
	}
	return fmt.Sprint(s.Percent())
}

// surveyButton is what its button does.
func (c *Alerts) surveyButton() string {
	if s := c.Files.Survey(); s != nil && (s.Cancelled || s.Error != "") {
		return "Go on"
	}
	return "Cancel"
}

func (c *Alerts) turnSurvey() {
	if s := c.Files.Survey(); s != nil && (s.Cancelled || s.Error != "") {
		c.Files.GoOn()
		return
	}
	c.Files.CancelSurvey()
}

// announceSurvey is what screen readers hear of it: every quarter, and its end.
func (c *Alerts) announceSurvey() string {
	s := c.Files.Survey()
	switch {
	case s == nil:
		return ""
	case s.Cancelled || s.Error != "":
		return c.surveySays()
	}
	return fmt.Sprintf("Reading all of %s: %d %%", s.Entry, s.Percent()/25*25)
}
