package flashneuron_test

import (
	"fmt"
	"math"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"spillway/build/artifact"
	"spillway/sim/train"
	"spillway/sim/train/machine"
	"spillway/sim/train/result"
	"spillway/sim/train/system"
	"spillway/sim/unit"
	"spillway/sim/workload"
	"spillway/traces/g10"
)

// A point is one published execution time of a system that runs in the arena.
type point struct {
	table, row, column string // in example_results
	config             string // in src/configs
	system             string
}

// gaps lists how far this simulator is from the published time where it is not
// exact, in cycles as printed.
//
// The order in which a kernel's tensors are visited follows memory addresses in
// the original; published.Sets models it, and misses it where an allocation
// went astray. A search for single tensors to move confirmed that this explains
// every gap: BERT with batch 512 is exact at all bandwidths when the first two
// tensors of one kernel (557 or one of several others) are exchanged,
// Inception-v3 when the first tensor of kernel 764 moves to the end, and
// SENet-154, with all its 2319 kernels and at both bandwidths, when in kernels
// 49, 52 and 86 (batch normalization) the saved value v1 comes after the output.
var gaps = map[string]int64{
	"BERT/512-sim_FlashNeuron.config":                    -2520000,    // -0.005 %
	"BERT/512-sim_FlashNeuron-ssd6_4-pcie32.config":      -2520000,    // -0.008 %
	"Inceptionv3/1280-sim_FlashNeuron.config":            7199999,     // +0.006 %
	"SENet154/1024-sim_FlashNeuron.config":               384000000,   // +0.128 %
	"SENet154/1024-sim_FlashNeuron-ssd6_4-pcie32.config": -1149600000, // -0.537 %
}

// points returns Figures 11, 15 and 18 of the systems that run in the arena.
func points() (ps []point) {
	models := []struct {
		dir, file string
		batches   string
		best      string // batch of Figure 11
		fast      string // batch of Figure 18
		row       string // name in Figure 11
	}{
		{"BERT", "bert", "128 256 512 768 1024", "256", "512", "BERT"},
		{"VIT", "vit", "256 512 768 1024 1280", "1280", "1280", "ViT"},
		{"Inceptionv3", "inception", "512 768 1024 1280 1536 1792", "1536", "1536", "Inceptionv3"},
		{"ResNet152", "resnet", "256 512 768 1024 1280", "1280", "1280", "ResNet152"},
		{"SENet154", "senet", "256 512 768 1024", "1024", "1024", "SENet154"},
	}
	for _, m := range models {
		for b := range strings.FieldsSeq(m.batches) {
			ps = append(ps, point{
				table: "overall_batchsize/" + m.file + ".txt", row: b, column: "FlashNeuron",
				config: m.dir + "/" + b + "-sim_FlashNeuron.config", system: "flashneuron",
			})
		}
		for _, s := range []string{"6.4", "12.8", "19.2", "25.6", "32"} {
			ps = append(ps, point{
				table: "sensitivity_ssdbw/" + m.file + ".txt", row: s, column: "FlashNeuron",
				config: m.dir + "/" + m.fast + "-sim_FlashNeuron-ssd" + strings.ReplaceAll(s, ".", "_") + "-pcie32.config", system: "flashneuron",
			})
		}
		for column, s := range [2]string{"g10-gds", "g10-host"} {
			name := [2]string{"G10GDSSSD", "G10GDSFULL"}[column]
			ps = append(ps, point{
				table: "overall_performance/all.base.txt", row: m.row, column: name,
				config: m.dir + "/" + m.best + "-sim_" + name + ".config", system: s,
			})
		}
	}
	return ps
}

// publishedCycles reads one cell of a table, "inf" as 0.
func publishedCycles(t *testing.T, p point) int64 {
	t.Helper()
	data, err := os.ReadFile(filepath.Join(artifact.Dir(t), "example_results", p.table))
	if err != nil {
		t.Fatal(err)
	}
	header, _, _ := strings.Cut(string(data), "\n")
	for i, name := range strings.Split(header, "|") {
		if strings.TrimSpace(name) != p.column {
			continue
		}
		cell := cells(t, p.table, p.row)[0][i]
		if cell == "inf" {
			return 0
		}
		n, err := strconv.ParseInt(cell, 10, 64)
		if err != nil {
			t.Fatalf("%s: row %s: %v", p.table, p.row, err)
		}
		return n
	}
	t.Fatalf("%s: no column %s", p.table, p.column)
	return 0
}

// printedCycles returns what the published scripts make of r's time: they
// read milliseconds with six significant digits.
func printedCycles(r *result.Result) int64 {
	if !r.Fits {
		return 0
	}
	ms := float64(r.Time()) / float64(r.Clock) * 1000
	ms, _ = strconv.ParseFloat(strconv.FormatFloat(ms, 'g', 6, 64), 64)
	return int64(ms / 1000 * 1200 * 1e6)
}

// loadConfig builds the workload and the request of a config file.
func loadConfig(t testing.TB, name, sys string) (*workload.Workload, train.Request) {
	t.Helper()
	c, w, err := g10.Load(os.DirFS(artifact.Dir(t)), name)
	if err != nil {
		t.Fatal(err)
	}
	q := train.Request{System: sys, Machine: machine.G10(), Options: system.Published()}
	for _, pair := range c.Pairs {
		if _, err := train.Configure(&q, pair.Key, pair.Value); err != nil {
			t.Fatalf("%s:%d: %v", name, pair.Line, err)
		}
	}
	return w, q
}

