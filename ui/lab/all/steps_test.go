package all

import (
	"errors"
	"strings"
	"testing"

	"spillway/sim/knob"
	"spillway/ui/headless"
	"spillway/ui/lab"
)

// Every laboratory knows how much work a run is: of its presets each system's is some, and
// none is near what is refused.
func TestSteps(t *testing.T) {
	for _, d := range Labs {
		l := d.New()
		info := l.Complete()
		for _, p := range info.Presets {
			s, err := headless.State(&info, p.Key, nil)
			if err != nil {
				t.Fatal(err)
			}
			for _, x := range info.Systems {
				if n, err := l.Steps(s.Setup, x.Name); err != nil || n < 1 || n > lab.MostSteps/5 {
					t.Errorf("%s, %s, %s: %d steps, %v", l.Name, p.Key, x.Name, n, err)
				}
			}
		}
	}
}

// endless are settings that would run for ever, or for hours, though each of their values is
// allowed.
var endless = []struct{ lab, system, set string }{
	{"filesys", "bytefs", "workload=varmail calls=1000000000000"},
	{"filesys", "ext4", "workload=fileserver file_size=1048576 scale=1"},
	{"filesys", "ext4", "workload=webserver file_size=1048576 io=0.5"},
	{"filesys", "nova", "workload=ycsb-a append=1073741824 io=1048576 scale=1"},
	{"llm", "teraio-mixed", "layers=1024 encoder=1024 batch=256 micro=1"},
	{"llm", "teraio-ssd", "model=llama3-70b batch=65536 micro=1"},
	{"train", "deepum+", "model=bert-base batch=65536"},
	{"train", "swapadvisor", "model=gpt2-xl-pytorch batch=4 gpu_memory=12 swapadvisor_population=1000 swapadvisor_generations=10000"},
}

// What would run for ever is refused before it begins, in a sentence that says what to do,
// and nothing of it runs: not for an export, nor a section.
func TestEndless(t *testing.T) {
	for _, x := range endless {
		l, err := Find(x.lab)
		if err != nil {
			t.Fatal(err)
		}
		u, err := l.Read(x.set)
		if err == nil {
			err = l.Check(u)
		}
		if err != nil {
			t.Errorf("%s: %v", x.set, err)
			continue
		}
		refused := func(what string, err error) {
			t.Helper()
			var m *lab.Much
			if !errors.As(err, &m) || !strings.HasSuffix(m.Error(), ".") || m.Less == "" {
				t.Errorf("%s of lab=%s system=%s %s: %v", what, x.lab, x.system, x.set, err)
			}
		}
		_, _, err = l.Run(u, x.system, nil, nil)
		refused("a run", err)
		if len(l.Exports) > 0 {
			_, err = l.Export(l.Exports[0].Key, u, x.system, nil, lab.Origin{}, nil)
			refused("an export", err)
		}
		for i := range l.Sections {
			if s := &l.Sections[i]; s.Run {
				_, err = l.Section(s.Key, knob.NewSetup(s.Knobs), u, x.system, nil, nil)
				refused("a section", err)
				break
			}
		}
	}
}
