// Package quote writes strings as JSON. It is apart from jsonx because programs
// that only write a little JSON must not hold a decoder.
package quote

import "unicode/utf8"

// Append appends s as a JSON string. What is no UTF-8 becomes U+FFFD.
func Append(b []byte, s string) []byte {
	const hex = "0123456789abcdef"
	b = append(b, '"')
	for _, r := range s {
		switch {
		case r == '"' || r == '\\':
			b = append(b, '\\', byte(r))
		case r < ' ':
			b = append(b, '\\', 'u', '0', '0', hex[r>>4], hex[r&15])
		default:
			b = utf8.AppendRune(b, r)
		}
	}
	return append(b, '"')
}
