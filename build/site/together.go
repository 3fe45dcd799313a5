package main

import (
	"context"
	"runtime"
	"sync"
	"sync/atomic"
)

// together does all of the functions at a time. When one fails, the context of the
// others ends.
func together(ctx context.Context, all ...func(context.Context) error) error {
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	var group sync.WaitGroup
	for _, do := range all {
		group.Go(func() {
			if err := do(ctx); err != nil {
				cancel(err)
			}
		})
	}
	group.Wait()
	return context.Cause(ctx)
}

// each does n like things, as many at a time as there are processors, in order. After
// a failure it begins no more.
func each(ctx context.Context, n int, do func(int) error) error {
	var next atomic.Int64
	workers := make([]func(context.Context) error, min(n, runtime.NumCPU()))
	for w := range workers {
		workers[w] = func(ctx context.Context) error {
			for ctx.Err() == nil {
				i := int(next.Add(1)) - 1
				if i >= n {
					return nil
				}
				if err := do(i); err != nil {
					return err
				}
			}
			return nil
		}
	}
	return together(ctx, workers...)
}
