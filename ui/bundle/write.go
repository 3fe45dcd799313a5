package bundle

import (
	"bytes"
	"encoding/csv"
	"encoding/json"
	"fmt"
	"math"
	"slices"
	"strconv"

	"spillway/sim/hash"
	"spillway/sim/report"
	"spillway/ui/exec"
	"spillway/ui/lab"
)

// Bind runs the systems that an order names and returns a bundle of them. workload holds
// the opened files that the setup is about, and opened what is in them; both are nil for a
// bundled workload.
func Bind(l *lab.Lab, setup string, o *exec.BundleRequest, workload []lab.File, opened lab.Files, p lab.Progress) ([]byte, error) {
	made := *o
	made.Redone = nil
	for i, system := range o.Systems {
		r, err := exec.Redo(l, &exec.Ask{Setup: setup, System: system}, nil, opened, part(p, i, len(o.Systems)))
		if x, known := l.System(system); err != nil && known == nil {
			err = fmt.Errorf("%s: %w", x.Title, err)
		}
		if err != nil {
			return nil, err
		}
		made.Redone = append(made.Redone, r)
	}
	if opened == nil {
		workload = nil
	}
	return Write(&made, workload)
}

// Write returns a bundle of the runs that an order has, of systems or of a paper. workload is nil for a bundled
// workload.
func Write(o *exec.BundleRequest, workload []lab.File) ([]byte, error) {
	if len(o.Redone) == 0 {
		return nil, fmt.Errorf("no system is chosen, so that there is nothing to put into a bundle")
	}
	if is := claimed(o); is != nil {
		return writePaper(o, is)
	}
	first := o.Redone[0]
	s := &scenario{lab: first.Info.Name, setup: first.Setup, link: o.Link, opened: workload != nil}
	files := map[string][]byte{}
	var results []*result
	for i, x := range o.Redone {
		if x.Report == nil || x.Setup != first.Setup || x.Info.Name != s.lab {
			return nil, fmt.Errorf("%s is no run of %s with %s", x.System, s.lab, s.setup)
		}
		if slices.Contains(s.systems, x.System) {
			return nil, fmt.Errorf("%s is named twice", x.System)
		}
		r := resultOf(x)
		var err error
		if files[resultName(x.System)], err = write(r); err != nil {
			return nil, err
		}
		results, s.systems = append(results, r), append(s.systems, x.System)
		s.tell(told(x), i == 0)
	}
	files[valuesName] = values(&first.Info, results)
	for _, f := range workload {
		name := workloadFolder + f.Name
		if _, ok := files[name]; ok {
			return nil, fmt.Errorf("two of the opened files are called %s; rename one", f.Name)
		}
		files[name] = f.Data
	}
	return finish(files, s, o)
}

// part is the progress of one of many things.
func part(p lab.Progress, i, n int) lab.Progress {
	if p == nil {
		return nil
	}
	return func(done, total int) { p(100*i+100*done/max(total, 1), 100*n) }
}

// told is what a run tells the texts of a bundle.
func told(x *exec.Redone) *exec.Told {
	return &exec.Told{About: x.Report.About, Origin: x.Report.Origin, Notes: x.Report.Notes}
}

// resultOf is a run as a bundle has it.
func resultOf(x *exec.Redone) *result {
	return &result{
		Lab: x.Info.Name, System: x.System, Title: x.Title, Setup: x.Setup, Fits: x.Report.Fits, Reason: x.Report.Reason, About: x.Report.About,
		Values: numbers(&x.Info, x.Report), Hash: x.Hash, Result: json.RawMessage(x.JSON),
	}
}

// numbers are the values of a report that JSON can say, by quantity.
func numbers(l *lab.Info, rep *report.Report) map[string]float64 {
	list := map[string]float64{}
	for i := range l.Quantities {
		if v, ok := rep.Value(i); ok && !math.IsInf(v, 0) {
			list[l.Quantities[i].Key] = v
		}
	}
	return list
}

// write returns v as JSON with a line a member.
func write(v any) ([]byte, error) {
	text, err := json.MarshalIndent(v, "", "  ")
	return append(text, '\n'), err
}

// values is the table of all values, in the units that people see, a column a
// system.
func values(l *lab.Info, results []*result) []byte {
	head := []string{"quantity", "label", "unit"}
	for _, r := range results {
		head = append(head, r.System)
	}
	rows := [][]string{head}
	for i := range l.Quantities {
		q := &l.Quantities[i]
		row := []string{q.Key, q.Label, q.Unit}
		for _, r := range results {
			cell := ""
			if v, ok := r.Values[q.Key]; ok {
				cell = exact(q.Shown(v))
			}
			row = append(row, cell)
		}
		rows = append(rows, row)
	}
	return table(rows)
}

func table(rows [][]string) []byte {
	var b bytes.Buffer
	_ = csv.NewWriter(&b).WriteAll(rows) // a Buffer takes everything
	return b.Bytes()
}

func exact(v float64) string { return strconv.FormatFloat(v, 'g', -1, 64) }

// pictureName is the file of a drawing.
func pictureName(name string) string { return figuresFolder + name + ".svg" }

// about adds the texts that do not depend on the other files.
func about(files map[string][]byte, s *scenario, o *exec.BundleRequest) {
	files[scenarioName] = []byte(s.text())
	files[environmentName] = environment(o)
	files[readmeName] = []byte(readme(s, o))
	files[citationName] = []byte(citation(o.Version))
}

// finish adds what every bundle has and packs it.
func finish(files map[string][]byte, s *scenario, o *exec.BundleRequest) ([]byte, error) {
	for _, f := range o.Figures {
		files[pictureName(f.Name)] = []byte(f.SVG)
	}
	about(files, s, o)
	m := manifest{Format: format, Version: Version, Tool: tool{"spillway", o.Version}, Lab: s.lab, Paper: s.paper}
	crate, err := write(crate(files, s, o))
	if err != nil {
		return nil, err
	}
	files[crateName] = crate
	total := 0
	for _, name := range sorted(files) {
		m.Files = append(m.Files, entry{name, len(files[name]), hash.Sum(files[name]), role(name)})
		total += len(files[name])
	}
	if len(files) >= mostFiles || total > mostBytes {
		return nil, fmt.Errorf("a bundle of %d files with %d MiB is more than a bundle may have (%d, %d MiB)", len(files), total>>20, mostFiles, mostBytes>>20)
	}
	m.Root = root(m.Files)
	if files[manifestName], err = write(&m); err != nil {
		return nil, err
	}
	data, err := pack(files)
	if err == nil {
		_, _, err = unpack(data) // what nobody could open is not written
	}
	if err != nil {
		return nil, fmt.Errorf("these files make no bundle: %w", err)
	}
	return data, nil
}
