// Package planner is what each part of Spillway's own planner brings, and what copying ahead
// brings to planners that were published: no paper, but a study of this program's own, run again
// in Reproduce as papers are.
//
// # Source
//
// recorded.csv, written by running everything natively:
//
//	go test ./ui/lab/train/papers/planner -run TestTimesOverTheBound -update
//
// What the page calls published is what was recorded there. A run is the same to the last bit on
// every platform, so that a difference says that a planner or an engine has changed since.
package planner

import (
	_ "embed" // for recorded
	"fmt"
	"math"
	"slices"
	"strings"

	"spillway/sim/portable"
	"spillway/sim/study"
	"spillway/sim/train/result"
)

// Key is the study's.
const Key = "planner"

// The systems, and the quantity.
const (
	spillway, swapadvisor, autotm, g10, best = "spillway", "swapadvisor", "autotm", "g10", "bound"

	iteration = "iteration_s"
)

// The figures.
const (
	own     = "parts"
	foreign = "ahead"
)

//go:embed recorded.csv
var recorded string

// A Setting is a workload on a machine.
type Setting struct{ Name, Set string }

// Settings returns the settings, in the order in which figures show them.
func Settings() []Setting {
	const table2 = " machine=g10-table-2-a100-40gb-pcie-3-z-nand"
	return []Setting{
		{"ViT, G10's times", "model=vit-s-32 batch=1280 times=as-paper" + table2 + common},
		{"ViT, 20 GiB", "model=vit-s-32 batch=1280 times=estimated gpu=a100-40" + table2 + " gpu_memory=20" + common},
		{"BERT, 16 GiB", "model=bert-base batch=384 times=estimated gpu=h100-80" + table2 + " gpu_memory=16 host_memory=64 gpu_link=25 host_link=25 ssd_read=6.4 ssd_write=3" + common},
		{"GPT-2 L, 24 GiB", "model=gpt2-l-pytorch batch=3 times=estimated gpu=rtx-3090" + table2 + " gpu_memory=24" + common},
		{"ResNet-152, 12 GiB", "model=resnet-152-pytorch batch=128 times=estimated gpu=rtx-3090" + table2 + " gpu_memory=12 host_memory=64 gpu_link=25 host_link=25 ssd_read=6.4 ssd_write=5" + common},
		{"ViT, host 5 GiB", "model=vit-s-32 batch=256 times=estimated gpu=a100-40" + table2 + " gpu_memory=4 host_memory=5" + common},
		{"GPT-2 XL, host 32 GiB", "model=gpt2-xl-pytorch batch=2 times=estimated gpu=a100-80" + table2 + " gpu_memory=40 host_memory=32 gpu_link=25 host_link=25 ssd_read=6.4 ssd_write=5" + common},
	}
}

// common is what all settings have.
const common = " mode=corrected iterations=3"

// alone keeps the plans of other systems out of the candidates, among which a part that is
// switched off would not be missed.
const alone = " spillway_others=0"

// A variant is a system with some of its parts.
type variant struct {
	figure, name, system string
	change               string // of the setting
	base                 string // the name of what it is compared with; "" of that itself
	claim, text          string // what is said of it, with the change of time behind it
}

