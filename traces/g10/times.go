package g10

import (
	"bytes"
	"fmt"
	"math/bits"
	"path"
	"strconv"

	"spillway/sim/unit"
	"spillway/sim/workload"
)

// maxNumber bounds every count and dimension in a file, so that products of
// two stay inside int64.
const maxNumber = 1 << 30

// ParseTimes reads a kernel time file: one line "0000 0.197632 ms" a kernel.
func ParseTimes(f File) ([]unit.Time, error) {
	var times []unit.Time
	err := column(f, "ms", func(value []byte) error {
		t, err := decimal(value, int64(unit.Millisecond))
		if err != nil {
			return err
		}
		if t <= 0 || unit.Time(t) > workload.MaxTime {
			return fmt.Errorf("time %q is not above 0 and at most %v", value, workload.MaxTime)
		}
		times = append(times, unit.Time(t))
		return nil
	})
	return times, err
}

// ParseSizes reads a workspace file: one line "0000 4096 B" a kernel.
func ParseSizes(f File) ([]unit.Bytes, error) {
	var sizes []unit.Bytes
	err := column(f, "B", func(value []byte) error {
		n, err := strconv.ParseInt(string(value), 10, 64)
		if err != nil || n < 0 || unit.Bytes(n) > workload.MaxTensor {
			return fmt.Errorf("size %q is not a whole number of bytes from 0 to %d", value, workload.MaxTensor)
		}
		sizes = append(sizes, unit.Bytes(n))
		return nil
	})
	return sizes, err
}

// column reads lines of index, value and unit. Indices count up from 0.
func column(f File, want string, add func(value []byte) error) error {
	rest, line, n := f.Data, 0, 0
	var fields [4][]byte
	for len(rest) > 0 {
		line++
		text := rest
		if i := bytes.IndexByte(rest, '\n'); i >= 0 {
			text, rest = rest[:i], rest[i+1:]
		} else {
			rest = nil
		}
		k := split(text, fields[:])
		if k == 0 {
			continue
		}
		if k != 3 {
			return fmt.Errorf("%s:%d: want an index, a value and %q, as in \"%04d 1 %s\"", f.Name, line, want, n, want)
		}
		if i, err := strconv.Atoi(string(fields[0])); err != nil || i != n {
			return fmt.Errorf("%s:%d: index %q; want %04d: one line for each kernel, in order", f.Name, line, clip(fields[0]), n)
		}
		if string(fields[2]) != want {
			return fmt.Errorf("%s:%d: kernel %d: unit %q; want %q", f.Name, line, n, clip(fields[2]), want)
		}
		if n >= workload.MaxKernels {
			return fmt.Errorf("%s:%d: more than %d kernels", f.Name, line, workload.MaxKernels)
		}
		if err := add(fields[1]); err != nil {
			return fmt.Errorf("%s:%d: kernel %d: %w", f.Name, line, n, err)
		}
		n++
	}
	if n == 0 {
		return fmt.Errorf("%s: empty; want one line \"0000 … %s\" for each kernel", f.Name, want)
	}
	return nil
}

// split cuts text at blanks into fields and returns how many there are, at most len(fields).
func split(text []byte, fields [][]byte) int {
	n := 0
	for n < len(fields) {
		text = bytes.TrimLeft(text, " \t\r\n\v\f")
		if len(text) == 0 {
			break
		}
		end := bytes.IndexAny(text, " \t\r\n\v\f")
		if end < 0 {
			end = len(text)
		}
		fields[n], text = text[:end], text[end:]
		n++
	}
	return n
}

// clip shortens text for a message.
func clip[T ~string | ~[]byte](text T) string {
	if len(text) > 40 {
		return string(text[:40]) + "…"
	}
	return string(text)
}

// decimal reads digits with at most one point and returns the value times
// scale, a power of ten, rounded half up.
func decimal(text []byte, scale int64) (int64, error) {
	bad := func() (int64, error) {
		return 0, fmt.Errorf("%q is not a number; use digits with a decimal point, like 0.197632", clip(text))
	}
	const most = 1 << 59
	var v, digits int64
	point := false
	for _, c := range text {
		switch {
		case c == '.' && !point:
			point = true
		case c >= '0' && c <= '9':
			digits++
			if !point {
				v = v*10 + int64(c-'0')*scale
				if v > most {
					return 0, fmt.Errorf("%q is too large", clip(text))
				}
				continue
			}
			if scale == 1 { // below the last digit kept: rounds up from 5
				v += int64(c-'0') / 5
			}
			if scale > 0 {
				scale /= 10
				v += int64(c-'0') * scale
			}
		default:
			return bad()
		}
	}
	if digits == 0 {
		return bad()
	}
	return v, nil
}

