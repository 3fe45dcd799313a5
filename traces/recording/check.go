package recording

import "fmt"

// Check reports the first thing about r that no format may leave in a Recording:
// kernels out of order, uses that are not ascending or name no kernel, tensors
// without bytes, a picture whose parts differ in length. Fold relies on it.
func (r *Recording) Check() error {
	if len(r.Steps) > 0 && (r.Chosen < 0 || r.Chosen >= len(r.Steps)) {
		return fmt.Errorf("%s: step %d is chosen of %d", r.Name, r.Chosen, len(r.Steps))
	}
	for i := range r.Steps {
		if err := r.Steps[i].check(); err != nil {
			return fmt.Errorf("%s: step %d (%s): %w", r.Name, i, r.Steps[i].Name, err)
		}
	}
	if err := r.Picture.check(); err != nil {
		return fmt.Errorf("%s: %w", r.Name, err)
	}
	return nil
}

func (s *Step) check() error {
	for i := range s.Kernels {
		k := &s.Kernels[i]
		switch {
		case k.Time < 0 || k.Least < 0:
			return fmt.Errorf("kernel %d (%s) takes %d ps, the least being %d", i, k.Name, k.Time, k.Least)
		case i > 0 && k.Start < s.Kernels[i-1].Start:
			return fmt.Errorf("kernel %d (%s) starts before the one ahead of it", i, k.Name)
		}
	}
	for i := range s.Tensors {
		t := &s.Tensors[i]
		if t.Bytes <= 0 {
			return fmt.Errorf("tensor %d (%s) has %d bytes", i, t.Name, t.Bytes)
		}
		last := int32(-1)
		for _, u := range t.Uses {
			switch {
			case u.Kernel <= last:
				return fmt.Errorf("tensor %d (%s): use by kernel %d comes after one by %d", i, t.Name, u.Kernel, last)
			case int(u.Kernel) >= len(s.Kernels):
				return fmt.Errorf("tensor %d (%s) is used by kernel %d of %d", i, t.Name, u.Kernel, len(s.Kernels))
			case !u.Read && !u.Write:
				return fmt.Errorf("tensor %d (%s): kernel %d neither reads nor writes it", i, t.Name, u.Kernel)
			}
			last = u.Kernel
		}
	}
	return nil
}

func (p *Picture) check() error {
	if len(p.Levels) != len(p.Roles) {
		return fmt.Errorf("picture: %d levels for %d roles", len(p.Levels), len(p.Roles))
	}
	for i, l := range p.Levels {
		if len(l) != len(p.Times) {
			return fmt.Errorf("picture: %d levels of %s at %d times", len(l), p.Roles[i], len(p.Times))
		}
		for j, b := range l {
			if b < 0 {
				return fmt.Errorf("picture: level %d of %s is %d bytes", j, p.Roles[i], b)
			}
		}
	}
	for i := 1; i < len(p.Times); i++ {
		if p.Times[i] < p.Times[i-1] {
			return fmt.Errorf("picture: time %d is before the one ahead of it", i)
		}
	}
	return nil
}
