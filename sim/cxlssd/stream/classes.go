package stream

import (
	"errors"
	"fmt"
	"strconv"
	"strings"

	"spillway/sim/knob"
)

// ClassesHelp says how the text of classes is written.
const ClassesHelp = "Classes of page visits with / between them. Each is a name and then, in any order: " +
	"pages:N, how many it has; visits:N, how many there are to them (as many as pages if left out); random, for pages that are drawn and not walked in order; " +
	"skew:T, from 0 (all alike) to 0.99; lines:A-B@P,..., of a page's 64 lines a visit touches A to B in P of the cases; writes:P, the share that writes; " +
	"warm:C@P,..., P of the pages are there at the start in a cache of C pages, on straight lines between the points; warm_log:C@P,..., the same in designs with a log, or none."

// The most that a text of classes may have.
const (
	mostText    = 8000
	mostClasses = 32
	mostPoints  = 64
	mostName    = 32
)

// ParseClasses reads the text of classes (see [ClassesHelp]); [FormatClasses] is its
// inverse. What it returns is checked.
func ParseClasses(text string) ([]Class, error) {
	if len(text) > mostText {
		return nil, fmt.Errorf("%d characters of classes are more than %d", len(text), mostText)
	}
	var list []Class
	for part := range strings.SplitSeq(text, "/") {
		if strings.TrimSpace(part) == "" {
			continue
		}
		c, err := parseClass(strings.Fields(part))
		if err != nil {
			return nil, fmt.Errorf("class %d: %w", len(list)+1, err)
		}
		list = append(list, c)
	}
	return list, checkClasses(list)
}

func parseClass(fields []string) (Class, error) {
	c := Class{Name: fields[0]}
	seen := ""
	for _, f := range fields[1:] {
		key, value, valued := strings.Cut(f, ":")
		if strings.Contains(seen, " "+key+" ") {
			return c, fmt.Errorf("%s stands twice in %s", key, c.Name)
		}
		seen += " " + key + " "
		if valued == (key == "random") {
			return c, fmt.Errorf("%q in %s is neither random nor key:value; write pages:1000, or lines:64", f, c.Name)
		}
		var err error
		switch key {
		case "random":
			c.Random = true
		case "pages":
			c.Pages, err = knob.ParseDecimal(value, 1)
		case "visits":
			c.Visits, err = knob.ParseDecimal(value, 1)
		case "skew":
			c.Theta, err = knob.ParseDecimal(value, 1000)
		case "writes":
			c.Writes, err = knob.ParseDecimal(value, 1000)
		case "lines":
			c.Lines, err = parseLines(value)
		case "warm":
			c.Warm, err = parsePoints(value)
		case "warm_log":
			if c.NoLog = value == "none"; !c.NoLog {
				c.WarmLog, err = parsePoints(value)
			}
		default:
			err = errors.New("there are pages, visits, random, skew, lines, writes, warm and warm_log")
		}
		if err != nil {
			return c, fmt.Errorf("%q in %s: %w", f, c.Name, err)
		}
	}
	if c.Lines == nil {
		c.Lines = []Bucket{{1e6, Lines, Lines}}
	}
	return c, nil
}

// pairs cuts "a@b,c@d"; b is 1 if left out.
func pairs(text string, each func(what string, millionths int64) error) error {
	n := 0
	for part := range strings.SplitSeq(text, ",") {
		what, chance, ok := strings.Cut(part, "@")
		if !ok {
			chance = "1"
		}
		v, err := knob.ParseDecimal(chance, 1e6)
		if err != nil {
			return err
		}
		if n++; n > mostPoints {
			return fmt.Errorf("there are more than %d", mostPoints)
		}
		if err := each(what, v); err != nil {
			return err
		}
	}
	return nil
}

func parseLines(text string) (list []Bucket, err error) {
	err = pairs(text, func(what string, millionths int64) error {
		low, high, ok := strings.Cut(what, "-")
		if !ok {
			high = low
		}
		a, errA := strconv.ParseInt(low, 10, 8)
		b, errB := strconv.ParseInt(high, 10, 8)
		if errA != nil || errB != nil {
			return fmt.Errorf("%.20q is no number of lines; write 64, or 2-4@0.5", what)
		}
		list = append(list, Bucket{millionths, int32(a), int32(b)})
		return nil
	})
	return list, err
}

func parsePoints(text string) (list []Resident, err error) {
	err = pairs(text, func(what string, millionths int64) error {
		pages, err := knob.ParseDecimal(what, 1)
		list = append(list, Resident{pages, millionths})
		return err
	})
	return list, err
}

// FormatClasses is the inverse of [ParseClasses].
func FormatClasses(list []Class) string {
	var b strings.Builder
	for i := range list {
		if i > 0 {
			b.WriteString(" / ")
		}
		formatClass(&b, &list[i])
	}
	return b.String()
}

