package llm

import (
	"fmt"
	"math"
	"slices"
	"strings"
	"testing"

	"spillway/sim/knob"
	core "spillway/sim/llm"
	"spillway/sim/machine"
	"spillway/sim/model"
	"spillway/sim/report"
	"spillway/sim/unit"
	"spillway/ui/lab"
	"spillway/ui/lab/labtest"
)

// small is a model that does not fit and runs in no time.
const small = "node=one-4090 drive=990-pro-teraio model=llama3-8b layers=3 batch=2 micro=1 sequence=1024 buffer_size=540"

// setups are models with fewer layers, every one of the first tables and then one of each kind, every machine
// and every way to cut.
func setups() []string {
	list := []string{
		small, small + " precision=bf16 recompute=selective", small + " recompute=full gds=1 fallback=demand", small + " fallback=stretch rewrite=0 target=90",
		"node=teraio model=llama3-8b layers=4 batch=8 gpu_memory=16 drives=1", "node=teraio model=granite-8b layers=6 batch=8 gpu_memory=12 shared=1 zero_cut=data",
		"node=four-4090 drive=990-pro-teraio model=llama3-8b layers=8 batch=8 micro=1 gpu_memory=6 tensor=2", "node=four-4090 drive=990-pro-teraio model=gpt2-xl layers=8 batch=8 micro=1 gpu_memory=2 data=2 zero=2 delayed=1 stage=2 zero_cut=data",
		"node=dgx-h100 model=llama3-8b layers=8 batch=16 precision=bf16 gpu_memory=5", "node=eight-a100 model=mixtral-8x7b layers=8 batch=16 micro=1 sequence=512 precision=bf16 zero_cut=data",
	}
	known, all := map[model.Arch]bool{}, false
	for _, a := range model.Models() {
		layer := a.Linear() / a.Layers
		if a.Encoder == 0 && a.Vocab*a.Hidden > 3*layer {
			continue // with few layers they are their vocabulary, and no pipeline is fair
		}
		if all && known[kind(a)] {
			continue
		}
		known[kind(a)] = true
		all = all || a.Name == "mixtral-8x7b"
		list = append(list, "model="+a.Name+" layers=4 batch=4 micro=1 sequence=512 gpu_memory=24")
	}
	return list
}

// kind is what an architecture is made of, without its sizes.
func kind(a model.Arch) model.Arch {
	a.Name, a.Title, a.Source, a.Dropout = "", "", "", false
	for _, n := range []*int64{
		&a.Layers, &a.Encoder, &a.Hidden, &a.Heads, &a.KVHeads, &a.HeadDim, &a.FFN, &a.Vocab, &a.Positions, &a.Buckets, &a.ValueDim, &a.KeyLatent,
		&a.QueryLatent, &a.RopeDim, &a.Experts, &a.Active, &a.Shared, &a.DenseFirst, &a.Every, &a.DenseFFN, &a.PadOffset, &a.EmbedWidth,
	} {
		*n = min(*n, 1)
	}
	return a
}

// TestEight: an answer in fp8 says that no measurement of it was held out, and one in bf16 does not; where a machine has
// an efficiency of its own, there is no band to be another's.
func TestEight(t *testing.T) {
	l := New()
	const node = "node=dgx-h100 model=llama3-8b layers=8 micro=1 batch=16 sequence=2048 recompute=full precision="
	for _, x := range []struct {
		set, system  string
		band, halved bool
	}{
		{"fp8", "ideal", true, false},
		{"fp8", "fsdp", true, false},
		{"fp8 gemm=60", "ideal", false, true},
		{"bf16", "ideal", false, false},
		{"bf16", "fsdp", false, false},
	} {
		r, raw, err := l.Run(labtest.Setup(t, &l, node+x.set), x.system, nil, nil)
		if err != nil || !r.Fits {
			t.Fatal(x.set, err, r)
		}
		if by := raw.(*result).Recipe != nil; by != (x.system == "fsdp") {
			t.Errorf("%s, %s: by recipe %t", x.set, x.system, by)
		}
		said := strings.Join(r.Caveats, " ")
		if band := strings.Contains(said, "No measurement of fp8 was held out") && strings.Contains(said, "± ") && strings.Contains(said, "The band is that of bf16."); band != x.band {
			t.Errorf("%s, %s: %q", x.set, x.system, r.Caveats)
		}
		if halved := strings.Contains(said, "half the time of those in bf16"); halved != x.halved || !x.band && strings.Contains(said, "held out") {
			t.Errorf("%s, %s: %q", x.set, x.system, r.Caveats)
		}
	}
}

