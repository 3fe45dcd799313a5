package filesys

import (
	"reflect"
	"slices"
	"testing"

	"spillway/build/effort"
	"spillway/sim/filesys/load"
	"spillway/sim/filesys/machine"
	"spillway/sim/unit"
)

// double doubles every time in a struct.
func double(v reflect.Value) {
	for _, field := range v.Fields() {
		switch f := field; {
		case f.Kind() == reflect.Struct:
			double(f)
		case f.Type() == reflect.TypeFor[unit.Time]():
			f.SetInt(2 * f.Int())
		}
	}
}

// TestTimeDoubles: where all takes twice as long a run takes exactly twice as long.
func TestTimeDoubles(t *testing.T) {
	for k, x := range load.Recipes() {
		if !effort.Takes(k, 2) {
			continue
		}
		m := machine.Default()
		m.Scale = 256
		d, slow := m, x
		double(reflect.ValueOf(&d).Elem())
		double(reflect.ValueOf(&slow).Elem())
		w, err := load.Generate(&x, &m)
		v, err2 := load.Generate(&slow, &d)
		if err != nil || err2 != nil {
			t.Fatal(err, err2)
		}
		for _, system := range Systems {
			a, err := Run(w, &m, system.Name, nil, nil)
			b, err2 := Run(v, &d, system.Name, nil, nil)
			if (err == nil) != (err2 == nil) {
				t.Fatal(err, err2)
			}
			if err == nil && b.Time != 2*a.Time {
				t.Errorf("%s on %s: %v doubled is %v", system.Name, x.Name, a.Time, b.Time)
			}
		}
	}
}

// TestMoreHardwareNeverHurts: a machine with more or faster parts is not slower by more than random
// numbers make a difference: the mean over three seeds counts, and the spread is of both.
func TestMoreHardwareNeverHurts(t *testing.T) {
	better := []struct {
		name string
		set  func(*machine.Setup)
	}{
		{"twice the channels", func(m *machine.Setup) { m.Device.Channels *= 2 }},
		{"twice the DRAM of the SSD", func(m *machine.Setup) { m.Device.DRAM *= 2 }},
		{"twice the page cache", func(m *machine.Setup) { m.Host.Cache *= 2 }},
		{"flash reads in half the time", func(m *machine.Setup) { m.Device.Read /= 2 }},
		{"flash programs in half the time", func(m *machine.Setup) { m.Device.Program /= 2 }},
		{"pages on the link in half the time", func(m *machine.Setup) { m.Device.Transfer /= 2 }},
		{"lines in half the time", func(m *machine.Setup) {
			m.Device.LineRead, m.Device.LineWrite = m.Device.LineRead/2, m.Device.LineWrite/2
		}},
	}
	compared := 0
	for k, x := range load.Recipes() {
		for i, system := range Systems {
			if !effort.Takes(k*len(Systems)+i, 8) {
				continue
			}
			times := func(set func(*machine.Setup)) (list []unit.Time) {
				for seed := range int64(3) {
					m := machine.Default()
					m.Scale, m.Seed = 256, m.Seed+seed
					set(&m)
					w, err := load.Generate(&x, &m)
					if err != nil {
						t.Fatal(err)
					}
					if r, err := Run(w, &m, system.Name, nil, nil); err == nil {
						list = append(list, r.Time)
					}
				}
				return list
			}
			mean := func(list []unit.Time) (sum unit.Time) {
				for _, x := range list {
					sum += x
				}
				return sum / unit.Time(len(list))
			}
			before := times(func(*machine.Setup) {})
			if len(before) == 0 {
				continue // the device is full
			}
			for _, y := range better {
				after := times(y.set)
				if len(after) < len(before) {
					t.Errorf("%s on %s: with %s it does not run", system.Name, x.Name, y.name)
					continue
				}
				spread := max(slices.Max(before)-slices.Min(before), slices.Max(after)-slices.Min(after))
				if a, b := mean(before), mean(after); b > a+spread+a/100 {
					t.Errorf("%s on %s: with %s it takes %v, before %v", system.Name, x.Name, y.name, after, before)
				}
				compared++
			}
		}
	}
	t.Logf("%d comparisons", compared)
}
