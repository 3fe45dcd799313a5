package llm

import (
	"fmt"
	"math"
	"strings"

	core "spillway/sim/llm"
	"spillway/sim/llm/job"
	"spillway/sim/llm/recipe"
	"spillway/sim/machine"
	"spillway/sim/prose"
	"spillway/sim/report"
	"spillway/sim/unit"
	"spillway/ui/lab/own"
)

// describe is the report of a result.
func describe(w *work, _ *settings, r *result) *report.Report {
	rep := &report.Report{Fits: r.Reason == "", Reason: r.Reason, About: w.about, Origin: w.origin, Notes: append([]string(nil), w.notes...), Lead: lead(w, r), Caveats: caveats(w, r), Answer: answer(r)}
	if f := r.Recipe; f != nil { // batch bounds its micro-batch, and says no more
		rep.About = about(&w.setup.Arch, f.Job.Sequences(), f.Job.Sequence)
	}
	if t := w.setup.Arch.Title; strings.HasSuffix(t, changed) {
		rep.Words = []report.Word{{Key: "model", Text: t}}
	}
	if x := r.Policy; x != nil {
		ran := own.Ran{Named: x.Named, Spent: x.Spent}
		ran.Tell(rep)
	}
	if !rep.Fits {
		if r.Recipe != nil {
			rep.Mend = r.Recipe.Mend
		}
		return rep
	}
	rep.Notes = append(rep.Notes, fewRounds(r)...)
	rep.Notes = append(rep.Notes, r.Notes...)
	rep.Notes = append(rep.Notes, notes(r)...)
	rep.Curves = curves(r)
	return rep
}

// fewRounds says that a pipeline has too few micro-batches for its stages.
func fewRounds(r *result) (list []string) {
	if r.Job == nil || r.Job.Spec.Pipeline < 2 {
		return nil
	}
	x := &r.Job.Spec
	if n := x.Batch / max(x.Data*x.Micro, 1); n < x.Pipeline {
		list = append(list, fmt.Sprintf("%s in %s of a pipeline: so many GPUs at most compute at a time. More of them need smaller micro-batches (micro under Training) or a larger batch.",
			prose.Capital(prose.Count(n, "micro-batch")), prose.Count(x.Pipeline, "stage")))
	}
	return list
}

// lead says the problem: what the model takes, and what the machine has.
func lead(w *work, r *result) string {
	c := &w.setup.Node
	has := fmt.Sprintf("%d × %s, with %v for tensors each", c.GPUs, c.GPU.Title, c.Usable())
	if r.ideal == nil || r.ideal.Job == nil || !w.setup.Recipe.Plain() { // what the ideal needs is of all weights in full
		what := w.setup.Arch.Title
		if m := w.setup.Recipe.Method; m != recipe.Full {
			what += " by " + trains[m]
		}
		return fmt.Sprintf("Can %d × %s train %s, and how fast?", c.GPUs, c.GPU.Title, what)
	}
	need := needs(r.ideal)
	said := fmt.Sprintf("%s with batch %s needs %v on the fullest GPU, and the machine has %s", w.setup.Arch.Title, prose.Grouped(w.setup.Layout.Batch), need.Aligned(), has)
	if need <= c.Usable() {
		return said + ", so everything fits."
	}
	if c.Drives == 0 && c.Host == 0 {
		return said + ", and there is neither a drive nor host memory."
	}
	return said + ". Can it train, and how fast?"
}

// answer is what a run says to "can I train this here?".
func answer(r *result) string {
	f := r.Recipe
	switch sys, err := core.Find(r.System); {
	case err != nil || sys.Bound:
		return ""
	case r.Reason == "":
	case f == nil || f.Lacks == "":
		return ""
	case f.Change == "":
		return fmt.Sprintf("No, %s short, and no recipe makes it fit.", f.Lacks)
	default:
		return fmt.Sprintf("No, %s short; the smallest change that makes it fit: %s.", f.Lacks, f.Change)
	}
	days, usd := aBillion(r.Result)
	said := fmt.Sprintf("Yes: %s tokens/s", twoDigits(float64(r.TokenRate())/1000))
	if band := r.band(); !math.IsNaN(band) {
		said += fmt.Sprintf(" ± %.0f %%", band)
	}
	said += fmt.Sprintf(", a billion tokens in %s for %s", days.Text, usd.Text)
	switch c := &r.setup.Node; {
	case f != nil && f.Memory.Peak > 0 && c.GPUs > 1:
		said += fmt.Sprintf("; each GPU needs %s of %s GiB", tenth(gib(f.Memory.Peak)), tenth(gib(f.Job.Memory)))
	case f != nil && f.Memory.Peak > 0:
		said += fmt.Sprintf("; it needs %s of %s GiB", tenth(gib(f.Memory.Peak)), tenth(gib(f.Job.Memory)))
	case r.HostPeak > 0:
		said += fmt.Sprintf("; it takes %s of %s GiB of host memory", tenth(gib(r.HostPeak)), tenth(gib(c.Host)))
	}
	return said + "."
}

// caveats say what decides whether the numbers can be trusted: of a system by recipe what its band is, of others what
// kernel times rest on; and of products in fp8, and of what GPUs share, that none of it is about them.
func caveats(w *work, r *result) []string {
	return append(carriedOver(&w.setup.Node), doubts(w, r)...)
}

