package compress

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	core "spillway/sim/compress"
	"spillway/sim/report"
)

// sweep are the Buddy Thresholds of the paper's Fig. 9, and those between.
var sweep = []core.Thousandths{100, 150, 200, 250, 300, 350, 400}

// thresholds computes what other Buddy Thresholds give, from what was measured.
func thresholds(x *seen) (*report.Section, error) {
	s, w, system := x.Settings, x.Workload, x.System
	v, err := variantOf(s, system)
	if err != nil {
		return nil, err
	}
	out := &report.Section{}
	if v.Ideal || v.Whole || v.Traffic || v.Name == core.OwnPolicy && !s.reads("threshold") {
		out.Notes = append(out.Notes, "“"+v.Title+"” has no Buddy Threshold; shown is the final design.")
		for _, other := range core.Variants() {
			if other.Special {
				system = other.Name
			}
		}
	}
	now := s.Setup.Threshold
	list := slices.Clone(sweep)
	if at, found := slices.BinarySearch(list, now); !found {
		list = slices.Insert(list, at, now)
	}
	t := report.Table{Key: "thresholds", Title: "By Buddy Threshold; bold is what is set", Head: []string{"Threshold", "Ratio", "Accesses to the buddy memory", "Slowdown", "GPU memory"}}
	var ends [2]*result
	for i, x := range list {
		r, err := at(s, w, system, x)
		if err != nil {
			return nil, err
		}
		if ends[1] = r; i == 0 {
			ends[0] = r
		}
		t.Rows = append(t.Rows, sweepRow(strconv.FormatFloat(float64(x)/10, 'f', -1, 64)+" %", r, x == now))
	}
	free, err := at(s, w, system, 1000)
	if err != nil {
		return nil, err
	}
	if now != 1000 {
		t.Rows = append(t.Rows, sweepRow("no limit", free, false))
	}
	out.Tables = []report.Table{t}
	out.Text = []string{swept(list, ends)}
	if x := free.sum.Optimistic; x > 0 {
		out.Notes = append(out.Notes, "With eight sizes and no slots at all the ratio would be "+times(x)+" (the paper's optimistic ratio, Fig. 3).")
	}
	if s.Entry == "" {
		out.Notes = append(out.Notes, "There are few steps because made-up contents have only a few kinds of allocation.")
	}
	out.Notes = append(out.Notes, "“No limit” lets every entry overflow, so that each allocation takes its largest target; the paper's Fig. 9 shows such a bound, without saying how it was found. Computed from the counts of entries by sectors: no file is read again.")
	return out, nil
}

// swept is the finding of a sweep, from its first and its last result.
func swept(list []core.Thousandths, ends [2]*result) string {
	from, to := float64(list[0])/10, float64(list[len(list)-1])/10
	first, last := &ends[0].sum, &ends[1].sum
	if first.Ratio == last.Ratio {
		return fmt.Sprintf("The threshold makes no difference between %v %% and %v %%: the ratio stays %s.", from, to, times(first.Ratio))
	}
	return fmt.Sprintf("From a threshold of %v %% to %v %% the ratio goes from %s to %s, and the accesses that need the buddy memory from %s to %s.",
		from, to, times(first.Ratio), times(last.Ratio), percent(first.Overflow), percent(last.Overflow))
}

// at runs a design with another threshold.
func at(s *settings, w *memory, system string, x core.Thousandths) (*result, error) {
	other := *s
	other.Setup.Threshold = x
	return whole(run(w, &other, system, nil))
}

func times(x float64) string { return strconv.FormatFloat(x, 'f', 2, 64) + "×" }

func sweepRow(head string, r *result, now bool) report.Row {
	signed := strings.Replace(percent(r.sum.Slowdown), "-", "−", 1)
	return report.Row{Head: head, Cells: []report.Cell{
		report.Cell{Text: times(r.sum.Ratio), Share: min(1, r.sum.Ratio/4), Best: now}.With(r.sum.Ratio, ""),
		report.Cell{Text: percent(r.sum.Overflow), Share: r.sum.Overflow, Best: now}.WithShare(r.sum.Overflow),
		report.Cell{Text: signed, Share: min(1, max(0, r.sum.Slowdown)), Best: now}.WithShare(r.sum.Slowdown),
		report.Cell{Text: r.largest().Device.String(), Best: now}.Exactly(r.largest().Device),
	}}
}
