package cxlssd

import (
	"fmt"
	"slices"

	core "spillway/sim/cxlssd"
	"spillway/sim/cxlssd/stream"
	"spillway/sim/knob"
	"spillway/sim/prose"
	"spillway/sim/report"
	"spillway/sim/unit"
	"spillway/ui/lab/own"
)

// describe is the report of a result.
func describe(w *trace, _ *settings, r *result) *report.Report {
	rep := &report.Report{Fits: r.GaveUp == "", Reason: r.GaveUp, About: w.about, Origin: w.origin, Notes: slices.Clip(w.notes), Lead: lead(r)}
	if r.Script != nil {
		ran := own.Ran{Named: r.Script.Named, Spent: r.Script.Spent}
		ran.Tell(rep)
	}
	if !rep.Fits {
		return rep
	}
	if r.Threads == 1 {
		rep.SayIdle("heavy heavy_share sharing", "one thread: set threads or cores above 1")
	}
	if x, err := core.Find(r.System); err == nil && x.Own && !x.Written {
		rep.SayIdle(lacking(&r.setup.Own), "a mechanism that the own design lacks: set own_log, own_switch or own_promote")
	}
	rep.Caveats = caveats(r)
	for _, say := range []func(*result) (string, string){losses, passes} {
		if its, _ := say(r); its != "" {
			rep.Notes = append(slices.Clip(rep.Notes), its)
		}
	}
	rep.Notes = append(slices.Clip(rep.Notes), warmed(&r.w.Recipe))
	rep.Curves = curves(r)
	return rep
}

// about describes a recipe in numbers, and the part of it that runs.
func about(w *stream.Workload, scale int64) string {
	var pages int64
	for i := range w.Recipe.Classes {
		pages += w.Recipe.Classes[i].Pages
	}
	said := fmt.Sprintf("%d M instructions, %v in pages of 4 KiB", w.Recipe.Instructions/1_000_000, unit.Bytes(pages)*unit.Page)
	if scale > 1 {
		return said + fmt.Sprintf(" at full scale, of which 1/%d runs.", scale)
	}
	return said + "."
}

// lead says the problem: what there is to hold, and in what, both as they run.
func lead(r *result) string {
	m := &r.setup
	said := fmt.Sprintf("The threads touch %v, and the device has %v of DRAM in front of its flash", unit.Bytes(r.Footprint)*unit.Page, m.DRAM/unit.Bytes(max(1, m.Scale)))
	if m.Scale > 1 {
		said += fmt.Sprintf(" (both at 1/%d of full scale)", m.Scale)
	}
	return said + ". How much of DRAM's speed is left?"
}

// warmed says what fills the device's cache when the run begins.
func warmed(w *stream.Recipe) string {
	if w.Fill == 0 && w.FillPromote == 0 {
		return "The cache is empty when the run begins."
	}
	said := fmt.Sprintf("When the run begins pages of other programs fill %s %% of the cache", knob.Decimal(w.Fill, 10))
	if w.FillPromote != w.Fill {
		said += fmt.Sprintf(", %s %% in designs that promote", knob.Decimal(w.FillPromote, 10))
	}
	return said + "."
}

// lost is about how many dirty pages left host DRAM and were written nowhere: those of
// other programs, by the share that the recipe says, as the engine would draw them, and
// lines of the threads' own.
func lost(r *result) (pages, own int64) {
	d := r.design()
	if !d.Log || d.Promote == core.NoPromotion || !r.setup.Quirks.Has(core.DemotionLost) {
		return 0, 0
	}
	return unit.MulDiv(r.Demotions, r.w.Recipe.DemoteDirty, 1000), r.LinesLost
}

