package train

import (
	"strconv"

	"spillway/sim/bound"
	core "spillway/sim/train"
	"spillway/traces/quote"
)

// certificate writes the proof of the best possible, as JSON; with recompute that of what may
// also compute values again.
func certificate(recompute bool) func(*seen) ([]byte, error) {
	return func(v *seen) ([]byte, error) {
		q, err := v.Settings.request(core.Bound)
		if err != nil {
			return nil, err
		}
		p, c, err := core.Floor(v.Workload.Workload, q, recompute)
		if err != nil {
			return nil, err
		}
		return document(p.Document(c)), nil
	}
}

// document is d as JSON, a tensor or kernel a line.
func document(d *bound.Document) []byte {
	b := []byte(`{"spillway_bound":` + strconv.Itoa(d.Version) + `,"workload":`)
	b = quote.Append(b, d.Workload)
	b = field(b, "clock_hz", int64(d.Clock))
	b = field(b, "gpu_memory_bytes", int64(d.Memory))
	b = field(b, "host_memory_bytes", int64(d.Host))
	b = append(numbersIn(append(b, `,"link_bytes_per_s":`...), d.Rates[:]), ",\n\"tensors\":["...)
	for i, t := range d.Tensors {
		b = append(separate(b, i), `{"bytes":`+strconv.FormatInt(int64(t.Bytes), 10)...)
		if t.Global {
			b = append(b, `,"global":true`...)
		}
		b = append(b, '}')
	}
	b = append(b, "\n],\n\"kernels\":["...)
	for i, k := range d.Kernels {
		b = append(separate(b, i), `{"cycles":`+strconv.FormatInt(int64(k.Cycles), 10)+`,"inputs":`...)
		b = append(numbersIn(b, k.Inputs), `,"outputs":`...)
		b = append(numbersIn(b, k.Outputs), '}')
	}
	b = append(numbersIn(append(b, "\n],\n\"moments\":"...), d.Moments), ",\n\"memory_prices\":"...)
	b = append(numbersIn(b, d.Certificate.Memory), ",\n\"host_prices\":"...)
	b = append(numbersIn(b, d.Certificate.Host), ",\n\"link_prices\":["...)
	for i, list := range d.Links {
		b = numbersIn(separate(b, i), list)
	}
	b = append(b, "\n]"...)
	if d.Recompute {
		b = append(b, `,"recomputation":true`...)
	}
	return append(field(b, "bound_cycles", int64(d.Cycles)), "}\n"...)
}

func field(b []byte, key string, n int64) []byte {
	return append(b, ",\""+key+"\":"+strconv.FormatInt(n, 10)...)
}

func separate(b []byte, i int) []byte {
	if i > 0 {
		b = append(b, ',')
	}
	return append(b, '\n')
}

// numbersIn adds a list of whole numbers.
func numbersIn[N ~int | ~int32 | ~int64](b []byte, list []N) []byte {
	b = append(b, '[')
	for i, n := range list {
		if i > 0 {
			b = append(b, ',')
		}
		b = strconv.AppendInt(b, int64(n), 10)
	}
	return append(b, ']')
}
