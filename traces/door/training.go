package door

import (
	"io"
	"strings"

	"spillway/sim/kerneltime"
	"spillway/traces"
	"spillway/traces/archive"
	"spillway/traces/handed"
	"spillway/traces/hf"
	"spillway/traces/measured"
)

func takesTraining() string {
	return traces.Takes() + "; and the config.json of a model on Hugging Face, as a network to train"
}

// sniffTraining recognizes recordings and workloads of training jobs.
func sniffTraining(f *archive.Item) Sure {
	switch {
	case traces.Sniff(f.Name, f.Data), measured.Sniff(f.Data), hf.IsConfig(f.Data):
		return Yes
	case traces.Useless(f.Data):
		return Maybe
	}
	return No
}

// readTraining reads them, and tables of measured kernel times beside them.
func readTraining(list []archive.Item) (*Taker, error) {
	h := &handed.Training{}
	t := &Taker{Workload: h}
	if err := readMeasured(&list, h, t); err != nil {
		return t, err
	}
	tables := len(h.Jobs)
	if err := readNetworks(&list, h, t); err != nil || len(list) == 0 {
		t.Second = tables == 0 // a config.json says what a model is, mostly to LLM training
		return t, err
	}
	s, err := traces.Read(list)
	if err != nil {
		return nil, err
	}
	h.Note(s.Notes...)
	known := map[string]*handed.Job{}
	for i := range s.Entries {
		e := &s.Entries[i]
		j := &handed.Job{Name: e.Name, Detail: e.Detail, Model: e.Model, Batch: e.Batch, Recording: e.Recording}
		if c := e.Config; c != nil {
			j.Config = c.Name
			for _, p := range c.Pairs {
				j.Lines = append(j.Lines, handed.Line{Number: p.Line, Key: p.Key, Value: p.Value})
			}
		}
		if e.Recording == nil {
			build(j, h, e, known)
		}
		h.Jobs = append(h.Jobs, *j)
		t.Found = append(t.Found, Found{e.Name, e.Detail})
	}
	return t, nil
}

// readMeasured takes the tables of measurements out of a list and reads them.
func readMeasured(list *[]archive.Item, h *handed.Training, t *Taker) error {
	var rest []archive.Item
	for i := range *list {
		f := &(*list)[i]
		if !measured.Sniff(f.Data) {
			rest = append(rest, *f)
			continue
		}
		var notes []string
		agreements, err := read(f, func(name string, r io.Reader) (list []kerneltime.Agreement, err error) {
			list, notes, err = measured.Compare(r, name)
			return list, err
		})
		if err != nil {
			return err
		}
		for _, n := range notes {
			h.Note(f.Given + ": " + n)
		}
		detail := "measured kernel times"
		h.Jobs = append(h.Jobs, handed.Job{Name: f.Given, Detail: detail, Measured: agreements, Workload: -1})
		t.Found = append(t.Found, Found{f.Given, detail})
	}
	*list = rest
	return nil
}

// readNetworks takes architectures out of a list and reads them as networks to train. What is
// wrong with one is noted where there is something else.
func readNetworks(list *[]archive.Item, h *handed.Training, t *Taker) error {
	var rest []archive.Item
	var errs []error
	for i := range *list {
		f := &(*list)[i]
		if !hf.IsConfig(f.Data) {
			rest = append(rest, *f)
			continue
		}
		whole, err := f.Whole()
		if err != nil {
			errs = append(errs, err)
			continue
		}
		n, err := hf.ReadNetwork(f.Name, whole.Data)
		if err != nil {
			errs = append(errs, err)
			continue
		}
		for _, note := range n.Notes {
			h.Note(f.Name + ": " + note)
		}
		detail := "a network to train, of a config.json"
		h.Jobs = append(h.Jobs, handed.Job{Name: n.Title, Detail: detail, Network: n.String(), Workload: -1})
		t.Found = append(t.Found, Found{n.Title, detail})
	}
	*list = rest
	return some(len(h.Jobs)+len(rest), errs, &h.Notes)
}

// build builds the workload of a job, or says why there is none. Those that are alike are
// built and handed over once: their origins differ in the .config file that they name.
func build(j *handed.Job, h *handed.Training, e *traces.Entry, known map[string]*handed.Job) {
	if same := known[e.Alike]; same != nil && e.Config != nil {
		j.Workload, j.Error = same.Workload, same.Error
		j.Origin = strings.Replace(same.Origin, ", as "+same.Config+" names", ", as "+j.Config+" names", 1)
		return
	}
	w, err := e.Load()
	if err != nil {
		j.Workload, j.Error = -1, err.Error()
		return
	}
	bare := *w
	bare.Origin = ""
	j.Workload, j.Origin = len(h.Workloads), w.Origin
	h.Workloads = append(h.Workloads, &bare)
	known[e.Alike] = j
}
