package lab_test

import (
	"errors"
	"fmt"
	"strings"
	"testing"

	"spillway/sim/knob"
	"spillway/ui/lab"
)

// roasting is the invented laboratory with an export.
func roasting(loads *int) lab.Spec[brew, pot, cup] {
	s := cafe(loads)
	type view = lab.View[brew, pot, cup]
	s.Exports = []lab.Written[brew, pot, cup]{
		{Export: lab.Export{Key: "smell", Title: "Smell", Ext: "txt", Mime: "text/plain", About: "What it smells of."}, Write: func(v *view) ([]byte, error) {
			return fmt.Appendf(nil, "%s %s %d %s %s", v.Workload.bean, v.System, v.Settings.Grams, v.Origin.Title, v.Origin.Link), nil
		}},
		{Export: lab.Export{Key: "sack"}, Write: func(*view) ([]byte, error) { return make([]byte, lab.MostExport+1), nil }},
	}
	return s
}

func TestExport(t *testing.T) {
	loads := 0
	l := lab.New(roasting(&loads))
	export := func(key, set, system string) (string, error) {
		u := l.Setup()
		pairs, err := knob.Pairs(set)
		if err == nil {
			err = u.Apply(pairs)
		}
		if err != nil {
			t.Fatal(err)
		}
		data, err := l.Export(key, u, system, nil, lab.Origin{Title: "T", Link: "L"}, nil)
		return string(data), err
	}
	if got, err := export("smell", "bean=java", "press"); err != nil || got != "java press 9 T L" {
		t.Errorf("%q, %v", got, err)
	}
	if _, err := export("sack", "", "press"); !errors.Is(err, lab.ErrLarge) || !strings.Contains(err.Error(), "200 MiB") {
		t.Error(err)
	}
	for _, tt := range [][4]string{
		{"taste", "", "press", `no export "taste"; there are ["smell" "sack"]`}, {"smell", "", "tea", "unknown system"}, {"smell", "bean=java grams=30", "press", "too strong"},
	} {
		if _, err := export(tt[0], tt[1], tt[2]); err == nil || !strings.Contains(err.Error(), tt[3]) {
			t.Errorf("%v: %v", tt, err)
		}
	}
	without := lab.New(cafe(&loads))
	if _, err := without.Export("smell", without.Setup(), "press", nil, lab.Origin{}, nil); err == nil {
		t.Error("a laboratory without exports has one")
	}
	for _, wrong := range []func(*lab.Spec[brew, pot, cup]){
		func(s *lab.Spec[brew, pot, cup]) { s.Exports[0].Write = nil }, func(s *lab.Spec[brew, pot, cup]) { s.Info.Exports = make([]lab.Export, 1) }, func(s *lab.Spec[brew, pot, cup]) { s.Exports[1].Key = "smell" },
	} {
		func() {
			defer func() {
				if recover() == nil {
					t.Error("what contradicts is accepted")
				}
			}()
			s := roasting(&loads)
			wrong(&s)
			l := lab.New(s)
			if err := l.Valid(); err != nil {
				panic(err)
			}
		}()
	}
}
