// Package hashtest tests that a hash sees all that a result holds.
package hashtest

import (
	"fmt"
	"reflect"
	"strings"
	"testing"
)

// Fields fills a result of a type with values, changes one after the other and asks the hash
// to be another each time, and when a list gets shorter. What the hash leaves out is in apart,
// by its path ("Device.Busy"; what lies beneath is left out with it) with the reason: it
// must not change the hash.
func Fields[R any](t testing.TB, hash func(*R) string, apart map[string]string) {
	t.Helper()
	f := fields{t: t, apart: apart, met: map[string]bool{}, said: map[string]bool{}}
	r := new(R)
	v := reflect.ValueOf(r).Elem()
	f.fill(v, "")
	f.hash = func() string { return hash(r) }
	f.was = f.hash()
	f.walk(v, "")
	if f.was != f.hash() {
		t.Error("the hash is another when all is as it was") // or the test did not put it back
	}
	for path, why := range apart {
		if !f.met[path] {
			t.Errorf("%s is left out, but there is no such field", path)
		}
		if why == "" {
			t.Errorf("%s is left out without a reason", path)
		}
	}
}

// Filled returns a result in which everything has a value of its own and lists have two
// elements.
func Filled[R any](t testing.TB) *R {
	t.Helper()
	f := fields{t: t}
	r := new(R)
	f.fill(reflect.ValueOf(r).Elem(), "")
	return r
}

type fields struct {
	t     testing.TB
	hash  func() string
	was   string
	apart map[string]string
	met   map[string]bool // of apart
	said  map[string]bool // paths that are wrong
	next  int64
}

// beneath is the path of a field.
func beneath(path, field string) string {
	if path == "" {
		return field
	}
	return path + "." + field
}

// seen reports whether the hash is to see what is at a path.
func (f *fields) seen(path string) bool {
	for p := range f.apart {
		if path == p || strings.HasPrefix(path, p+".") {
			return false
		}
	}
	return true
}

// fill gives everything that lies in v a value of its own.
func (f *fields) fill(v reflect.Value, path string) {
	f.t.Helper()
	f.next++
	switch v.Kind() {
	case reflect.Bool:
		v.SetBool(true)
	case reflect.Int, reflect.Int8, reflect.Int16, reflect.Int32, reflect.Int64:
		v.SetInt(f.next%100 + 1)
	case reflect.Uint8, reflect.Uint16, reflect.Uint32, reflect.Uint64:
		v.SetUint(uint64(f.next%100 + 1))
	case reflect.Float64:
		v.SetFloat(float64(f.next) / 4)
	case reflect.String:
		v.SetString(fmt.Sprint("text ", f.next))
	case reflect.Pointer:
		v.Set(reflect.New(v.Type().Elem()))
		f.fill(v.Elem(), path)
	case reflect.Slice:
		v.Set(reflect.MakeSlice(v.Type(), 2, 2))
		fallthrough
	case reflect.Array:
		for i := range v.Len() {
			f.fill(v.Index(i), path)
		}
	case reflect.Struct:
		for i := range v.NumField() {
			if at := beneath(path, v.Type().Field(i).Name); v.Field(i).CanSet() {
				f.fill(v.Field(i), at)
			} else if f.seen(at) {
				f.t.Errorf("%s is not exported: is it part of what came out?", at)
			}
		}
	default:
		if f.seen(path) {
			f.t.Fatalf("%s is a %s, of which there is no hash", path, v.Type())
		}
	}
}

// walk changes one value after the other.
func (f *fields) walk(v reflect.Value, path string) {
	f.t.Helper()
	if _, ok := f.apart[path]; ok {
		f.met[path] = true
	}
	if !v.CanSet() {
		return
	}
	old := reflect.New(v.Type()).Elem()
	old.Set(v)
	switch v.Kind() {
	case reflect.Bool:
		v.SetBool(!v.Bool())
	case reflect.Int, reflect.Int8, reflect.Int16, reflect.Int32, reflect.Int64:
		v.SetInt(v.Int() + 1)
	case reflect.Uint8, reflect.Uint16, reflect.Uint32, reflect.Uint64:
		v.SetUint(v.Uint() + 1)
	case reflect.Float64:
		v.SetFloat(v.Float() + 1)
	case reflect.String:
		v.SetString(v.String() + "!")
	case reflect.Pointer:
		f.walk(v.Elem(), path)
		return
	case reflect.Slice:
		for i := range v.Len() {
			f.walk(v.Index(i), path)
		}
		v.SetLen(v.Len() - 1)
	case reflect.Array:
		for i := range v.Len() {
			f.walk(v.Index(i), path)
		}
		return
	case reflect.Struct:
		for i := range v.NumField() {
			f.walk(v.Field(i), beneath(path, v.Type().Field(i).Name))
		}
		return
	}
	if changed := f.hash() != f.was; changed != f.seen(path) && !f.said[path] {
		f.said[path] = true
		f.t.Errorf("with another %s the hash is another: %t, want %t", path, changed, f.seen(path))
	}
	v.Set(old)
}
