package compress

import (
	"errors"
	"fmt"
	"slices"
	"sort"

	"spillway/sim/compress/buddy"
	"spillway/sim/compress/sample"
	"spillway/sim/knob"
	"spillway/traces/handed"
	"spillway/ui/lab"
	"spillway/ui/wire"
)

// Parts of a survey: a part is so many bytes of pages, more where a file would have
// more than mostParts of them. The pages of all tensors are counted through, so that
// a part may be many small tensors or a piece of a large one.
const (
	partBytes = 16 << 20
	mostParts = 1024
)

// parts is how the pages of a file are cut.
type parts struct {
	pages []int64 // before each tensor, and in all
	each  int64   // pages of a part
	count int
}

func (f *opened) parts() parts { return f.cut(partBytes / pageBytes) }

// cut cuts a file into parts of at least so many pages.
func (f *opened) cut(least int64) parts {
	p := parts{pages: make([]int64, 1, len(f.Tensors)+1)}
	var sum int64
	for i := range f.Tensors {
		sum += pagesOf(&f.Tensors[i])
		p.pages = append(p.pages, sum)
	}
	p.each = max(least, (sum+mostParts-1)/mostParts)
	p.count = int((sum + p.each - 1) / p.each)
	return p
}

// Survey implements lab.Surveyor.
func (s *source) Survey(entry string, part int, progress lab.Progress) ([]byte, error) {
	f, err := s.find(entry)
	if err != nil {
		return nil, err
	}
	p := f.parts()
	return f.survey(&p, part, progress)
}

// survey goes through one part.
func (f *opened) survey(p *parts, part int, progress lab.Progress) (data []byte, err error) {
	switch {
	case f.at == nil:
		return nil, fmt.Errorf("%s itself is not at hand; open it again", f.Name)
	case part < 0 || part >= p.count:
		return nil, fmt.Errorf("%s has %d parts, none with the number %d", f.Name, p.count, part)
	}
	from := int64(part) * p.each
	to := min(from+p.each, p.pages[len(p.pages)-1])
	var found []int64
	var total, done int64
	f.within(p, from, to, func(_ int, at, n int64) { total += n })
	f.within(p, from, to, func(i int, at, n int64) {
		if err != nil {
			return
		}
		var h buddy.Histogram
		err = f.measure(&f.Tensors[i], at, n, &h, func(n int64) {
			if done += n; progress != nil {
				progress(int(done), int(total))
			}
		})
		found = append(found, int64(i), h.Entries, h.Bits, h.Zero, h.Tiny)
		found = append(append(found, h.Sectors[:]...), h.Classes[:]...)
	})
	if err != nil {
		return nil, err
	}
	return wire.Marshal(&found)
}

// within calls do with each tensor that has some of these pages, and which of its
// bytes are in them.
func (f *opened) within(p *parts, from, to int64, do func(tensor int, at, n int64)) {
	first := sort.Search(len(f.Tensors), func(i int) bool { return p.pages[i+1] > from })
	for i := first; i < len(f.Tensors) && p.pages[i] < to; i++ {
		at := max(0, from-p.pages[i]) * pageBytes
		end := min(int64(f.Tensors[i].Bytes), (to-p.pages[i])*pageBytes)
		if end > at {
			do(i, at, end-at)
		}
	}
}

// readBytes is how much of a tensor is held at a time: a number of whole pages.
const readBytes = 32 * pageBytes

// measure counts all entries in a range of a tensor that begins at a page.
func (f *opened) measure(t *sample.Tensor, at, n int64, h *buddy.Histogram, tell func(n int64)) error {
	buf := make([]byte, min(n, readBytes))
	for n > 0 {
		p := buf[:min(n, readBytes)]
		if err := f.read(t, at, p); err != nil {
			return err
		}
		h.Measure(p)
		at, n = at+int64(len(p)), n-int64(len(p))
		tell(int64(len(p)))
	}
	return nil
}

