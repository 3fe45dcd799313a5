package files

import (
	"fmt"
	"strings"
	"time"

	"spillway/ui/lab"
)

// words is what the page says of files, and what it is told about that.
type words struct{ files *Files }

// Search lists the entries that match a text.
func (w words) Search(text string) { w.files.Filter = text }

// Hush leaves unsaid what was opened.
func (w words) Hush() { w.files.Said = true }

// Holds says what dropped files held, until that was chosen from or closed.
func (w words) Holds() string {
	switch {
	case w.files.Error != "" && !w.files.Opening && !w.files.Said: // whatever is shown
		return w.files.Error
	case w.files.Number == 0 || w.files.Opening || w.files.Said || w.files.room.Entry() != "" && w.files.Has(w.files.room.Entry()), stands(w.files):
		return ""
	}
	workloads := fmt.Sprintf("%d workloads", len(w.files.Entries))
	if len(w.files.Entries) == 1 {
		workloads = "1 workload"
	}
	return fmt.Sprintf("Opened %s: %s. Choose one to run it.", w.files.What(), workloads)
}

// stands reports whether the only entry that can run is shown by settings alone, as a model's
// description is.
func stands(f *Files) bool {
	var only *lab.Entry
	for i := range f.Entries {
		if f.Entries[i].Error != "" {
			continue
		}
		if only != nil {
			return false
		}
		only = &f.Entries[i]
	}
	return only != nil && only.Stands && f.room.Files == f.Number
}

// Summary says how many entries there are, and how many match the search, of which at most
// so many are listed.
func (w words) Summary(most int) string {
	shown, matching := w.files.Shown(most)
	switch {
	case w.files.Opening:
		return "Reading…"
	case len(w.files.Entries) == 0:
		return ""
	case matching > len(shown):
		return fmt.Sprintf("%d of %d workloads match; the first %d are listed.", matching, len(w.files.Entries), len(shown))
	case matching < len(w.files.Entries):
		return fmt.Sprintf("%d of %d workloads match.", matching, len(w.files.Entries))
	case len(w.files.Entries) == 1:
		return "1 workload found."
	}
	return fmt.Sprintf("%d workloads found. Choose one below.", len(w.files.Entries))
}

// Reading says how far files have been read; it is empty when none are.
func (w words) Reading() string {
	done, total := w.files.Read()
	switch {
	case !w.files.Opening:
		return ""
	case total == 0:
		return "Reading " + w.files.What() + "…"
	case done >= total:
		return fmt.Sprintf("Read %s, %s. Finding out what it holds…", w.files.What(), megabytes(total))
	}
	return fmt.Sprintf("Reading %s: %s of %s", w.files.What(), megabytes(done), megabytes(total))
}

// Heard is what screen readers hear of it: every quarter.
func (w words) Heard() string {
	_, total := w.files.Read()
	switch {
	case !w.files.Opening:
		return ""
	case total == 0:
		return "Reading " + w.files.What()
	}
	return fmt.Sprintf("Reading %s: %d %%", w.files.What(), w.files.Percent()/25*25)
}

func megabytes(n int) string { return fmt.Sprintf("%.1f MB", float64(n)/1e6) }

func gigabytes(n int64) string {
	if n < 1e9 {
		return megabytes(int(n))
	}
	return fmt.Sprintf("%.2f GB", float64(n)/1e9)
}

// Says tells how far the bytes of the entry have been gone through, and what the charts show
// meanwhile; nothing if there is no survey.
func (s *Survey) Says() string {
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

// Waits reports whether it was stopped, or broke off, and waits to go on.
func (s *Survey) Waits() bool { return s != nil && (s.Cancelled || s.Error != "") }

// Button is what its button does.
func (s *Survey) Button() string {
	if s.Waits() {
		return "Go on"
	}
	return "Cancel"
}

// Heard is what screen readers hear of it: every quarter, and its end.
func (s *Survey) Heard() string {
	switch {
	case s == nil:
		return ""
	case s.Waits():
		return s.Says()
	}
	return fmt.Sprintf("Reading all of %s: %d %%", s.Entry, s.Percent()/25*25)
}

// TurnSurvey stops what goes through the entry that is shown, or has it go on.
func (w words) TurnSurvey() {
	if w.files.Survey().Waits() {
		w.files.GoOn()
		return
	}
	w.files.CancelSurvey()
}