// times sets the kernels' times and applies kernel_speedup.
func (b *builder) times(p *Parts, speedup int64, clock unit.Frequency) error {
	exec, err := b.timeFile(p.Network, p.Times)
	if err != nil {
		return err
	}
	inputFault, err := b.timeFile(p.Network, p.InputFault)
	if err != nil {
		return err
	}
	fault, err := b.timeFile(p.Network, p.Fault)
	if err != nil {
		return err
	}
	for i := range b.w.Kernels {
		k := &b.w.Kernels[i]
		k.Time, k.InputFault, k.Fault = exec[i], inputFault[i], fault[i]
		if speedup != 0 && speedup != 1e9 {
			hurry(k, speedup, clock)
		}
	}
	return nil
}

// artifactClock is that of a config which names none: 1.2 GHz, as in all the
// artifact's configs (GPU_frequency_GHz).
const artifactClock = 1200 * unit.MHz

// hurry makes a kernel faster by a factor in billionths. What it gains with all
// data resident is taken off its other times too. The original reckons in whole
// cycles of the GPU's clock: each time is the nearest that has that many.
func hurry(k *workload.Kernel, factor int64, clock unit.Frequency) {
	if clock == 0 {
		clock = artifactClock
	}
	by := float64(factor) / 1e9
	before := float64(clock.PublishedCycles(k.Time))
	saved := before - before/by
	less := func(t, from unit.Time) unit.Time {
		return onCycle(t, unit.Cycles(float64(clock.PublishedCycles(from))-saved), clock)
	}
	faster := less(faster(k.Time, factor), k.Time)
	gained := k.Time - faster
	k.InputFault = max(less(k.InputFault-gained, k.InputFault), faster)
	k.Fault = max(less(k.Fault-gained, k.Fault), k.InputFault)
	k.Time = faster
}

// onCycle returns the time nearest to t, and above 0, that has n cycles.
func onCycle(t unit.Time, n unit.Cycles, clock unit.Frequency) unit.Time {
	if n < 0 || t > workload.MaxTime {
		return max(t, 1)
	}
	first, last := clock.Time(n), clock.Time(n+1)
	t = max(1, min(max(t, first), last))
	for clock.PublishedCycles(t) > n && t > 1 {
		t--
	}
	for clock.PublishedCycles(t) < n {
		t++
	}
	return t
}

// timeFile reads one of the three time files and checks the number of kernels.
func (b *builder) timeFile(net, f File) ([]unit.Time, error) {
	t, err := ParseTimes(f)
	if err != nil {
		return nil, err
	}
	return t, b.sameCount(net, f, len(t))
}

func (b *builder) sameCount(net, f File, n int) error {
	if n == len(b.w.Kernels) {
		return nil
	}
	return fmt.Errorf("%s has %d kernels, but the network in %s has %d; use the files of one network together",
		f.Name, n, path.Base(net.Name), len(b.w.Kernels))
}

// faster divides t by a factor in billionths.
func faster(t unit.Time, factor int64) unit.Time {
	hi, lo := bits.Mul64(uint64(t), 1e9)
	if hi >= uint64(factor) {
		return workload.MaxTime + 1 // Validate reports it
	}
	q, _ := bits.Div64(hi, lo, uint64(factor))
	return unit.Time(min(q, uint64(workload.MaxTime+1)))
}

// workspaces appends one tensor for each kernel that needs scratch memory,
// after the whole graph exists, as an output of that kernel.
func (b *builder) workspaces(net, f File) error {
	sizes, err := ParseSizes(f)
	if err != nil {
		return err
	}
	if err := b.sameCount(net, f, len(sizes)); err != nil {
		return err
	}
	var out []workload.TensorID
	for i, n := range sizes {
		if n == 0 {
			continue
		}
		k := &b.w.Kernels[i]
		b.w.Tensors = append(b.w.Tensors, workload.Tensor{
			Name: fmt.Sprintf("%s workspace of kernel %d", k.Name, i), Bytes: n, Kind: workload.Workspace,
		})
		out = append(append(out[:0], k.Outputs...), workload.TensorID(len(b.w.Tensors)-1))
		k.Outputs = b.set(out)
	}
	return nil
}