func variants() []variant {
	list := []variant{
		{own, "planner alone", spillway, alone, "", "", ""},
		{own, "without copying ahead", spillway, alone + " spillway_ahead=0", "planner alone", "ahead", "Without copying ahead the planner's iteration time changes by"},
		{own, "without prices", spillway, alone + " spillway_prices=0", "planner alone", "prices", "Without the prices of memory and links, with the fractional movements alone, it changes by"},
		{own, "without the primal", spillway, alone + " spillway_primal=0", "planner alone", "primal", "Without the fractional movements near the bound, with prices alone, it changes by"},
		{own, "without both", spillway, alone + " spillway_prices=0 spillway_primal=0", "planner alone", "guides", "Without either, where what is idle for longest leaves, it changes by"},
		{own, "without choosing tiers", spillway, alone + " spillway_tiers=0", "planner alone", "tiers", "Without choosing between host and SSD it changes by"},
		{own, "with others' plans", spillway, "", "planner alone", "others", "With SwapAdvisor's and G10's plans among the candidates it changes by"},
	}
	for _, x := range []struct{ system, name, base string }{{swapadvisor, "SwapAdvisor", ""}, {autotm, "AutoTM", ""}, {g10, "G10 in an arena", " g10_arena=1"}} {
		if x.system == g10 {
			list = append(list, variant{foreign, "G10", g10, "", "", "", ""},
				variant{foreign, x.name, g10, x.base, "G10", "arena", "Without unified memory, its plan's tensors moved whole, G10's iteration time changes by"})
		} else {
			list = append(list, variant{foreign, x.name, x.system, x.base, "", "", ""})
		}
		list = append(list, variant{foreign, x.name + ", copying ahead", x.system, x.base + " copy_ahead=1", x.name, x.system, "With copies made ahead " + x.name + "'s iteration time changes by"})
	}
	return list
}

// Paper returns the study. Every call reads the table again.
func Paper() *study.Paper {
	p := &study.Paper{
		Fitted: func(*study.Point) bool { return true }, // recorded here: a difference is a change, agreement no evidence
		Key:    Key, Short: "Spillway's planner, part by part",
		Title:   "What each part of Spillway's planner brings",
		About:   "Spillway's own planner with each of its parts switched off, and copying ahead added to planners that were published, in seven settings: times over the proven bound.",
		Remark:  "No publication: what stands as published was recorded natively when this was written, and a run here gives the same but where a planner has changed since. Times are over the proven bound of the setting, below which nothing can be that moves data.",
		Systems: []string{spillway, swapadvisor, autotm, g10, best},
		Names: map[string]string{
			spillway: "Spillway", swapadvisor: "SwapAdvisor", autotm: "AutoTM", g10: "G10", best: "Best possible", iteration: "time over the bound",
		},
		Tolerance: 0.002, Rebuilt: 0.002, ClaimTolerance: 0.02,
		Why: func(r *study.Row) string {
			if math.Abs(r.Diff) > r.Limit {
				return "a planner or an engine has changed since it was recorded"
			}
			return ""
		},
	}
	values := map[[2]string]float64{}
	for _, f := range study.Records("recorded.csv", recorded) {
		values[[2]string{f[0], f[1]}] = study.Number(f[2])
	}
	for _, v := range variants() {
		for _, s := range Settings() {
			value := values[[2]string{s.Name, v.name}]
			p.Points = append(p.Points, study.Point{
				Figure: v.figure, Quantity: iteration, System: v.system, Set: s.Set + v.change, Workload: s.Set,
				Of: s.Name, At: v.name, Fits: value > 0, Value: value, Unit: "×", RelativeTo: best, RelativeToSet: s.Set,
			})
		}
	}
	p.Claims = claims(p.Points)
	p.Figures = []study.Figure{
		{
			ID: own, Title: "The planner with each part switched off", Kind: study.Bars, Axes: study.Axes{Y: "× the bound", Least: 0.9}, Marks: bars(p.Points, own),
			Says:   says(p.Claims, "ahead", "guides", "tiers"),
			Remark: "Plans of other systems are left out of the candidates but in the last bars: among them a part would not be missed. Prices and fractional movements are of one linear program, and each does most of what the other does.",
		},
		{
			ID: foreign, Title: "Copying ahead added to planners that were published", Kind: study.Bars, Axes: study.Axes{Y: "× the bound", Least: 0.9}, Marks: bars(p.Points, foreign),
			Says:   says(p.Claims, swapadvisor, autotm, g10),
			Remark: "What a plan moves out is copied from its last write on, while nothing else leaves; the plan stays as it is. A copy under way is finished before another tensor leaves, so a plan whose tensors leave at the last moment, as AutoTM's, may lose by it; a copy that gives way was not tried. Unified memory as G10 has it cannot have a copy of what is on the GPU, so its plan is followed in an arena of whole tensors, with and without. TERAIO is left out: its engine, in the laboratory of LLM training, makes no copy of a tensor that stays. Its plan lets a tensor leave at its last use before a gap: of 8B models in settings of its paper copies could begin 5 to 280 ms earlier in iterations of 33 to 77 s, which is next to nothing. Of Llama-3 70B's bytes an eighth to a third is unchanged since it last left, which its setting not to write again spares; a fifth to two fifths could be copied 0.3 to 12 s ahead, where something might be gained.",
		},
	}
	return p
}

