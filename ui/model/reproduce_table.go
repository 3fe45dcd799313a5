package model

import (
	"encoding/csv"
	"fmt"
	"html"
	"strconv"
	"strings"

	study "spillway/sim/train/papers/g10"
)

// quantities are the metrics in words.
var quantities = map[string]string{
	"iteration": "iteration time", "compute": "compute time", "overlap": "overlap time", "stall": "stall time",
	"ssd_in": "SSD → GPU", "ssd_out": "GPU → SSD", "host_in": "host → GPU", "host_out": "GPU → host",
	"normalized": "× ideal", "slow_1": "kernels over 1.01×", "slow_10": "kernels over 1.1×",
	"slow_p75": "slowdown, 75th percentile", "slow_p90": "slowdown, 90th percentile", "slow_p95": "slowdown, 95th percentile",
	"slow_p99": "slowdown, 99th percentile", "slow_max": "slowdown, worst",
}

// setting says what of p's run a figure varies.
func setting(p *study.Point) string {
	switch p.Figure {
	case "16", "17":
		return fmt.Sprintf("host %d GiB", p.HostGiB)
	case "18":
		return fmt.Sprintf("SSD %s GB/s", digits(float64(p.SSD)/1e9, 4))
	case "19":
		return fmt.Sprintf("error ±%d %%", p.Noise/10)
	}
	return ""
}

// value prints a value of a point in its unit.
func value(p *study.Point, v float64) string {
	switch p.Unit {
	case "cycles", "pages":
		return count(int64(v))
	}
	return strconv.FormatFloat(v, 'g', 8, 64)
}

// verdictOf words a status.
func verdictOf(r *study.Row, reconstructed bool) string {
	tolerance := study.Tolerance
	if reconstructed {
		tolerance = study.Reconstruction
	}
	switch {
	case r.Status == study.Exact && !r.Fits:
		return "same: does not fit"
	case r.Status == study.Exact:
		return "exact"
	case r.Status == study.Within:
		return "within " + digits(100*tolerance, 3) + " %"
	case !r.Fits:
		return "fits only here"
	case !r.OursFits:
		return "does not fit here"
	}
	return "off"
}

// RowsHTML is the table of differences of a figure as HTML: one row a point.
// It is one string because a page of thousands of separate cells would be slow.
func (p *Reproduction) RowsHTML(id string) string {
	var b strings.Builder
	b.WriteString(`<table class="numbers paper-rows"><thead><tr><th scope="col">Workload</th><th scope="col">System</th><th scope="col">Quantity</th><th scope="col">Published</th><th scope="col">Here</th><th scope="col">Unit</th><th scope="col">Difference</th><th scope="col">Verdict</th></tr></thead><tbody>`)
	cell := func(text string) { b.WriteString("<td>" + html.EscapeString(text) + "</td>") }
	rows := p.Rows(id)
	for i := range rows {
		r := &rows[i]
		fmt.Fprintf(&b, `<tr class="%s">`, r.Status)
		name := study.Network(r.Model, r.Batch)
		if s := setting(&r.Point); s != "" {
			name += ", " + s
		}
		cell(name)
		cell(study.Title(r.System))
		cell(quantities[r.Quantity])
		published, ours, difference := "does not fit", "does not fit", ""
		if r.Fits {
			published = value(&r.Point, r.Value)
		}
		if r.OursFits {
			ours = value(&r.Point, r.Ours)
		}
		if r.Fits && r.OursFits {
			difference = signed(r.Diff)
		}
		cell(published)
		cell(ours)
		cell(r.Unit)
		cell(difference)
		why := r.Why
		b.WriteString(`<td title="` + html.EscapeString(why) + `">` + html.EscapeString(verdictOf(r, p.rebuilt(r))) + "</td></tr>")
	}
	b.WriteString("</tbody></table>")
	return b.String()
}

// rebuilt reports whether the row's run used a bundled workload.
func (p *Reproduction) rebuilt(r *study.Row) bool { return !p.runs[p.byName[r.Run()]].measured }

