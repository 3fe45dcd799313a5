package script

// A Reader is what knows the language of a laboratory's policies.
type Reader interface {
	// Proof reads a text as it was typed; one that is joined is spaced before.
	Proof(text string, joined bool) *Proof
}

// A Proof is what there is to say of a text while somebody writes it.
type Proof struct {
	Text string // as it was typed, or spaced
	// Wrong is the first thing that is wrong, with what to do; it stands at Line and Column of
	// Text, from 1, the column in characters. Wrong is empty where nothing is.
	Wrong        string
	Line, Column int
	SHA256       string // of the joined text, in hexadecimal
	Words        []Words
	Examples     []Example
}

// Words are what may stand in a text, of one kind.
type Words struct {
	Title string // "Rules"
	Words []Word
}

// A Word is what may stand in a text.
type Word struct {
	Name  string
	Write string // what somebody writes to use it
	Unit  string // "bytes", "s", "condition"; empty of what is counted
	Help  string // what it is, one or two sentences
}

// An Example is a text to start from: a published policy, or one that shows something.
type Example struct {
	Title string // as a menu shows it
	About string // what it does, and whose it is, one or two sentences
	Text  string // as people type it
}
