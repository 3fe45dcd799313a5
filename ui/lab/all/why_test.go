package all_test

import (
	"errors"
	"fmt"
	"os"
	"strings"
	"testing"

	"spillway/build/effort"
	"spillway/sim/cause"
	"spillway/ui/lab"
	labs "spillway/ui/lab/all"
)

// names says which cause a part of a laboratory's ledger speaks of, by the part's key; what is not
// here speaks of none.
var names = map[string]map[string]string{
	"train": {
		"beyond_ideal_fault_handling_s": "fault", "beyond_ideal_allocation_s": "alloc",
		"beyond_ideal_host_read_s": "link", "beyond_ideal_ssd_read_s": "ssd", "beyond_ideal_late_prefetch_s": "link", "beyond_ideal_eviction_s": "link",
	},
	"store":   {"eviction_s": "eviction", "allocation_s": "alloc", "free_s": "alloc", "call_s": "alloc", "shared_computing_s": "sharing", "miss_s": "link", "late_prefetch_s": "link"},
	"cxlssd":  {"core_ssd_ms": "read", "core_log_ms": "program", "core_switch_ms": "switch"},
	"filesys": {"t_journal_ms": "journal", "t_cpu_ms": "cpu", "t_collecting_ms": "flash", "t_read_blocks_ms": "flash", "t_write_blocks_ms": "flash", "t_read_bytes_ms": "interface", "t_write_bytes_ms": "interface"},
	"llm":     {"fetch_s": "drives", "optimizer_s": "optimizer", "communicate_s": "peers"},
}

// The ledger says where time goes and not what makes it: over presets and their systems its
// largest part often names another cause than the one whose cure brings most; what waits are for
// names it more often. How often each does stands in the documents (engines.md), which this holds
// to it.
func TestTheLedgerNamesNoCause(t *testing.T) {
	if testing.Short() || !effort.Nightly() {
		t.Skip("takes 200 runs of presets")
	}
	document, err := os.ReadFile("../../../public/docs/engines.md")
	if err != nil {
		t.Fatal(err)
	}
	for _, door := range labs.Labs {
		l := door.New()
		if len(l.Why.Causes) == 0 {
			continue
		}
		runs, named, labelled := 0, 0, 0
		for i := range l.Presets {
			p := &l.Presets[i]
			systems := p.Systems
			if systems == nil {
				for k := range l.Systems {
					if s := &l.Systems[k]; !s.Off && !s.Bound {
						systems = append(systems, s.Name)
					}
				}
			}
			for _, system := range systems {
				largest, top, ok := both(t, &l, p.Set, system)
				if !ok {
					continue
				}
				resource := mostNeeded(t, &l, p.Set, system)
				if runs++; largest == top {
					named++
				}
				if resource == top {
					labelled++
				}
				t.Logf("%s, %s, %s: the ledger says %q, its waits are for %q, the cures %q", l.Name, p.Key, system, largest, resource, top)
			}
		}
		t.Logf("%s: %d runs, in %d the ledger's largest part names the cause, in %d what its waits are for", l.Name, runs, named, labelled)
		if says := fmt.Sprintf("| %s | %d | %d | %d |", l.Title, runs, named, labelled); !strings.Contains(string(document), says) {
			t.Errorf("engines.md does not say %q", says)
		}
	}
}

// mostNeeded is what the waits of a run are for longest.
func mostNeeded(t *testing.T, l *lab.Lab, set, system string) string {
	t.Helper()
	u, err := l.Read(set)
	if err == nil {
		u, err = l.Cure(u, 0)
	}
	if err != nil {
		t.Fatal(err)
	}
	n, err := l.Needs(u, system, nil)
	if errors.Is(err, lab.ErrNothingHappens) {
		return "" // a closed formula
	}
	if err != nil {
		t.Fatal(err)
	}
	t.Logf("%v", n.Times)
	return n.Resources[n.Most()].Key
}

// both are the cause that the ledger's largest part speaks of, and the one whose cure brings most.
func both(t *testing.T, l *lab.Lab, set, system string) (largest, top string, ok bool) {
	t.Helper()
	u, err := l.Read(set)
	if err != nil {
		t.Fatal(err)
	}
	x, err := l.System(system)
	if err != nil || x.Bound {
		return "", "", false
	}
	n, at := len(l.Why.Causes), l.Quantity(l.Why.Time)
	var values []float64
	times := make([]int64, 1<<n)
	for _, s := range cause.Sets(n)[:cause.First(n)] {
		v, err := l.Cure(u, s)
		if err != nil {
			t.Fatal(err)
		}
		r, _, err := l.Run(v, system, nil, nil)
		if err != nil || !r.Fits {
			return "", "", false
		}
		if s == 0 {
			values = r.Values
		}
		times[s] = int64(r.Values[at] * 1e9)
	}
	whole := times[0] - times[cause.All(n)]
	if cause.Near(times[0], times[cause.All(n)]) {
		return "", "", false
	}
	gains := cause.Alone(n, func(s cause.Set) int64 { return times[s] })
	best := cause.Top(whole, gains)
	if best < 0 || cause.Bound(gains) {
		return "", "", false
	}
	return largestOf(l, values), l.Why.Causes[best].Key, true
}

// largestOf is the cause that the largest part of the ledger speaks of; where that speaks of none
// it is the part.
func largestOf(l *lab.Lab, values []float64) string {
	key, most := "", 0.0
	for i := range l.Charts {
		if l.Charts[i].ID != l.Say.Loss {
			continue
		}
		for _, of := range l.Charts[i].Of {
			// What is computed is no wait.
			if strings.Contains(of, "comput") && !strings.Contains(of, "shared") || of == "t_program_ms" {
				continue
			}
			if v := values[l.Quantity(of)]; v > most {
				key, most = of, v
			}
		}
	}
	if c := names[l.Name][key]; c != "" {
		return c
	}
	return fmt.Sprintf("(%s)", key)
}
