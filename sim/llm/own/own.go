// Package own runs policies that people write in TERAIO's plan: by which number an inactive period
// is chosen, and where its tensor goes. What can be asked is [Asks].
package own

import (
	"fmt"

	"spillway/sim/llm/job"
	"spillway/sim/llm/offload"
	"spillway/sim/llm/system"
	"spillway/sim/llm/system/teraio"
	"spillway/sim/machine"
	"spillway/sim/policy"
	"spillway/sim/report"
	"spillway/sim/unit"
)

// Name is the stable name of the system.
const Name = "own"

// Look is its color and pattern in charts.
const Look = 12

// The features of the place, in its order.
const (
	featSize = iota
	featIdle
	featSpan
	featGlobal
	featWraps
	featDriveTime
	featHostTime
	featHostLimit
	featCapacity
	featKernels
	featRelief
	featOut
	featBack
	featAway
	featOnHost
	featDials // p1 to p4
)

// The rules: all of what a period may read, and what where it goes may.
const (
	choosing = "score"
	placing  = "host"
)

// Asks is what training of language models asks a policy of somebody's own, and what it lets it
// know. Names and meanings stay for ever: links have them.
func Asks() *policy.Place {
	const ofScore = "; of score alone, else 0"
	return &policy.Place{
		Lab: "llm", Title: "LLM training",
		Rules: []policy.Rule{
			{Name: choosing, Each: true, Default: "floor(size * relief / (out + back))", Help: "TERAIO plans, and the tensor of the inactive period with the greatest number moves next, as long as memory is exceeded; of 0 or less it stays. Of equal ones the larger tensor goes first."},
			{Name: placing, Condition: true, Help: "Whether the tensor goes to host memory, and to drives where that is full or slow; else it is the other way round. Asked once a plan. Without it drives are first, and a second plan has host memory first."},
		},
		Features: append([]policy.Feature{
			featSize:      {Name: "size", Unit: "bytes", Help: "Bytes of the tensor in whole pages."},
			featIdle:      {Name: "idle", Unit: "s", Help: "How long the period lasts, as planned with."},
			featSpan:      {Name: "span", Help: "How many kernels it has."},
			featGlobal:    {Name: "global", Condition: true, Help: "The tensor keeps its value over iterations, as weights and the optimizer's state do."},
			featWraps:     {Name: "wraps", Condition: true, Help: "The period goes on into the next iteration."},
			featDriveTime: {Name: "drive_time", Unit: "s", Help: "How long the tensor takes to drives and back at the GPU's share of the links; 0 without drives."},
			featHostTime:  {Name: "host_time", Unit: "s", Help: "How long it takes to host memory and back at the GPU's share of the links; 0 without host memory."},
			featHostLimit: {Name: "host_limit", Unit: "bytes", Help: "Host memory that the GPU's plan may take."},
			featCapacity:  {Name: "capacity", Unit: "bytes", Help: "GPU memory that is planned with."},
			featKernels:   {Name: "kernels", Help: "How many kernels the GPU's iteration has."},
			featRelief:    {Name: "relief", Unit: "s", Live: true, Source: "TERAIO (NeurIPS 2025), Algorithm 1", Help: "For how long memory is exceeded while the tensor would be away, as planned so far" + ofScore + "."},
			featOut:       {Name: "out", Unit: "s", Live: true, Help: "How long its way out takes, to where it would go" + ofScore + "."},
			featBack:      {Name: "back", Unit: "s", Live: true, Help: "How long its way back takes" + ofScore + "."},
			featAway:      {Name: "away", Live: true, Help: "During how many kernels it would be away, as links are planned so far" + ofScore + "."},
			featOnHost:    {Name: "on_host", Condition: true, Live: true, Help: "It would go to host memory; of score alone."},
		}, policy.DialFeatures()...),
		Examples: []policy.Example{
			{Title: "TERAIO's choice", About: "TERAIO-Mixed's own (Algorithm 1): what relieves memory most for the time that its moves take goes first.", Text: "score = floor(size * relief / (out + back))"},
			{Title: "Long rests to the host", About: "Host memory takes what rests for longer than 20 times its way to drives and back, drives the rest: the other way round than TERAIO.", Text: "# Long rests to the host\nhost = idle > 20 * drive_time"},
			{Title: "Size before time", About: "The time of the moves counts by its root only, so large tensors go earlier.", Text: "# Size before time\nscore = size * relief / sqrt(out + back)"},
			{Title: "Relief alone", About: "What relieves most, whatever its moves take.", Text: "# Relief alone\nscore = size * relief"},
			{Title: "Weights stay", About: "What keeps its value over iterations, as weights and the optimizer's state do, moves only at a p1-th of its score. Set Dial 1 to 4 for a start.", Text: "# Weights stay\nscore = size * relief / (out + back) / (p1 if global else 1)"},
			{Title: "Small ones to the host", About: "Tensors below 64 MiB go to host memory, so that drives get large requests.", Text: "# Small ones to the host\nhost = size < 64MiB"},
		},
	}
}