// TestRuns runs every system on every setup.
func TestRuns(t *testing.T) {
	l := New()
	ran := map[string]int{}
	values := []string{"iteration_s", "tokens_s", "fetch_s", "space_s", "read_gb", "written_gb", "host_read_gb", "host_written_gb", "demand", "late"}
	labtest.Runs(t, &l, setups(), values, func(about string, r *report.Report, raw any) {
		if x := raw.(*result); r.Fits {
			consistent(t, &l, about, r, x)
			ran[x.System]++
		}
	})
	for _, s := range core.Systems { // what holds everything fits on few
		if ran[s.Name] < len(setups())/2 {
			t.Errorf("%s runs only %d of %d setups", s.Name, ran[s.Name], len(setups()))
		}
	}
}

// consistent checks what every report must hold.
func consistent(t *testing.T, l *lab.Lab, name string, r *report.Report, raw *result) {
	t.Helper()
	if len(r.Values) != len(l.Quantities) || len(r.Caveats) > 2 {
		t.Fatalf("%s: %+v", name, r)
	}
	value := labtest.Value(t, l, name, r)
	for i, v := range r.Values {
		if math.IsInf(v, 0) || v < -1e-9 {
			t.Errorf("%s: %s is %v", name, l.Quantities[i].Key, v)
		}
	}
	near := labtest.Near(t, name, 1e-3)
	sum := 0.0
	for _, x := range causes {
		sum += value(x.key + "_s")
	}
	near("what GPUs spend time on", sum, value("iteration_s"))
	near("throughput", value("tokens_s")*value("iteration_s"), float64(raw.Tokens))
	if raw.Recipe != nil {
		if _, ok := r.Value(l.Quantity("of_ideal")); ok || len(r.Curves) > 0 || value("gpu_gib") <= 0 {
			t.Errorf("%s: a recipe is compared with an ideal that trains otherwise, has curves or no memory", name)
		}
		return
	}
	near("of ideal", value("of_ideal")*inSeconds(raw.Time), inSeconds(raw.ideal.Time)*float64(raw.Tokens)/float64(raw.ideal.Tokens))
	if bound := raw.System == "ideal"; bound && value("of_ideal") != 1 || bound && value("read_gb")+value("host_read_gb")+value("written_gb")+value("host_written_gb") != 0 {
		t.Errorf("%s: the ideal moves bytes, or is not ideal", name)
	}
	if strings.HasPrefix(raw.System, "teraio") {
		if got, most := value("gpu_gib"), gib(raw.setup.Node.Usable()); got > most {
			t.Errorf("%s: %v of %v GiB of a GPU are in use", name, got, most)
		}
		var read, written float64
		for i, u := range raw.Links {
			switch raw.Node.Links[i].Kind {
			case machine.ArrayRead:
				read += float64(u.Bytes) / 1e9
			case machine.ArrayWrite:
				written += float64(u.Bytes) / 1e9
			}
		}
		near("what drives read", value("read_gb"), read)
		near("what drives are written", value("written_gb"), written)
		if value("moves") == 0 && read > 0 {
			t.Errorf("%s: it moves without a plan", name)
		}
	}
	if days, ok := r.Value(l.Quantity("life_days")); ok {
		if got, most := days*value("written_tb_day")*1e12, 1.001*float64(raw.setup.Node.Drive.Endurance)*float64(drivesOf(&raw.setup.Node)); got > most || got < most/10 {
			t.Errorf("%s: drives are written %v bytes in their life, and endure %v", name, got, most)
		}
	} else if value("written_tb_day") > 0 {
		t.Errorf("%s: drives that are written live for ever", name)
	}
	drawn(t, name, value, raw)
	for _, n := range append(slices.Clone(r.Notes), r.Lead, r.About, r.Origin) {
		if strings.Contains(n, "%!") || strings.Contains(n, "NaN") {
			t.Errorf("%s: it says %q", name, n)
		}
	}
	charts := map[string]int{}
	for _, c := range r.Curves {
		charts[c.Chart]++
		if len(c.X) != len(c.Y) || len(c.X) < 2 || len(c.X) > 600 || !slices.IsSorted(c.X) || slices.ContainsFunc(c.Y, func(y float64) bool { return math.IsNaN(y) || y < 0 }) {
			t.Errorf("%s: curve %s, %s of %d and %d", name, c.Chart, c.Name, len(c.X), len(c.Y))
		}
	}
	if charts["memory"] != 3 || charts["links"] != 4 {
		t.Errorf("%s: curves %v", name, charts)
	}
}

