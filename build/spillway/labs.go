package main

import (
	"fmt"
	"runtime"
	"runtime/debug"
	"strings"
	"sync"
	"sync/atomic"

	"spillway/ui/lab"
	"spillway/ui/lab/all"
)

// door returns the laboratory with this name. The error says which there are.
func (s *shell) door(name string) (all.Door, error) {
	var names []string
	for _, d := range s.labs {
		if d.Name == name {
			return d, nil
		}
		names = append(names, d.Name)
	}
	return all.Door{}, fmt.Errorf("unknown laboratory %q; there are %s", name, strings.Join(names, ", "))
}

// each calls do with 0 to n-1 on all processors until one fails. Every processor
// has a laboratory of its own, because a laboratory holds the workload at hand.
func each(door all.Door, n int, do func(l *lab.Lab, i int) error) error {
	errs := make([]error, n)
	next := make(chan int)
	var stop atomic.Bool
	var wg sync.WaitGroup
	for range min(n, runtime.GOMAXPROCS(0)) {
		wg.Go(func() {
			l := door.New()
			for i := range next {
				if stop.Load() {
					continue
				}
				if errs[i] = guarded(do, &l, i); errs[i] != nil {
					stop.Store(true)
				}
			}
		})
	}
	for i := range n {
		next <- i
	}
	close(next)
	wg.Wait()
	for _, err := range errs {
		if err != nil {
			return err
		}
	}
	return nil
}

// guarded makes an error of a bug that makes the simulator panic.
func guarded(do func(l *lab.Lab, i int) error, l *lab.Lab, i int) (err error) {
	defer func() {
		if p := recover(); p != nil {
			err = failed{fmt.Errorf("the simulator has a bug: %v\n%s", p, debug.Stack())}
		}
	}()
	return do(l, i)
}
