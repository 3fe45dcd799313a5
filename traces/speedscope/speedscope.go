// Package speedscope writes profiles for speedscope: stacks of names with what
// each weighs.
//
// Source of the format: speedscope's file-format-schema.json.
package speedscope

import (
	"strconv"

	"spillway/sim/unit"
	"spillway/traces/quote"
)

// A Sample is a stack, the outermost name first, and what it took.
type Sample struct {
	Stack []string
	Time  unit.Time
}

// A Profile is samples in an order of their own.
type Profile struct {
	Name    string
	Samples []Sample
}

// Write returns a file. name is its title, exporter says where it comes from.
func Write(name, exporter string, profiles []Profile) []byte {
	f := newFrames()
	var body []byte
	for i := range profiles {
		if i > 0 {
			body = append(body, ',')
		}
		body = appendProfile(body, &profiles[i], f)
	}
	return file(name, exporter, f, body)
}

// frames are names, each once.
type frames struct {
	at    map[string]int
	names []string
}

func newFrames() *frames { return &frames{at: map[string]int{}} }

// of is the number of a name.
func (f *frames) of(name string) int {
	i, ok := f.at[name]
	if !ok {
		i = len(f.names)
		f.at[name], f.names = i, append(f.names, name)
	}
	return i
}

// file puts a file together around its profiles.
func file(name, exporter string, f *frames, body []byte) []byte {
	b := []byte(`{"$schema":"https://www.speedscope.app/file-format-schema.json","name":`)
	b = quote.Append(b, name)
	b = append(b, `,"exporter":`...)
	b = quote.Append(b, exporter)
	b = append(b, `,"activeProfileIndex":0,"shared":{"frames":[`...)
	for i, name := range f.names {
		if i > 0 {
			b = append(b, ',')
		}
		b = append(b, `{"name":`...)
		b = append(quote.Append(b, name), '}')
	}
	b = append(b, `]},"profiles":[`...)
	b = append(b, body...)
	return append(b, "\n]}\n"...)
}

// appendProfile writes a profile. Weights are nanoseconds whose sums are exact: of
// each sum so far the picoseconds are left out.
func appendProfile(b []byte, p *Profile, f *frames) []byte {
	b = append(b, "\n{\"type\":\"sampled\",\"unit\":\"nanoseconds\",\"name\":"...)
	b = quote.Append(b, p.Name)
	b = append(b, `,"samples":[`...)
	for i := range p.Samples {
		if i > 0 {
			b = append(b, ',')
		}
		b = append(b, '[')
		for k, name := range p.Samples[i].Stack {
			if k > 0 {
				b = append(b, ',')
			}
			b = strconv.AppendInt(b, int64(f.of(name)), 10)
		}
		b = append(b, ']')
	}
	b = append(b, `],"weights":[`...)
	var sum unit.Time
	for i := range p.Samples {
		if i > 0 {
			b = append(b, ',')
		}
		before := sum / unit.Nanosecond
		sum += p.Samples[i].Time
		b = strconv.AppendInt(b, int64(sum/unit.Nanosecond-before), 10)
	}
	b = append(b, `],"startValue":0,"endValue":`...)
	b = strconv.AppendInt(b, int64(sum/unit.Nanosecond), 10)
	return append(b, '}')
}
