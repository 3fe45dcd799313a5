package policy

import "spillway/sim/hash"

// A Chosen is a policy as an engine runs it: with what somebody turned its dials to, and how
// much it may work.
type Chosen struct {
	*Policy
	Dials [Dials]float64 // what p1 to p4 are
	Work  int64          // the most a run may spend, as [Asker] counts it
}

// Called is the title, and that of the system where the text has none.
func (c *Chosen) Called() string {
	if c.Title == "" {
		return Yours
	}
	return c.Title
}

// Default is the policy of a place where nobody wrote one: the default of its first rule.
func (p *Place) Default() *Chosen {
	d, err := Parse(p, p.Rules[0].Name+" = "+p.Rules[0].Default)
	if err != nil {
		panic("policy: " + err.Error()) // tests of places parse it
	}
	return &Chosen{Policy: d, Dials: [Dials]float64{1, 1, 1, 1}, Work: 1e9}
}

// Yours is the title of what does as somebody wrote, in every laboratory, and System its name.
const (
	Yours  = "Yours"
	Bound  = "Best possible" // the title of every laboratory's bound, which ui/lab gives it
	System = "own"
)

// An Account is what a run says of the policy that somebody wrote.
type Account struct {
	Named
	Spent
}

// Named is which policy it is.
type Named struct {
	Title  string // as the text has it, or ""
	SHA256 string // of Text
	Text   string
	// Future: it reads what nobody who decides can know, so that it is a bound.
	Future bool
}

// Spent is what a run asked it.
type Spent struct {
	Asked      int64    // questions
	Candidates int64    // in all questions
	Most       int64    // in one
	Work       int64    // operations, and numbers that were read
	Notes      []string `json:",omitempty"`
}

// Account returns what there is to say up to now.
func (a *Asker) Account() Account {
	p := a.Policy
	return Account{
		Named{Title: p.Title, SHA256: p.SHA256(), Text: p.Text, Future: p.Future},
		Spent{Asked: a.Asked, Candidates: a.Candidates, Most: a.Most, Work: a.Work, Notes: a.Notes()},
	}
}

// Freeze writes which policy it is into what a result's hash is of.
func (n *Named) Freeze(t *hash.Text) {
	t.String("Title", n.Title)
	t.String("SHA256", n.SHA256)
	t.String("Text", n.Text)
	t.Bool("Future", n.Future)
}

// Freeze writes what was asked into what a result's hash is of.
func (s *Spent) Freeze(t *hash.Text) {
	t.Int("Asked", s.Asked)
	t.Int("Candidates", s.Candidates)
	t.Int("Most", s.Most)
	t.Int("Work", s.Work)
	if len(s.Notes) > 0 {
		hash.Strings(t, "Notes", s.Notes)
	}
}
