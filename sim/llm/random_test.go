package llm

import (
	"fmt"
	"testing"

	"spillway/sim/llm/job"
	"spillway/sim/llm/offload"
	"spillway/sim/llm/system"
	"spillway/sim/machine"
	"spillway/sim/model"
	"spillway/sim/unit"
)

// rng is a small generator (splitmix64).
type rng uint64

func (r *rng) next() uint64 {
	*r += 0x9e3779b97f4a7c15
	z := uint64(*r)
	z = (z ^ z>>30) * 0xbf58476d1ce4e5b9
	z = (z ^ z>>27) * 0x94d049bb133111eb
	return z ^ z>>31
}

func (r *rng) below(n int64) int64 { return int64(r.next() % uint64(n)) }

func (r *rng) coin() bool { return r.next()&1 == 0 }

// power returns a power of two from 1 to 2^most.
func (r *rng) power(most int64) int64 { return 1 << r.below(most+1) }

// anything is a setup that people could type: mostly sound, small, and short of memory.
func (r *rng) anything() Setup {
	s := Standard()
	models := model.Models()
	a := models[r.below(int64(len(models)))]
	s.Arch = deeper(&a, 1+r.below(6))
	presets := machine.Presets()
	n := &s.Node
	*n = presets[r.below(int64(len(presets)))].Config
	gpus := r.power(3)
	n.GPUs, n.Switch = gpus, r.power(2)
	n.Drives, n.Shared, n.GDS = r.below(4), r.coin(), r.coin() && !n.GPU.Bounce
	if r.coin() {
		n.ArrayCap = 0
	}
	// From a third of to all that a GPU's share of the model would take.
	all := unit.Bytes(16*s.Arch.Parameters()) / unit.Bytes(gpus)
	n.GPU.Memory = max(all/3+unit.Bytes(r.below(int64(all)))+unit.GiB, unit.GiB) / 9 * 10
	n.Spare = 100_000
	if r.below(4) == 0 {
		n.Host = unit.Bytes(r.below(64)) * unit.GiB
	}
	l := &s.Layout
	*l = job.Layout{
		Tensor: r.power(1), Data: r.power(1), ZeRO: r.below(4), Micro: r.power(1) - 1 + r.below(2), Sequence: 256 * r.power(2),
		Precision: job.Precision(r.below(2)), Recompute: job.Recompute(r.below(3)),
	}
	l.Batch = max(l.Micro, 1) * l.Data * r.power(2)
	if r.coin() {
		l.Pipeline = max(gpus/(l.Tensor*l.Data), 1)
	}
	o := &s.Options
	o.HostLimit, o.Fallback, o.MinTensor = unit.Bytes(r.below(128))*unit.GiB, system.Fallback(r.below(3)), unit.Bytes(r.below(64))*unit.MiB
	o.Target, o.Rewrite, o.Tensor = 800+r.below(201), r.coin(), r.coin()
	o.Stage, o.Delayed, o.Pipelined = 2+r.below(2), r.coin(), r.coin()
	return s
}

// TestAnything runs systems on random setups: they run and keep all laws, or say why not.
func TestAnything(t *testing.T) {
	rounds := 150
	if *full {
		rounds = 3000
	}
	if testing.Short() {
		rounds = 40
	}
	ran, refused, wrong := 0, 0, 0
	for seed := range rounds {
		r := rng(seed)
		s := r.anything()
		sys := Systems[r.below(int64(len(Systems)))]
		what := fmt.Sprintf("seed %d: %s of %d layers on %d %s, %s, %+v", seed, s.Arch.Name, s.Arch.Layers, s.Node.GPUs, s.Node.GPU.Key, sys.Name, s.Layout)
		got, err := run(&s, sys.Name, offload.Options{Curves: true, Iterations: 2}, nil)
		switch {
		case err != nil:
			wrong++
			t.Logf("%s: %v", what, err)
		case !got.Ran():
			refused++
			t.Logf("%s: %s", what, got.Reason)
		default:
			ran++
			for _, b := range broken(got) {
				t.Errorf("%s: %s", what, b)
			}
			if !got.Job.Spec.HostOptimizer { // cut as ideal
				if ideal, err := Ideal(&s); err != nil || got.Time < ideal {
					t.Errorf("%s: %v, less than ideal's %v (%v)", what, got.Time, ideal, err)
				}
			}
			if got.TokenRate() <= 0 || got.FlopRate() <= 0 || got.Cost() <= 0 || got.TokensPerKWh() <= 0 || PeakShare(got.Job) <= 0 {
				t.Errorf("%s: a number is missing", what)
			}
		}
	}
	t.Logf("%d ran, %d were refused, %d setups were wrong", ran, refused, wrong)
	if ran < rounds/3 {
		t.Errorf("%d of %d ran; the setups are of no use", ran, rounds)
	}
}
