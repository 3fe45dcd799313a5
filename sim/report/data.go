package report

import (
	"strconv"
	"strings"
	"unicode"
)

// DataHead are the columns of [Data].
var DataHead = []string{"table", "line", "row", "about", "column", "value", "unit", "text", "setup"}

// Data writes the numbers of a section's tables as one table of comma-separated values, a line
// a number: which table, line and column it is of, the value with all digits, and its unit.
// What is no number has a text instead, and what is not there neither. table, line and column
// together are unique. It is made where the section is.
func Data(tables []Table) string {
	var b strings.Builder
	line(&b, DataHead)
	for i := range tables {
		t := &tables[i]
		columns := Columns(t)
		for n := range t.Rows {
			r := &t.Rows[n]
			begin := []string{t.Key, strconv.Itoa(n + 1), bare(r.Head), bare(r.Sub)}
			for k := range r.Cells {
				c := &r.Cells[k]
				list := c.Numbers()
				if len(list) == 0 {
					list = []Datum{{}}
				}
				for _, d := range list {
					line(&b, append(begin[:4:4], join(columns[k+1], d.Part), d.Value, d.Unit, words(c, d.Value), r.Set))
				}
			}
		}
	}
	return b.String()
}

// Numbers are those of a cell in full, or the shares of its stack, in percent.
func (c *Cell) Numbers() []Datum {
	list := c.Data
	if len(list) == 0 {
		for i, share := range c.Stack {
			list = append(list, Cell{}.Part(strconv.Itoa(i+1), 100*share, "%").Data...)
		}
	}
	return list
}

// words is the text of a cell that is no number, and not a sign for nothing.
func words(c *Cell, value string) string {
	if value != "" || c.Text == "–" || c.Text == "·" {
		return ""
	}
	return bare(c.Text)
}

// Columns are the keys of a table's columns, the one of the rows' names first. They are made of
// what stands above them, and unique.
func Columns(t *Table) []string {
	n := len(t.Head)
	for i := range t.Rows {
		n = max(n, 1+len(t.Rows[i].Cells))
	}
	list := make([]string, n)
	seen := map[string]int{}
	for i := range list {
		key := "column"
		if i < len(t.Head) {
			key = Slug(t.Head[i], key)
		}
		if seen[key]++; seen[key] > 1 {
			key = join(key, strconv.Itoa(seen[key]))
		}
		list[i] = key
	}
	return list
}

// Slug is a text as a key: small letters and digits with _ between words; without any it is other.
func Slug(text, other string) string {
	words := strings.FieldsFunc(strings.ToLower(text), func(r rune) bool { return !unicode.IsLetter(r) && !unicode.IsDigit(r) && r != '%' && r != '$' })
	for i, w := range words {
		words[i] = strings.ReplaceAll(strings.ReplaceAll(w, "%", "percent"), "$", "dollars")
	}
	if len(words) == 0 {
		return other
	}
	return strings.Join(words, "_")
}

func join(key, part string) string {
	if part == "" {
		return key
	}
	return key + "_" + part
}

// keyboard has the signs of keyboards for those of print, and no blanks between thousands.
var keyboard = strings.NewReplacer("\u202f", "", "\u00a0", " ", "−", "-", "\n", " ")

// bare is a text for programs.
func bare(text string) string { return keyboard.Replace(text) }

// line writes a line of comma-separated values.
func line(b *strings.Builder, texts []string) {
	for i, text := range Cells(texts) {
		if i > 0 {
			b.WriteByte(',')
		}
		if strings.ContainsAny(text, "\",\r\n") || strings.HasPrefix(text, " ") {
			text = `"` + strings.ReplaceAll(text, `"`, `""`) + `"`
		}
		b.WriteString(text)
	}
	b.WriteByte('\n')
}
