package headless_test

import (
	"strings"
	"testing"

	"spillway/sim/knob"
	"spillway/sim/report"
	"spillway/ui/headless"
	"spillway/ui/lab"
	"spillway/ui/lab/all"
	"spillway/ui/model/link"
	"spillway/ui/model/session"
	"spillway/ui/model/state"
)

// show is what a link shows of its laboratory.
func show(t *testing.T, name, fragment string) (*session.Session, error) {
	t.Helper()
	l, err := all.Find(name)
	if err != nil {
		t.Fatal(err)
	}
	return headless.Show(l, nil, fragment)
}

// What a link asks for is there: every system has a result, or does not fit, and
// every chart says so.
func TestShow(t *testing.T) {
	const training = "throughput breakdown causes traffic memory slowdown"
	for _, x := range []struct {
		lab, fragment string
		view          state.View
		charts        string // IDs of those that are drawn, in order; another may come before them
	}{
		{"train", "", state.Explore, training},
		{"store", "", state.Explore, "time causes clients hits evicted memory host"},
		{"train", "v=3&lab=train&model=bert-base&batch=16&times=as-paper&gpu_memory=2&host_memory=0", state.Explore, training}, // some do not fit
		{"train", "v=3&lab=train&model=bert-base&batch=16&base=gpu_memory%3D2", state.Explore, training},
		{"train", "v=3&lab=train&model=bert-base&batch=16&view=compare&run=name%3DA+system%3Dg10+model%3Dbert-base+batch%3D16&run=name%3DB+system%3Duvm+model%3Dbert-base+batch%3D16", state.Explore, training + " lag"},
		{"train", "v=3&lab=train&view=reproduce&figure=g10.2", state.Reproduce, "g10-2"},
		{"train", "v=3&lab=train&model=bert-base&batch=16&view=whatif&ask-vary=gpu_memory&ask-values=1,2,4&systems=ideal,uvm,g10", state.WhatIf, "whatif"},
		{"train", "v=3&lab=train&model=bert-base&batch=16&view=whatif&ask=find&ask-vary=gpu_memory&systems=ideal,g10", state.WhatIf, "whatif"},
		{"store", "v=3&lab=store&view=whatif&ask-vary=gpu_memory&ask-values=4,5&ask-vary2=link&ask-values2=6,12&systems=lru,oracle", state.WhatIf, "whatif"},
	} {
		n, err := show(t, x.lab, x.fragment)
		if err != nil {
			t.Errorf("%s: %v", x.fragment, err)
			continue
		}
		views := n.Charts()
		if n.State.View != x.view || n.Runs.Active() || len(views) == 0 {
			t.Errorf("%s: view %s, active %t, %d charts", x.fragment, n.State.View, n.Runs.Active(), len(views))
		}
		var drawn []string
		for i := range views {
			v := &views[i]
			if v.Figure != nil {
				drawn = append(drawn, v.ID)
			}
			if lines := strings.Count(v.Data(), "\n"); v.Figure != nil && lines < 2 || x.view == state.WhatIf && v.Mode == "" {
				t.Errorf("%s: %s has %d lines of data, mode %q", x.fragment, v.ID, lines, v.Mode)
			}
			if v.Results == 0 && v.Figure != nil && v.Empty == "" || strings.Contains(v.Alt, "running") || strings.Contains(v.Alt, "not run") {
				t.Errorf("%s: %s says %q, %q", x.fragment, v.ID, v.Alt, v.Empty)
			}
		}
		if got := strings.Join(drawn, " "); !strings.HasSuffix(got, x.charts) {
			t.Errorf("%s: %q is drawn, want %q", x.fragment, got, x.charts)
		}
	}
}

// What cannot be shown is an error that says why, never a figure of something else.
func TestErrors(t *testing.T) {
	for _, x := range []struct{ lab, fragment, want string }{
		{"train", "v=3&lab=store", `about the laboratory "store"`},
		{"train", "v=3&lab=nothing", `the laboratory "nothing"`},
		{"train", "v=99&lab=train", "newer Spillway"},
		{"train", "v=3&lab=train&colour=red", `"colour"`},
		{"train", "v=3&lab=train&gpu_memory=lots", "GPU memory"},
		{"train", "v=3&lab=train&ssd_read=20&ssd_write=30", "SSD write (30 GB/s) is faster"},
		{"train", "v=3&lab=train&entry=mine", `a file, "mine"`},
	} {
		if _, err := show(t, x.lab, x.fragment); err == nil || !strings.Contains(err.Error(), x.want) {
			t.Errorf("%s: %v; want %q in it", x.fragment, err, x.want)
		}
	}
}

// Nobody has opened a section, so none is computed.
func TestNoSections(t *testing.T) {
	l, err := all.Find("store")
	if err != nil {
		t.Fatal(err)
	}
	asked := 0
	l.Section = func(string, *knob.Setup, *knob.Setup, string, lab.Files, lab.Progress) (*report.Section, error) {
		asked++
		return &report.Section{}, nil
	}
	n, err := headless.Show(l, nil, "v=4-by-hand&lab=store&preset=two-resnets")
	if err != nil || asked > 0 || len(n.Charts()) == 0 {
		t.Fatalf("%d sections, %v", asked, err)
	}
}

// A link without a version means of fidelity what people expect: only what the published
// simulator ran itself is as published. One with a version means what it meant.
func TestFidelityOfLinks(t *testing.T) {
	for text, want := range map[string]string{
		"lab=train&model=resnet-50&times=estimated":                   "corrected",
		"lab=train&model=gpt2-xl-pytorch":                             "corrected",
		"lab=train&model=resnet-50&times=estimated&mode=published":    "published",
		"lab=train&model=bert-base&batch=16":                          "published",
		"lab=train&preset=g10-paper&batch=16":                         "published",
		"lab=train&preset=g10-paper&times=estimated":                  "published",
		"lab=train&preset=vit-h100":                                   "corrected",
		"lab=train&entry=mine":                                        "corrected",
		"v=4-by-hand&lab=train&model=resnet-50&times=estimated":       "published",
		"v=3&lab=train&model=resnet-50&times=estimated":               "published",
		"v=2&lab=train&model=resnet-50&times=estimated&gpu_memory=20": "published",
		"v=1&model=bert-base&batch=256&ssd=990-pro":                   "published",
		"v=4-by-hand&lab=train&preset=vit-h100&mode=published":        "published",
		"v=4-by-hand&lab=train&preset=resnet-152-corrected&batch=64":  "corrected",
	} {
		l, err := all.Find("train")
		if err != nil {
			t.Fatal(err)
		}
		at, err := link.Parse(text)
		if err != nil {
			t.Fatal(text, err)
		}
		info := l.Complete()
		s, err := link.Read(&info, at.Pairs)
		if got := s.Setup.Text("mode"); err != nil || got != want {
			t.Errorf("%s: %s, want %s (%v)", text, got, want, err)
		}
	}
	l, err := all.Find("train")
	if err != nil {
		t.Fatal(err)
	}
	info := l.Complete()
	for _, x := range []struct{ preset, times, want string }{{"", "estimated", "corrected"}, {"", "as-paper", "published"}, {"g10-paper", "estimated", "published"}} {
		s, err := headless.State(&info, x.preset, []knob.Pair{{Key: "times", Text: x.times}})
		if err != nil || s.Setup.Text("mode") != x.want {
			t.Errorf("%+v: %s, %v", x, s.Setup.Text("mode"), err)
		}
	}
}