// losses says what is not written, of the run and for all designs.
func losses(r *result) (own, common string) {
	pages, lines := lost(r)
	if pages == 0 && lines == 0 {
		return "", ""
	}
	own = fmt.Sprintf("With %s %s pages leave host DRAM and are written nowhere, dirty or not (switch demotion-lost). Of other programs' pages, which leave first, the recipe says that %s %% are dirty, so that about %s programs are saved by losing data.",
		r.title(), prose.Grouped(r.Demotions), knob.Decimal(r.w.Recipe.DemoteDirty, 10), prose.Grouped(pages))
	if lines > 0 {
		own += fmt.Sprintf(" Of the threads' own pages %s written lines are lost.", prose.Grouped(lines))
	}
	return own, "Designs with a log lose data here: as in the artifact, dirty pages that leave host DRAM are written nowhere (switch demotion-lost under Fidelity), so part of what they save in programs and time is lost data, not the log's merit. What is dropped shows both ends."
}

// few is how many requests a run should have at least.
const few = 150_000

// caveats say what decides whether the numbers can be trusted, or who wins.
func caveats(r *result) (list []string) {
	switch n := requests(r.Result); {
	case n < few && r.setup.Scale > 1:
		list = append(list, fmt.Sprintf("Only %d thousand requests run: times can be about 10 %% off, and more with many threads. A larger part of the workload (Scale) says more.", n/1000))
	case r.w.Recorded == nil && r.w.Name == "srad" && r.setup.Scale > 4:
		list = append(list, "A small part of srad says little: it leaves as many half-filled pages in the log as the whole.")
	case r.w.Recorded == nil && r.w.Name == "dlrm":
		list = append(list, "The published times of dlrm are not reached: Base-CSSD's average core takes 0.8 of them here.")
	}
	if _, common := losses(r); common != "" {
		list = append(list, common)
	}
	if _, common := passes(r); common != "" {
		list = append(list, common)
	}
	return list
}

// passes says why a design is faster than DRAM-only: with its own numbers, and, for all
// designs in the same words, what lets any of them be. It is empty if it is not faster.
func passes(r *result) (own, common string) {
	if r.Time >= r.ideal.Time {
		return "", ""
	}
	d, s := r.design(), &r.setup
	uneven := func(x *core.Result) float64 {
		return part(int64(x.Time), int64(meanCore(x)))
	}
	var here, any []string
	dram := r.w.Recipe.DRAM
	if a, b := uneven(r.Result), uneven(r.ideal); b > 1.005 {
		any = append(any, fmt.Sprintf("its slowest core takes %s times the mean, which threads that take turns even out", prose.Fixed(b, 2)))
		if d.Switch && b-a > 0.005 {
			here = append(here, fmt.Sprintf("its %d threads load the cores more evenly than DRAM-only's %d (slowest core over mean %s against %s)", r.Threads, r.ideal.Threads, prose.Fixed(a, 2), prose.Fixed(b, 2)))
		}
	}
	if s.Quirks.Has(core.FixedHost) && s.Access < dram {
		any = append(any, fmt.Sprintf("promoted pages take %v, its memory %v (switch fixed-host)", s.Access, dram))
		if r.Requests[core.HostHit] > 0 {
			here = append(here, fmt.Sprintf("promoted pages take %v against %v (switch fixed-host)", s.Access, dram))
		}
	}
	if r.w.Recipe.Stores == stream.Blocking && r.Writes > 0 {
		any = append(any, "it waits for stores, which designs with a log buffer")
		if d.Log {
			here = append(here, "it buffers stores that DRAM-only waits for")
		}
	}
	if len(here) == 0 {
		here = append(here, "its requests happen to come in a better order")
	}
	if len(any) == 0 {
		any = append(any, "requests of another design may happen to come in a better order")
	}
	even := prose.Percent(part(int64(r.ideal.Work()), int64(r.Time)*busyCores(r.ideal)))
	own = fmt.Sprintf("%s is faster than DRAM-only: %s. If DRAM-only's work were spread evenly over its cores, this would be %s of its speed.", r.title(), prose.List(here), even)
	return own, "DRAM-only is no bound here: " + prose.List(any) + "."
}
