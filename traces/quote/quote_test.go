package quote

import (
	"encoding/json"
	"strings"
	"testing"
)

func TestAppend(t *testing.T) {
	for _, s := range []string{"", "conv \"x\" \\ <a>&", "\x00\x01\t\n\r\x1f\x7f", "µs → ∞ 𝄞", "\u2028\u2029", "a\xff\xfeb\xed\xa0\x80"} {
		text := Append([]byte("x"), s)
		var back string
		if err := json.Unmarshal(text[1:], &back); err != nil || back != strings.ToValidUTF8(s, "\ufffd") && len([]rune(back)) != len([]rune(s)) {
			t.Errorf("%q becomes %s, read as %q, %v", s, text, back, err)
		}
	}
}