func TestPublishedTimes(t *testing.T) {
	artifact.Dir(t) // or skip
	exact, ran := 0, 0
	for _, p := range points() {
		t.Run(p.config, func(t *testing.T) {
			if _, err := train.Find(p.system); err != nil {
				t.Skip(err)
			}
			want := publishedCycles(t, p)
			w, q := loadConfig(t, p.config, p.system)
			r, err := train.Run(w, q, nil)
			if err != nil {
				t.Fatal(err)
			}
			got := printedCycles(r)
			if got > 0 || want > 0 {
				ran++
			}
			if got == want && got > 0 {
				exact++
			}
			if got-want != gaps[p.config] {
				t.Errorf("%d cycles, published %d, off by %d, want %d; %s", got, want, got-want, gaps[p.config], r.Reason)
			}
			if r.Fits {
				if it := r.Main(); it.Ledger.Total() != it.Time-r.Ideal {
					t.Errorf("stalls %v do not make up %d − %d", it.Ledger, it.Time, r.Ideal)
				}
			}
		})
	}
	t.Logf("%d of %d times exact", exact, ran)
}

// The published breakdown, traffic and per-kernel slowdown of Figures 12 to 14.
func TestPublishedDetails(t *testing.T) {
	artifact.Dir(t) // or skip
	for _, tt := range []struct {
		config, row, slowdown string
		different             int // kernels; see gaps
	}{
		{"BERT/256-sim_FlashNeuron.config", "BERT", "BERT_Base", 0},
		{"ResNet152/1280-sim_FlashNeuron.config", "ResNet152", "ResNet152", 0},
		{"SENet154/1024-sim_FlashNeuron.config", "SENet154", "SENet154", 22},
	} {
		t.Run(tt.row, func(t *testing.T) {
			w, q := loadConfig(t, tt.config, "flashneuron")
			r, err := train.Run(w, q, nil)
			if err != nil || !r.Fits {
				t.Fatal(err, r)
			}
			it := r.Main()
			for _, c := range []struct {
				table  string
				cycles unit.Cycles
			}{{"compute", it.Compute}, {"overlap", it.Overlap}, {"stall", it.Stall}} {
				got := strconv.FormatFloat(float64(c.cycles)/float64(r.Clock)*1000, 'g', 6, 64)
				if want := cells(t, "overall_breakdown/"+c.table+".txt", tt.row)[0][1]; (got != want) != (tt.different > 0) {
					t.Errorf("%s: %s ms, published %s", c.table, got, want)
				}
			}
			traffic := cells(t, "overall_traffic/traffic.txt", tt.row)
			for i, got := range []unit.Bytes{it.Traffic.SSDIn, it.Traffic.SSDOut, it.Traffic.HostIn, it.Traffic.HostOut} {
				if want := traffic[i][1]; fmt.Sprintf("%d.0", got.Pages()) != want {
					t.Errorf("traffic: line %d: %d pages, published %s", i, got.Pages(), want)
				}
			}
			if got := slowdownDiffers(t, r, "overall_slowdown_cdf/"+tt.slowdown+"-FlashNeuron.txt"); len(got) != tt.different {
				t.Errorf("%d kernels differ, want %d: %v", len(got), tt.different, got)
			}
		})
	}
}

// slowdownDiffers returns the kernels whose stall is not the published one,
// which is a multiple of the execution time.
func slowdownDiffers(t *testing.T, r *result.Result, name string) (different []int) {
	t.Helper()
	data, err := os.ReadFile(filepath.Join(artifact.Dir(t), "example_results", name))
	if err != nil {
		t.Fatal(err)
	}
	lines := strings.Fields(string(data))
	if len(lines) != len(r.Kernels) {
		t.Fatalf("%d kernels, published %d", len(r.Kernels), len(lines))
	}
	for k, n := range r.Kernels {
		want, err := strconv.ParseFloat(lines[k], 64)
		if err != nil {
			t.Fatal(err)
		}
		got := float64(n.End-n.Start-n.Ideal) / float64(n.Ideal)
		// Six digits, less than 0.0001 printed as 0, and transfer times rounded up.
		if slack := 1e-5*want + 1e-4 + 1000/float64(n.Ideal); math.Abs(got-want) > slack {
			different = append(different, k)
		}
	}
	return different
}

// cells returns the lines of numbers of a row of a table.
func cells(t *testing.T, table, row string) [][]string {
	t.Helper()
	data, err := os.ReadFile(filepath.Join(artifact.Dir(t), "example_results", table))
	if err != nil {
		t.Fatal(err)
	}
	var rows [][]string
	found := false
	for _, line := range strings.Split(string(data), "\n")[1:] {
		head, _, _ := strings.Cut(line, "|")
		switch head = strings.TrimSpace(head); {
		case head == row:
			found = true
		case head == "":
			if len(rows) > 0 {
				return rows
			}
		case found:
			rows = append(rows, strings.Fields(line))
		}
	}
	if len(rows) == 0 {
		t.Fatalf("%s: no row %s", table, row)
	}
	return rows
}

func BenchmarkRun(b *testing.B) {
	for _, config := range []string{"BERT/256", "SENet154/1024"} {
		b.Run("workload="+config+"/system=flashneuron", func(b *testing.B) {
			w, q := loadConfig(b, config+"-sim_FlashNeuron.config", "flashneuron")
			b.ReportAllocs()
			for b.Loop() {
				if _, err := train.Run(w, q, nil); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}
