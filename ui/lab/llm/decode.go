package llm

import (
	"fmt"

	"spillway/sim/knob"
	"spillway/sim/llm/decode"
	"spillway/sim/llm/job"
	"spillway/sim/prose"
	"spillway/sim/report"
	"spillway/sim/unit"
)

// Knobs of token rates.
const (
	decodeBatch  = "decode_batch"
	decodePrompt = "decode_prompt"
	decodeOutput = "decode_output"
	decodeBytes  = "decode_bytes"
)

func decodeKnobs() []knob.Info {
	number := func(key, label, unit, help, is string, most int64) knob.Info {
		return knob.Info{Key: key, Label: label, Unit: unit, Help: help, Kind: knob.Number, Scale: 1, Min: 1, Max: most, Default: is, Source: "as DeepSpeed's DeepNVMe measured (June 2025)"}
	}
	return []knob.Info{
		number(decodeBatch, "Requests at a time", "", "How many requests are answered together; weights are read once for all.", "96", 1<<16),
		number(decodePrompt, "A prompt", "tokens", "What each request brings.", "512", 1<<20),
		number(decodeOutput, "An answer", "tokens", "What each gets.", "32", 1<<20),
		number(decodeBytes, "A weight", "bytes", "2 in bf16, 4 in fp32, 1 in fp8.", "2", 4),
	}
}

// decode says how fast tokens come from drives.
func (v *view) decode() (*report.Section, error) {
	get := func(key string) int64 {
		n, _ := knob.ParseDecimal(v.look.Text(key), 1) // a knob has checked it
		return n
	}
	node, err := v.s.Node.Build()
	if err != nil {
		return nil, err
	}
	n := &v.s.Node
	c := decode.Case{Arch: &v.s.Arch, Bytes: get(decodeBytes), Batch: get(decodeBatch), Prompt: get(decodePrompt), Output: get(decodeOutput)}
	c.FLOPS = unit.MulDiv(job.Reached(n, job.BF16), n.GPUs, 1)
	weights := unit.Bytes(v.s.Arch.Parameters() * c.Bytes)
	type from struct {
		name, about string
		rate        unit.Bandwidth
	}
	var list []from
	link := n.GPU.Link * unit.Bandwidth(n.GPUs) // no more reaches the GPUs
	var own unit.Bandwidth
	for _, a := range node.Arrays {
		own += node.Links[a.Read].Rate
	}
	if own = min(own, link); !n.Direct() {
		own = min(own, n.HostRate/2) // what drives read crosses host memory
	}
	about := func(size unit.Bytes) string {
		if size < weights {
			return fmt.Sprintf("%v: too small for %v of weights", size, weights)
		}
		return ""
	}
	if own > 0 {
		list = append(list, from{"All drives of this machine", about(n.Drive.Size * unit.Bytes(drivesOf(n))), own})
	}
	if path := node.Stream(); path > 0 && n.Host > 0 {
		list = append(list, from{"Its host memory, pinned", about(n.Host), path})
	}
	held := n.Usable() * unit.Bytes(n.GPUs)
	if held >= weights {
		list = append(list, from{"Memory of its GPUs, which holds them", "", n.GPU.HBM * unit.Bandwidth(n.GPUs)})
	}
	for _, r := range []unit.Bandwidth{10 * unit.GBps, 27 * unit.GBps, 48 * unit.GBps} {
		x := from{"Drives of " + r.String(), "as DeepNVMe had", r}
		if r > link {
			x.about += fmt.Sprintf("; more than the %v of this machine's PCIe", link)
		}
		list = append(list, x)
	}
	t := report.Table{Key: "rates", Title: fmt.Sprintf("Tokens a second of %s", v.s.Arch.Title), Head: []string{"Weights come from", "Rate", "The prompts take", "A token takes", "Tokens a second", "For each request", "An answer takes"}}
	var first *decode.Result
	best := int64(0)
	var results []*decode.Result
	for _, x := range list {
		c.Stream = x.rate
		r, err := c.Run()
		if err != nil {
			return nil, err
		}
		results = append(results, r)
		best = max(best, r.MilliTokens)
	}
	for i, r := range results {
		if first == nil {
			first = r
		}
		t.Rows = append(t.Rows, report.Row{Head: list[i].name, Sub: list[i].about, Cells: []report.Cell{
			report.Textf("%v", list[i].rate), report.Textf("%v", r.Prefill), report.Textf("%v", r.Step),
			report.Cell{Text: prose.ThreeDigits(float64(r.MilliTokens) / 1000), Share: part(r.MilliTokens, best)}.With(float64(r.MilliTokens)/1000, ""),
			report.Textf("%s", prose.ThreeDigits(float64(r.MilliTokens)/1000/float64(c.Batch))).With(float64(r.MilliTokens)/1000/float64(c.Batch), ""), report.Textf("%v", r.Time),
		}})
	}
	finding := fmt.Sprintf("%s has %v of weights, which every step reads once. From “%s” at %v come %s tokens a second, for %s at a time.",
		v.s.Arch.Title, first.Weights, list[0].name, list[0].rate, prose.ThreeDigits(float64(first.MilliTokens)/1000), prose.Count(c.Batch, "request"))
	if held >= weights {
		finding += " They fit into the memory of this machine's GPUs, so that nothing has to come from elsewhere."
	}
	return &report.Section{
		Text: []string{finding}, Tables: []report.Table{t},
		Notes: []string{
			fmt.Sprintf("Keys and values of all requests take %v at the end and stay on the GPUs; that they fit is not checked.", first.KV),
			"DeepNVMe measured 7, 17 and 26 tokens a second with Llama-3 70B from drives of 10, 27 and 48 GB/s (DeepSpeed's blog of June 2025). Attention and sampling are left out, and arithmetic reaches the same efficiency as in training.",
		},
	}, nil
}
