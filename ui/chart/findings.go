package chart

import (
	"math"
	"strings"

	"spillway/sim/portable"
	"spillway/sim/prose"
)

// What a sweep of one knob shows, in sentences.

// What is the same for people: a share of the value.
const (
	sameValue = 0.002
	// flat is what is still to be gained beyond a knee, and clear how far ahead one
	// must be to be called better, as shares.
	flat  = 0.01
	clear = 0.01
)

// values are a system's, at the points that have one.
func (s *Sweep) values(n int) (at []int, ys []float64) {
	for i := range s.Dims[0].Labels {
		if v := s.At(n, i, 0).Value; finite(v) {
			at, ys = append(at, i), append(ys, v)
		}
	}
	return at, ys
}

// sayLines is the finding about lines: who is best where, where it stops to
// matter, and who cannot run it.
func (s *Sweep) sayLines() string {
	known, all := 0, 0
	for n := range s.Systems {
		for i := range s.Dims[0].Labels {
			if all++; s.At(n, i, 0).Known {
				known++
			}
		}
	}
	if known == 0 {
		return ""
	}
	said := []string{s.sayChange()}
	if s.Of.Better != 0 && len(s.Systems) > 1 {
		said = append(said, s.sayLeaders())
	}
	if s.Dims[0].Xs != nil && s.Of.Better != 0 {
		said = append(said, s.sayKnees())
	}
	said = append(said, s.sayRoom())
	text := strings.Join(strings.Fields(strings.Join(said, " ")), " ")
	if known < all && text != "" {
		text = "So far: " + text
	}
	return text
}

// sayRoom says between how near and how far the best is from what is possible.
func (s *Sweep) sayRoom() string {
	ratios := span{}
	for i := range s.Dims[0].Labels {
		if possible, known, ok := s.roomAt(i); ok && s.complete(i, 0) {
			ratios.add(max(ratioOf(s.Of, known, possible), 1))
		}
	}
	switch low, high := within(ratios.low), within(ratios.high); {
	case !ratios.any:
		return ""
	case low == high:
		return sentence("The best is everywhere " + high)
	default:
		return sentence("At its nearest the best is " + low + ", at its farthest " + strings.TrimSuffix(high, " of what is possible"))
	}
}

// sayChange says that nothing changes, if so.
func (s *Sweep) sayChange() string {
	any, chance := false, false
	for n, sys := range s.Systems {
		at, ys := s.values(n)
		if sys.Bound || len(ys) < 2 {
			continue
		}
		any = true
		for i, y := range ys {
			switch {
			case near(y, ys[0]):
			case s.over(n, at[0], n, at[i]):
				chance = true
			default:
				return ""
			}
		}
	}
	switch {
	case !any:
		return ""
	case chance:
		return sentence(s.Dims[0].Label + " changes no more here than other random numbers do")
	}
	return sentence(s.Dims[0].Label + " changes nothing here")
}

func near(a, b float64) bool { return math.Abs(a-b) <= sameValue*max(math.Abs(a), math.Abs(b)) }

// ahead reports whether a is better than b for people.
func (s *Sweep) ahead(a, b float64) bool {
	return float64(s.Of.Better)*(a-b) > clear*max(math.Abs(a), math.Abs(b))
}

// over reports whether random numbers decide which of two is better: their bands, of system a at
// the point i and of b at the point k, have something in common.
func (s *Sweep) over(a, i, b, k int) bool {
	x, y := s.At(a, i, 0), s.At(b, k, 0)
	return finite(x.Value) && finite(y.Value) && (x.Low < x.High || y.Low < y.High) && x.Low <= y.High && y.Low <= x.High
}

// level lists who at a point may be as good as the leader, by the random numbers.
func (s *Sweep) level(leader, i int) (list []int) {
	for n := range s.Systems {
		if n != leader && s.rival(n) && s.over(leader, i, n, i) {
			list = append(list, n)
		}
	}
	return list
}

// complete reports whether all systems have run at a point.
func (s *Sweep) complete(i, k int) bool {
	for n := range s.Systems {
		if !s.At(n, i, k).Known {
			return false
		}
	}
	return true
}

// leaders lists who is best at each point: who was, as long as nobody is ahead.
func (s *Sweep) leaders() (at, who []int) {
	last := -1
	for i := range s.Dims[0].Labels {
		best := s.best(i, 0)
		if best < 0 || !s.complete(i, 0) {
			continue
		}
		if last >= 0 {
			if v := s.At(last, i, 0).Value; finite(v) && !(s.ahead(s.At(best, i, 0).Value, v) && !s.over(best, i, last, i)) {
				best = last
			}
		}
		last = best
		at, who = append(at, i), append(who, best)
	}
	return at, who
}

