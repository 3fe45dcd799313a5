package train

import (
	"fmt"
	"strconv"

	"spillway/sim/report"
	core "spillway/sim/train"
	"spillway/sim/train/machine"
	"spillway/sim/train/system"
	"spillway/sim/unit"
	"spillway/ui/lab"
)

// takeKey is that of the section that says how much GPU memory a workload takes.
const takeKey = "take"

// takeSection asks what a workload would take.
func takeSection() section {
	return section{Show: take, Section: lab.Section{
		Key: takeKey, Title: "What would it take?", Run: true, Folded: true,
		About: "The least GPU memory with which each system keeps nine tenths of full speed, what less memory costs, and on which GPUs it fits.",
	}}
}

// What is asked of each system.
const (
	nearFull = 0.9 // of the speed of a GPU that holds everything
	parts    = 32  // of what is needed at once: how finely the least is looked for
)

// shares of what is needed at once whose cost is said, in percent.
var shares = []int{80, 50, 25}

// A taking runs one workload with different sizes of GPU memory.
type taking struct {
	v           *seen
	needs       unit.Bytes
	known       map[asked]float64
	done, total int
}

// asked is a system and how much GPU memory it has.
type asked struct {
	system string
	memory unit.Bytes
}

// speed is that of a system with so much GPU memory, relative to a GPU that holds everything; 0
// where it cannot run. What was run is not run again.
func (t *taking) speed(name string, memory unit.Bytes) (float64, error) {
	t.done++
	if x, ok := t.known[asked{name, memory}]; ok {
		return x, nil
	}
	q, err := t.v.Settings.request(name)
	if err != nil {
		return 0, err
	}
	q.Machine.GPUMemory = memory
	r, err := core.Run(t.v.Workload.Workload, q, func(done, of int) {
		if t.v.Progress != nil && of > 0 {
			t.v.Progress((t.done-1)*1000+1000*done/of, t.total*1000)
		}
	})
	if err != nil {
		return 0, err
	}
	x := 0.0
	if r.Fits {
		x = performance(r)
	}
	t.known[asked{name, memory}] = x
	return x, nil
}

// part is a number of the parts of what is needed.
func (t *taking) part(n int) unit.Bytes {
	return max(1, unit.Bytes(unit.MulDiv(int64(t.needs), int64(n), parts)))
}

// least is the fewest parts with which a system is near full speed, parts+1 if there are none.
func (t *taking) least(name string) (int, error) {
	from, to := 0, parts+1 // too few, and enough
	for from+1 < to {
		n := (from + to) / 2
		x, err := t.speed(name, t.part(n))
		if err != nil {
			return 0, err
		}
		if x >= nearFull {
			to = n
		} else {
			from = n
		}
	}
	return to, nil
}

// take is the section of that name.
func take(v *seen) (*report.Section, error) {
	w := v.Workload
	if x := w.imported; x != nil && x.cannot != "" && len(x.Picture.Times) > 0 {
		return takePicture(v), nil
	}
	if w.Workload == nil || len(w.Kernels) == 0 {
		return &report.Section{Text: []string{"There is nothing to run."}}, nil
	}
	systems := v.Settings.taken(v.System)
	// The least takes six runs at most, and one with all where nothing less is enough.
	t := taking{v: v, needs: w.memory.Most, known: map[asked]float64{}, total: len(systems)*(len(shares)+7) + len(machine.Slots()[0].Parts)}
	table := report.Table{Key: "systems",
		Title: fmt.Sprintf("Least GPU memory for %.0f %% of full speed, and time of an iteration with less than the %v needed, in multiples of that with all", 100*nearFull, t.needs),
		Head:  []string{"System", "Least memory"},
	}
	for _, s := range shares {
		table.Head = append(table.Head, fmt.Sprintf("with %d %%", s))
	}
	best, fewest := 0, parts+2
	for i, s := range systems {
		row := report.Row{Head: s.Title}
		n, err := t.least(s.Name)
		if err != nil {
			return nil, err
		}
		if n < fewest {
			best, fewest = i, n
		}
		if n <= parts {
			row.Cells = append(row.Cells, report.Cell{Text: t.part(n).String(), Share: float64(n) / parts}.Exactly(t.part(n)))
		} else {
			x, err := t.speed(s.Name, t.needs)
			if err != nil {
				return nil, err
			}
			row.Cells = append(row.Cells, all(slower(x)))
		}
		for _, share := range shares {
			x, err := t.speed(s.Name, unit.Bytes(unit.MulDiv(int64(t.needs), int64(share), 100)))
			if err != nil {
				return nil, err
			}
			row.Cells = append(row.Cells, slower(x))
		}
		table.Rows = append(table.Rows, row)
	}
	table.Rows[best].Cells[0].Best = true
	gpus, err := t.gpus(&systems[best])
	if err != nil {
		return nil, err
	}
	return &report.Section{
		Text:   []string{t.says(&systems[best], fewest)},
		Tables: []report.Table{table, *gpus},
		Notes: []string{
			fmt.Sprintf("Looked for in steps of 1/%d of what is needed, as if more memory were never slower. Everything else of the machine is as set; kernel times are those of the settings on every GPU.", parts),
		},
	}, nil
}

