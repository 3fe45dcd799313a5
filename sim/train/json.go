package train

import (
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strconv"

	"spillway/sim/knob"
	"spillway/sim/train/machine"
	"spillway/sim/train/system"
)

// A message is a Request as JSON.
type message struct {
	System  string          `json:"system"`
	Machine machine.Machine `json:"machine"`
	Options options         `json:"options"`
	SSD     string          `json:"ssd,omitempty"`
}

// MarshalJSON writes the options under their knobs' keys, all of them.
func (q Request) MarshalJSON() ([]byte, error) {
	return json.Marshal(message{q.System, q.Machine, options(q.Options), q.SSD})
}

// UnmarshalJSON reads what MarshalJSON writes. Options that are left out keep
// their value.
func (q *Request) UnmarshalJSON(data []byte) error {
	m := message{q.System, q.Machine, options(q.Options), q.SSD}
	if err := json.Unmarshal(data, &m); err != nil {
		return err
	}
	*q = Request{m.System, m.Machine, system.Options(m.Options), m.SSD}
	return nil
}

// options are system.Options as JSON: the quirks as text, then each number under
// its knob's key.
type options system.Options

func (o options) MarshalJSON() ([]byte, error) {
	b := strconv.AppendQuote([]byte(`{"quirks":`), o.Quirks.String())
	for _, k := range Knobs() {
		b = strconv.AppendQuote(append(b, ','), k.Key)
		b = strconv.AppendInt(append(b, ':'), k.Get((*system.Options)(&o)), 10)
	}
	return append(b, '}'), nil
}

func (o *options) UnmarshalJSON(data []byte) error {
	var fields map[string]json.RawMessage
	if err := json.Unmarshal(data, &fields); err != nil {
		return err
	}
	if text, ok := fields["quirks"]; ok {
		if err := json.Unmarshal(text, &o.Quirks); err != nil {
			return err
		}
		delete(fields, "quirks")
	}
	for _, k := range Knobs() {
		if text, ok := fields[k.Key]; ok {
			if err := set(k, (*system.Options)(o), text); err != nil {
				return err
			}
			delete(fields, k.Key)
		}
	}
	if len(fields) > 0 {
		return fmt.Errorf("options: no system has a parameter %q", slices.Sorted(maps.Keys(fields))[0])
	}
	return nil
}

func set(k knob.Knob[system.Options], o *system.Options, text []byte) error {
	var v int64
	if err := json.Unmarshal(text, &v); err != nil {
		return fmt.Errorf("%s: %w", k.Key, err)
	}
	k.Set(o, v)
	return nil
}