// carriedOver says that GPUs stand in a machine that is sold with others, whose links programs reach
// otherwise; nothing if they do not.
func carriedOver(c *machine.Config) []string {
	links := func(c *machine.Config) [3]unit.Bandwidth {
		return [3]unit.Bandwidth{c.HostPath, c.Pinned, c.Collective}
	}
	usual := machine.SoldWith(c.GPU)
	if links(c) == links(&usual) {
		return nil
	}
	for _, p := range machine.Presets() {
		if links(c) == links(&p.Config) && p.Config.GPU.Key != c.GPU.Key {
			return []string{fmt.Sprintf("Links are those of %s: %v between a GPU and host memory, %v in collectives. In what a %s is sold with as a rule they are %v and %v.",
				p.Title, c.HostPath, c.Peers(), c.GPU.Title, usual.HostPath, usual.Peers())}
		}
	}
	return nil
}

// doubts are the caveats of a run on its machine.
func doubts(w *work, r *result) []string {
	band, ground, ok := job.Trust(&w.setup.Node, w.setup.Layout.Precision)
	var eight []string
	switch {
	case !w.setup.Layout.FP8:
	case r.Recipe != nil || ok:
		eight = []string{unproven}
	default:
		eight = []string{"Products in fp8 take half the time of those in bf16, as data sheets say; no measurement stands behind that."}
	}
	if f := r.Recipe; r.Job != nil && r.Job.Spec.Own() || f != nil && f.Job.Context > 1 {
		eight = append(eight, "Sequences that GPUs share, or experts that are split over them, are an estimate: no measured row was held out for what they send each other.")
	}
	switch {
	case r.Recipe != nil:
		if said := unmoved(r); said != "" {
			eight = append(eight, said)
		}
		return append([]string{fmt.Sprintf("Recipes are closed formulas. ± %d %%: eight of ten of the 31 recipes that an H200 ran, to which one number was fitted, lie within it; their memory within 8 %% for nine of ten.", recipe.Band)}, eight...)
	case !w.setup.Recipe.Plain() && bound(r.Result):
		return append([]string{core.Systems[0].Title + " trains all weights by Adam, whatever the recipe says: it is no bound for recipes."}, eight...)
	case !w.setup.Recipe.Plain():
		return nil // it does not run
	}
	times := "Kernel times are estimated from the GPU's data sheet and one efficiency of matrix products (Machine), not measured."
	if ok {
		times = fmt.Sprintf("Kernel times are the law's, fitted to public measurements, with constants %s. ± %d %%: eight of ten measurements of computing lie within it.", ground, band)
	}
	return append([]string{
		times,
		"Rates of links are as programs reach them; those that are fitted to the TERAIO paper say so under Machine.",
	}, eight...)
}

// unmoved says, of a recipe whose states are offloaded, which system does without, if one does and is faster.
func unmoved(r *result) string {
	f := r.Recipe
	if f.Job.Share != recipe.Offloaded || !r.Ran() {
		return ""
	}
	best, name := r.TokenRate(), ""
	for _, x := range core.Recipes {
		j := f.Job
		if x.Recipe == nil || *x.Recipe == recipe.Offloaded {
			continue
		}
		j.Share = *x.Recipe
		for r.setup.Layout.Micro == 0 && j.Micro > 1 && j.Needs().Peak > j.Memory {
			j.Micro /= 2 // it was chosen for a GPU that holds no states
		}
		if j.Check() != nil || j.Needs().Peak > j.Memory {
			continue
		}
		if s, err := j.Time(); err == nil && (s.Milli > best && name == "" || s.Milli-best > best/100) { // who shares least comes first
			best, name = s.Milli, x.Title
		}
	}
	if name == "" {
		return ""
	}
	return fmt.Sprintf("Nothing has to be offloaded: %s trains %s tokens/s. Choose it under Systems.", name, twoDigits(float64(best)/1000))
}

// unproven says what stands behind times in fp8 by the law (package kerneltime, fp8Share).
const unproven = "No measurement of fp8 was held out: how much products gain is set between TorchTitan's step (1.28) and llm-foundry's rows (1.07 to 1.35). The band is that of bf16."

// notes are about one system.
func notes(r *result) (list []string) {
	if says := job.Instead(&r.setup.Node.GPU, r.setup.Layout.Precision); says != "" {
		list = append(list, says)
	}
	if r.Unmet > 0 {
		list = append(list, fmt.Sprintf("The plan leaves up to %v more on a GPU than it holds; that is evicted when room is needed.", r.Unmet))
	}
	if days := lives(r.Result); !math.IsNaN(days) {
		list = append(list, fmt.Sprintf("If it never stops, %s live %s: %s a day are written to all, and one endures %v.",
			drivesIn(&r.setup.Node), span(days), amount(r.WrittenPerDay()), terabytes(r.setup.Node.Drive.Endurance)))
	}
	return list
}

// needs is the most that all tensors of a GPU take at once if none is moved.
func needs(r *core.Result) (most unit.Bytes) {
	for i := range r.Job.Parts {
		most = max(most, r.Job.Peak(i))
	}
	return most
}

// span writes days.
func span(days float64) string {
	switch {
	case math.IsNaN(days) || math.IsInf(days, 0):
		return "without end"
	case days < 2:
		return prose.ThreeDigits(24*days) + " hours"
	case days < 2*year:
		return prose.ThreeDigits(days) + " days"
	}
	return prose.ThreeDigits(days/year) + " years"
}

// drivesIn says what drives a node has.
func drivesIn(c *machine.Config) string { return fmt.Sprintf("%d × %s", drivesOf(c), c.Drive.Title) }

// briefly is a machine in a few words.
func briefly(c *machine.Config) string {
	said := fmt.Sprintf("%d × %s", c.GPUs, c.GPU.Title)
	if c.Drives > 0 {
		said += ", " + drivesIn(c)
	}
	return said + fmt.Sprintf(", %v of host memory", c.Host)
}
