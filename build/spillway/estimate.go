package main

import (
	"bytes"
	"errors"
	"fmt"
	"os"
	"slices"
	"strconv"
	"strings"
	"text/tabwriter"

	"spillway/sim/kerneltime"
	"spillway/sim/unit"
	"spillway/traces/measured"
)

const estimateAbout = `Says how long a kernel or an iteration takes by the law of kernel times, what bounds it, and how far eight of ten measurements lie from such an estimate at most.

CLASS is gemm, batched, conv, attention, elementwise, norm, softmax, batchnorm, gated, rotary, reduction, embedding, optimizer, copy or pooling. Its sizes are batch, m, n, k; c, h, w, r, s, stride, pad, groups, layout, direction (fwd, dgrad, wgrad); heads, kv_heads, seq_q, seq_kv, head_dim, causal, op (fa1, fa2, fa3, unfused); bytes, of every tensor once.

NETWORK is a public name, with batch, mode (train or infer), layout, img or seq, gpus, accumulate, checkpoint, compile, attention, optimizer (sgd, momentum, adam, or none).

Both take gpu and precision (or policy): fp32, tf32, tf32-conv (as PyTorch does since 1.12), amp-fp16, amp-bf16, fp16, bf16, fp8.

FILE.csv has such keys as columns, with class or net. It is printed with three columns more: estimate in the row's own unit (µs of a kernel; images, sequences or tokens a second and GPU), band_percent and note, which says why there is no estimate where there is none.
`

// estimateKeys are what can be said of a kernel or an iteration.
var estimateKeys = []string{
	"gpu", "precision", "policy", "op", "direction", "batch", "m", "n", "k", "c", "h", "w", "r", "s", "stride", "pad", "groups", "layout",
	"heads", "kv_heads", "seq_q", "seq_kv", "head_dim", "causal", "bytes",
	"kind", "mode", "img", "seq", "gpus", "accumulate", "checkpoint", "compile", "attention", "optimizer", "unit", "source",
}

// An estimated is the JSON of spillway estimate.
type estimated struct {
	Value   float64  `json:"value" help:"the estimate: microseconds of a kernel; images, sequences or tokens a second and GPU of an iteration"`
	Unit    string   `json:"unit" help:"of value"`
	Band    int64    `json:"band_percent" help:"how far eight of ten measurements are from it at most"`
	GPU     string   `json:"gpu" help:"its key"`
	Ground  string   `json:"ground" help:"what the GPU's constants rest on"`
	Bound   string   `json:"bound" help:"what decides: compute, memory, start (of kernels) or host (the processor that starts them)"`
	Time    int64    `json:"time_ps" help:"of the kernel or the iteration, in picoseconds"`
	Compute int64    `json:"compute_ps" help:"what computing takes by itself; of an iteration the kernels that it decides"`
	Memory  int64    `json:"memory_ps" help:"the same of moving bytes"`
	Start   int64    `json:"start_ps" help:"the same of starting kernels"`
	Host    int64    `json:"host_ps" help:"how long the processor takes to start an iteration's kernels, beside them; 0 of a kernel"`
	Notes   []string `json:"notes" help:"what was assumed"`
}

func (s *shell) estimate(args []string) error {
	fs := s.flags("estimate", "CLASS|NETWORK gpu=GPU precision=PRECISION key=value ... | FILE.csv", estimateAbout, doc{"--json prints one object of a kernel or an iteration:", estimated{}})
	asJSON := fs.Bool("json", false, "print one JSON object")
	out := fs.String("o", "", "`FILE` to write the table to; standard output without it")
	rest, err := parse(fs, args)
	if err != nil {
		return err
	}
	if len(rest) == 0 {
		return errors.New("estimate: name a class of kernels or a network with gpu=GPU and its sizes, as in spillway estimate gemm m=4096 n=4096 k=4096 gpu=rtx-4090 precision=tf32, or a table of measurements, FILE.csv")
	}
	if len(rest) == 1 && strings.HasSuffix(strings.ToLower(rest[0]), ".csv") {
		return s.estimateTable(rest[0], *out)
	}
	if *out != "" {
		return errors.New("estimate: -o is for a table")
	}
	row, err := estimateRow(rest)
	if err != nil {
		return err
	}
	x, err := measured.Estimate(row)
	if err != nil {
		return fmt.Errorf("estimate: %w", err)
	}
	if says := row.Unread(); says != "" {
		x.Notes = append(x.Notes, says)
	}
	if *asJSON {
		e := &x.Estimate
		return printJSON(s.out, estimated{
			Value: x.Value, Unit: x.Unit, Band: x.Band, GPU: x.GPU.Key, Ground: x.GPU.Ground.String(), Bound: e.Bound.String(),
			Time: int64(e.Time), Compute: int64(e.Compute), Memory: int64(e.Memory), Start: int64(e.Start), Host: int64(e.Host), Notes: emptied(x.Notes),
		})
	}
	return s.printEstimate(row, x)
}

