package change

import (
	"regexp"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"
)

// Text says what differs between two states of any text: lines that are the same but for
// numbers and hashes are changes, with a delta a number; others are new or gone. Lines
// that only moved are no change.
func Text(was, is string) []Change {
	before, after := split(was), split(is)
	gone, added := without(before, after), without(after, before)
	candidates := map[string][]int{} // positions in gone, by what the line is but for numbers
	for i, line := range gone {
		key, _ := numbers(before[line])
		candidates[key] = append(candidates[key], i)
	}
	paired := make([]bool, len(gone))
	var list []Change
	for _, line := range added {
		key, now := numbers(after[line])
		if len(candidates[key]) == 0 {
			list = append(list, Change{Name: short(after[line]), New: true})
			continue
		}
		i := candidates[key][0]
		candidates[key] = candidates[key][1:]
		paired[i] = true
		_, then := numbers(before[gone[i]])
		c := Change{Name: place(after, line)}
		columns := header(after, line)
		for k := range now {
			if now[k].text == then[k].text || now[k].hash {
				continue
			}
			name := now[k].label
			if field := now[k].field; columns != nil {
				name = columns[field]
			}
			c.Deltas = append(c.Deltas, Delta{name, then[k].text, now[k].text})
		}
		list = append(list, c)
	}
	for i, line := range gone {
		if !paired[i] {
			list = append(list, Change{Name: short(before[line]), Gone: true})
		}
	}
	return list
}

// without returns the positions of the lines that others does not have as often.
func without(lines, others []string) (list []int) {
	n := map[string]int{}
	for _, line := range others {
		n[line]++
	}
	for i, line := range lines {
		if n[line]--; n[line] < 0 {
			list = append(list, i)
		}
	}
	return list
}

// A number is one in a line: its text, what stands before it, where it begins, and in
// which field it is.
type number struct {
	text, label string
	at, field   int
	hash        bool
}

var (
	digits = regexp.MustCompile(`[0-9a-f]{16,}|[-+−]?[0-9]+(\.[0-9]+)?([eE][-+]?[0-9]+)?`)
	blanks = regexp.MustCompile(`\s{2,}`)
)

// numbers returns what a line is without its numbers, and these.
func numbers(line string) (rest string, list []number) {
	var b strings.Builder
	end := 0
	for _, at := range digits.FindAllStringIndex(line, -1) {
		text := line[at[0]:at[1]]
		before, _ := utf8.DecodeLastRuneInString(line[:at[0]])
		after, _ := utf8.DecodeRuneInString(line[at[1]:])
		if at[0] > 0 && (word(before) || before == '.' || before == '/') || at[1] < len(line) && word(after) {
			continue // part of a name: "g10", "bert-base2"
		}
		label := strings.Trim(line[end:at[0]], around)
		if i := strings.LastIndexAny(label, ",;|:"); i >= 0 {
			label = strings.TrimSpace(label[i+1:])
		}
		if label == "" {
			label = "number " + strconv.Itoa(len(list)+1)
		}
		hash := strings.Trim(text, "0123456789abcdef") == "" && len(text) >= 16 && strings.ContainsAny(text, "abcdef")
		list = append(list, number{strings.Replace(text, "−", "-", 1), label, at[0], field(line, at[0]), hash})
		b.WriteString(line[end:at[0]] + "#")
		end = at[1]
	}
	b.WriteString(line[end:])
	return blanks.ReplaceAllString(b.String(), " "), list
}

func word(r rune) bool { return unicode.IsLetter(r) || unicode.IsDigit(r) || r == '_' }

// separator returns what is between the columns of a line: of Markdown's tables, of CSV,
// else it is empty, for any blanks.
func separator(line string) string {
	switch {
	case strings.HasPrefix(line, "|"):
		return "|"
	case strings.Contains(line, ","):
		return ","
	}
	return ""
}

// fields returns the columns of a line.
func fields(line string) []string {
	if s := separator(line); s != "" {
		return strings.Split(line, s)
	}
	return strings.Fields(line)
}

// field returns in which column position at of a line is.
func field(line string, at int) int {
	if s := separator(line); s != "" {
		return strings.Count(line[:at], s)
	}
	return len(strings.Fields(line[:at]+"#")) - 1
}

// header returns the names of the columns of the table that a line is in, nil if it is in none: the
// nearest line above with as many fields and no number.
func header(lines []string, at int) []string {
	n := len(fields(lines[at]))
	for i := at - 1; i >= 0 && n > 2; i-- {
		names := fields(lines[i])
		if len(names) != n {
			return nil
		}
		if _, list := numbers(lines[i]); len(list) == 0 && !strings.HasPrefix(lines[i], "|-") {
			for k := range names {
				names[k] = strings.TrimSpace(names[k])
			}
			return names
		}
	}
	return nil
}

// around is what stands between a number and its label.
const around = " \t|,:;=(["

// place returns the number of a line and how it begins, up to its first number.
func place(lines []string, at int) string {
	begin := lines[at]
	if _, list := numbers(begin); len(list) > 0 {
		begin = begin[:list[0].at]
	}
	return strings.TrimSuffix("line "+strconv.Itoa(at+1)+", "+short(strings.Trim(begin, around)), ", ")
}

// short returns the beginning of a line.
func short(line string) string {
	const most = 80
	line = blanks.ReplaceAllString(strings.TrimSpace(line), " ")
	if utf8.RuneCountInString(line) > most {
		line = string([]rune(line)[:most]) + "…"
	}
	return line
}
