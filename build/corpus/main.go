// Command corpus opens a folder of files that other people recorded and compares what is read of
// them with what is known of them otherwise: kernels and their time, levels and peaks of memory,
// parameters, calls.
//
//	go run ./build/corpus [-truths FILE] FOLDER
//
// Truths are a JSON list. Each row names a file of the folder, or several that are opened together,
// and what is true of it; what a row does not say is not compared. Files of the folder that no row
// names are opened all the same. The table says of every file whether it is read right, read
// misleadingly, refused clearly or refused unclearly; exit code 1 says that something is misleading
// or unclear.
package main

import (
	"cmp"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"io/fs"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"text/tabwriter"

	"spillway/sim/unit"
	"spillway/sim/workload"
	"spillway/traces/door"
	"spillway/traces/handed"
	"spillway/traces/recording"
)

// A Truth is what is known of a file, or of several that belong together. Numbers that are 0 are
// not known.
type Truth struct {
	File  string   `json:"file"`
	Files []string `json:"files"` // beside File
	// Kernels and Nanoseconds are those of each step, without copies; of a file whose steps are
	// not named, of the whole.
	Kernels     []int   `json:"kernels"`
	Nanoseconds []int64 `json:"ns"`
	// Level is the memory that was in use before, Peak the most, in bytes; Weights those of
	// parameters, Stays those of parameters and buffers.
	Level   int64 `json:"level"`
	Peak    int64 `json:"peak"`
	Weights int64 `json:"weights"`
	Stays   int64 `json:"stays"`
	Within  int64 `json:"within"` // percent that Weights and Stays may be off; 0 is to the byte
	// Parameters are those of a model, Calls those of a recording of a file system, Accesses
	// those of one of memory.
	Parameters int64  `json:"parameters"`
	Calls      int    `json:"calls"`
	Accesses   int    `json:"accesses"`
	Label      string `json:"label"`
	// Refused is what the refusal must say, for files that nothing can be made of.
	Refused string `json:"refused"`
}

// A verdict is what became of one file.
type verdict uint8

const (
	right verdict = iota
	opened
	misleading
	clear
	unclear
)

var verdicts = [...]string{"right", "opened, nothing known", "misleading", "refused clearly", "refused unclearly"}

// A row is one line of the table.
type row struct {
	name, why string
	verdict   verdict
}

func main() {
	truths := flag.String("truths", "", "JSON list of what is known; without it corpus.json of the folder, or that beside this program")
	flag.Parse()
	if flag.NArg() != 1 {
		fmt.Fprintln(os.Stderr, "usage: corpus [-truths FILE] FOLDER")
		os.Exit(2)
	}
	rows, err := run(flag.Arg(0), *truths)
	if err != nil {
		fmt.Fprintln(os.Stderr, "corpus:", err)
		os.Exit(2)
	}
	if !show(rows) {
		os.Exit(1)
	}
}

// known reads truths from the first file that is there.
func known(folder, file string) ([]Truth, error) {
	places := []string{file}
	if file == "" {
		places = []string{filepath.Join(folder, "corpus.json"), "build/corpus/truths.json"}
	}
	for _, p := range places {
		data, err := os.ReadFile(p)
		if errors.Is(err, fs.ErrNotExist) && file == "" {
			continue
		}
		var list []Truth
		if err == nil {
			err = json.Unmarshal(data, &list)
		}
		if err != nil {
			return nil, fmt.Errorf("%s: %w", p, err)
		}
		return list, nil
	}
	return nil, nil
}

// run opens all files of a folder.
func run(folder, file string) ([]row, error) {
	truths, err := known(folder, file)
	if err != nil {
		return nil, err
	}
	named := map[string]bool{}
	var rows []row
	for i := range truths {
		t := &truths[i]
		names := append([]string{t.File}, t.Files...)
		for _, n := range names {
			if _, err := os.Stat(filepath.Join(folder, n)); err != nil {
				return nil, fmt.Errorf("row %d, %s: %w", i+1, t.File, err)
			}
			named[n] = true
		}
		rows = append(rows, judge(folder, names, t))
	}
	err = filepath.WalkDir(folder, func(p string, d fs.DirEntry, err error) error {
		name, _ := filepath.Rel(folder, p)
		if name = filepath.ToSlash(name); err == nil && d.Type().IsRegular() && !named[name] && name != "corpus.json" {
			rows = append(rows, judge(folder, []string{name}, nil))
		}
		return err
	})
	return rows, err
}

// judge opens files together and compares.
func judge(folder string, names []string, t *Truth) row {
	r := row{name: strings.Join(names, " + ")}
	var files []door.File
	for _, n := range names {
		data, err := os.ReadFile(filepath.Join(folder, n))
		if err != nil {
			r.verdict, r.why = unclear, err.Error()
			return r
		}
		files = append(files, door.File{Name: filepath.Base(n), Data: data})
	}
	o, err := door.Open(files, "", 0)
	if err == nil {
		if only := o.Takers[0]; only.Sure == door.Bytes { // any bytes can be compressed
			err = o.Unknown
		}
	}
	if err != nil {
		return refused(r, err, filepath.Base(names[0]), t)
	}
	if t == nil {
		r.verdict = opened
		return r
	}
	if t.Refused != "" {
		if why := nothing(o); strings.Contains(why, t.Refused) {
			r.verdict = clear
			return r
		}
		r.verdict, r.why = misleading, "was opened, and should say "+t.Refused
		return r
	}
	if wrong := compare(o, t); len(wrong) > 0 {
		r.verdict, r.why = misleading, strings.Join(wrong, "; ")
	}
	return r
}

