package bundle

import (
	"bytes"
	"cmp"
	"encoding/csv"
	"errors"
	"fmt"
	"math"
	"slices"
	"strings"

	"spillway/ui/exec"
	"spillway/ui/lab"
)

// Values agree up to a relative difference of Tolerance, of the same version up to Rounding.
const (
	Tolerance = 0.001
	Rounding  = 1e-12
)

// mostDifferences is how many differences a verdict names.
const mostDifferences = 20

// Check computes a part again and compares.
func (b *Bundle) Check(l *lab.Lab, o *exec.BundleRequest, opened lab.Files, p lab.Progress) *exec.Verdict {
	made := *o
	ask := b.Info().Asks[o.Part]
	switch {
	case ask == nil: // damaged, which Compare says
	case l.Name != b.manifest.Lab:
		made.Failed = fmt.Sprintf("it is about the laboratory %.40q", b.manifest.Lab)
	case b.scenario.opened && opened == nil:
		made.Failed = nothing
	default:
		r, err := exec.Redo(l, ask, o.Outcomes, opened, p)
		if err != nil {
			made.Failed = err.Error()
		}
		made.Redone = []*exec.Redone{r}
	}
	return b.Compare(&made)
}

// nothing is said of a bundle whose files cannot be run.
const nothing = workloadFolder + " holds nothing that can be run"

// Compare compares a part with the same computed again, which is the only Redone of the
// order.
func (b *Bundle) Compare(o *exec.BundleRequest) *exec.Verdict {
	v := &exec.Verdict{Part: b.Info().Parts[o.Part]}
	rounded := false // all is the same but for the last digits of numbers
	bad := b.needed(o.Part)
	switch {
	case bad != "":
		v.Finding, v.Says = exec.Damaged, bad
		return v
	case o.Failed != "":
		return cannot(v, errors.New(o.Failed))
	case len(o.Redone) != 1 || !b.answered(o.Part, o.Redone[0]):
		return cannot(v, errors.New("what was computed again is of something else"))
	case o.Part == b.computed():
		b.checkTexts(o, v)
	case b.manifest.Paper != "":
		rounded = b.checkPaper(o, o.Redone[0], v)
	default:
		rounded = b.checkSystem(o, o.Redone[0], v)
	}
	if v.Finding == exec.Agrees && !rounded && o.Version != "" && o.Version == b.manifest.Tool.Version {
		v.Finding = exec.Differs
		v.Says = "The same version wrote it, so that it should be identical."
	}
	return v
}

// answered reports whether a laboratory answered what a part asks for.
func (b *Bundle) answered(part int, x *exec.Redone) bool {
	switch {
	case x == nil || x.Info.Name != b.manifest.Lab:
		return false
	case part == b.computed():
		return true
	case b.manifest.Paper == "":
		return x.Report != nil
	case part < len(b.runs):
		return x.Run != nil && x.Outcome != nil
	}
	return x.Claims != nil
}

func cannot(v *exec.Verdict, err error) *exec.Verdict {
	v.Finding, v.Says = exec.Uncheckable, err.Error()
	return v
}

// computed is how many parts are runs; the texts come next.
func (b *Bundle) computed() int { return max(len(b.results), len(b.runs)) }

// needed says what is damaged of what a part is checked with.
func (b *Bundle) needed(part int) string {
	files := []string{scenarioName}
	if part == b.computed() {
		files = append(files, texts...)
	} else if b.manifest.Paper != "" {
		files = append(files, runsName, claimsName)
	} else if part < len(b.results) {
		files = append(files, resultName(b.results[part].System))
	}
	for _, f := range b.manifest.Files {
		if strings.HasPrefix(f.Path, workloadFolder) {
			files = append(files, f.Path)
		}
	}
	for name := range b.bad { // also a file that the manifest does not list
		if strings.HasPrefix(name, workloadFolder) {
			files = append(files, name)
		}
	}
	for _, name := range files {
		if b.bad[name] {
			return name + " is not what the manifest says."
		}
	}
	return ""
}

// checkSystem compares the run of a system. It reports whether all is as recorded but for
// the last digits of numbers.
func (b *Bundle) checkSystem(o *exec.BundleRequest, x *exec.Redone, v *exec.Verdict) (rounded bool) {
	was := &b.results[o.Part]
	is := resultOf(x)
	v.Part, v.Told = x.Title, told(x)
	text, err := write(is)
	if err != nil {
		cannot(v, err)
		return false
	}
	recorded := b.files[resultName(was.System)]
	tabled := b.inTable(&x.Info, was)
	if tabled && bytes.Equal(text, recorded) {
		return true // replayed
	}
	v.Finding = exec.Agrees
	if hashedOtherwise(was.Hash, is.Hash) {
		is.Hash = was.Hash
		if text, err = write(is); err == nil && tabled && bytes.Equal(text, recorded) {
			v.Says = otherwiseHashed
			return false
		}
	}
	compareResults(&x.Info, was, is, v)
	switch {
	case !tabled:
		v.Differences = append(v.Differences, exec.Difference{Where: valuesName, Recorded: "a table of other values", Got: "that of the results"})
		v.Finding = exec.Differs
	case len(v.Differences) == 0:
		at, a, c := firstLine(recorded, text)
		v.Differences = []exec.Difference{{Where: fmt.Sprintf("%s:%d", resultName(was.System), at), Recorded: a, Got: c}}
		v.Says = "All values are the same; the rest of the result is not."
	}
	return tabled && rounds(recorded, text)
}