// signed prints a relative difference in percent.
func signed(x float64) string {
	switch {
	case x == 0:
		return "0"
	case x > 0:
		return "+" + digits(100*x, 3) + " %"
	}
	return digits(100*x, 3) + " %"
}

// Whys lists what explains the differences of a figure's points, each once.
func (p *Reproduction) Whys(id string) []string {
	var out []string
	seen := map[string]bool{}
	for _, r := range p.Rows(id) {
		if r.Why != "" && !seen[r.Why] && !p.rebuilt(&r) {
			seen[r.Why] = true
			out = append(out, capital(r.Why)+".")
		}
	}
	return out
}

// CSV returns a figure's numbers, every published value with ours, or for
// Figures 2 to 4 what is drawn; for the item of claims all claims.
func (p *Reproduction) CSV(id string) string {
	var sb strings.Builder
	w := csv.NewWriter(&sb)
	i := p.index(id)
	switch {
	case i < 0:
		w.Write([]string{"figure", "section", "claim", "stated", "published_values_give", "ours", "unit", "verdict"})
		for _, c := range p.Claims(id) {
			ours := ""
			if c.Known {
				ours = strconv.FormatFloat(c.Value, 'g', -1, 64)
			}
			w.Write([]string{c.Figure, c.Section, c.Text, c.Stated, strings.ReplaceAll(c.Published, "\u00a0", " "), ours, c.Unit, string(c.Verdict)})
		}
	case p.Figures[i].Memory():
		p.memoryCSV(w, p.Figures[i].Kind)
	default:
		p.pointsCSV(w, i)
	}
	w.Flush()
	return sb.String()
}

func (p *Reproduction) pointsCSV(w *csv.Writer, figure int) {
	w.Write([]string{"figure", "quantity", "model", "batch", "system", "host_gib", "link_gbps", "ssd_gbps", "noise_thousandths", "unit", "published", "ours", "relative_difference", "verdict", "kernel_times", "explanation", "config"})
	num := func(x float64) string { return strconv.FormatFloat(x, 'g', -1, 64) }
	rows := p.compare(figure).rows
	at := 0
	for i := range p.points[figure] {
		x := &p.points[figure][i]
		published := "does-not-fit"
		if x.Fits {
			published = num(x.Value)
		}
		line := []string{
			x.Figure, x.Quantity, x.Model, strconv.Itoa(x.Batch), x.System, strconv.FormatInt(x.HostGiB, 10),
			num(float64(x.Link) / 1e9), num(float64(x.SSD) / 1e9), strconv.FormatInt(x.Noise, 10), x.Unit, published,
		}
		if at < len(rows) && rows[at].Point == *x {
			r := &rows[at]
			at++
			times, ours, diff := "measured", "does-not-fit", ""
			if p.rebuilt(r) {
				times = "reconstruction"
			}
			if r.OursFits {
				ours = num(r.Ours)
				if r.Fits {
					diff = num(r.Diff)
				}
			}
			line = append(line, ours, diff, verdictOf(r, p.rebuilt(r)), times, r.Why)
		} else {
			line = append(line, "", "", "not run", "", "")
		}
		w.Write(append(line, x.Source))
	}
}

func (p *Reproduction) memoryCSV(w *csv.Writer, kind study.Kind) {
	if kind == study.Shares {
		w.Write([]string{"workload", "kernels_percent", "all_share", "active_share"})
	} else {
		w.Write([]string{"workload", "rank_percent", "period_us", "tensor_bytes"})
	}
	num := func(x float64) string { return strconv.FormatFloat(x, 'g', 8, 64) }
	for _, n := range study.Studied() {
		m := p.memory(n)
		if m == nil {
			continue
		}
		if kind == study.Shares {
			for i := range m.All {
				w.Write([]string{n.String(), num(100 * float64(i) / float64(len(m.All))), num(m.All[i]), num(m.Active[i])})
			}
			continue
		}
		for i, g := range m.Periods {
			w.Write([]string{n.String(), num(100 * float64(i) / float64(max(1, len(m.Periods)-1))), num(g.Micros), strconv.FormatInt(int64(g.Bytes), 10)})
		}
	}
}
