package wire

import (
	"errors"
	"hash/fnv"
	"io"
	"reflect"
	"strconv"
	"sync"
)

// ErrOther is the error of a message whose type is not the reader's: a page that
// has been open since before the site changed, and a program that came after.
var ErrOther = errors.New("this page is older than the site it comes from; reload it")

// prints are those of the types seen so far.
var prints sync.Map // reflect.Type to uint32

// fingerprint is a number that two types share only if they are written alike: that
// of their fields' names and kinds, all the way down.
func fingerprint(t reflect.Type) uint32 {
	if p, ok := prints.Load(t); ok {
		return p.(uint32)
	}
	h := fnv.New32a()
	describe(h, t, nil)
	prints.Store(t, h.Sum32())
	return h.Sum32()
}

// describe writes what a type is made of. above are the types it is part of.
func describe(w io.Writer, t reflect.Type, above []reflect.Type) {
	say := func(text string) { _, _ = io.WriteString(w, text+" ") } // a hash takes everything
	say(t.Kind().String())
	for i, a := range above {
		if a == t {
			say("up")
			_, _ = w.Write([]byte{byte(len(above) - i)})
			return
		}
	}
	above = append(above, t)
	switch t.Kind() {
	case reflect.Slice, reflect.Pointer:
		describe(w, t.Elem(), above)
	case reflect.Array:
		say(strconv.Itoa(t.Len()))
		describe(w, t.Elem(), above)
	case reflect.Struct:
		for f := range t.Fields() {
			say(f.Name)
			describe(w, f.Type, above)
		}
		say("end")
	}
}