// otherwiseHashed says of a result that it is the same, and its hash no hash of today's.
const otherwiseHashed = "Everything is the same but the hash: older versions made it in another way."

// hashedOtherwise reports whether a recorded hash is not of the kind of hashes that are made
// now: those of file systems, CXL and LLM training had half as many digits.
func hashedOtherwise(recorded, got string) bool { return len(recorded) == len(got)/2 }

// inTable reports whether the table of values has those of a system's result. A
// laboratory that has other quantities by now does not say.
func (b *Bundle) inTable(l *lab.Info, r *result) bool {
	text, ok := b.files[valuesName]
	if !ok || b.bad[valuesName] {
		return true // nothing to compare, or said as damage
	}
	rows, err := csv.NewReader(bytes.NewReader(text)).ReadAll()
	if err != nil || len(rows) == 0 || len(rows[0]) != 3+len(b.results) {
		return false
	}
	at, left := slices.Index(rows[0], r.System), 0
	for key := range r.Values {
		if l.Quantity(key) >= 0 {
			left++
		}
	}
	for _, row := range rows[1:] {
		k := l.Quantity(row[0])
		if k < 0 {
			continue // of another version
		}
		cell := ""
		if v, ok := r.Values[row[0]]; ok {
			cell = exact(l.Quantities[k].Shown(v))
			left--
		}
		if at < 3 || row[2] != l.Quantities[k].Unit || row[at] != cell {
			return false
		}
	}
	return left == 0
}

// compareResults compares values. Those that are the same are not named.
func compareResults(l *lab.Info, was, is *result, v *exec.Verdict) {
	if was.Fits != is.Fits {
		v.Finding = exec.Differs
		v.Differences = []exec.Difference{{Where: "whether it can run", Recorded: fits(was), Got: fits(is)}}
		return
	}
	d := differences{}
	for i := range l.Quantities {
		q := &l.Quantities[i]
		a, inOld := was.Values[q.Key]
		c, inNew := is.Values[q.Key]
		switch {
		case !inOld && inNew:
			d.add(exec.Difference{Where: q.Label + " (" + q.Key + ")", Recorded: "not recorded", Got: shown(q.Shown(c), q.Unit)}, 0)
		case inOld && !inNew:
			d.add(exec.Difference{Where: q.Label + " (" + q.Key + ")", Recorded: shown(q.Shown(a), q.Unit), Got: "none"}, math.Inf(1))
		case inOld && a != c:
			d.add(exec.Difference{Where: q.Label + " (" + q.Key + ")", Recorded: shown(q.Shown(a), q.Unit), Got: shown(q.Shown(c), q.Unit), Off: off(a, c)}, relative(a, c))
		}
	}
	var unknown []string
	for key := range was.Values {
		if l.Quantity(key) < 0 {
			unknown = append(unknown, key)
		}
	}
	slices.Sort(unknown)
	for _, key := range unknown {
		d.add(exec.Difference{Where: key, Recorded: exact(was.Values[key]), Got: "this version has no such quantity"}, 0)
	}
	d.conclude(v)
}

func fits(r *result) string {
	if r.Fits {
		return "runs"
	}
	return "cannot run: " + r.Reason
}

// differences collects differences with their relative size.
type differences struct {
	list []exec.Difference
	by   []float64
}

func (d *differences) add(x exec.Difference, by float64) {
	d.list, d.by = append(d.list, x), append(d.by, by)
}

// conclude puts the largest first and says whether all are within the tolerance.
func (d *differences) conclude(v *exec.Verdict) {
	order := make([]int, len(d.list))
	for i := range order {
		order[i] = i
		if d.by[i] > Tolerance {
			v.Finding = exec.Differs
		}
	}
	slices.SortStableFunc(order, func(a, b int) int { return cmp.Compare(d.by[b], d.by[a]) })
	for k, i := range order {
		if k == mostDifferences {
			v.Says = fmt.Sprintf("%d more values are not the same.", len(order)-k)
			break
		}
		v.Differences = append(v.Differences, d.list[i])
	}
}

// relative is how far got is from the recorded value, against the larger one.
func relative(recorded, got float64) float64 {
	return math.Abs(got-recorded) / max(math.Abs(recorded), math.Abs(got))
}

func off(recorded, got float64) string {
	if recorded == 0 {
		return ""
	}
	return fmt.Sprintf("%+.3g %%", 100*(got-recorded)/math.Abs(recorded))
}

func shown(v float64, unit string) string { return strings.TrimSpace(exact(v) + " " + unit) }

// firstLine returns the first line in which two texts differ.
func firstLine(a, b []byte) (line int, inA, inB string) {
	as, bs := bytes.Split(a, []byte("\n")), bytes.Split(b, []byte("\n"))
	for i := range max(len(as), len(bs)) {
		x, y := "nothing", "nothing"
		if i < len(as) {
			x = string(bytes.TrimSpace(as[i]))
		}
		if i < len(bs) {
			y = string(bytes.TrimSpace(bs[i]))
		}
		if x != y {
			return i + 1, clip(x), clip(y)
		}
	}
	return 0, "", ""
}

func clip(text string) string {
	if r := []rune(text); len(r) > 120 {
		return string(r[:120]) + "…"
	}
	return text
}
