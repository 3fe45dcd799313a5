package labtest

import (
	"reflect"
	"slices"
	"testing"

	"spillway/build/effort"
	"spillway/sim/unit"
)

// An Engine is what laws of machines are put to: a laboratory's runs, on machines that are changed.
// S is its setup.
type Engine[S any] struct {
	Cases []Case[S]
	// Chances is how many runs of a case differ in nothing but chance: in seeds, in times of arrival.
	Chances int64
	// Better are changes that add parts to a machine or make them faster. Slack is by how many percent
	// it may be slower then, beyond what chance does.
	Better []Better[S]
	Slack  int64
	// Exact, if it is not nil, takes out what rounds to picoseconds, before times are doubled.
	Exact func(*S)
}

// A Case is a workload with a system.
type Case[S any] struct {
	Name string
	// Run returns how long it takes, which is 0 if it does not fit, and a bound below which nobody is,
	// 0 of what has none.
	Run func(Try[S]) (time, least unit.Time)
}

// A Try is one run of a case.
type Try[S any] struct {
	Chance int64    // from 0
	Slow   bool     // all takes twice as long: Twice of setup and workload
	Change func(*S) // before it is slow
}

// A Better is a change of a machine.
type Better[S any] struct {
	Name string
	Set  func(*S)
}

// Engines puts laws to an engine, each a subtest of its name: where all takes twice as long a run
// takes exactly twice as long; better machines are not slower by more than chance makes a difference
// (the mean counts, and the spread is of both); and nothing beats a bound, on any of them.
func Engines[S any](t *testing.T, e Engine[S]) {
	run := func(t *testing.T, c *Case[S], x Try[S]) unit.Time {
		if x.Change == nil {
			x.Change = func(*S) {}
		}
		time, least := c.Run(x)
		if time > 0 && time < least {
			t.Errorf("%s takes %v, less than the bound's %v", c.Name, time, least)
		}
		return time
	}
	each := func(t *testing.T, every int, law func(c *Case[S])) {
		for i := range e.Cases {
			if effort.Takes(i, every) {
				law(&e.Cases[i])
			}
		}
	}
	t.Run("double", func(t *testing.T) {
		each(t, 3, func(c *Case[S]) {
			if once, slow := run(t, c, Try[S]{Change: e.Exact}), run(t, c, Try[S]{Change: e.Exact, Slow: true}); slow != 2*once {
				t.Errorf("%s: %v doubled is %v", c.Name, once, slow)
			}
		})
	})
	t.Run("better", func(t *testing.T) {
		compared := 0
		each(t, 8, func(c *Case[S]) {
			times := func(change func(*S)) (list []unit.Time, mean unit.Time) {
				for chance := range e.Chances {
					if time := run(t, c, Try[S]{Chance: chance, Change: change}); time > 0 {
						list, mean = append(list, time), mean+time/unit.Time(e.Chances)
					}
				}
				return list, mean
			}
			before, usual := times(nil)
			if int64(len(before)) < e.Chances {
				return
			}
			for _, x := range e.Better {
				after, mean := times(x.Set)
				if len(after) < len(before) {
					t.Errorf("%s: with %s it does not fit", c.Name, x.Name)
					continue
				}
				spread := max(slices.Max(before)-slices.Min(before), slices.Max(after)-slices.Min(after))
				if mean > usual+spread+usual*unit.Time(e.Slack)/100 {
					t.Errorf("%s: with %s it takes %v, before %v", c.Name, x.Name, after, before)
				}
				compared++
			}
		})
		t.Logf("%d comparisons", compared)
	})
}

// Twice doubles every time in what of points to, and halves every rate.
func Twice(of any) { twice(reflect.ValueOf(of).Elem()) }

func twice(v reflect.Value) {
	switch {
	case !v.CanSet():
	case v.Type() == reflect.TypeFor[unit.Time]():
		v.SetInt(2 * v.Int())
	case v.Type() == reflect.TypeFor[unit.Bandwidth](), v.Type() == reflect.TypeFor[unit.Frequency]():
		v.SetInt(v.Int() / 2)
	case v.Kind() == reflect.Struct:
		for _, field := range v.Fields() {
			twice(field)
		}
	case v.Kind() == reflect.Slice:
		for i := range v.Len() {
			twice(v.Index(i))
		}
	}
}
