package store

import "spillway/sim/hash"

// Hash returns the SHA-256 of what r holds, in hexadecimal. Equal results have equal hashes
// on every platform and in every version of this program: what is hashed is listed here and
// never changes. A fact that results learn to hold later is not in it.
func Hash(r *Result) string { return hash.Sum(frozen(r)) }

// frozen returns r as the JSON text it had when hashes were first published.
func frozen(r *Result) []byte {
	var t hash.Text
	t.Open('{')
	t.String("Policy", r.Policy)
	t.Name("Failure")
	if f := r.Failure; f == nil {
		t.Null()
	} else {
		failure(&t, f)
	}
	t.Int("Time", int64(r.Time))
	t.Int("Capacity", int64(r.Capacity))
	hash.List(&t, "Clients", r.Clients, client)
	entries(&t, "Evictions", &r.Evictions, eviction)
	t.Int("Evicted", int64(r.Evicted))
	t.Int("Right", r.Right)
	entries(&t, "Prefetches", &r.Prefetches, prefetch)
	t.Int("Prefetched", int64(r.Prefetched))
	t.Int("Wasted", r.Wasted)
	t.Int("Fetched", int64(r.Fetched))
	t.Int("InUse", int64(r.InUse))
	t.Int("PeakGPU", int64(r.PeakGPU))
	t.Int("PeakHost", int64(r.PeakHost))
	t.Name("Timeline")
	t.Open('{')
	t.Int("Step", int64(r.Timeline.Step))
	hash.Rows(&t, "Bytes", r.Timeline.Bytes)
	hash.Ints(&t, "GPU", r.Timeline.GPU)
	hash.Ints(&t, "Host", r.Timeline.Host)
	t.Close('}')
	if r.Script != nil {
		scripted(&t, r.Script)
	}
	t.Close('}')
	return t
}

// scripted writes the policy that somebody wrote: results of others are as they were.
func scripted(t *hash.Text, s *Script) {
	t.Name("Script")
	t.Open('{')
	s.Named.Freeze(t)
	t.Bool("EvictAsksAll", s.EvictAsksAll)
	t.Bool("FetchAsksAll", s.FetchAsksAll)
	s.Spent.Freeze(t)
	t.Close('}')
}

func failure(t *hash.Text, f *Failure) {
	t.Open('{')
	t.String("Reason", string(f.Reason))
	t.Int("Op", int64(f.Op))
	t.Int("Number", int64(f.Number))
	t.Int("Kind", int64(f.Kind))
	t.String("Client", f.Client)
	t.String("Tensor", f.Tensor)
	t.Int("Needed", int64(f.Needed))
	t.Int("Free", int64(f.Free))
	if f.Says != "" {
		t.String("Says", f.Says)
	}
	t.Close('}')
}

func client(t *hash.Text, c *Client) {
	t.Open('{')
	t.String("Name", c.Name)
	t.Int("End", int64(c.End))
	hash.Ints(t, "Parts", c.Parts[:])
	t.Int("Ops", c.Ops)
	t.Int("Hits", c.Hits)
	t.Int("Misses", c.Misses)
	t.Int("Late", c.Late)
	t.Int("Evictions", c.Evictions)
	t.Int("Evicted", int64(c.Evicted))
	t.Close('}')
}

func eviction(t *hash.Text, e *Eviction) {
	t.Open('{')
	t.Int("Time", int64(e.Time))
	t.Int("Tensor", int64(e.Tensor))
	t.Int("Bytes", int64(e.Bytes))
	t.Int("Owner", int64(e.Owner))
	t.Int("By", int64(e.By))
	t.Int("Op", int64(e.Op))
	t.Int("Next", int64(e.Next))
	t.Int("Best", int64(e.Best))
	t.Bool("Right", e.Right)
	t.Close('}')
}

func prefetch(t *hash.Text, p *Prefetch) {
	t.Open('{')
	t.Int("Start", int64(p.Start))
	t.Int("End", int64(p.End))
	t.Int("Tensor", int64(p.Tensor))
	t.Int("Bytes", int64(p.Bytes))
	t.Int("Owner", int64(p.Owner))
	t.Close('}')
}

// entries writes a log.
func entries[E any](t *hash.Text, key string, l *Log[E], entry func(*hash.Text, *E)) {
	t.Name(key)
	t.Open('{')
	t.Int("Count", l.Count)
	t.Int("Stride", l.Stride)
	hash.List(t, "Kept", l.Kept, entry)
	t.Close('}')
}
