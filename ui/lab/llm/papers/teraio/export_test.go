package teraio

import (
	"fmt"
	"math"
	"strings"

	"spillway/sim/study"
)

// Reason is why a number is not reached, for tests outside of the package.
var Reason = reason

// A quote is a number that a reason or a remark says: a test computes it.
type quote struct {
	in, says, figure string
	of               func(f *finder) float64
	format           string
}

// quotes are the numbers in the texts above and in those of the figures.
var quotes = []quote{
	{"gap", "it has 67 %", readings, func(f *finder) float64 { return f.reads(0, ssd, "drives by halves") }, "it has %.0f %%"},
	{"gap", "it has 60 in", slowed, func(f *finder) float64 {
		return average(settingsOf(granite), func(s *setting) float64 {
			return 100 * f.must(speed, ssd, s.as(ssd, slower...)) / f.must(speed, ideal, s.as(ideal))
		})
	}, "it has %.0f in"},
	{"gap", "1.11 to", byLarge, func(f *finder) float64 {
		return least(settings[10:13], func(s *setting) float64 { return f.gain(infinity, s) })
	}, "%.2f to"},
	{"gap", "to 1.25", byLarge, func(f *finder) float64 {
		return most(settings[10:13], func(s *setting) float64 { return f.gain(infinity, s) })
	}, "to %.2f"},
	{"gap", "3072 it is 1.04", byLarge, func(f *finder) float64 { return f.gain(infinity, &settings[13]) }, "3072 it is %.2f"},
	{"gap", "8 it is 1.31", slowed, func(f *finder) float64 { return f.gains(0) }, "8 it is %.2f"},
	{"gap", "3 it is 1.26", slowed, func(f *finder) float64 { return f.gains(1) }, "3 it is %.2f"},
	{byLarge, "some 42 %", byLarge, func(f *finder) float64 {
		return average(settings[10:13], func(s *setting) float64 { return f.share(infinity, s) })
	}, "some %.0f %%"},
	{byLarge, "some 65.", byLarge, func(f *finder) float64 { return f.share(infinity, &settings[13]) }, "some %.0f."},
	{"1", "1.8 times", "1", func(f *finder) float64 { return 50_000 / f.must(kernels, ideal, studied[0].set()) }, "%.1f times"},
	{"1", "2.7 for T5", "1", func(f *finder) float64 { return 60_000 / f.must(kernels, ideal, studied[3].set()) }, "%.1f for T5"},
	{"1", "3.3 for GPT2", "1", func(f *finder) float64 { return 20_000 / f.must(kernels, ideal, studied[1].set()) }, "%.1f for GPT2"},
	{slowed, "keep 60 %", slowed, func(f *finder) float64 {
		s := &sweeps[1]
		with := func(drives, host int) float64 {
			return f.must(speed, mixed, s.as(mixed, append(drivesOf(drives, host), slower...)...))
		}
		return 100 * with(2, 512) / with(4, 1024)
	}, "keep %.0f %%"},
	{"host-matters", "is 116 %", slowed, moreHost, "is %.0f %%"},
	{"9", "1.16 times", slowed, func(f *finder) float64 { return moreHost(f) / 100 }, "%.2f times"},
	{"roof-48", "it is 95 %", "3", func(f *finder) float64 { return f.roof(roofed[:3], 48) }, "it is %.0f %%"},
	{"roof-32", "it is 93 %", "3", func(f *finder) float64 { return f.roof(roofed[:3], 32) }, "it is %.0f %%"},
	{"middle", "more than 80 %", "2", func(f *finder) float64 {
		return 10 * math.Floor(least(studied[:3], func(s *setting) float64 { return f.must(middle, ideal, s.set()) })/10)
	}, "more than %.0f %%"},
	{"ssd-70b", "is 2 % slower", byLarge, func(f *finder) float64 {
		s := &settings[13]
		return 100 * (1 - f.must(speed, ssd, s.as(ssd))/f.must(speed, infinity, s.as(infinity)))
	}, "is %.0f %% slower"},
}

// reads is the share of Ideal under a reading, in percent.
func (f *finder) reads(at int, system, name string) float64 {
	s := &readOf[at]
	for k := range alternatives {
		if a := &alternatives[k]; a.name == name {
			return 100 * f.must(speed, system, a.under(&s.setting, system)) / f.must(speed, ideal, s.as(ideal))
		}
	}
	return nan
}