// of finds the point of a variant in a setting.
func of(points []study.Point, name, setting string) *study.Point {
	at := slices.IndexFunc(points, func(x study.Point) bool { return x.At == name && x.Of == setting })
	return &points[at]
}

// longer is by how much longer a variant's iteration takes than what it is compared with, in
// percent: the geometric mean over the settings in which both run, and the least and the most.
func longer(points []study.Point, v *variant, look study.Look) (mean, least, most float64, known bool) {
	logs, n := 0.0, 0
	least, most = math.Inf(1), math.Inf(-1)
	for _, s := range Settings() {
		x, fits, known := look(of(points, v.name, s.Name))
		y, also, done := look(of(points, v.base, s.Name))
		if !known || !done {
			return 0, 0, 0, false
		}
		if !fits || !also || y == 0 {
			continue
		}
		logs, n = logs+portable.Log(x/y), n+1
		by := 100 * (x/y - 1)
		least, most = min(least, by), max(most, by)
	}
	if n == 0 {
		return 0, 0, 0, false
	}
	return 100 * (portable.Exp(logs/float64(n)) - 1), least, most, true
}

// claims say what the parts bring, as recorded.
func claims(points []study.Point) (list []study.Claim) {
	for _, v := range variants() {
		if v.claim == "" {
			continue
		}
		mean, least, most, known := longer(points, &v, study.Published)
		c := study.Claim{
			ID: v.claim, Figure: v.figure, Text: v.text, Stated: percent(mean), Lo: mean - 0.1, Hi: mean + 0.1, Unit: "%",
			Beside: fmt.Sprintf("Mean of the settings; from %s to %s.", percent(least), percent(most)),
			Value: func(look study.Look, _ func(string) *study.Outcome) (float64, bool) {
				mean, _, _, known := longer(points, &v, look)
				return mean, known
			},
		}
		if !known {
			c.Stated, c.Beside, c.Lo, c.Hi = "not recorded", "", 0, 0
		}
		list = append(list, c)
	}
	return list
}

// percent writes a change of time.
func percent(x float64) string {
	if math.Abs(x) < 0.05 {
		return "0.0 %"
	}
	return fmt.Sprintf("%+.1f %%", x)
}

// says joins what is claimed.
func says(claims []study.Claim, ids ...string) string {
	var parts []string
	for i := range claims {
		if c := &claims[i]; slices.Contains(ids, c.ID) {
			parts = append(parts, c.Text+" "+c.Stated+".")
		}
	}
	return strings.Join(parts, " ")
}

// bars draws a figure: a panel a setting, a bar a variant.
func bars(points []study.Point, figure string) func(study.Look) []study.Mark {
	return func(look study.Look) (marks []study.Mark) {
		for i := range points {
			p := &points[i]
			if p.Figure != figure {
				continue
			}
			m := study.Mark{Panel: p.Of, Series: p.At}
			m.Y, m.Fits, m.Known = look(p)
			marks = append(marks, m)
		}
		return marks
	}
}

// Reader takes the time from reports.
var Reader = study.Reader[struct{}, *result.Result]{}