// nothing says why nothing of what was opened can be run; empty if something can.
func nothing(o *door.Opened) string {
	var says []string
	for _, r := range recordings(o) {
		_, _, err := r.Fold(recording.Choices{})
		if err == nil {
			return ""
		}
		says = append(says, err.Error())
		says = append(says, r.Advice...)
	}
	return strings.Join(says, " ")
}

// advice has words with which a sentence says what to do.
var advice = []string{"record", "open", "run ", "download", "use ", "set ", "drop", "unpack", "profile", "save", "give", "compress it", "take", "choose", "need", "convert"}

// refused judges a refusal: it is clear if it names the file and says what to do.
func refused(r row, err error, name string, t *Truth) row {
	says := strings.ReplaceAll(err.Error(), "\n", " ")
	r.verdict, r.why = clear, says
	lower := strings.ToLower(says)
	switch {
	case t != nil && t.Refused == "":
		r.verdict, r.why = misleading, "was refused: "+says
	case t != nil && !strings.Contains(says, t.Refused):
		r.verdict = unclear
	case !strings.Contains(says, strings.TrimSuffix(name, ".gz")) || !slices.ContainsFunc(advice, func(w string) bool { return strings.Contains(lower, w) }):
		r.verdict = unclear
	}
	return r
}

// recordings are those of training jobs.
func recordings(o *door.Opened) (list []*recording.Recording) {
	for _, x := range o.Takers {
		if h, ok := x.Workload.(*handed.Training); ok {
			for i := range h.Jobs {
				if h.Jobs[i].Recording != nil {
					list = append(list, h.Jobs[i].Recording)
				}
			}
		}
	}
	return list
}

// compare says what is read of files and is not so.
func compare(o *door.Opened, t *Truth) (wrong []string) {
	differ := func(what string, got, want, percent int64) {
		if off := math.Abs(float64(got - want)); want != 0 && off > float64(want)*float64(percent)/100 {
			wrong = append(wrong, fmt.Sprintf("%s: %d, and %d is true", what, got, want))
		}
	}
	if recs := recordings(o); len(recs) > 0 {
		r := recs[0]
		if t.Label != "" && string(r.Label) != t.Label {
			wrong = append(wrong, fmt.Sprintf("label %s, and %s is true", r.Label, t.Label))
		}
		for i, n := range t.Kernels {
			got, ns := int64(0), int64(0)
			if i < len(r.Steps) {
				got, ns = kernels(&r.Steps[i])
			}
			differ(fmt.Sprintf("kernels of step %d", i+1), got, int64(n), 0)
			if i < len(t.Nanoseconds) {
				differ(fmt.Sprintf("nanoseconds of step %d", i+1), ns, t.Nanoseconds[i], 0)
			}
		}
		if r.Memory.Known {
			differ("level before", int64(r.Memory.LevelBefore), t.Level, 0)
			differ("peak", int64(r.Memory.Peak), t.Peak, 0)
		}
		if _, rep, err := r.Fold(recording.Choices{}); err == nil {
			weights := rep.Roles[workload.Weight]
			differ("weights", int64(weights.Bytes-rep.Buffers.Bytes), t.Weights, t.Within)
			differ("weights and buffers", int64(weights.Bytes), t.Stays, t.Within)
			if !r.Memory.Known && t.Peak != 0 && (int64(rep.Least) > t.Peak || int64(rep.Most) < t.Peak) {
				wrong = append(wrong, fmt.Sprintf("needs %v to %v, and %v is true", rep.Least, rep.Most, unit.Bytes(t.Peak)))
			}
		} else if t.Weights+t.Stays != 0 {
			wrong = append(wrong, err.Error())
		}
	}
	for _, x := range o.Takers {
		switch h := x.Workload.(type) {
		case *handed.Models:
			differ("parameters", h.Models[0].Arch.Parameters(), t.Parameters, 0)
		case *handed.Calls:
			differ("calls", int64(len(h.Recordings[0].Order)), int64(t.Calls), 0)
		case *handed.Accesses:
			differ("accesses", h.Recordings[0].Count, int64(t.Accesses), 0)
		}
	}
	return wrong
}

// kernels counts those of a step that are no copies, and their nanoseconds.
func kernels(s *recording.Step) (n, ns int64) {
	for i := range s.Kernels {
		if k := &s.Kernels[i]; k.Kind == recording.Compute || k.Kind == recording.Communication {
			n++
			ns += int64(k.Time / unit.Nanosecond)
		}
	}
	return n, ns
}

// show prints the table, what is wrong first, and reports whether nothing is.
func show(rows []row) bool {
	slices.SortStableFunc(rows, func(a, b row) int { return cmp.Compare(order(b.verdict), order(a.verdict)) })
	w := tabwriter.NewWriter(os.Stdout, 0, 4, 2, ' ', 0)
	count := [len(verdicts)]int{}
	for _, r := range rows {
		count[r.verdict]++
		fmt.Fprintf(w, "%s\t%s\t%.160s\n", verdicts[r.verdict], r.name, r.why)
	}
	w.Flush()
	fmt.Println()
	for v, n := range count {
		fmt.Printf("%4d %s\n", n, verdicts[v])
	}
	return count[misleading]+count[unclear] == 0
}

// order is how much a verdict matters.
func order(v verdict) int {
	switch v {
	case misleading:
		return 3
	case unclear:
		return 2
	case clear:
		return 1
	}
	return 0
}
