// Package requests reads lists of requests to services of language models: when each came,
// how many tokens its prompt has and how many were answered, and in Mooncake's format which
// of its blocks of tokens others have too. No text is kept, and none is needed: of ShareGPT's
// conversations, which are texts, only lengths remain.
//
// A list is read once, line by line or value by value, with a bounded amount of memory
// however long it is. What is recognized is recognized by content.
package requests

import (
	"bufio"
	"bytes"
	"compress/gzip"
	"errors"
	"fmt"
	"io"
	"slices"

	"spillway/sim/serve/load"
	"spillway/traces/handed"
	"spillway/traces/lines"
)

// What is kept of a list at most, and what one request may have. The rest is read and
// counted, but not used.
const (
	MaxRequests = 1 << 18
	MaxBlocks   = 1 << 24         // of all requests, 4 bytes each
	MaxTokens   = load.MostTokens // of a prompt, and of an answer
)

// maxLine is the longest line that is read: a prompt of a million tokens has 65536 blocks of
// 16, with 20 digits each.
const maxLine = 2 << 20

// problems is how many errors are listed before reading stops.
const problems = 20

// A format is one that is taken.
type format struct {
	title string
	takes string // where such files come from, for people
	timed bool   // whether it says when requests came
	// seconds is true where times are those, and no dates or milliseconds.
	seconds bool
	// line takes one line of a text of lines; nil of documents.
	line func(d *decoder, b []byte) error
	// head takes the first line of a table and says whether it is this table's.
	head func(d *decoder, b []byte) bool
}

// The formats.
var (
	mooncake = &format{title: "Mooncake trace", takes: `Mooncake's traces (JSON Lines with timestamp in ms, input_length, output_length and hash_ids)`, timed: true, line: (*decoder).objectLine}
	bailian  = &format{title: "Qwen-Bailian trace", takes: `Alibaba's qwen-bailian-usagetraces (as Mooncake's, with chat_id, and timestamp in s)`, timed: true, seconds: true, line: (*decoder).objectLine}
	azure    = &format{title: "Azure LLM inference trace", takes: "Azure's LLM inference traces (CSV: TIMESTAMP,ContextTokens,GeneratedTokens)", timed: true, line: (*decoder).tableLine, head: (*decoder).azureHead}
	burst    = &format{title: "BurstGPT", takes: "BurstGPT (CSV with Timestamp, Request tokens and Response tokens)", timed: true, seconds: true, line: (*decoder).tableLine, head: (*decoder).burstHead}
	lengths  = &format{title: "list of lengths", takes: `lengths without times: what vLLM's bench serve --save-detailed writes (input_lens, output_lens), pairs as [[217, 202], …], or objects with prompt_len and output_len`}
	listed   = &format{title: "list of lengths", line: (*decoder).objectLine} // a line each
	sharegpt = &format{title: "ShareGPT conversations", takes: `conversations as ShareGPT's or as messages with role and content, an array or JSON Lines, of which only lengths are kept`}
	chats    = &format{title: "conversations", line: (*decoder).conversationLine} // a line each

	formats = []*format{mooncake, bailian, azure, burst, lengths, sharegpt}
)

// Takes lists the formats and where files of each come from, for those who dropped something
// else.
func Takes() []string {
	list := make([]string, len(formats))
	for i, f := range formats {
		list[i] = f.takes
	}
	return list
}

const headBytes = 256 << 10

var bom = []byte("\xef\xbb\xbf")

// recognize says which format a text has that begins with head.
func recognize(head []byte) *format {
	head = bytes.TrimPrefix(head, bom)
	text := bytes.TrimLeft(head, " \t\r\n")
	first, _, _ := bytes.Cut(text, []byte("\n"))
	first = bytes.TrimSuffix(first, []byte("\r"))
	if len(first) == 0 {
		return nil
	}
	for _, f := range []*format{azure, burst} {
		if f.head(&decoder{}, first) {
			return f
		}
	}
	switch first[0] {
	case '{':
		var o object
		if o.read(first) == nil && o.input >= 0 && o.output >= 0 {
			switch {
			case o.chat:
				return bailian
			case o.hashed || o.at >= 0:
				return mooncake
			}
			return listed
		}
		if isConversation(first) {
			return chats
		}
		if bytes.Contains(text, []byte(`"input_lens"`)) && !bytes.Contains(text, []byte(`"traceEvents"`)) {
			return lengths
		}
	case '[':
		return list(text)
	}
	return nil
}

