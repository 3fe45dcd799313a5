package study

import (
	"cmp"
	"fmt"
	"hash/fnv"
	"math"
	"slices"
	"strconv"
	"strings"
)

// How a text of recorded outcomes writes what is no number.
const (
	noValue  = "-" // a run without this value
	cannot   = "!" // begins why a run does not fit
	analysis = "." // stands for the system of a run without one
	comment  = "#" // begins a line that says something to people
)

// key is the short name of a run in a text of recorded outcomes. It says which run it is,
// wherever that stands among the paper's.
func key(run string) uint32 {
	h := fnv.New32a()
	_, _ = h.Write([]byte(run))
	return h.Sum32()
}

// A Recording is what all runs of a paper said when a site was built.
type Recording struct {
	Paper    string // its key
	Outcomes []Outcome
	Seconds  float64 // that all runs took natively on one processor; 0 if nobody measured
}

// took begins the line that says so.
const took = comment + " Seconds of one processor: "

// WriteSeconds returns what [RecordedSeconds] reads, as a line of a recording's head.
func WriteSeconds(s float64) string {
	return strings.TrimPrefix(took, comment+" ") + strconv.FormatFloat(s, 'f', 1, 64)
}

// RecordedSeconds reads from a recorded text how many seconds all runs took natively on one
// processor; 0 if it does not say.
func RecordedSeconds(text string) float64 {
	_, rest, _ := strings.Cut(text, took)
	number, _, _ := strings.Cut(rest, "\n")
	s, err := strconv.ParseFloat(number, 64)
	if err != nil {
		return 0
	}
	return s
}

// WriteRecorded returns what outcomes say as a text: a line a run, in the order of the
// paper's runs, with a key of the run's name, the system and all values to the last bit. Curves
// are left out. The error is about outcomes that are of another paper.
func (p *Paper) WriteRecorded(head string, outcomes []Outcome) (string, error) {
	l, err := p.ledger(outcomes)
	if err != nil {
		return "", err
	}
	var b strings.Builder
	for line := range strings.Lines(head) {
		b.WriteString(comment + " " + strings.TrimRight(line, "\n") + "\n")
	}
	for i, o := range l.outcomes {
		if o == nil {
			continue
		}
		fmt.Fprintf(&b, "%08x %s", key(o.Run), cmp.Or(l.tasks[i].System, analysis))
		if !o.Fits {
			b.WriteString(" " + cannot + " " + strings.Join(strings.Fields(o.Reason), " "))
		}
		for _, v := range o.Values {
			text := noValue
			if !math.IsNaN(v) {
				text = strconv.FormatFloat(v, 'g', -1, 64)
			}
			b.WriteString(" " + text)
		}
		b.WriteString("\n")
	}
	return b.String(), nil
}

// ReadRecorded reads a text that WriteRecorded wrote. The outcomes are as with the workloads that
// the paper brings. The error names a line that is not of this paper.
func (p *Paper) ReadRecorded(name, text string) ([]Outcome, error) {
	tasks, _ := p.tasks()
	at := map[uint32]int{}
	for i := range tasks {
		k := key(tasks[i].Name)
		if other, ok := at[k]; ok {
			return nil, fmt.Errorf("%s: the runs %q and %q have one key", p.Key, tasks[other].Name, tasks[i].Name)
		}
		at[k] = i
	}
	var list []Outcome
	number, last := 0, -1
	for line := range strings.Lines(text) {
		number++
		if line = strings.TrimSpace(line); line == "" || strings.HasPrefix(line, comment) {
			continue
		}
		o, task, err := p.readRun(line, at)
		if err == nil && task <= last {
			err = fmt.Errorf("the run %q is there twice, or in another place than in the paper", o.Run)
		}
		if err != nil {
			return nil, fmt.Errorf("%s:%d: %w", name, number, err)
		}
		last = task
		list = append(list, o)
	}
	return list, nil
}

// readRun reads a line; at finds runs by their keys.
func (p *Paper) readRun(line string, at map[uint32]int) (o Outcome, task int, err error) {
	cells := strings.Fields(line)
	k, err := strconv.ParseUint(cells[0], 16, 32)
	task, ok := at[uint32(k)]
	if err != nil || !ok || len(cells) < 2 {
		return o, 0, fmt.Errorf("%.40q is no run of %s", line, p.Key)
	}
	run := &p.list[task]
	if system := cmp.Or(run.System, analysis); cells[1] != system {
		return o, 0, fmt.Errorf("%q is of %s, and here of %.40q", run.Name, system, cells[1])
	}
	o = Outcome{Run: run.Name, Fits: true, Rebuilt: p.Standing != ""}
	values := cells[2:]
	if len(values) > 0 && values[0] == cannot {
		o.Fits, o.Reason = false, strings.Join(values[1:], " ")
		return o, task, nil
	}
	for _, text := range values {
		v := math.NaN()
		if text != noValue {
			if v, err = strconv.ParseFloat(text, 64); err != nil {
				return o, 0, fmt.Errorf("%.40q is no number", text)
			}
		}
		o.Values = append(o.Values, v)
	}
	if run.System != "" && len(o.Values) != len(run.points) {
		return o, 0, fmt.Errorf("%d values of %q, which has %d", len(o.Values), run.Name, len(run.points))
	}
	return o, task, nil
}

// Same reports whether two outcomes of a run say the same to the last bit, but for curves.
func (o *Outcome) Same(other *Outcome) bool {
	return o.Run == other.Run && o.Fits == other.Fits && o.Rebuilt == other.Rebuilt &&
		slices.EqualFunc(o.Values, other.Values, func(a, b float64) bool { return a == b || math.IsNaN(a) && math.IsNaN(b) })
}
