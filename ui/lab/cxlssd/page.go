package cxlssd

import (
	"fmt"
	"strconv"
	"strings"

	core "spillway/sim/cxlssd"
	"spillway/sim/knob"
	"spillway/sim/prose"
	"spillway/sim/report"
	"spillway/sim/unit"
)

// pageOf is the knob that says which page, and the words that it knows.
const (
	pageOf       = "page_of"
	pageHottest  = "hottest"
	pageWritten  = "most-written"
	pagePromoted = "first-promoted"
	pageDemoted  = "first-demoted"
	pageMissed   = "most-missed"
)

// mostEvents is how many events of a page are listed.
const mostEvents = 60

func pageKnobs() []knob.Info {
	return []knob.Info{{Key: pageOf, Label: "Page", Help: "Its number from 0, or hottest, most-written, most-missed, first-promoted, first-demoted.", Kind: knob.Word}}
}

// An event is something that happened to a page.
type event struct {
	what  string
	at    unit.Time
	last  unit.Time // of several alike that follow each other
	count int
}

// eventNames are the words for events, by what a watch calls them.
var eventNames = map[string]string{
	"miss": "is read from flash", "hit": "serves from the cache", "host": "serves from host DRAM", "promote": "moves to host DRAM", "demote": "leaves host DRAM",
	"evict": "leaves the cache", "append": "a line of it is appended to the log", "program": "is programmed to flash",
}

// page tells the life of a page.
func (v *view) page() (*report.Section, error) {
	out := &report.Section{Offers: []report.Offers{{Key: pageOf, Choices: []report.Offer{
		{Text: pageHottest, Label: "the one that is asked for most"},
		{Text: pageWritten, Label: "the one that is written most"},
		{Text: pageMissed, Label: "the one that misses most"},
		{Text: pagePromoted, Label: "the first that moves to host DRAM"},
		{Text: pageDemoted, Label: "the first that leaves host DRAM"},
	}}}}
	seen := surveyed{promoted: -1, demoted: -1}
	r, err := v.run(&core.Watch{Page: seen.page})
	if err != nil {
		return nil, err
	}
	s, err := v.stream(r.Threads)
	if err != nil {
		return nil, err
	}
	asked, writes := make([]int32, s.Pages), make([]int32, s.Pages)
	for _, t := range s.Threads {
		for _, q := range t {
			asked[q.Page()]++
			if q.Write() {
				writes[q.Page()]++
			}
		}
	}
	which := strings.TrimSpace(v.look.Text(pageOf))
	page, said := int64(-1), ""
	switch which {
	case "", pageHottest:
		page = most(asked)
	case pageWritten:
		if page = most(writes); page < 0 {
			said = "No page is written here."
		}
	case pageMissed:
		if page = most(seen.misses); page < 0 {
			said = "No page misses with " + v.system.Title + "."
		}
	case pagePromoted:
		if page = seen.promoted; page < 0 {
			said = "No page moves to host DRAM with " + v.system.Title + "."
		}
	case pageDemoted:
		if page = seen.demoted; page < 0 {
			said = "No page leaves host DRAM with " + v.system.Title + "."
		}
	default:
		n, err := strconv.ParseInt(which, 10, 64)
		if err != nil || n < 0 || n >= int64(s.Pages) {
			said = fmt.Sprintf("There is no page %q: pages are numbered from 0 to %d.", which, s.Pages-1)
			break
		}
		page = n
	}
	if page < 0 {
		out.Text = []string{said}
		return out, nil
	}
	var events []event
	if _, err := v.run(&core.Watch{Page: func(p uint32, what string, at unit.Time) {
		if int64(p) == page {
			events = follow(events, what, at)
		}
	}}); err != nil {
		return nil, err
	}
	out.Text = []string{v.life(page, int64(asked[page]), int64(writes[page]), events)}
	if said := uneven(int64(asked[page]), events); said != "" {
		out.Notes = append(out.Notes, said)
	}
	if len(events) > 0 {
		out.Tables = []report.Table{lifeTable(events, r.Time)}
	}
	if len(events) > mostEvents {
		out.Notes = append(out.Notes, fmt.Sprintf("The first %d of %d entries.", mostEvents, len(events)))
	}
	return out, nil
}

