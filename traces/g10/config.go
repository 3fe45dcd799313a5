package g10

import (
	"bytes"
	"fmt"
	"strconv"
	"strings"

	"spillway/sim/knob"
	"spillway/sim/unit"
)

// A Pair is one line of a .config file.
type Pair struct {
	Key, Value string
	Line       int
}

// A Config is a .config file of the artifact.
type Config struct {
	Name  string
	Pairs []Pair // every line, in order

	Setup         // how to read the network
	Network       string
	Times         string
	InputFault    string
	Fault         string
	Workspace     string
	OutputFolder  string
	hasBatch      bool
	unified       bool   // is_UVM
	prefetch      bool   // use_prefetch
	eviction      string // eviction_policy, upper case
	migration     string // migration_policy, upper case
	isTransformer int64
}

// keys lists every key the artifact's simulator knows. The ones that Config
// needs have a function; the others are kept as pairs only.
var keys = map[string]func(c *Config, value string) error{
	"output_folder": func(c *Config, v string) error { c.OutputFolder = strings.TrimSuffix(v, "/"); return nil },

	"is_transformer": func(c *Config, v string) error { return number(&c.isTransformer, v, -1, 1) },
	"trans_borden":   func(c *Config, v string) error { return number(&c.Border, v, 0, maxNumber) },
	"is_resnet":      func(c *Config, v string) error { return toggle(&c.ResNet, v) },
	"is_inception":   func(c *Config, v string) error { return toggle(&c.Inception, v) },
	"is_senet":       func(c *Config, v string) error { return toggle(&c.SENet, v) },
	"batch_size":     func(c *Config, v string) error { c.hasBatch = true; return number(&c.Batch, v, 1, maxNumber) },
	"input_H":        func(c *Config, v string) error { return number(&c.Height, v, 1, maxNumber) },
	"input_W":        func(c *Config, v string) error { return number(&c.Width, v, 1, maxNumber) },
	"kernel_speedup": func(c *Config, v string) error { return speedup(&c.Speedup, v) },
	"GPU_frequency_GHz": func(c *Config, v string) error {
		if hz, err := knob.ParseDecimal(v, int64(unit.GHz)); err == nil && hz > 0 { // the machine's knob says what is wrong
			c.Clock = unit.Frequency(hz)
		}
		return nil
	},

	"nn_model_input_file":       func(c *Config, v string) error { c.Network = v; return nil },
	"orig_kernel_time_file":     func(c *Config, v string) error { c.Times = v; return nil },
	"input_pf_kernel_time_file": func(c *Config, v string) error { c.InputFault = v; return nil },
	"pf_kernel_time_file":       func(c *Config, v string) error { c.Fault = v; return nil },
	"workspace_size_file":       func(c *Config, v string) error { c.Workspace = v; return nil },

	"is_UVM":           func(c *Config, v string) error { return toggle(&c.unified, v) },
	"use_prefetch":     func(c *Config, v string) error { return toggle(&c.prefetch, v) },
	"eviction_policy":  func(c *Config, v string) error { c.eviction = strings.ToUpper(v); return nil },
	"migration_policy": func(c *Config, v string) error { c.migration = strings.ToUpper(v); return nil },

	"CPU_PCIe_bandwidth_GBps": nil, "CPU_memory_line_GB": nil, "GPU_PCIe_bandwidth_GBps": nil,
	"GPU_free_uspB": nil, "GPU_malloc_uspB": nil, "GPU_memory_size_GB": nil,
	"PCIe_batch_size_page": nil, "PCIe_latency_us": nil, "SSD_PCIe_bandwidth_GBps": nil,
	"SSD_latency_us": nil, "SSD_read_latency_us": nil, "SSD_write_latency_us": nil,
	"compile_max_thread_num": nil, "delta_parameter": nil, "is_compile": nil, "is_cudnn": nil,
	"is_individual": nil, "is_input_pf_only": nil, "is_output_pf_only": nil, "is_profiling": nil,
	"is_run": nil, "is_simulation": nil, "kernel_time_std_dev": nil, "num_candidate": nil,
	"num_iteration": nil, "num_threads": nil, "output_override": nil, "prefetch_degree": nil,
	"ran_seed": nil, "stat_output_file": nil, "system_latency_us": nil,
}