func formatClass(b *strings.Builder, c *Class) {
	b.WriteString(c.Name + " pages:" + strconv.FormatInt(c.Pages, 10))
	if c.Visits != 0 {
		b.WriteString(" visits:" + strconv.FormatInt(c.Visits, 10))
	}
	if c.Random {
		b.WriteString(" random")
	}
	if c.Theta != 0 {
		b.WriteString(" skew:" + knob.Decimal(c.Theta, 1000))
	}
	for i, l := range c.Lines {
		b.WriteString(between(i, " lines:"))
		b.WriteString(strconv.Itoa(int(l.Low)))
		if l.High != l.Low {
			b.WriteString("-" + strconv.Itoa(int(l.High)))
		}
		if l.Millionths != 1e6 {
			b.WriteString("@" + knob.Decimal(l.Millionths, 1e6))
		}
	}
	if c.Writes != 0 {
		b.WriteString(" writes:" + knob.Decimal(c.Writes, 1000))
	}
	formatPoints(b, " warm:", c.Warm)
	if c.NoLog {
		b.WriteString(" warm_log:none")
	}
	formatPoints(b, " warm_log:", c.WarmLog)
}

func formatPoints(b *strings.Builder, key string, list []Resident) {
	for i, p := range list {
		b.WriteString(between(i, key) + strconv.FormatInt(p.Pages, 10))
		if p.Millionths != 1e6 {
			b.WriteString("@" + knob.Decimal(p.Millionths, 1e6))
		}
	}
}

func between(i int, first string) string {
	if i == 0 {
		return first
	}
	return ","
}

// checkClasses reports what is wrong with classes, beginning with the first thing.
func checkClasses(list []Class) error {
	switch {
	case len(list) == 0:
		return errors.New("there is no class; write at least one, such as: data pages:10000 random lines:1-4")
	case len(list) > mostClasses:
		return fmt.Errorf("%d classes are more than %d", len(list), mostClasses)
	}
	pages, requests := int64(0), int64(0)
	for i := range list {
		c := &list[i]
		if err := c.check(); err != nil {
			return fmt.Errorf("class %d, %.40q: %w", i+1, c.Name, err)
		}
		for k := range list[:i] {
			if list[k].Name == c.Name {
				return fmt.Errorf("classes %d and %d are both named %s; give each a name of its own", k+1, i+1, c.Name)
			}
		}
		pages += c.Pages
		requests += c.Total() * c.length() / 1e6
	}
	if pages > MaxPages {
		return fmt.Errorf("the classes have %d pages; at most %d are possible (64 GiB)", pages, MaxPages)
	}
	if requests > MaxRequests {
		return fmt.Errorf("the classes make about %d million requests; at most %d million are possible (512 MB)", requests/1e6, MaxRequests>>20)
	}
	return nil
}

func (c *Class) check() error {
	if c.Name == "" || len(c.Name) > mostName || strings.Trim(c.Name, "abcdefghijklmnopqrstuvwxyz0123456789-.") != "" {
		return fmt.Errorf("a name is 1 to %d of a-z, 0-9, dots and dashes", mostName)
	}
	sum := int64(0)
	for _, l := range c.Lines {
		if l.Low < 1 || l.High < l.Low || l.High > Lines {
			return fmt.Errorf("%d-%d is no range of lines; a page has lines 1 to %d", l.Low, l.High, Lines)
		}
		if l.Millionths < 0 {
			return fmt.Errorf("lines have a share of %s; want 0 to 1", knob.Decimal(l.Millionths, 1e6))
		}
		sum += min(l.Millionths, 2e6)
	}
	switch {
	case c.Pages < 1 || c.Pages > MaxPages:
		return fmt.Errorf("pages is %d; want 1 to %d", c.Pages, MaxPages)
	case c.Visits < 0 || c.Visits > MaxRequests:
		return fmt.Errorf("visits is %d; want 0 to %d", c.Visits, MaxRequests)
	case c.Theta < 0 || c.Theta > 990:
		return fmt.Errorf("skew is %s; want 0 to 0.99", knob.Decimal(c.Theta, 1000))
	case c.Theta > 0 && !c.Random:
		return errors.New("skew is of drawn pages only; add random, or leave it out")
	case c.Writes < 0 || c.Writes > 1000:
		return fmt.Errorf("writes is %s; want 0 to 1", knob.Decimal(c.Writes, 1000))
	case len(c.Lines) == 0 || len(c.Lines) > mostPoints:
		return fmt.Errorf("lines has %d ranges; want 1 to %d", len(c.Lines), mostPoints)
	case sum != 1e6:
		return fmt.Errorf("the shares of lines add up to %s; want 1", knob.Decimal(sum, 1e6))
	case c.NoLog && len(c.WarmLog) > 0:
		return errors.New("warm_log is both none and a list")
	}
	if err := checkPoints("warm", c.Warm); err != nil {
		return err
	}
	return checkPoints("warm_log", c.WarmLog)
}

func checkPoints(key string, list []Resident) error {
	if len(list) > mostPoints {
		return fmt.Errorf("%s has %d points; want at most %d", key, len(list), mostPoints)
	}
	last := Resident{-1, 0}
	for _, p := range list {
		switch {
		case p.Pages <= last.Pages:
			return fmt.Errorf("%s: %d pages stand behind %d; caches must grow, from 0 on", key, p.Pages, last.Pages)
		case p.Pages > 1<<40:
			return fmt.Errorf("%s: %d pages are more than %d", key, p.Pages, int64(1)<<40)
		case p.Millionths < last.Millionths || p.Millionths > 1e6:
			return fmt.Errorf("%s: the share %s stands behind %s; shares must not shrink, up to 1", key, knob.Decimal(p.Millionths, 1e6), knob.Decimal(last.Millionths, 1e6))
		}
		last = p
	}
	return nil
}