// says is the answer in a sentence or two.
func (t *taking) says(best *system.System, fewest int) string {
	text := fmt.Sprintf("It needs %v at once; a GPU that holds that moves nothing and is at full speed.", t.needs)
	if x := t.v.Workload.imported; x != nil && x.account != nil && x.account.Least < x.account.Most {
		text = fmt.Sprintf("By what is known of its tensors it needs %v at once; it may be %v to %v. A GPU that holds them moves nothing and is at full speed.", t.needs, x.account.Least, x.account.Most)
	}
	if fewest < parts {
		text += fmt.Sprintf(" %s keeps %.0f %% of full speed with %v.", best.Title, 100*nearFull, t.part(fewest))
	}
	return text
}

// gpus is what each GPU of the list does with it.
func (t *taking) gpus(best *system.System) (*report.Table, error) {
	table := &report.Table{Key: "gpus", Title: "GPUs of the list, by their memory alone", Head: []string{"GPU", "Memory", "Holds it", "Time of an iteration"}}
	for _, p := range machine.Slots()[0].Parts {
		m := machine.Machine{}
		p.Fit(&m)
		row := report.Row{Head: p.Name, Cells: []report.Cell{report.Cell{Text: m.GPUMemory.String()}.Exactly(m.GPUMemory)}}
		if m.GPUMemory >= t.needs {
			row.Cells = append(row.Cells, report.Textf("yes"), slower(1))
			table.Rows = append(table.Rows, row)
			continue
		}
		x, err := t.speed(best.Name, m.GPUMemory)
		if err != nil {
			return nil, err
		}
		row.Cells = append(row.Cells, report.Textf("no, %v short", t.needs-m.GPUMemory).Part("short", float64(t.needs-m.GPUMemory), "B"), with(slower(x), best.Title))
		table.Rows = append(table.Rows, row)
	}
	return table, nil
}

// slower is a speed as how many times as long an iteration takes.
func slower(speed float64) report.Cell {
	if speed <= 0 {
		return report.Textf("does not run")
	}
	return report.Textf("%s ×", strconv.FormatFloat(1/speed, 'f', 2, 64)).With(1/speed, "")
}

// all is what a system does with all the memory that is needed, where nothing less is enough.
func all(c report.Cell) report.Cell {
	c.Text, c.Share = c.Text+" with all", 1
	for i := range c.Data {
		c.Data[i].Part = "slower_with_all"
	}
	return c
}

// with is a cell that says of what system it is.
func with(c report.Cell, system string) report.Cell {
	c.Text += " with " + system
	return c
}

// taken are the systems that are asked: those the page compares at first, and the one in focus.
func (s *settings) taken(focus string) (list []system.System) {
	o := system.Published()
	for _, x := range core.All() {
		if !x.Bound(&o) && (!x.Off || x.Name == focus) {
			list = append(list, x)
		}
	}
	return list
}