// list says which format an array has.
func list(text []byte) *format {
	inner := bytes.TrimLeft(text[1:], " \t\r\n")
	switch {
	case len(inner) == 0:
	case inner[0] == '[':
		row, _, ok := bytes.Cut(inner[1:], []byte("]"))
		if a, b, two := bytes.Cut(row, []byte(",")); ok && two && isNumber(bytes.TrimSpace(a)) && isNumber(bytes.TrimSpace(b)) {
			return lengths
		}
	case inner[0] == '{':
		if isConversation(inner) {
			return sharegpt
		}
		one, _, ok := bytes.Cut(inner, []byte("}"))
		var o object
		if ok && o.read(append(slices.Clone(one), '}')) == nil && o.input >= 0 && o.output >= 0 {
			return lengths
		}
	}
	return nil
}

// isConversation reports whether a text begins with an object that has turns.
func isConversation(text []byte) bool {
	has := func(key string) bool { return bytes.Contains(text, []byte(key)) }
	return has(`"conversations"`) && has(`"value"`) || has(`"messages"`) && has(`"role"`) && has(`"content"`)
}

// isNumber reports whether a word is digits.
func isNumber(b []byte) bool {
	_, ok := whole(b)
	return ok
}

// Sniff reports whether a text that begins with head is a list of requests in one of the
// formats. Text that is compressed is none.
func Sniff(head []byte) bool { return recognize(head[:min(len(head), headBytes)]) != nil }

// A NotListError says that a file is no list of requests.
type NotListError struct{ Name, Begins string }

// Error implements error.
func (e *NotListError) Error() string {
	return fmt.Sprintf("%s: no list of requests to a language model: it begins with %s", e.Name, e.Begins)
}

// Read reads a list in any of the formats, also compressed with gzip. name is the file's,
// for messages. An error says what is wrong and in which line, up to twenty times.
func Read(name string, r io.Reader) (*handed.RequestList, error) {
	in := bufio.NewReaderSize(r, headBytes)
	if head, _ := in.Peek(2); len(head) == 2 && head[0] == 0x1f && head[1] == 0x8b {
		z, err := gzip.NewReader(in)
		if err != nil {
			return nil, unread(name, err)
		}
		in = bufio.NewReaderSize(z, headBytes)
	}
	head, err := in.Peek(headBytes)
	if err != nil && err != io.EOF {
		return nil, unread(name, err)
	}
	if bytes.HasPrefix(head, bom) {
		_, _ = in.Discard(len(bom)) // they are there
		head = head[len(bom):]
	}
	if len(bytes.TrimSpace(head)) == 0 {
		return nil, fmt.Errorf("%s: the file is empty", name)
	}
	f := recognize(head)
	if f == nil {
		first, _, _ := bytes.Cut(bytes.TrimSpace(head), []byte("\n"))
		return nil, &NotListError{Name: name, Begins: fmt.Sprintf("%.60q", first)}
	}
	d := &decoder{file: name, format: f, ids: map[uint64]load.Block{}, list: &handed.RequestList{Name: name, Format: f.title, Timed: f.timed, Workload: &load.Workload{Name: name}}}
	if f.line != nil {
		err = lines.Each(in, maxLine, d.take)
	} else {
		err = d.document(in)
	}
	if err != nil {
		return nil, unread(name, err)
	}
	return d.finish()
}

// unread says that a file cannot be read to its end.
func unread(name string, err error) error {
	if errors.Is(err, gzip.ErrChecksum) || errors.Is(err, gzip.ErrHeader) || errors.Is(err, io.ErrUnexpectedEOF) {
		return fmt.Errorf("%s: damaged gzip data (%w); compress or download it again", name, err)
	}
	return fmt.Errorf("%s cannot be read: %w", name, err)
}
