package main

import (
	"runtime"
	"time"

	"spillway/sim/knob"
	"spillway/ui/exec"
	"spillway/ui/lab"
)

// surveyed goes through all bytes of opened files on all processors, if one of some
// setups needs that, and tells how far it is. It returns what they hold then. opened are
// the files, where further surveys may come.
func (s *shell) surveyed(l *lab.Lab, files lab.Files, opened []lab.File, setups ...*knob.Setup) (lab.Files, error) {
	for _, u := range setups {
		if u == nil {
			continue // it contradicts itself
		}
		p := &progress{shell: s, bytes: true}
		var tell lab.Progress
		if s.now != nil {
			p.start = s.now()
			var last time.Time
			tell = func(done, total int) {
				if now := s.now(); now.Sub(last) > patience/4 {
					last, p.done, p.total = now, done, total
					p.show()
				}
			}
		}
		known, err := exec.Surveyed(l, u, files, opened, runtime.GOMAXPROCS(0), tell)
		p.end()
		if err != nil {
			return nil, err
		}
		files = known
	}
	return files, nil
}
