package lab_test

import (
	"math"
	"reflect"
	"testing"

	"spillway/sim/report"
	"spillway/sim/study"
	"spillway/ui/wire"
)

// filled returns a value of type T in which nothing is as it is by default: what
// a message loses shows.
func filled[T any]() *T {
	v := new(T)
	n := 0
	fill(reflect.ValueOf(v).Elem(), &n)
	return v
}

func fill(v reflect.Value, n *int) {
	*n++
	switch v.Kind() {
	case reflect.Bool:
		v.SetBool(true)
	case reflect.Int, reflect.Int32, reflect.Int64:
		v.SetInt(int64(-*n))
	case reflect.Uint8:
		v.SetUint(uint64(*n % 256))
	case reflect.Float64:
		v.SetFloat(float64(*n) + 0.1)
	case reflect.String:
		v.SetString(string(rune('0' + *n)))
	case reflect.Slice:
		v.Set(reflect.MakeSlice(v.Type(), 2, 2))
		fill(v.Index(0), n)
		fill(v.Index(1), n)
	case reflect.Struct:
		for _, field := range v.Fields() {
			fill(field, n)
		}
	default:
		panic("a " + v.Type().String() + " is no data")
	}
}

// What a study says about a paper passes between page and worker unchanged.
func TestStudiesAreData(t *testing.T) {
	pass(t, filled[study.Sheet](), new(study.Sheet))
	pass(t, filled[study.Outline](), new(study.Outline))
	pass(t, filled[study.Outcome](), new(study.Outcome))
	pass(t, &[]study.Tally{*filled[study.Tally]()}, &[]study.Tally{})
	pass(t, &study.Outcome{Run: "r", Values: []float64{0, math.Inf(1), -1}, Curves: []report.Curve{{X: []float64{1}}}}, new(study.Outcome))
}

func pass[T any](t *testing.T, v, to *T) {
	t.Helper()
	data, err := wire.Marshal(v)
	if err == nil {
		err = wire.Unmarshal(data, to)
	}
	if err != nil || !reflect.DeepEqual(v, to) {
		t.Errorf("%v\nsent %+v\ngot  %+v", err, v, to)
	}
}

// A value that a run does not have stays missing on the way.
func TestMissingValuesPass(t *testing.T) {
	data, err := wire.Marshal(&study.Outcome{Values: []float64{math.NaN()}})
	if err != nil {
		t.Fatal(err)
	}
	var o study.Outcome
	if err := wire.Unmarshal(data, &o); err != nil || len(o.Values) != 1 || !math.IsNaN(o.Values[0]) {
		t.Errorf("%+v, %v", o, err)
	}
}
