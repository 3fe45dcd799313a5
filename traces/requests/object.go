package requests

import (
	"bytes"
	"errors"
	"fmt"
	"slices"

	"spillway/sim/unit"
)

// An object is a flat JSON object that says what one request is.
type object struct {
	rest []byte

	input, output int64     // -1 where it does not say
	at            unit.Time // as Mooncake's: in milliseconds; -1 where it does not say
	hashes        []uint64
	hashed, chat  bool
}

// Keys of the lengths, in what several programs write.
var (
	inputKeys  = []string{"input_length", "prompt_len", "input_len", "prompt_tokens", "input_tokens", "num_prompt_tokens"}
	outputKeys = []string{"output_length", "output_len", "completion_tokens", "output_tokens", "generated_tokens", "num_output_tokens"}
)

// objectLine takes a line that is one object.
func (d *decoder) objectLine(b []byte) error {
	o := &d.object
	if err := o.read(b); err != nil {
		return err
	}
	at := max(o.at, 0)
	switch {
	case o.input < 0:
		return errors.New("input_length: is missing")
	case o.output < 0:
		return errors.New("output_length: is missing")
	case d.format.timed && o.at < 0:
		return errors.New("timestamp: is missing")
	case d.format.seconds:
		if at > longest/1000 {
			return fmt.Errorf("timestamp: is beyond %d s", longest/unit.Second)
		}
		at *= 1000
	}
	return d.add(at, o.input, o.output, o.hashes)
}

// read reads the object of a line. Keys that are not known are skipped.
func (o *object) read(b []byte) error {
	*o = object{rest: b, input: -1, output: -1, at: -1, hashes: o.hashes[:0]}
	if err := o.want('{'); err != nil {
		return err
	}
	if o.peek() == '}' {
		o.rest = o.rest[1:]
		return o.end()
	}
	for {
		key, err := o.text()
		if err != nil {
			return err
		}
		if err := o.want(':'); err != nil {
			return err
		}
		if err := o.value(key); err != nil {
			return fmt.Errorf("%.40s: %w", key, err)
		}
		if o.peek() == ',' {
			o.rest = o.rest[1:]
			continue
		}
		if err := o.want('}'); err != nil {
			return err
		}
		return o.end()
	}
}

// value reads the value of a key.
func (o *object) value(key []byte) (err error) {
	switch {
	case slices.Contains(inputKeys, string(key)):
		o.input, err = o.tokens()
	case slices.Contains(outputKeys, string(key)):
		o.output, err = o.tokens()
	case string(key) == "timestamp":
		o.at, err = o.milliseconds()
	case string(key) == "hash_ids":
		o.hashed = true
		err = o.list()
	default:
		o.chat = o.chat || string(key) == "chat_id"
		err = o.skip(0)
	}
	return err
}

// number returns a number without sign or exponent.
func (o *object) number() ([]byte, error) {
	o.peek()
	n := 0
	for n < len(o.rest) && (o.rest[n] >= '0' && o.rest[n] <= '9' || o.rest[n] == '.') {
		n++
	}
	if n == 0 {
		return nil, fmt.Errorf("want a number without sign or exponent, found %s", o.found())
	}
	v := o.rest[:n]
	o.rest = o.rest[n:]
	return v, nil
}

func (o *object) tokens() (int64, error) {
	b, err := o.number()
	if err != nil {
		return 0, err
	}
	return tokens(b)
}

func (o *object) milliseconds() (unit.Time, error) {
	b, err := o.number()
	if err != nil {
		return 0, err
	}
	return decimal(b, unit.Millisecond)
}

// list reads hashes.
func (o *object) list() error {
	if err := o.want('['); err != nil {
		return err
	}
	for more := o.peek() != ']'; more; {
		b, err := o.number()
		if err != nil {
			return err
		}
		v, ok := whole(b)
		if !ok {
			return fmt.Errorf("%.40q is not a whole number below 2⁶⁴", b)
		}
		o.hashes = append(o.hashes, v)
		if more = o.peek() == ','; more {
			o.rest = o.rest[1:]
		}
	}
	return o.want(']')
}

// deepest is how many levels of brackets are skipped.
const deepest = 20

// skip skips any value.
func (o *object) skip(depth int) error {
	c := o.peek()
	switch {
	case c == '"':
		_, err := o.text()
		return err
	case c == '{' || c == '[':
		if depth == deepest {
			return fmt.Errorf("more than %d levels of brackets", deepest)
		}
		end := c + 2
		o.rest = o.rest[1:]
		for more := o.peek() != end; more; {
			if c == '{' {
				if _, err := o.text(); err != nil {
					return err
				}
				if err := o.want(':'); err != nil {
					return err
				}
			}
			if err := o.skip(depth + 1); err != nil {
				return err
			}
			if more = o.peek() == ','; more {
				o.rest = o.rest[1:]
			}
		}
		return o.want(end)
	}
	n := 0
	for n < len(o.rest) && bytes.IndexByte([]byte(",]} \t"), o.rest[n]) < 0 {
		n++
	}
	if n == 0 {
		return fmt.Errorf("want a value, found %s", o.found())
	}
	o.rest = o.rest[n:]
	return nil
}

// text reads a string; what it escapes stays escaped.
func (o *object) text() ([]byte, error) {
	if err := o.want('"'); err != nil {
		return nil, err
	}
	for i := 0; i < len(o.rest); i++ {
		switch c := o.rest[i]; {
		case c == '"':
			v := o.rest[:i]
			o.rest = o.rest[i+1:]
			return v, nil
		case c == '\\':
			i++
		case c < ' ':
			return nil, fmt.Errorf("the string %.40q has a control character", o.rest)
		}
	}
	return nil, fmt.Errorf("the string %.40q is not closed", o.rest)
}

// peek returns the next byte that is not blank, or 0 at the end.
func (o *object) peek() byte {
	for len(o.rest) > 0 && (o.rest[0] == ' ' || o.rest[0] == '\t' || o.rest[0] == '\r' || o.rest[0] == '\n') {
		o.rest = o.rest[1:]
	}
	if len(o.rest) == 0 {
		return 0
	}
	return o.rest[0]
}

func (o *object) want(c byte) error {
	if o.peek() != c || len(o.rest) == 0 {
		return fmt.Errorf("want %q, found %s", c, o.found())
	}
	o.rest = o.rest[1:]
	return nil
}

func (o *object) end() error {
	if o.peek(); len(o.rest) > 0 {
		return fmt.Errorf("want nothing after the object, found %s", o.found())
	}
	return nil
}

func (o *object) found() string {
	if len(o.rest) == 0 {
		return "the end of the line"
	}
	return fmt.Sprintf("%.40q", o.rest)
}