// mostCrossings is how many changes of the best are told.
const mostCrossings = 3

// sayLeaders says who is best, and where another takes over.
func (s *Sweep) sayLeaders() string {
	at, who := s.leaders()
	if len(who) == 0 {
		return ""
	}
	if s.Dims[0].Xs == nil {
		return s.sayChoices(at, who)
	}
	first := s.Systems[who[0]].Title
	var said []string
	since := 0 // which the leader leads
	for i := 1; i < len(who) && len(said) < mostCrossings; i++ {
		if who[i] != who[i-1] {
			said = append(said, s.Systems[who[i]].Title+s.overtakes(who[i-1], who[i], at[since:i], at[i]))
			since = i
		}
	}
	if len(said) == 0 {
		if s.tied(who[0], at) {
			return ""
		}
		return s.sayThroughout(at, who, "throughout")
	}
	if list := s.level(who[0], at[0]); len(list) > 0 {
		return sentence(s.named(append([]int{who[0]}, list...)) + " are level at first; " + strings.Join(said, "; "))
	}
	return sentence(first + " is best at first; " + strings.Join(said, "; "))
}

// sayThroughout says of the only leader how sure that is; where is at what all points are.
func (s *Sweep) sayThroughout(at, who []int, where string) string {
	leader := who[0]
	points := make([]int, len(s.Systems)) // at how many a system is level with the leader
	for _, i := range at {
		for _, n := range s.level(leader, i) {
			points[n]++
		}
	}
	always, some := []int{leader}, []int(nil)
	for n, k := range points {
		switch {
		case k == len(at):
			always = append(always, n)
		case k > 0:
			some = append(some, n)
		}
	}
	switch {
	case len(always) > 1:
		return sentence(s.named(always) + " are level " + where + ": other random numbers change their order")
	case len(some) > 0:
		return sentence(s.Systems[leader].Title + " is best " + where + ", or level with " + s.named(some))
	}
	return sentence(s.Systems[leader].Title + " is best" + s.orNear(at, who) + " " + where)
}

// named lists the titles of systems.
func (s *Sweep) named(list []int) string {
	names := make([]string, len(list))
	for i, n := range list {
		names[i] = s.Systems[n].Title
	}
	return prose.List(names)
}

// tied reports whether others are as good everywhere.
func (s *Sweep) tied(leader int, at []int) bool {
	for n := range s.Systems {
		if n == leader || !s.rival(n) {
			continue
		}
		for _, i := range at {
			if v := s.At(n, i, 0).Value; !finite(v) || !near(v, s.At(leader, i, 0).Value) {
				return false
			}
		}
	}
	return true
}

// overtakes says where b becomes better than a: at the point k, and at none of those that a leads.
// Where it is by random numbers who is better, no place between two points is named.
func (s *Sweep) overtakes(a, b int, at []int, k int) string {
	d := &s.Dims[0]
	name := s.Systems[a].Title
	i := at[len(at)-1]
	a0, b0, a1, b1 := s.At(a, i, 0).Value, s.At(b, i, 0).Value, s.At(a, k, 0).Value, s.At(b, k, 0).Value
	if !finite(a1) {
		return " is best from " + With(d.Labels[k], d.Unit) + ", where " + name + " cannot run it"
	}
	if !finite(b0) {
		return " is best from " + With(d.Labels[k], d.Unit)
	}
	if s.over(a, i, b, i) {
		n := len(at) - 1
		for n > 0 && s.over(a, at[n], b, at[n]) {
			n--
		}
		if s.over(a, at[n], b, at[n]) {
			return " is better than " + name + " from " + With(d.Labels[k], d.Unit) + " on, level before"
		}
		return " overtakes " + name + " between " + With(d.Labels[at[n]], d.Unit) + " and " + With(d.Labels[k], d.Unit) + ", level on the way"
	}
	gap0, gap1 := math.Abs(a0-b0), math.Abs(b1-a1)
	share := 1.0
	if gap0+gap1 > 0 {
		share = gap0 / (gap0 + gap1)
	}
	x := d.Xs[i] + float64(share*(d.Xs[k]-d.Xs[i]))
	if d.geometric() {
		x = d.Xs[i] * portable.Exp(float64(share*portable.Log(d.Xs[k]/d.Xs[i])))
	}
	return " overtakes " + name + " at about " + With(Digits(x, 2), d.Unit)
}

