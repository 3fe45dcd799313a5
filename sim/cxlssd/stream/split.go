package stream

import "fmt"

// Split returns the stream with n threads, for a device that is to have more of them than
// were recorded: the thread with the longest parts is cut into one more, until there
// are n. Parts are contiguous and of the same length, give or take a request. Requests
// are not copied.
func (s *Stream) Split(n int) (*Stream, error) {
	if n < len(s.Threads) || n > maxThreads {
		return nil, fmt.Errorf("a recording of %d threads cannot run as %d; want %d to %d", len(s.Threads), n, len(s.Threads), maxThreads)
	}
	parts := make([]int, len(s.Threads))
	for i := range parts {
		parts[i] = 1
	}
	for range n - len(parts) {
		best := 0
		for i := range parts {
			if len(s.Threads[i])*parts[best] > len(s.Threads[best])*parts[i] {
				best = i
			}
		}
		parts[best]++
	}
	out := &Stream{Pages: s.Pages, Count: s.Count, Threads: make([][]Request, 0, n)}
	for i, t := range s.Threads {
		for k := range parts[i] {
			from, to := len(t)*k/parts[i], len(t)*(k+1)/parts[i]
			out.Threads = append(out.Threads, t[from:to:to])
		}
	}
	return out, nil
}
