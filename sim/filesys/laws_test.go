package filesys

import (
	"fmt"
	"reflect"
	"strings"
	"testing"

	"spillway/sim/filesys/call"
	"spillway/sim/filesys/device"
	"spillway/sim/filesys/load"
	"spillway/sim/filesys/machine"
	"spillway/sim/filesys/plan"
	"spillway/sim/unit"
)

// laws returns what is broken of what holds for every result.
func laws(s *machine.Setup, w *call.Workload, r *Result) string {
	var b strings.Builder
	bad := func(format string, a ...any) { fmt.Fprintf(&b, "\n\t"+format, a...) }
	var ledger unit.Time
	for cause, t := range r.Ledger {
		if t < 0 {
			bad("cause %d took %v", cause, t)
		}
		ledger += t
	}
	if all := unit.Time(r.Threads) * r.Time; ledger+r.Ended != all {
		bad("causes take %d ps and ended threads %d, of %d", ledger, r.Ended, all)
	}
	var count, reads int64
	var moved [plan.Structures][device.Interfaces][device.Directions]int64
	for code := range r.Tallies {
		t := &r.Tallies[code]
		count += t.Count
		for x := range moved {
			for i := range moved[x] {
				for d := range moved[x][i] {
					moved[x][i][d] += t.Bytes[x][i][d]
				}
			}
		}
	}
	if count+r.Failed != r.Calls {
		bad("%d calls, by code %d and %d failed", r.Calls, count, r.Failed)
	}
	for _, n := range r.ReadLatency {
		reads += n
	}
	if reads != r.Tallies[call.Read].Count {
		bad("%d latencies of %d reads", reads, r.Tallies[call.Read].Count)
	}
	for x := range moved {
		for i := range moved[x] {
			for d := range moved[x][i] {
				all := r.Device.Bytes[x][i][d]
				unit := int64(4096)
				switch {
				case device.Interface(i) == device.Byte && s.Host.AsIssued:
					unit = 1
				case device.Interface(i) == device.Byte:
					unit = line
				}
				if moved[x][i][d] > all || all%unit != 0 || all < r.Left.Bytes[x][i][d] {
					bad("structure %d, interface %d, direction %d: calls move %d bytes of %d, finish %d", x, i, d, moved[x][i][d], all, r.Left.Bytes[x][i][d])
				}
			}
		}
	}
	var programs, by int64
	for why, n := range r.Device.FlashPrograms {
		if n < 0 || r.Device.FlashReads[why] < 0 {
			bad("negative pages")
		}
		if device.Why(why) != device.ByCollection {
			programs += n
		}
	}
	for _, n := range r.Device.Programmed {
		by += n
	}
	if by != programs {
		bad("%d pages are programmed, by structure %d", programs, by)
	}
	if n := len(r.Samples); n == 0 || n > mostSamples+1 || r.Samples[n-1].At != r.Time || r.Samples[n-1].Calls != r.Calls {
		bad("%d samples, the last not of the end", n)
	}
	for i := 1; i < len(r.Samples); i++ {
		if a, b := r.Samples[i-1], r.Samples[i]; b.At < a.At || b.Calls < a.Calls || b.Reads < a.Reads || b.Programs < a.Programs || b.Cached < b.Duplicates || b.Log < 0 {
			bad("samples %d and %d go back: %+v %+v", i-1, i, a, b)
		}
	}
	return b.String()
}

// recipe returns a bundled workload.
func recipe(t testing.TB, name string, s *machine.Setup) *call.Workload {
	t.Helper()
	for _, r := range load.Recipes() {
		if r.Name == name {
			w, err := load.Generate(&r, s)
			if err != nil {
				t.Fatal(err)
			}
			return w
		}
	}
	t.Fatalf("there is no recipe %s", name)
	return nil
}

// runOf runs a system that need not be one of Systems.
func runOf(w *call.Workload, s *machine.Setup, sys *System, watch *Watch) (*Result, error) {
	m := s.Scaled()
	r, err := newRun(w, &m, sys, watch, nil)
	if err != nil {
		return nil, err
	}
	return r.result, r.play()
}

func TestPlain(t *testing.T) {
	s := machine.Default()
	s.Scale = 256
	for _, recipes := range load.Recipes() {
		if strings.HasPrefix(recipes.Name, "ycsb") {
			continue
		}
		for _, memory := range []device.Memory{device.NoMemory, device.WriteLog, device.PageBuffer} {
			w := recipe(t, recipes.Name, &s)
			r, err := runOf(w, &s, plainOf(memory), nil)
			if err != nil {
				t.Errorf("%s: %v", w.Name, err)
				continue
			}
			if broken := laws(&s, w, r); broken != "" {
				t.Errorf("%s:%s", w.Name, broken)
			}
			again, err := runOf(w, &s, plainOf(memory), nil)
			if err != nil || !reflect.DeepEqual(r, again) {
				t.Errorf("%s: another result the second time, %v", w.Name, err)
			}
			t.Logf("%s %d: %d calls in %v, %d failed, %.1f kops", w.Name, memory, r.Calls, r.Time, r.Failed, float64(r.Calls)/float64(r.Time)*1e9)
		}
	}
}
