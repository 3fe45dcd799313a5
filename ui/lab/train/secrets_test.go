package train

import (
	"bytes"
	"fmt"
	"strings"
	"testing"

	"spillway/ui/bundle"
	"spillway/ui/exec"
	reader "spillway/ui/files"
	"spillway/ui/lab"
)

// The secrets of a job: where it ran, whose it is, what its environment holds.
var secrets = []string{"hf_PlantedToken", "/srv/anna", "anna-laptop", "train_secret.py", "ACME_KEY"}

// secretive is a profiler's trace with secrets wherever its user, or a profiler
// other than those that are known, could have put them.
func secretive() []byte {
	var b strings.Builder
	b.WriteString(`{"ACME_KEY":"hf_PlantedToken","env":{"HOME":"/srv/anna","HOST":["anna-laptop"]},"hostname":"anna-laptop","with_stack":1,"stacks":["/srv/anna/train_secret.py"],"traceName":"/srv/anna/job.json",` +
		`"deviceProperties":[{"id":0,"name":"NVIDIA H100 80GB HBM3","totalGlobalMem":85018279936,"host":"anna-laptop"}],` +
		`"distributedInfo":{"rank":0,"world_size":1,"pg_config":"/srv/anna"},"traceEvents":[` +
		`{"name":"process_name","ph":"M","ts":1,"pid":7,"tid":0,"args":{"name":"python train_secret.py"}},` +
		`{"name":"process_labels","ph":"M","ts":1,"pid":7,"tid":0,"args":{"labels":"anna-laptop"}}`)
	ts, gpu, c := 1000, 5000, 1
	for step := range 3 {
		begin := ts
		for i := range 4 {
			fmt.Fprintf(&b, `,{"ph":"X","cat":"python_function","name":"/srv/anna/train_secret.py(12): forward","pid":7,"tid":7,"ts":%d,"dur":45,"args":{"Python id":%d}}`, ts-1, c)
			fmt.Fprintf(&b, `,{"ph":"X","cat":"cpu_op","name":"aten::mm","pid":7,"tid":7,"ts":%d,"dur":40,"args":{"External id":%d,"Input Dims":[[512,512],[512,512]],"Input type":["float","float"],"Concrete Inputs":["hf_PlantedToken","/srv/anna"],"Call stack":"/srv/anna/train_secret.py","ACME_KEY":"hf_PlantedToken"}}`, ts, c)
			fmt.Fprintf(&b, `,{"ph":"i","cat":"cpu_instant_event","name":"[memory]","pid":7,"tid":7,"ts":%d,"args":{"Total Allocated":%d,"Bytes":1048576,"Addr":%d,"Device Id":0,"Device Type":1,"Ev Idx":%d}}`, ts+1, 1<<30+i<<20, 1<<20*(c+1), c)
			fmt.Fprintf(&b, `,{"ph":"X","cat":"cuda_runtime","name":"cudaLaunchKernel","pid":7,"tid":7,"ts":%d,"dur":5,"args":{"correlation":%d}}`, ts+10, c)
			fmt.Fprintf(&b, `,{"ph":"X","cat":"kernel","name":"gemm","pid":0,"tid":7,"ts":%d,"dur":90,"args":{"device":0,"stream":7,"correlation":%d,"comment":"hf_PlantedToken"}}`, gpu, c)
			ts, gpu, c = ts+50, gpu+91, c+1
		}
		for i := range 4 {
			fmt.Fprintf(&b, `,{"ph":"i","cat":"cpu_instant_event","name":"[memory]","pid":7,"tid":7,"ts":%d,"args":{"Total Allocated":%d,"Bytes":-1048576,"Addr":%d,"Device Id":0,"Device Type":1}}`, ts, 1<<30+(2-i)<<20, 1<<20*(c-4+i+1))
			ts++
		}
		fmt.Fprintf(&b, `,{"ph":"X","cat":"user_annotation","name":"ProfilerStep#%d","pid":7,"tid":7,"ts":%d,"dur":%d}`, step, begin-5, ts-begin+6)
		ts += 50
	}
	b.WriteString(`]}`)
	return []byte(b.String())
}