// gains is the mean speedup over ZeRO-Infinity with Llama3-70B under other rates.
func (f *finder) gains(at int) float64 {
	x := &otherRates[at]
	return average(settingsOf(llama70), func(s *setting) float64 {
		v, fits := f.value(speed, infinity, s.as(infinity, x.rival...))
		if !fits {
			return nan
		}
		return f.must(speed, mixed, s.as(mixed, x.differs...)) / v
	})
}

// moreHost is what Llama3-70B gains by host memory with slower arrays, in percent.
func moreHost(f *finder) float64 {
	s := &sweeps[1]
	with := func(host int) float64 {
		return f.must(speed, mixed, s.as(mixed, append(drivesOf(4, host), slower...)...))
	}
	return 100 * with(1024) / with(128)
}

// lookIn finds probes among outcomes.
func lookIn(p *study.Paper, outcomes []study.Outcome) study.Look {
	return func(x *study.Point) (v float64, fits, known bool) {
		for i := range outcomes {
			o := &outcomes[i]
			if o.Run != x.Run() {
				continue
			}
			if !o.Fits {
				return 0, false, true
			}
			for k, y := range p.Of(o.Run) {
				if y.Figure == x.Figure && y.Quantity == x.Quantity {
					return o.Values[k], true, true
				}
			}
		}
		return 0, false, false
	}
}

// Readings is the figure of readings as text.
func Readings(p *study.Paper, outcomes []study.Outcome) string {
	var b strings.Builder
	f := &finder{all(), lookIn(p, outcomes), readings, true}
	b.WriteString("| Reading |")
	for i := range readOf {
		for _, system := range readOf[i].systems {
			fmt.Fprintf(&b, " %s, %s |", called[readOf[i].model], titles[system])
		}
	}
	b.WriteString("\n|---|--:|--:|--:|--:|--:|--:|\n")
	for k := range alternatives {
		fmt.Fprintf(&b, "| %s |", alternatives[k].name)
		for i := range readOf {
			for _, system := range readOf[i].systems {
				fmt.Fprintf(&b, " %.1f |", f.reads(i, system, alternatives[k].name))
			}
		}
		b.WriteByte('\n')
	}
	return b.String()
}

// Steps is the figure of steps as text.
func Steps(p *study.Paper, outcomes []study.Outcome) string {
	var b strings.Builder
	f := &finder{all(), lookIn(p, outcomes), stepped, true}
	b.WriteString("| With |")
	for _, panel := range stepPanels() {
		fmt.Fprintf(&b, " %s |", panel)
	}
	b.WriteString("\n|---|" + strings.Repeat("--:|", len(stepPanels())) + "\n")
	for k := range steps {
		fmt.Fprintf(&b, "| %s |", steps[k].name)
		for i := range readOf {
			s := &readOf[i]
			for _, system := range s.systems {
				if concerned(system) {
					fmt.Fprintf(&b, " %.1f |", 100*f.must(speed, system, s.as(system, steps[k].differs...))/f.must(speed, ideal, s.as(ideal)))
				}
			}
		}
		b.WriteByte('\n')
	}
	return b.String()
}

// Quoted says which texts say another number than the outcomes, and which lack it.
func Quoted(p *study.Paper, outcomes []study.Outcome) (wrong []string) {
	g := all()
	look := lookIn(p, outcomes)
	for i := range quotes {
		x := &quotes[i]
		text := beside[x.in]
		if x.in == "gap" {
			for k := range causes {
				text += causes[k].why + " "
			}
		}
		for _, f := range p.Figures {
			if f.ID == x.in {
				text = f.Remark
			}
		}
		f := &finder{g, look, x.figure, true}
		v := fmt.Sprintf(x.format, x.of(f))
		if !f.known || v != x.says || !strings.Contains(text, x.says) {
			wrong = append(wrong, fmt.Sprintf("%s says %q (%v), and it is %q", x.in, x.says, strings.Contains(text, x.says), v))
		}
	}
	return wrong
}

// Lawful is bylaw.csv.
var Lawful = lawful

// A Middle is the second setting of a model of Figure 7, for Ideal and for TERAIO-Mixed.
type Middle struct{ Model, At, Set, Mixed string }

// Middles are those of all models.
func Middles() (list []Middle) {
	for _, model := range []string{llama8, granite, llama70} {
		s := settingsOf(model)[1]
		list = append(list, Middle{model, s.at(), s.set(), s.as(mixed)})
	}
	return list
}
