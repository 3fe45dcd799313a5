package prose

import (
	"strings"
	"testing"
)

func TestAmong(t *testing.T) {
	many := []string{"resnet-50", "bert-base", "bert-large", "llama-3-8b", "llama-3.2-1b", "b1", "b2", "b3", "b4", "b5", "b6", "b7", "b8", "b9", "c1", "c2", "c3"}
	for _, x := range []struct {
		got   string
		names []string
		want  string
	}{
		{"x", []string{"a", "b"}, "there are a, b"},
		{"bert-256", many, "of 17 the most alike are bert-base, bert-large, "},
		{"Llama-3", many, "of 17 the most alike are llama-3-8b, llama-3.2-1b, "},
		{"resnet50", many, "of 17 the most alike are resnet-50, "},
	} {
		if got := Among(x.got, x.names); !strings.HasPrefix(got, x.want) {
			t.Errorf("Among(%q): %s, want %s", x.got, got, x.want)
		}
	}
}

func TestProse(t *testing.T) {
	for _, x := range []struct{ got, want string }{
		{Capital(""), ""},
		{Capital("two"), "Two"},
		{Capital("ähnlich"), "Ähnlich"},
		{Lower(""), ""},
		{Lower("Host memory"), "host memory"},
		{Lower("SSD"), "SSD"},
		{Lower("X"), "X"},
		{Lower("ZeRO moves"), "ZeRO moves"},
		{Lower("Drive of NVMe"), "drive of NVMe"},
		{List(nil), ""},
		{List([]string{"a"}), "a"},
		{List([]string{"a", "b"}), "a and b"},
		{List([]string{"a", "b", "c"}), "a, b and c"},
		{Sentences([]string{"no.", "it is"}), "No. It is."},
		{Percent(0.1234), "12.3 %"},
		{Signed(0.1234), "+12.3 %"},
		{Signed(-0.1234), "−12.3 %"},
		{Signed(0.0004), "none"},
		{Signed(-0.0004), "none"},
		{Percent(Less(64, 95)), "32.6 %"}, // a fall from 95 to 64
		{Percent(More(95, 64)), "48.4 %"}, // a rise from 64 to 95
		{Percent(Less(52, 100)), "48.0 %"},
		{Signed(Less(150, 100)), "−50.0 %"},
		{Grouped(0), "0"},
		{Grouped(-123), "-123"},
		{Grouped(-1234), "-1\u202f234"},
		{Grouped(int64(1234567)), "1\u202f234\u202f567"},
		{ThreeDigits(0), "0"},
		{ThreeDigits(0.0001), "under 0.001"},
		{ThreeDigits(0.1234), "0.123"},
		{ThreeDigits(1.234), "1.23"},
		{ThreeDigits(12.34), "12.3"},
		{ThreeDigits(1234.5), "1\u202f235"},
		{Count(1, "line"), "1 line"},
		{Count(int64(1200), "line"), "1\u202f200 lines"},
		{Count(0, "line"), "0 lines"},
		{Bytes(0), "nothing"},
		{Bytes(12), "12 B"},
		{Bytes(1234), "1.23 kB"},
		{Bytes(12.3e6), "12.3 MB"},
		{Bytes(1.5e9), "1.50 GB"},
		{Bytes(1.5e12), "1.50 TB"},
	} {
		if x.got != x.want {
			t.Errorf("%q; want %q", x.got, x.want)
		}
	}
}