// estimateRow is what arguments say: a class or a network, and key=value.
func estimateRow(args []string) (measured.Row, error) {
	row := measured.Row{}
	for i, a := range args {
		key, value, ok := strings.Cut(a, "=")
		switch {
		case !ok && i == 0 && measured.IsClass(a):
			row["class"] = a
		case !ok && i == 0:
			row["net"] = a
		case !ok:
			return nil, fmt.Errorf("estimate: %q; want key=value", a)
		case key == "class" || key == "net" || slices.Contains(estimateKeys, key):
			row[key] = value
		default:
			return nil, fmt.Errorf("estimate: unknown key %q; there are %s", key, strings.Join(estimateKeys, ", "))
		}
	}
	return row, nil
}

// estimateTable prints a table with estimates.
func (s *shell) estimateTable(name, out string) error {
	f, err := os.Open(name)
	if err != nil {
		return err
	}
	defer f.Close()
	var table bytes.Buffer
	wrong := measured.Table(f, &table, name)
	if err := s.write(out, table.Bytes()); err != nil {
		return err
	}
	return wrong
}

// printEstimate prints an estimate for people.
func (s *shell) printEstimate(row measured.Row, x *measured.Result) error {
	e := &x.Estimate
	what := row["class"]
	if what == "" {
		what = row["net"]
	}
	tw := tabwriter.NewWriter(s.out, 0, 0, 2, ' ', 0)
	fmt.Fprintf(tw, "%s on %s\n", what, x.GPU.Name)
	if e.Time > 0 && x.Unit != "µs" {
		fmt.Fprintf(tw, "  rate\t%s %s ± %d %%\n", measured.Number(x.Value), x.Unit, x.Band)
	}
	fmt.Fprintf(tw, "  time\t%v ± %d %%\n", e.Time, x.Band)
	fmt.Fprintf(tw, "  bound by\t%s\n", margin(e))
	for _, part := range []struct {
		name string
		time unit.Time
	}{{"compute", e.Compute}, {"memory", e.Memory}, {"start", e.Start}, {"host", e.Host}} {
		if part.time > 0 {
			fmt.Fprintf(tw, "  %s\t%v\n", part.name, part.time)
		}
	}
	fmt.Fprintf(tw, "  constants\t%v\n", x.GPU.Ground)
	for _, n := range x.Notes {
		fmt.Fprintf(tw, "  note\t%s\n", n)
	}
	return tw.Flush()
}

// margin says what bounds a time and by how much.
func margin(e *kerneltime.Estimate) string {
	all := map[kerneltime.Bound]unit.Time{kerneltime.Compute: e.Compute, kerneltime.Memory: e.Memory, kerneltime.Start: e.Start, kerneltime.Host: e.Host}
	if e.Bound == kerneltime.Host {
		return fmt.Sprintf("host, %s times what the kernels take", ratio(e.Host, max(e.Compute+e.Memory+e.Start, 1)))
	}
	next, second := kerneltime.Start, unit.Time(-1)
	for _, b := range []kerneltime.Bound{kerneltime.Start, kerneltime.Compute, kerneltime.Memory} {
		if b != e.Bound && all[b] > second {
			next, second = b, all[b]
		}
	}
	if second <= 0 {
		return e.Bound.String()
	}
	return fmt.Sprintf("%v, %s times what %v takes", e.Bound, ratio(all[e.Bound], second), next)
}

// ratio is a quotient of times with two digits, or all in front of the point.
func ratio(a, b unit.Time) string {
	x, places := float64(a)/float64(b), 1
	if x >= 10 {
		places = 0
	}
	return strconv.FormatFloat(x, 'f', places, 64)
}