// A surveyed is what one run says of all pages.
type surveyed struct {
	misses            []int32
	promoted, demoted int64
}

func (x *surveyed) page(p uint32, what string, _ unit.Time) {
	switch what {
	case "miss":
		for int(p) >= len(x.misses) {
			x.misses = append(x.misses, 0)
		}
		x.misses[p]++
	case "promote":
		if x.promoted < 0 {
			x.promoted = int64(p)
		}
	case "demote":
		if x.demoted < 0 {
			x.demoted = int64(p)
		}
	}
}

// most is the place of the largest, -1 if none is above zero.
func most(list []int32) int64 {
	at, top := int64(-1), int32(0)
	for i, n := range list {
		if n > top {
			at, top = int64(i), n
		}
	}
	return at
}

// follow appends an event, or counts it with those alike before it.
func follow(list []event, what string, at unit.Time) []event {
	if n := len(list); n > 0 && list[n-1].what == what {
		list[n-1].count++
		list[n-1].last = at
		return list
	}
	return append(list, event{what, at, at, 1})
}

// life sums up what happened.
func (v *view) life(page, asked, writes int64, events []event) string {
	var said strings.Builder
	said.WriteString(fmt.Sprintf("Page %d is asked for %s times, %s of them writes.", page, prose.Grouped(asked), prose.Grouped(writes)))
	counts := map[string]int{}
	for _, e := range events {
		counts[e.what] += e.count
	}
	var parts []string
	for _, x := range []struct{ what, one, many string }{
		{"miss", "misses once", "misses %d times"},
		{"hit", "is found in the cache once", "is found in the cache %d times"},
		{"promote", "moves to host DRAM once", "moves to host DRAM %d times"},
		{"host", "is found there once", "is found there %d times"},
		{"demote", "leaves it once", "leaves it %d times"},
		{"append", "has one line appended to the log", "has %d lines appended to the log"},
		{"evict", "leaves the cache once", "leaves the cache %d times"},
		{"program", "is programmed once", "is programmed %d times"},
	} {
		switch n := counts[x.what]; {
		case n == 1:
			parts = append(parts, x.one)
		case n > 1:
			parts = append(parts, fmt.Sprintf(x.many, n))
		}
	}
	for _, e := range events {
		if e.what == "promote" {
			break
		}
		if e.what == "host" || e.what == "demote" {
			said.WriteString(" It is in host DRAM when the run begins.")
			break
		}
	}
	if len(parts) == 0 {
		return said.String() + " With " + v.system.Title + " it is in DRAM all the time."
	}
	return said.String() + " With " + v.system.Title + " it " + prose.List(parts) + "."
}

// uneven says why events are not as many as requests, empty if they are.
func uneven(asked int64, events []event) string {
	var answers int64
	for _, e := range events {
		switch e.what {
		case "miss", "hit", "host", "append":
			answers += int64(e.count)
		}
	}
	if answers == asked || answers == 0 {
		return ""
	}
	return fmt.Sprintf("It is asked for %s times and answers %s times here. Requests that wait while the page is on its way, or whose line is read from the log, are not listed; those squashed by a thread switch come again and count each time.", prose.Grouped(asked), prose.Grouped(answers))
}

// lifeTable lists events.
func lifeTable(events []event, end unit.Time) report.Table {
	t := report.Table{Key: "events", Title: "What happens to it, in order", Head: []string{"Event", "Times", "At", "Until", "Of the run"}}
	for _, e := range events[:min(len(events), mostEvents)] {
		until := report.DashCell()
		if e.count > 1 {
			until = report.Textf("%v", e.last)
		}
		t.Rows = append(t.Rows, report.Row{Head: eventNames[e.what], Cells: []report.Cell{
			report.Textf("%d", e.count), report.Textf("%v", e.at), until, shareCell(int64(e.at), int64(end)),
		}})
	}
	return t
}
