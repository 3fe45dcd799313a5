package timeline

// Grains is into how many parts a run is cut at most where files and pictures can only show
// slices ([Timeline.Spread]).
const Grains = 1024

// mostBins is into how many equal parts a run is cut at most.
const mostBins = 4096

// Bins are the times of each category in equal parts of a run: what is left of tracks with
// more slices than are kept.
type Bins struct {
	Width int64 // ticks of a bin; the last ends with the run
	Count int
	// Times has the ticks of a track, a category and a bin; nil is none in all bins.
	Times [][][]int64
}

// newBins returns the bins of a run without anything in them.
func newBins(t *Timeline) *Bins {
	b := &Bins{Width: max(1, (t.End+mostBins-1)/mostBins)}
	b.Count = int(max(1, (t.End+b.Width-1)/b.Width))
	b.Times = make([][][]int64, len(t.Tracks))
	for i := range b.Times {
		b.Times[i] = make([][]int64, len(t.Cats))
	}
	return b
}

// add adds a slice.
func (b *Bins) add(track int, cat uint8, begin, end int64) {
	times := b.Times[track][cat]
	if times == nil {
		times = make([]int64, b.Count)
		b.Times[track][cat] = times
	}
	for begin < end {
		i := begin / b.Width
		next := min(end, (i+1)*b.Width)
		times[i] += next - begin
		begin = next
	}
}

// Within adds to into, which has a member a category, the times of a track in the bins from
// one up to another.
func (b *Bins) Within(track, from, to int, into []int64) {
	for c, times := range b.Times[track] {
		if times == nil {
			continue
		}
		for _, n := range times[from:to] {
			into[c] += n
		}
	}
}

// Grain is how many ticks a part has if a run is cut into so many parts at most.
func (b *Bins) Grain(parts int) int64 { return int64((b.Count+parts-1)/parts) * b.Width }

// Spread returns a timeline with slices in place of bins, for who can only show slices: the
// run is cut into so many parts at most, and in each of them a track's categories follow each other in
// their order, not as they were, each as long as in that part of the run. Sums are those of t;
// names, steps and objects of slices are lost. Of a timeline without bins it is t.
func (t *Timeline) Spread(parts int) *Timeline {
	b := t.Bins
	if b == nil {
		return t
	}
	x := *t
	x.Part, x.Window, x.Bins = false, Window{}, nil
	x.Tracks = make([]Track, len(t.Tracks))
	each := int(b.Grain(parts) / b.Width)
	spent := make([]int64, len(t.Cats))
	for i := range x.Tracks {
		of := &t.Tracks[i]
		n := Track{Group: of.Group, Name: of.Name, Kind: of.Kind}
		for from := 0; from < b.Count; from += each {
			clear(spent)
			b.Within(i, from, min(from+each, b.Count), spent)
			at := int64(from) * b.Width
			for c, took := range spent {
				if took > 0 {
					n.Begin, n.End = append(n.Begin, at), append(n.End, at+took)
					n.Label, n.Cat = append(n.Label, 0), append(n.Cat, uint8(c))
					n.Ref, n.Step, n.Amount = append(n.Ref, -1), append(n.Step, -1), append(n.Amount, 0)
					at += took
				}
			}
		}
		x.Tracks[i] = n
	}
	return &x
}