// A Ran is a policy in one run, of which it is told when that has ended.
type Ran struct {
	chosen *policy.Chosen
	asker  *policy.Asker
	choice teraio.Choice
	asked  *teraio.Candidate
}

// Account is what there is to say of the policy, nil where nothing asked it.
func (r *Ran) Account() *policy.Account {
	if r.asker == nil {
		return nil
	}
	a := r.asker.Account()
	switch n := r.choice.Rises; {
	case n == 1:
		a.Notes = append(a.Notes, "One score had risen while the plan grew, so it may be chosen late.")
	case n > 1:
		a.Notes = append(a.Notes, fmt.Sprintf("%d scores had risen while plans grew; such a period may be chosen late.", n))
	}
	return &a
}

// System is the system of a policy for one run, and what that says of it. The policy is one for
// [Asks]; nil is the default.
func System(c *policy.Chosen) (*system.System, *Ran) {
	if c == nil {
		c = Asks().Default()
	}
	r := &Ran{chosen: c}
	score, host := c.Rule(choosing), c.Rule(placing)
	r.choice.Score = func(x *teraio.Candidate) float64 {
		if r.asker.Over() {
			return 0
		}
		r.asked = x
		v := r.asker.Value(score, 0)
		if v != v {
			r.asker.Doubts.NoNumber++
		}
		return v // what is no number is not above 0
	}
	if host != nil {
		r.choice.Host = func(x *teraio.Candidate) bool {
			r.asked = x
			return !r.asker.Over() && r.asker.Yes(host, 0)
		}
	}
	s := teraio.Choosing(&r.choice)
	s.Name, s.Title, s.Paper, s.About, s.Family = Name, c.Called(), "not in the literature", "TERAIO's plan, by a rule that whoever opened this wrote, or the link brought.", policy.Yours
	s.Look, s.Main, s.Usual, s.Off = Look, false, false, true
	s.Planning *= 2 // each choice asks the policy
	plan := s.Plan
	s.Plan = func(j *job.Job, n *machine.Node, o *system.Options, p report.Progress) ([]*offload.Schedule, error) {
		r.asker = policy.NewAsker(c, r, 1)
		list, err := plan(j, n, o, p)
		if r.asker.Over() {
			return nil, &system.Refusal{Reason: "gave up: " + r.asker.Says()}
		}
		return list, err
	}
	return &s, r
}

// Read implements policy.Reader.
func (r *Ran) Read(feature int, _ []int32, out []float64) { out[0] = r.ReadOne(feature, 0) }

// ReadOne implements policy.One.
func (r *Ran) ReadOne(feature int, _ int32) float64 {
	x := r.asked
	switch feature {
	case featSize:
		return float64(x.Size)
	case featIdle:
		return policy.Seconds(unit.Time(max(0, x.Idle)))
	case featSpan:
		return float64(x.End - x.Start)
	case featGlobal:
		return policy.Truth(x.Workload.Tensors[x.Tensor].Global)
	case featWraps:
		return policy.Truth(int(x.End) > len(x.Workload.Kernels))
	case featDriveTime:
		return policy.Seconds(unit.Time(max(0, x.DriveTime)))
	case featHostTime:
		return policy.Seconds(unit.Time(max(0, x.HostTime)))
	case featHostLimit:
		return float64(x.Limit)
	case featCapacity:
		return float64(x.Capacity)
	case featKernels:
		return float64(len(x.Workload.Kernels))
	case featRelief:
		return policy.Seconds(unit.Time(max(0, x.Relief)))
	case featOut:
		return policy.Seconds(unit.Time(max(0, x.Out)))
	case featBack:
		return policy.Seconds(unit.Time(max(0, x.Back)))
	case featAway:
		return float64(x.Come - x.Gone)
	case featOnHost:
		return policy.Truth(x.Tier == offload.Host)
	}
	return r.chosen.Dials[feature-featDials]
}