// defaultBorder is trans_borden where a config does not set it.
const defaultBorder = 184

// ParseConfig reads a .config file: lines of a key and a value. Empty lines and
// lines that begin with the word # are skipped; words after the value are
// ignored, as in the artifact.
func ParseConfig(name string, data []byte) (*Config, error) {
	c := &Config{Name: name, unified: true, isTransformer: -1, eviction: "LRU"}
	c.Border = defaultBorder
	line := 0
	for text := range bytes.Lines(data) {
		line++
		var word [2][]byte
		n := split(text, word[:])
		if n == 0 || string(word[0]) == "#" {
			continue
		}
		key := string(word[0])
		set, known := keys[key]
		if !known {
			return nil, fmt.Errorf("%s:%d: unknown key %q; see the artifact's src/configs for the keys", name, line, clip(key))
		}
		if n < 2 {
			return nil, fmt.Errorf("%s:%d: %s has no value; write \"%s value\"", name, line, key, key)
		}
		p := Pair{key, string(word[1]), line}
		c.Pairs = append(c.Pairs, p)
		if set == nil {
			continue
		}
		if err := set(c, p.Value); err != nil {
			return nil, fmt.Errorf("%s:%d: %s: %w", name, line, key, err)
		}
	}
	c.Transformer = c.isTransformer == 1
	if err := c.check(); err != nil {
		return nil, err
	}
	return c, nil
}

// check reports what makes the whole config unusable.
func (c *Config) check() error {
	if len(c.Pairs) == 0 {
		return fmt.Errorf("%s: empty; want lines of a key and a value, like \"batch_size 256\"", c.Name)
	}
	if !c.hasBatch {
		return fmt.Errorf("%s: no batch_size; add a line \"batch_size N\"", c.Name)
	}
	families := 0
	for _, on := range [...]bool{c.ResNet, c.Inception, c.SENet} {
		if on {
			families++
		}
	}
	if families > 1 {
		return fmt.Errorf("%s: more than one of is_resnet, is_inception and is_senet is 1; keep the one that fits %s", c.Name, c.Network)
	}
	if !c.Transformer && (c.Height == 0 || c.Width == 0) {
		return fmt.Errorf("%s: no input_H or input_W; add the height and width of the input image", c.Name)
	}
	if (c.eviction == "DEEPUM") != (c.migration == "DEEPUM") {
		return fmt.Errorf("%s: eviction_policy and migration_policy must both be DEEPUM or neither", c.Name)
	}
	return nil
}

// Policy returns the stable name of the system that the config runs: "uvm",
// "g10", "deepum+", "flashneuron", "g10-gds", "g10-host" or, where every page
// counts as resident, "ideal". It is empty for policies that the published
// experiments do not use.
func (c *Config) Policy() string {
	switch {
	case !c.unified:
		return "ideal"
	case c.migration == "FLASHNEURON":
		return "flashneuron"
	case c.migration == "G10GDSSSD":
		return "g10-gds"
	case c.migration == "G10GDSFULL":
		return "g10-host"
	case c.migration == "DEEPUM":
		return "deepum+"
	case c.eviction != "LRU":
		return ""
	case c.prefetch:
		return "g10"
	}
	return "uvm"
}

// line returns the line of the last pair with the given key, 0 if there is none.
func (c *Config) line(key string) int {
	for i := len(c.Pairs) - 1; i >= 0; i-- {
		if c.Pairs[i].Key == key {
			return c.Pairs[i].Line
		}
	}
	return 0
}

func number(to *int64, text string, low, high int64) error {
	n, err := strconv.ParseInt(text, 10, 64)
	if err != nil || n < low || n > high {
		return fmt.Errorf("%q is not a whole number from %d to %d", clip(text), low, high)
	}
	*to = n
	return nil
}

func toggle(to *bool, text string) error {
	if text != "0" && text != "1" {
		return fmt.Errorf("%q; want 0 or 1", clip(text))
	}
	*to = text == "1"
	return nil
}

func speedup(to *int64, text string) error {
	v, err := knob.ParseDecimal(text, 1e9)
	if err != nil {
		return err
	}
	if v <= 0 {
		return fmt.Errorf("%q is not above 0", clip(text))
	}
	*to = v
	return nil
}