// Join implements lab.Surveyor.
func (s *source) Join(entry string, found [][]byte) ([]byte, error) {
	f, err := s.find(entry)
	if err != nil {
		return nil, err
	}
	if p := f.parts(); len(found) != p.count {
		return nil, fmt.Errorf("%s has %d parts, but %d were gone through", f.Name, p.count, len(found))
	}
	list, err := f.join(found)
	if err != nil {
		return nil, err
	}
	notes := s.drawAll()
	joined := []*opened{f}
	if f.files != nil {
		joined = f.files
	}
	return hand(with(s.files, joined, list), notes)
}

// drawAll draws the samples that are missing: what is written stands for all files,
// with and without a survey. It returns the notes, and which files cannot be read.
func (s *source) drawAll() []string {
	notes := slices.Clip(s.notes)
	for _, f := range s.files {
		if _, err := f.drawn(); err != nil {
			notes = append(notes, err.Error())
		}
	}
	return notes
}

// join adds up what was found in all parts.
func (f *opened) join(found [][]byte) ([]sample.Counts, error) {
	all := make([]buddy.Histogram, len(f.Tensors))
	for k, data := range found {
		if err := merge(all, data); err != nil {
			return nil, fmt.Errorf("%s: part %d: %w", f.Name, k, err)
		}
	}
	list := make([]sample.Counts, len(all))
	for i := range all {
		list[i].Set(&all[i])
		if want := f.Tensors[i].Entries(); all[i].Entries != want {
			return nil, fmt.Errorf("%s: tensor %q has %d entries, but %d were compressed; open it again", f.Name, f.Tensors[i].Name, want, all[i].Entries)
		}
	}
	return list, nil
}

// partNumbers is how many a part says of each of its tensors: which it is, then its
// histogram.
const partNumbers = 1 + 4 + (buddy.Sectors + 1) + 8

// merge adds what was found in a part.
func merge(all []buddy.Histogram, part []byte) error {
	var list []int64
	if err := wire.Unmarshal(part, &list); err != nil {
		return err
	}
	if len(list)%partNumbers != 0 {
		return fmt.Errorf("it has %d numbers", len(list))
	}
	for ; len(list) > 0; list = list[partNumbers:] {
		if list[0] < 0 || list[0] >= int64(len(all)) {
			return fmt.Errorf("it is about tensor %d of %d", list[0], len(all))
		}
		h := buddy.Histogram{Entries: list[1], Bits: list[2], Zero: list[3], Tiny: list[4]}
		copy(h.Sectors[:], list[5:])
		copy(h.Classes[:], list[5+len(h.Sectors):])
		all[list[0]].Merge(&h)
	}
	return nil
}

// Condensed implements lab.Condenser: a sample of every file, or why there is none.
func (s *source) Condensed(progress lab.Progress) ([]byte, error) {
	if !slices.ContainsFunc(s.files, func(f *opened) bool { return f.Sample == nil }) {
		return nil, nil
	}
	done, total := 0, 0
	for _, f := range s.files {
		total += int(f.sampled())
	}
	var kept []*opened
	var errs []error
	for _, f := range s.files {
		list, err := f.draw(func(n, _ int) {
			if progress != nil {
				progress(done+n, total)
			}
		})
		done += int(f.sampled())
		if err != nil {
			errs, s.notes = append(errs, err), append(s.notes, err.Error())
			continue
		}
		f.Sample = list
		kept = append(kept, f)
	}
	if s.files = kept; len(kept) == 0 {
		return nil, errors.Join(errs...)
	}
	s.join()
	return hand(s.files, s.notes)
}

// hand is what stands for files, with what is known of them.
func hand(files []*opened, notes []string) ([]byte, error) {
	h := handed.Contents{Noted: handed.Noted{Notes: notes}}
	for _, f := range files {
		if f.Sample != nil || f.All != nil {
			h.Files = append(h.Files, f.File)
		}
	}
	return wire.Marshal(&h)
}

// Carry implements lab.Carrier: a bundle has what was measured of a file, never its
// bytes.
func (s *source) Carry(u *knob.Setup) ([]byte, error) {
	f, err := s.find(u.Text("entry"))
	if err != nil {
		return nil, err
	}
	if _, err := entry(f.Name, u.Text("exact") == "yes", s); err != nil {
		return nil, err
	}
	list := f.files
	if list == nil {
		list = []*opened{f}
	}
	return hand(list, nil)
}
