package bundle

import (
	"bytes"
	"encoding/csv"
	"encoding/json"
	"fmt"
	"math"
	"strconv"

	"spillway/sim/hash"
	"spillway/sim/knob"
	"spillway/sim/report"
	"spillway/ui/exec"
	"spillway/ui/lab"
)

// Bind implements exec.Binder: it runs the systems that an order names and returns
// a bundle of them.
func (Binder) Bind(l *lab.Lab, setup string, o *exec.Order, workload []lab.File, opened lab.Files, p lab.Progress) ([]byte, error) {
	systems, err := titles(&l.Info, o.Systems)
	if err != nil {
		return nil, err
	}
	if len(systems) == 0 {
		return nil, fmt.Errorf("no system is chosen, so that there is nothing to put into a bundle")
	}
	u, err := l.Read(setup)
	if err != nil {
		return nil, err
	}
	s := &scenario{lab: l.Name, setup: u.String(), link: o.Link, systems: o.Systems, opened: opened != nil}
	files := map[string][]byte{}
	var results []*result
	for i, x := range systems {
		r, rep, err := once(l, u, x, opened, part(p, i, len(systems)))
		if err != nil {
			return nil, fmt.Errorf("%s: %w", x.Title, err)
		}
		if files[resultName(x.Name)], err = write(r); err != nil {
			return nil, err
		}
		results = append(results, r)
		s.tell(&exec.Told{About: rep.About, Origin: rep.Origin, Notes: rep.Notes}, i == 0)
	}
	files[valuesName] = values(&l.Info, results)
	if s.opened {
		for _, f := range workload {
			name := workloadFolder + f.Name
			if _, ok := files[name]; ok {
				return nil, fmt.Errorf("two of the opened files are called %s; rename one", f.Name)
			}
			files[name] = f.Data
		}
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

// once runs one system.
func once(l *lab.Lab, u *knob.Setup, x *lab.System, opened lab.Files, p lab.Progress) (*result, *report.Report, error) {
	rep, raw, err := l.Run(u, x.Name, opened, p)
	if err != nil {
		return nil, nil, err
	}
	text, err := l.JSON(raw)
	if err != nil {
		return nil, nil, err
	}
	return &result{
		Lab: l.Name, System: x.Name, Title: x.Title, Setup: u.String(), Fits: rep.Fits, Reason: rep.Reason, About: rep.About,
		Values: numbers(&l.Info, rep), Hash: l.Hash(raw), Result: text,
	}, rep, nil
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
func about(files map[string][]byte, s *scenario, o *exec.Order) {
	files[scenarioName] = []byte(s.text())
	files[environmentName] = environment(o)
	files[readmeName] = []byte(readme(s, o))
	files[citationName] = []byte(citation(o.Version))
}

// finish adds what every bundle has and packs it.
func finish(files map[string][]byte, s *scenario, o *exec.Order) ([]byte, error) {
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
