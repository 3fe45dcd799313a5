package main

import (
	"context"
	"errors"
	"sync/atomic"
	"testing"
)

// All happens at a time; after a failure, which is told, what still lasts is asked to end.
func TestTogether(t *testing.T) {
	meet := make(chan bool)
	err := together(t.Context(), func(context.Context) error { meet <- true; return nil }, func(context.Context) error { <-meet; return nil })
	if err != nil {
		t.Error(err)
	}
	failure := errors.New("x")
	err = together(t.Context(), func(context.Context) error { return failure }, func(ctx context.Context) error { <-ctx.Done(); return ctx.Err() })
	if !errors.Is(err, failure) {
		t.Error(err)
	}
}

func TestEach(t *testing.T) {
	var done [100]atomic.Int64
	if err := each(t.Context(), len(done), func(i int) error { done[i].Add(1); return nil }); err != nil {
		t.Error(err)
	}
	for i := range done {
		if n := done[i].Load(); n != 1 {
			t.Errorf("%d is done %d times", i, n)
		}
	}
	failure := errors.New("x")
	var begun atomic.Int64
	err := each(t.Context(), 1_000_000, func(i int) error {
		begun.Add(1)
		if i == 3 {
			return failure
		}
		return nil
	})
	if !errors.Is(err, failure) || begun.Load() == 1_000_000 {
		t.Errorf("%v after %d", err, begun.Load())
	}
	if err := each(t.Context(), 0, nil); err != nil {
		t.Error(err)
	}
}
