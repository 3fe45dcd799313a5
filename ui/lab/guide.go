package lab

import "strings"

// A Term is a word that the page uses as its field does.
type Term struct {
	Name   string
	Is     string // what it is, one sentence
	Source string // where the word comes from, empty if it is everybody's
}

// A Stop is one step of a laboratory's tour: what to show, and what to see there.
type Stop struct {
	Key, Title string
	// Say is a sentence or two. What stands in braces is taken from the run that is
	// shown, "{g10 iteration_s}" a quantity of a system's report and "{knob
	// gpu_memory}" a setting, so that no number is written down.
	Say string
	// Preset is the key of the preset that the stop begins with, empty for the
	// first; Set is setup text on top of it.
	Preset, Set string
	// Show is the rest of a link: the view, the systems, the question, axes.
	Show string
	// Look is the ID of the element that Say is about.
	Look string
	// Facts are what Say claims about the runs, for tests to prove.
	Facts []Fact
}

// A Card is a question that people have about a laboratory, as What if asks it: with the
// settings and systems that are shown.
type Card struct {
	Question string // as one asks it aloud
	About    string // what it varies, a line
	Ask      string // the question as links say it: "ask-vary=batch ask-values=1,2,4"
}

// A Fact says that one value of a stop's runs is larger than another some times
// over: Left > Times × Right. A value without a system is zero.
type Fact struct {
	Left, Right Value
	Times       float64 // 0 means 1
}

// A Value is a quantity of a system's report at a stop.
type Value struct {
	System, Quantity string
	Back             int // how many stops back its run is; 0: at this one
}

// Blanks returns what stands in braces in a stop's text, each as two words.
func (s *Stop) Blanks() (list [][2]string) {
	text := s.Say
	for {
		_, rest, ok := strings.Cut(text, "{")
		if !ok {
			return list
		}
		inside, after, _ := strings.Cut(rest, "}")
		what, of, _ := strings.Cut(inside, " ")
		list, text = append(list, [2]string{what, of}), after
	}
}

// Filled returns a stop's text with every blank replaced by what of says.
func (s *Stop) Filled(of func(what, key string) string) string {
	text := s.Say
	for _, b := range s.Blanks() {
		text = strings.Replace(text, "{"+b[0]+" "+b[1]+"}", of(b[0], b[1]), 1)
	}
	return text
}

// Terms are the words of the whole page; laboratories add theirs.
func Terms() []Term {
	return []Term{
		{Name: "Baseline", Is: "A pinned run that every number, chart and the headline are compared with."},
		{Name: "Eviction", Is: "Moving data out of GPU memory to make room for other data."},
		{Name: "GB and GiB", Is: "1 GB is 10⁹ bytes and 1 GiB is 2³⁰ bytes, 7 % more; rates count in GB, memory in GiB.", Source: "IEC 80000-13"},
		{Name: "Oversubscription", Is: "Running more data on a GPU than its memory holds."},
		{Name: "Prefetch", Is: "Bringing data back before somebody waits for it."},
		{Name: "Spilling", Is: "Keeping in host memory or on an SSD what does not fit into GPU memory; also called offloading."},
		{Name: "System", Is: "One published way to decide what moves, and when; all systems of a laboratory run the same workload on the same machine."},
		{Name: "Thrashing", Is: "Evicting what is needed again so soon that moving data takes more time than computing.", Source: "Denning, Thrashing: its causes and prevention, AFIPS 1968"},
		{Name: "Verdict", Is: "How a published number and ours compare: exact, within a stated limit, or different."},
		{Name: "Workload", Is: "What runs, the same for every system: a training iteration, or a trace of operations."},
	}
}
