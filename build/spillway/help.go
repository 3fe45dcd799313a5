package main

import (
	"fmt"
	"reflect"
	"strings"

	"spillway/sim/study"
	"spillway/sim/train/result"
)

// A doc describes JSON: of is a value of the type that is printed. Every member
// is explained where it is declared, by a help tag, or below if the type is not
// the command's own; there is no other description.
type doc struct {
	head string
	of   any
}

// text is the description for people.
func (d *doc) text() string {
	var b strings.Builder
	b.WriteString(wrap(d.head, ""))
	describe(&b, reflect.TypeOf(d.of), "  ")
	return b.String()
}

// helpAt is the column in which explanations begin.
const helpAt = 26

// describe lists the members of a struct type, and below each those inside it.
func describe(b *strings.Builder, t reflect.Type, indent string) {
	for t.Kind() == reflect.Pointer || t.Kind() == reflect.Slice || t.Kind() == reflect.Map {
		t = t.Elem()
	}
	if t.Kind() != reflect.Struct {
		return
	}
	for f := range t.Fields() {
		if f.Anonymous {
			describe(b, f.Type, indent)
			continue
		}
		name, help := member(t, f)
		if name == "" {
			continue
		}
		head := indent + name
		text := wrap(help, strings.Repeat(" ", helpAt))
		if len(head) < helpAt-1 {
			text = head + text[len(head):]
		} else {
			text = head + "\n" + text
		}
		b.WriteString(text)
		describe(b, f.Type, indent+"  ")
	}
}

// member returns a field's name in JSON and what it is. It panics on one that
// nobody has explained.
func member(t reflect.Type, f reflect.StructField) (name, help string) {
	name, _, _ = strings.Cut(f.Tag.Get("json"), ",")
	if name == "-" || !f.IsExported() {
		return "", ""
	}
	if help = f.Tag.Get("help"); help == "" {
		help = others[t][name]
	}
	if name == "" || help == "" {
		panic(fmt.Sprintf("%v.%s has no name or no help", t, f.Name))
	}
	return name, help
}

// others explains the members of types that other packages declare.
var others = map[reflect.Type]map[string]string{
	reflect.TypeFor[result.Ledger](): {
		"fault_handling": "page faults",
		"host_read":      "reads from host memory",
		"ssd_read":       "reads from the SSD",
		"late_prefetch":  "prefetches that were not done in time",
		"allocation":     "allocating memory",
		"eviction":       "making room",
		"compression":    "what overflows compressed memory; missing in systems without it",
		"recomputation":  "kernels run again for results that were given up; missing in systems without it",
	},
	reflect.TypeFor[result.SSD](): {
		"drive":                                  "its key",
		"name":                                   "for people",
		"read_bytes_per_s":                       "mean rate while it read, or would have",
		"write_bytes_per_s":                      "mean rate while it wrote, or would have",
		"mixed":                                  "whether it read and wrote at the same time at times, which is slower",
		"read_latency_ps":                        "of one 4 KiB read, in picoseconds",
		"write_amplification_thousandths":        "bytes programmed per byte written, × 1000",
		"written_bytes":                          "what the reported iteration writes; when 0 the drive does not age, and lifetime and drive writes are 0",
		"endurance_bytes":                        "what may be written before the drive is used up",
		"life_thousandth_years":                  "until then, when the workload runs without pause",
		"drive_writes_per_day_thousandths":       "what that amounts to, × 1000",
		"rated_drive_writes_per_day_thousandths": "what the drive is made for, × 1000, over warranty_years",
		"warranty_years":                         "what the rating is about",
	},
	reflect.TypeFor[study.Record](): {
		"figure":     "name among all papers: g10.11",
		"of":         "for people: what it is about",
		"at":         "for people: what the figure varies; missing if nothing",
		"system":     "stable name",
		"setting":    "the run as a setup text: spillway run lab=LAB system=SYSTEM --setup SETTING",
		"quantity":   "what was published, as the paper knows it",
		"unit":       "of published and ours",
		"published":  "null where it was published that it cannot run",
		"ours":       "null where it cannot run here",
		"difference": "ours / published − 1; null without both",
		"limit":      "relative difference up to which it agrees",
		"status":     "exact: to the last printed digit; within: up to the limit; gap: farther off",
		"verdict":    "the same in words",
		"why":        "what explains a difference; missing if nothing",
		"note":       "why the published number is doubted; missing if it is not",
		"source":     "where it was published; missing if in the paper alone",
	},
}

// helpWidth is the width of explanations.
const helpWidth = 80

// wrap breaks text into lines that begin with indent.
func wrap(text, indent string) string {
	var b strings.Builder
	for line := range strings.SplitSeq(text, "\n") {
		width := 0
		for word := range strings.FieldsSeq(line) {
			n := len([]rune(word))
			switch {
			case width == 0:
				b.WriteString(indent)
				width = len(indent)
			case width+1+n > helpWidth:
				b.WriteString("\n" + indent)
				width = len(indent)
			default:
				b.WriteByte(' ')
				width++
			}
			b.WriteString(word)
			width += n
		}
		b.WriteByte('\n')
	}
	return b.String()
}
