package result

import (
	"fmt"
	"strconv"
	"strings"

	"spillway/sim/unit"
)

// key returns the cause's name in JSON.
func (c Cause) key() string {
	return strings.ReplaceAll(strings.ToLower(c.String()), " ", "_")
}

// MarshalJSON writes an object with one member a cause, in the order of the causes.
func (l Ledger) MarshalJSON() ([]byte, error) {
	b := []byte{'{'}
	for c, n := range l {
		if c > 0 {
			b = append(b, ',')
		}
		b = strconv.AppendQuote(b, Cause(c).key())
		b = strconv.AppendInt(append(b, ':'), int64(n), 10)
	}
	return append(b, '}'), nil
}

// UnmarshalJSON reads what MarshalJSON writes, in any order. Causes that are
// left out are 0.
func (l *Ledger) UnmarshalJSON(data []byte) error {
	var read Ledger
	text := strings.TrimSpace(string(data))
	if text == "null" {
		return nil
	}
	body, isObject := strings.CutPrefix(text, "{")
	body, closed := strings.CutSuffix(body, "}")
	if !isObject || !closed {
		return fmt.Errorf("stall ledger: want an object of causes and cycles, found %.40q", text)
	}
	if body = strings.TrimSpace(body); body == "" {
		*l = read
		return nil
	}
	for member := range strings.SplitSeq(body, ",") {
		name, value, _ := strings.Cut(member, ":")
		c, err := parseCause(strings.Trim(strings.TrimSpace(name), `"`))
		if err != nil {
			return err
		}
		n, err := strconv.ParseInt(strings.TrimSpace(value), 10, 64)
		if err != nil {
			return fmt.Errorf("stall ledger: %s: want a whole number of cycles, found %.40q", c.key(), strings.TrimSpace(value))
		}
		read[c] = unit.Cycles(n)
	}
	*l = read
	return nil
}

func parseCause(key string) (Cause, error) {
	for c := range NumCauses {
		if c.key() == key {
			return c, nil
		}
	}
	return 0, fmt.Errorf("stall ledger: unknown cause %q; want one of fault_handling, host_read, ssd_read, late_prefetch, allocation, eviction", key)
}