// drawn checks that the drawing's rates and shares are of all GPUs and all drives, as its bytes
// are, also where a system moves nothing for some of them.
func drawn(t *testing.T, name string, value func(string) float64, raw *result) {
	t.Helper()
	for _, x := range []struct {
		rate, bytes, busy string
		kind              machine.LinkKind
	}{
		{"read_rate", "read_gb", "read_busy", machine.ArrayRead},
		{"write_rate", "written_gb", "write_busy", machine.ArrayWrite},
		{"host_read_rate", "host_read_gb", "host_read_busy", machine.HostIn},
		{"host_write_rate", "host_written_gb", "host_write_busy", machine.HostOut},
	} {
		one, links, busy := unit.Bandwidth(0), 0, 0.0 // of those that are used, else of the first
		for i, u := range raw.Links {
			if l := &raw.Node.Links[i]; l.Kind == x.kind {
				if one == 0 || u.Bytes > 0 {
					one = l.Rate
				}
				busy += inSeconds(u.Busy)
			}
		}
		for i := range raw.Node.Links {
			if l := &raw.Node.Links[i]; l.Kind == x.kind && l.Rate == one {
				links++
			}
		}
		if want := float64(links) * float64(one) / 1e9; math.Abs(value(x.rate)-want) > 1e-6*want {
			t.Errorf("%s: %s is %v, that of %d links %v", name, x.rate, value(x.rate), links, want)
		}
		if want := busy / float64(max(1, links)) / value("iteration_s"); math.Abs(value(x.busy)-want) > 1e-6 {
			t.Errorf("%s: %s is %v, of %d links %v", name, x.busy, value(x.busy), links, want)
		}
		if most := 1.001 * value(x.rate) * value(x.busy) * value("iteration_s"); value(x.bytes) > most {
			t.Errorf("%s: %s is %v, in that time at most %v", name, x.bytes, value(x.bytes), most)
		}
	}
}

// A link's rate over time sums to what it carries.
func TestRatesSum(t *testing.T) {
	l := New()
	r, raw, err := l.Run(labtest.Setup(t, &l, small), "teraio-mixed", nil, nil)
	if err != nil || !r.Fits {
		t.Fatal(err, r.Reason)
	}
	x := raw.(*result)
	var sum float64
	for _, c := range r.Curves {
		if c.Chart == "links" {
			for _, y := range c.Y {
				sum += y * (c.X[1] - c.X[0])
			}
		}
	}
	want := 0.0
	for i, u := range x.Links {
		switch x.Node.Links[i].Kind {
		case machine.ArrayRead, machine.ArrayWrite, machine.HostIn, machine.HostOut:
			want += float64(u.Bytes) / 1e9
		}
	}
	if want == 0 || math.Abs(sum/want-1) > 0.01 {
		t.Errorf("curves have %v GB, links %v", sum, want)
	}
}

func TestErrors(t *testing.T) {
	l := New()
	for _, tt := range []struct{ set, system, want string }{
		{"entry=x", "ideal", "open"},
		{"", "magic", `unknown system "magic"`},
		{"tensor=3", "ideal", "set tensor and data"},
		{"heads=7", "ideal", "7"},
		{"nodes=1 gpus=64 layers=4", "ideal", "set tensor or data under Training to 16 or more"},
		{"data=2 batch=3", "ideal", "set batch under Training to a multiple of 2"},
		{"batch=3 micro=2", "ideal", "set micro under Training"},
		{"model=gpt2-xl sequence=4096", "zero-offload", "set sequence under Training to at most 1024"},
	} {
		_, _, err := l.Run(labtest.Setup(t, &l, tt.set), tt.system, nil, nil)
		if err == nil || !strings.Contains(err.Error(), tt.want) {
			t.Errorf("%s: %v", tt.set, err)
		}
	}
}

