package result

import "spillway/sim/policy"

// A Policy is what a run says of the policy that somebody wrote.
type Policy struct {
	Title      string   `json:"title"`  // as the text has it, or ""
	SHA256     string   `json:"sha256"` // of the text
	Text       string   `json:"text"`
	Future     bool     `json:"future"`          // it reads what nobody who decides can know
	Asked      int64    `json:"asked"`           // questions
	Candidates int64    `json:"candidates"`      // in all questions
	Most       int64    `json:"most_candidates"` // in one
	Work       int64    `json:"work"`            // operations, and numbers that were read
	Notes      []string `json:"notes,omitempty"`
}

// PolicyOf is an account in a result; nil of none.
func PolicyOf(a *policy.Account) *Policy {
	if a == nil {
		return nil
	}
	return &Policy{a.Title, a.SHA256, a.Text, a.Future, a.Asked, a.Candidates, a.Most, a.Work, a.Notes}
}

// Account is what the result has of it.
func (p *Policy) Account() policy.Account {
	return policy.Account{
		Named: policy.Named{Title: p.Title, SHA256: p.SHA256, Text: p.Text, Future: p.Future},
		Spent: policy.Spent{Asked: p.Asked, Candidates: p.Candidates, Most: p.Most, Work: p.Work, Notes: p.Notes},
	}
}