// sayChoices says with which choice who is best of all, and who is so with any.
func (s *Sweep) sayChoices(at, who []int) string {
	d := &s.Dims[0]
	top, n := -1, -1
	same := true
	for i := range d.Labels {
		b := s.best(i, 0)
		if b < 0 {
			continue
		}
		if v := s.At(b, i, 0).Value; top < 0 || float64(s.Of.Better)*(v-s.At(n, top, 0).Value) > 0 && !near(v, s.At(n, top, 0).Value) {
			top, n = i, b
		}
	}
	for i := range who {
		same = same && who[i] == who[0]
	}
	text := sentence(s.say(s.At(n, top, 0).Value) + " is best of all: " + s.Systems[n].Title + " with " + d.Labels[top] + s.orOther(n, top))
	if same && len(at) > 1 {
		text += " " + s.sayThroughout(at, who, "with every choice")
	}
	return text
}

// orOther adds the choices with which a system may be as good, by the random numbers.
func (s *Sweep) orOther(n, top int) string {
	d := &s.Dims[0]
	var list []string
	for i := range d.Labels {
		if i != top && s.over(n, i, n, top) {
			list = append(list, d.Labels[i])
		}
	}
	if len(list) == 0 {
		return ""
	}
	return ", level with " + prose.List(list)
}

// orNear is what to add where who is called best is not, by less than people care
// about.
func (s *Sweep) orNear(at, who []int) string {
	for i, n := range who {
		if b := s.best(at[i], 0); b != n && !near(s.At(b, at[i], 0).Value, s.At(n, at[i], 0).Value) {
			return " or within 1 % of it"
		}
	}
	return ""
}

// gain prints how much more something is, as a share.
func gain(x float64) string {
	if x >= 0.995 {
		return "a factor of " + Digits(1+x, 2)
	}
	return Digits(100*x, 2) + " %"
}

// sayKnees says who gains most, and beyond which point nothing changes any more.
func (s *Sweep) sayKnees() string {
	d := &s.Dims[0]
	last := len(d.Labels) - 1
	rest, most, who := 0, 0.0, -1
	from, to := 0, last // of who gains most
	var still []string
	varies := false
	for n, sys := range s.Systems {
		at, ys := s.values(n)
		if sys.Bound || len(ys) < 3 {
			continue
		}
		knee := 0
		end := ys[len(ys)-1]
		for i, y := range ys {
			varies = varies || !near(y, ys[0]) && !s.over(n, at[0], n, at[i])
			if math.Abs(end-y) > flat*math.Abs(y) && !s.over(n, at[i], n, at[len(at)-1]) {
				knee = i + 1
			}
		}
		if knee = min(knee, len(at)-1); at[knee] == last && knee > 0 {
			still = append(still, sys.Title)
		} else {
			rest = max(rest, at[knee])
		}
		if gain := float64(s.Of.Better) * (end - ys[0]) / math.Abs(ys[0]); ys[0] != 0 && gain > most && !s.over(n, at[0], n, at[len(at)-1]) {
			most, who, from, to = gain, n, at[0], at[len(at)-1]
		}
	}
	if !varies {
		return ""
	}
	text := ""
	if who >= 0 && most > flat {
		text = sentence("from " + With(d.Labels[from], d.Unit) + " to " + With(d.Labels[to], d.Unit) + " " + s.Systems[who].Title + " gains most: " + gain(most))
	}
	beyond := "beyond " + With(d.Labels[rest], d.Unit)
	switch {
	case rest >= last-1 && len(still) > 0, len(still) == len(s.Systems):
	case len(still) == 0:
		text += " " + sentence(beyond+" nothing changes any more")
	case rest > 0:
		text += " " + sentence(beyond+" only "+prose.List(still)+plural(len(still), " changes", " change"))
	}
	return text
}

func plural(n int, one, more string) string {
	if n == 1 {
		return one
	}
	return more
}

// sayEnds lists every system's values at both ends.
func (s *Sweep) sayEnds() string {
	d := &s.Dims[0]
	var said []string
	for n, sys := range s.Systems {
		at, ys := s.values(n)
		if len(at) == 0 {
			continue
		}
		i, k := at[0], at[len(at)-1]
		said = append(said, sys.Title+": "+s.say(ys[0])+" at "+With(d.Labels[i], d.Unit)+", "+s.say(ys[len(ys)-1])+" at "+With(d.Labels[k], d.Unit))
	}
	return sentence(strings.Join(said, "; "))
}