// Machines that are offered as a whole, and models, are what the simulator says of them.
func TestWhole(t *testing.T) {
	l := New()
	var ks []knob.Knob[settings]
	for _, list := range knobs() {
		ks = append(ks, list...)
	}
	resolved := func(text string) core.Setup {
		s := standard()
		if err := knob.Fill(ks, &s, labtest.Setup(t, &l, text)); err != nil {
			t.Fatal(err)
		}
		m, err := s.resolved(nil)
		if err != nil {
			t.Fatal(err)
		}
		return m
	}
	want := core.Standard()
	if got := resolved(""); fmt.Sprintf("%+v", got) != fmt.Sprintf("%+v", want) {
		t.Errorf("at first:\n%+v, want\n%+v", got, want)
	}
	for _, p := range machine.Presets() {
		u := labtest.Setup(t, &l, "node="+p.Key)
		if u.Text("node") != p.Key {
			t.Errorf("%s is shown as %s", p.Key, u.Text("node"))
		}
		if got := resolved("node=" + p.Key).Node; fmt.Sprintf("%+v", got) != fmt.Sprintf("%+v", p.Config) {
			t.Errorf("%s:\n%+v, want\n%+v", p.Key, got, p.Config)
		}
	}
	for _, a := range model.Models() {
		if got := resolved("model=" + a.Name).Arch; got != a {
			t.Errorf("%s:\n%+v, want\n%+v", a.Name, got, a)
		}
	}
	if got := resolved("model=llama3-8b layers=3").Arch; got.Layers != 3 || !strings.HasSuffix(got.Title, " (changed)") {
		t.Errorf("with three layers: %+v", got)
	}
}

// A dollar: by hand for one run.
func TestDollars(t *testing.T) {
	l := New()
	_, raw, err := l.Run(labtest.Setup(t, &l, small), "teraio-ssd", nil, nil)
	if err != nil {
		t.Fatal(err)
	}
	r := raw.(*result)
	c, secs := &r.setup.Node, inSeconds(r.Time)
	drives := float64(c.GPUs*c.Drives*c.Drive.Cents) / 100
	days := lives(r.Result)
	kw := float64(c.MilliWatts()) / 1e6
	want := (float64(c.Price())/100-drives)/(4*365*24*3600)*secs + drives/days/(24*3600)*secs + kw/3600*secs*float64(c.Prices.KWh)/100
	if got := dollars(r.Result); days > 4*365 || math.Abs(got/want-1) > 1e-3 {
		t.Errorf("an iteration costs %v $, want %v; drives live %v days", got, want, days)
	}
}

// Of what contradicts the page says one sentence before anything runs, and no more where a machine
// has neither drives nor host memory.
func TestContradictions(t *testing.T) {
	l := New()
	if err := l.Check(labtest.Setup(t, &l, "node=dgx-h100 layers=4")); err == nil || !strings.Contains(err.Error(), "4 layers cannot make the 8 stages") {
		t.Error(err)
	}
	if err := l.Check(labtest.Setup(t, &l, "node=dgx-h100 layers=4 data=2 batch=8")); err != nil {
		t.Error(err)
	}
	r, _, err := l.Run(labtest.Setup(t, &l, small+" drives=0 host_memory=0 layers=8"), "ideal", nil, nil)
	if err != nil || !strings.HasSuffix(r.Lead, "neither a drive nor host memory.") {
		t.Errorf("%v, %q", err, r.Lead)
	}
}

// A changed model is called so, in the line over all charts too.
func TestChangedModel(t *testing.T) {
	l := New()
	for set, want := range map[string]int{small: 1, strings.Replace(small, "layers=3", "", 1): 0} {
		r, _, err := l.Run(labtest.Setup(t, &l, set), "ideal", nil, nil)
		if err != nil || len(r.Words) != want {
			t.Errorf("%s: %v, %+v", set, err, r)
		}
	}
}

// No sentence of the tour says a unit twice: blanks have theirs.
func TestTourUnits(t *testing.T) {
	l := New()
	u := l.Setup()
	for i := range l.Tour {
		stop := &l.Tour[i]
		for _, b := range stop.Blanks() {
			name := ""
			if b[0] == "knob" {
				name = u.Knob(b[1]).Unit
			} else {
				name = l.Quantities[l.Quantity(b[1])].Unit
			}
			before, after, _ := strings.Cut(stop.Say, "{"+b[0]+" "+b[1]+"}")
			if name == "" {
				continue
			}
			if strings.HasPrefix(after, " "+name) || name == "$" && strings.HasPrefix(after, " dollar") || strings.HasSuffix(name, "/$") && strings.Contains(before[strings.LastIndex(before, ".")+1:], "dollar") {
				t.Errorf("stop %s: %q is in %s already", stop.Key, after, name)
			}
		}
	}
}

