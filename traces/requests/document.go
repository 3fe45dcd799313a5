package requests

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"

	"spillway/traces/jsonstream"
)

// document reads a file that is one JSON value.
func (d *decoder) document(in io.Reader) error {
	r := jsonstream.NewReader(in, nil)
	switch {
	case d.format == sharegpt:
		d.each(r, d.conversation)
	case r.Peek() == jsonstream.Array:
		d.each(r, d.one)
	default:
		d.columnsOf(r)
	}
	err := r.Err()
	if e, ok := errors.AsType[*jsonstream.Error](err); ok {
		d.errs = append(d.errs, fmt.Errorf("%s:%d: %s", d.file, e.Line, e.Message))
		return nil
	}
	if r.Cut() {
		d.errs = append(d.errs, fmt.Errorf("%s:%d: the file ends in the middle", d.file, r.Line()))
	}
	return err
}

// each calls take for every element of an array.
func (d *decoder) each(r *jsonstream.Reader, take func(r *jsonstream.Reader) error) {
	r.Array()
	for r.Elem() && len(d.errs) < problems {
		line := r.Line()
		if err := take(r); err != nil {
			d.errs = append(d.errs, fmt.Errorf("%s:%d: %w", d.file, line, err))
		}
	}
	for r.Err() == nil && len(d.errs) >= problems && r.Elem() { // the rest is not looked at
		r.Skip()
	}
}

var errLength = errors.New("a request without the lengths of its prompt and its answer: want a pair as [217, 202], or an object with prompt_len and output_len")

// one takes a pair of lengths, or an object with them.
func (d *decoder) one(r *jsonstream.Reader) error {
	input, output := int64(-1), int64(-1)
	switch r.Peek() {
	case jsonstream.Array:
		r.Array()
		for n := 0; r.Elem(); n++ {
			v, ok := r.Int()
			switch {
			case !ok:
			case n == 0:
				input = v
			case n == 1:
				output = v
			}
		}
	case jsonstream.Object:
		r.Object()
		for {
			key, more := r.Key()
			if !more {
				break
			}
			to := (*int64)(nil)
			if slices.Contains(inputKeys, string(key)) {
				to = &input
			} else if slices.Contains(outputKeys, string(key)) {
				to = &output
			}
			if to == nil {
				r.Skip()
			} else if v, ok := r.Int(); ok {
				*to = v
			}
		}
	default:
		r.Skip()
	}
	if input < 0 || output < 0 {
		return errLength
	}
	return d.add(0, input, output, nil)
}

// columnsOf takes the lists input_lens and output_lens of an object.
func (d *decoder) columnsOf(r *jsonstream.Reader) {
	var inputs, outputs []int64
	r.Object()
	for {
		key, more := r.Key()
		if !more {
			break
		}
		to := (*[]int64)(nil)
		switch string(key) {
		case "input_lens":
			to = &inputs
		case "output_lens":
			to = &outputs
		}
		if to == nil || r.Peek() != jsonstream.Array {
			r.Skip()
			continue
		}
		name := string(key)
		r.Array()
		for r.Elem() {
			line := r.Line()
			v, ok := r.Int()
			if !ok && len(d.errs) < problems {
				d.errs = append(d.errs, fmt.Errorf("%s:%d: %s: request %d has no length", d.file, line, name, len(*to)+1))
			}
			if *to = append(*to, v); len(*to) > 64*MaxRequests {
				r.Fail("more than %d requests", 64*MaxRequests)
			}
		}
	}
	if r.Err() != nil || len(d.errs) > 0 {
		return
	}
	if len(inputs) != len(outputs) {
		d.errs = append(d.errs, fmt.Errorf("%s: input_lens has %d requests and output_lens %d", d.file, len(inputs), len(outputs)))
		return
	}
	for i := range inputs {
		if err := d.add(0, inputs[i], outputs[i], nil); err != nil && len(d.errs) < problems {
			d.errs = append(d.errs, fmt.Errorf("%s: request %d: %w", d.file, i+1, err))
		}
	}
}

// What vLLM's benchmark leaves out of ShareGPT's conversations, in tokens, and how many bytes
// of text a token is taken for.
const (
	leastTokens  = 4
	mostPrompt   = 1024
	mostTogether = 2048
	ofToken      = 4
)

// answerers are who says a conversation's answers, in the words of several programs.
var answerers = []string{"gpt", "assistant", "chatgpt", "model", "bot", "bing", "bard", "ai"}

// conversationLine takes a line that is one conversation.
func (d *decoder) conversationLine(b []byte) error {
	r := jsonstream.NewReader(bytes.NewReader(b), nil)
	if err := d.conversation(r); err != nil {
		return err
	}
	if e, ok := errors.AsType[*jsonstream.Error](r.Err()); ok {
		return errors.New(e.Message)
	}
	if r.Cut() {
		return errors.New("the line ends in the middle of a conversation")
	}
	return r.Err()
}

// conversation takes the lengths of a conversation's first request: all before the first answer is its
// prompt. Where nobody says who speaks, the second turn answers.
func (d *decoder) conversation(r *jsonstream.Reader) error {
	d.guessed = true
	if r.Peek() != jsonstream.Object {
		r.Skip()
		return errors.New("no conversation: want an object with conversations or messages")
	}
	var prompt, answer int64 // bytes
	r.Object()
	for {
		key, more := r.Key()
		if !more {
			break
		}
		if k := string(key); k != "conversations" && k != "messages" || r.Peek() != jsonstream.Array {
			r.Skip()
			continue
		}
		r.Array()
		answered := false
		for n := 0; r.Elem(); n++ {
			if answered || r.Peek() != jsonstream.Object {
				r.Skip()
				continue
			}
			from, size := turn(r)
			if answered = slices.Contains(answerers, from) || from == "" && n == 1; answered {
				answer = size
			} else {
				prompt += size
			}
		}
	}
	input, output := (prompt+ofToken/2)/ofToken, (answer+ofToken/2)/ofToken
	if input < leastTokens || output < leastTokens || input > mostPrompt || input+output > mostTogether {
		d.pruned++
		return nil
	}
	return d.add(0, input, output, nil)
}

// turn takes one turn: who speaks, in lower case, and of how many bytes its text is. A text may be in parts.
func turn(r *jsonstream.Reader) (from string, size int64) {
	r.Object()
	for {
		key, more := r.Key()
		if !more {
			return from, size
		}
		switch k := string(key); {
		case (k == "from" || k == "role") && r.Peek() == jsonstream.String:
			text, _ := r.Text()
			from = strings.ToLower(string(text))
		case (k == "value" || k == "content" || k == "text") && r.Peek() == jsonstream.String:
			text, _ := r.Text()
			size += int64(len(text))
		case k == "content" && r.Peek() == jsonstream.Array:
			r.Array()
			for r.Elem() {
				if r.Peek() != jsonstream.Object {
					r.Skip()
					continue
				}
				_, part := turn(r)
				size += part
			}
		default:
			r.Skip()
		}
	}
}