// What the page shows, hands on or saves of a recording holds nothing of its user's
// but the names of operators, modules and kernels.
func TestNoSecrets(t *testing.T) {
	data := secretive()
	for _, s := range secrets {
		if !bytes.Contains(data, []byte(s)) {
			t.Fatalf("%s was not planted", s)
		}
	}
	l := New()
	b := reader.NewNative(l)
	files := []lab.File{{Name: "home/anna-laptop/train_secret.py/job.json", Data: data}}
	b.Open(1, files)
	n := 0
	check := func(what string, data []byte) {
		n++
		for _, s := range secrets {
			if bytes.Contains(data, []byte(s)) {
				t.Errorf("%s holds %q", what, s)
			}
		}
	}
	do := func(j *exec.Job) *exec.Answer {
		j.ID, j.Files = 1, 1
		a := b.Do(j, nil)
		if a.Error != "" {
			t.Fatalf("%+v: %s", j, a.Error)
		}
		return &a
	}
	a := do(&exec.Job{Kind: exec.List})
	if len(a.Entries) != 1 || len(a.Entries[0].Knobs) != 6 {
		t.Fatalf("%+v", a.Entries)
	}
	check("the list", fmt.Append(nil, a.Entries, a.Notes))
	takers, err := reader.Takers(files, "store")
	if err != nil || len(takers) != 1 || takers[0].Lab != "train" || len(takers[0].Handed) == 0 {
		t.Fatal(err, takers)
	}
	check("what crosses", takers[0].Handed)
	check("what was found", fmt.Append(nil, takers[0].Found))
	u := l.Setup()
	if err := u.Set("entry", a.Entries[0].Name); err != nil {
		t.Fatal(err)
	}
	check("the link", []byte(u.String()))
	check("the report", fmt.Appendf(nil, "%+v", do(&exec.Job{Kind: exec.Run, Setup: u.String(), System: "g10"}).Report))
	check("the result", []byte(do(&exec.Job{Kind: exec.Raw, Setup: u.String(), System: "g10"}).JSON))
	check("the account", fmt.Appendf(nil, "%+v", do(&exec.Job{Kind: exec.Section, Key: recordedKey, Setup: u.String(), System: "g10"}).Section))
	for _, e := range l.Exports {
		check(e.Title, do(&exec.Job{Kind: exec.Export, Key: e.Key, Setup: u.String(), System: "g10"}).Data)
	}
	carried := do(&exec.Job{Kind: exec.Carry, Setup: u.String()}).Handed
	check("what is carried", carried)
	packed := b.Do(&exec.Job{ID: 1, Kind: exec.Pack, Lab: l.Name, Handed: carried, Set: 2}, nil)
	if packed.Error != "" {
		t.Fatal(packed.Error)
	}
	o := &exec.BundleRequest{}
	for _, system := range []string{"ideal", "g10"} {
		a := b.Do(&exec.Job{ID: 1, Kind: exec.Again, Files: 2, Ask: &exec.Ask{Setup: u.String(), System: system}}, nil)
		if a.Error != "" {
			t.Fatal(a.Error)
		}
		o.Redone = append(o.Redone, a.Redone)
	}
	bound := b.Do(&exec.Job{ID: 1, Kind: exec.Bundle, Files: 2, Order: o}, nil)
	if bound.Error != "" {
		t.Fatal(bound.Error)
	}
	zip := bound.Data
	x, err := bundle.Open(zip)
	if err != nil {
		t.Fatal(err)
	}
	check("a bundle", zip)
	check("a bundle", fmt.Appendf(nil, "%+v", x.Info()))
	for _, f := range x.Workload() {
		check("a bundle's "+f.Name, append([]byte(f.Name), f.Data...))
	}
	if n < 12 {
		t.Errorf("%d things were looked at", n)
	}
}