// TestAnswers: a run says yes with what it takes and costs, or no with the smallest change.
func TestAnswers(t *testing.T) {
	l := New()
	const lora = "node=one-4090 model=llama3.1-8b batch=2 micro=2 precision=bf16 recompute=full method=lora optimizer=adamw-bf16 loss=chunked compile=1"
	for _, x := range []struct{ set, system, answer, caveat string }{
		{lora, "single", "Yes: 2\u202f800 tokens/s ± 30 %, a billion tokens in 4.1 days for $20; it needs 17.4 of 24 GiB.", "Recipes are closed formulas. ± 30 %"},
		{lora + " gpu=rtx-3060", "single", "No, 5.4 GiB short; the smallest change that makes it fit: QLoRA.", "± 30 %"},
		{lora + " model=llama3-70b", "single", "No, ", "± 30 %"},
		{"node=one-4090 model=llama3.1-8b batch=2 precision=bf16", "single", "short; the smallest change that makes it fit: recomputation, updates in the backward pass and paged 8-bit AdamW.", "± 30 %"}, // as torchtune trains it, not adapters
		{lora, "teraio-mixed", "", ""},
		{"node=one-4090 model=llama3-8b layers=3 batch=2 micro=1 sequence=1024 precision=bf16 buffer_size=540", "teraio-mixed", "Yes: ", "± 12 %"},
		{"node=one-4090 model=llama3-8b layers=3 batch=2 micro=1 sequence=1024 precision=bf16 buffer_size=540", "ideal", "", "± 12 %"},
		{"node=four-4090 model=llama3-8b batch=16 micro=4 precision=bf16 recompute=full loss=chunked optimizer=adamw-8bit", "fsdp", "; each GPU needs 15.2 of 24 GiB.", "± 30 %"},
	} {
		r, _, err := l.Run(labtest.Setup(t, &l, x.set), x.system, nil, nil)
		if err != nil {
			t.Fatal(x.set, err)
		}
		if !strings.Contains(r.Answer, x.answer) || x.answer == "" && r.Answer != "" || !strings.Contains(strings.Join(r.Caveats, " "), x.caveat) {
			t.Errorf("%s, %s: %q, %q", x.set, x.system, r.Answer, r.Caveats)
		}
		if n := strings.Count(strings.Join(r.Caveats, " ")+strings.Join(r.Notes, " "), "eight of ten"); n > 1 {
			t.Errorf("%s, %s: its band is said %d times", x.set, x.system, n)
		}
	}
}

// TestUnmoved: who offloads a recipe that fits without is told so, and what a recipe needs is not said by what all weights do.
func TestUnmoved(t *testing.T) {
	const lora = "node=one-4090 model=llama3-8b batch=4 micro=2 precision=bf16 recompute=full optimizer=adamw-bf16 loss=chunked method="
	for _, tt := range []struct{ set, system, want, not string }{
		{lora + "lora", "fsdp-offload", "Nothing has to be offloaded: One GPU trains", ""},
		{lora + "lora gpu=rtx-3090 gpus=2", "fsdp-offload", "Nothing has to be offloaded: DDP trains", ""},
		{lora + "full", "fsdp-offload", "", "Nothing has to be offloaded"}, // it does not fit without
		{lora + "lora", "single", "", "Nothing has to be offloaded"},
		{lora + "lora", "ideal", "it is no bound for recipes", ""},
		{"node=one-4090 model=llama3-8b batch=4 precision=bf16", "ideal", "", "it is no bound for recipes"},
	} {
		l := New()
		rep, _, err := l.Run(labtest.Setup(t, &l, tt.set), tt.system, nil, nil)
		if err != nil {
			t.Fatal(tt.set, err)
		}
		said := strings.Join(rep.Caveats, " ")
		if !strings.Contains(said, tt.want) || tt.not != "" && strings.Contains(said, tt.not) {
			t.Errorf("%s, %s: %q", tt.set, tt.system, said)
		}
		if strings.Contains(tt.set, "method=lora") && !strings.HasSuffix(rep.Lead, "train Llama-3 8B by LoRA, and how fast?") {
			t.Errorf("%s, %s: asks %q", tt.set, tt.system, rep.Lead)
		}
	}
}
