package knob

import (
	"math/rand/v2"
	"strings"
	"testing"
)

func TestDecimal(t *testing.T) {
	for _, tt := range []struct {
		value, scale int64
		text         string
	}{
		{0, 1, "0"},
		{7, 1, "7"},
		{-7, 1, "-7"},
		{15754e6, 1e9, "15.754"},
		{3200e6, 1e9, "3.2"},
		{814, 1e9, "0.000000814"},
		{1, 1e9, "0.000000001"},
		{-1, 1000, "-0.001"},
		{1500, 1000, "1.5"},
		{40 << 30, 1 << 30, "40"},
		{3 << 29, 1 << 30, "1.5"},
		{16 << 20, 1 << 30, "0.015625"},
		{26091926323, 1 << 30, "24.3"},
		{1, 1 << 30, "0.000000001"},
		{1<<63 - 1, 1, "9223372036854775807"},
	} {
		if got := Decimal(tt.value, tt.scale); got != tt.text {
			t.Errorf("Decimal(%d, %d) = %q, want %q", tt.value, tt.scale, got, tt.text)
		}
		got, err := ParseDecimal(tt.text, tt.scale)
		if tt.value == 1<<63-1 {
			continue // more digits than the parser keeps
		}
		if err != nil || got != tt.value {
			t.Errorf("ParseDecimal(%q, %d) = %d, %v; want %d", tt.text, tt.scale, got, err, tt.value)
		}
	}
}

func TestParseDecimal(t *testing.T) {
	for _, tt := range []struct {
		text  string
		scale int64
		want  int64
	}{
		{" 40 ", 1, 40},
		{"+1", 1, 1},
		{"-1.5", 10, -15},
		{"1.", 1, 1},
		{".5", 10, 5},
		{"007", 1, 7},
		{"8.14e-7", 1e9, 814},
		{"1E3", 1, 1000},
		{"1e-30", 1000, 0},
		{"0.0005", 1000, 1},
		{"0.00049999", 1000, 0},
		{"50.0", 1, 50},
		{"2.5e1", 1, 25},
		{"0.1", 1 << 30, 107374182},
		{"32.00000000000000000000001", 1e9, 32e9},
		{"0", 1e9, 0},
	} {
		if got, err := ParseDecimal(tt.text, tt.scale); err != nil || got != tt.want {
			t.Errorf("ParseDecimal(%q, %d) = %d, %v; want %d", tt.text, tt.scale, got, err, tt.want)
		}
	}
	for text, want := range map[string]string{
		"":                        "enter a number",
		"  ":                      "enter a number",
		"x":                       `"x" is not a number; use digits with a decimal point, like 15.754`,
		"1,5":                     `"1,5" is not a number; use digits with a decimal point, like 15.754`,
		"1.2.3":                   `"1.2.3" is not a number; use digits with a decimal point, like 15.754`,
		"-":                       `"-" is not a number; use digits with a decimal point, like 15.754`,
		".":                       `"." is not a number; use digits with a decimal point, like 15.754`,
		"e5":                      `"e5" is not a number; use digits with a decimal point, like 15.754`,
		"1e":                      `"1e" is not a number; use digits with a decimal point, like 15.754`,
		"1e99":                    `"1e99" is too large`,
		"NaN":                     `"NaN" is not a number; use digits with a decimal point, like 15.754`,
		"0x10":                    `"0x10" is not a number; use digits with a decimal point, like 15.754`,
		"1e30":                    `"1e30" is too large`,
		"99999999999999999999999": `"99999999999999999999999" is too large`,
	} {
		if got, err := ParseDecimal(text, 1e9); err == nil || err.Error() != want {
			t.Errorf("ParseDecimal(%q) = %d, %v; want error %q", text, got, err, want)
		}
	}
	for _, text := range []string{"2.5", "0.0000001", "1e-30", "12345.6789e2"} {
		if got, err := ParseDecimal(text, 1); err == nil || !strings.Contains(err.Error(), "not a whole number") {
			t.Errorf("ParseDecimal(%q, 1) = %d, %v; want an error: it is no whole number", text, got, err)
		}
	}
}

// What Decimal prints is read back as it was.
func TestDecimalRoundTrip(t *testing.T) {
	r := rand.New(rand.NewPCG(3, 4))
	for range 20000 {
		scale := []int64{1, 1000, 1e6, 1e9, 1 << 30}[r.IntN(5)]
		v := r.Int64N(1e17) >> r.IntN(50)
		if r.IntN(2) == 0 {
			v = -v
		}
		text := Decimal(v, scale)
		if got, err := ParseDecimal(text, scale); err != nil || got != v {
			t.Fatalf("%d / %d prints %q and reads %d, %v", v, scale, text, got, err)
		}
	}
}

type settings struct{ size, rate int64 }

func knobs() []Knob[settings] {
	return []Knob[settings]{
		Int(Info{Key: "size", Label: "Size", Unit: "GiB", Scale: 1 << 30, Min: 1 << 30, Max: 4 << 30}, func(s *settings) *int64 { return &s.size }),
		Int(Info{Key: "rate", Label: "Rate", Scale: 1, Min: 1, Max: 9}, func(s *settings) *int64 { return &s.rate }),
	}
}

func TestParse(t *testing.T) {
	s := settings{size: 2 << 30, rate: 1}
	k := knobs()[0]
	if err := k.Parse(&s, "2.5"); err != nil || s.size != 5<<29 || k.Text(&s) != "2.5" {
		t.Errorf("size is %d (%s), %v", s.size, k.Text(&s), err)
	}
	for text, want := range map[string]string{
		"5":    "Size is 5 GiB; want 1 to 4",
		"-1":   "Size is -1 GiB; want 1 to 4",
		"many": `Size: "many" is not a number; use digits with a decimal point, like 15.754`,
	} {
		if err := k.Parse(&s, text); err == nil || err.Error() != want {
			t.Errorf("Parse(%q): %v; want %q", text, err, want)
		}
	}
	if s.size != 5<<29 {
		t.Errorf("an error changed the value to %d", s.size)
	}
}

func TestCheckAll(t *testing.T) {
	if err := CheckAll(knobs(), &settings{1 << 30, 9}); err != nil {
		t.Error(err)
	}
	err := CheckAll(knobs(), &settings{0, 10})
	if want := "Size is 0 GiB; want 1 to 4\nRate is 10; want 1 to 9"; err == nil || err.Error() != want {
		t.Errorf("got %v, want %q", err, want)
	}
	if strings.Contains(err.Error(), "  ") {
		t.Error("stray blank")
	}
}

// A number that may be left to something else is within its ends, or that.
func TestZero(t *testing.T) {
	size := struct{ image int64 }{}
	k := Int(Info{Key: "image", Label: "Image size", Unit: "pixels", Scale: 1, Min: 32, Max: 2048, Zero: "as usual"}, func(s *struct{ image int64 }) *int64 { return &s.image })
	for text, want := range map[string]string{
		"0": "", "32": "", "2048": "",
		"1": "Image size is 1 pixels; want 32 to 2048", "-1": "Image size is -1 pixels; want 32 to 2048", "4096": "Image size is 4096 pixels; want 32 to 2048",
	} {
		got := ""
		v, err := k.Measure(text)
		if err == nil {
			k.Set(&size, v)
			err = k.Check(&size)
		}
		if err != nil {
			got = err.Error()
		}
		if got != want {
			t.Errorf("%s: got %q, want %q", text, got, want)
		}
		if _, err := k.Canon(text); (err == nil) != (want == "") {
			t.Errorf("%s as text: %v", text, err)
		}
	}
}

// What is too large to count says what may be asked for.
func TestTooLarge(t *testing.T) {
	k := &Knob[int64]{Info: Info{Key: "memory", Label: "Memory", Kind: Number, Unit: "GiB", Scale: 1 << 30, Min: 0, Max: 8 << 40}, Get: func(v *int64) int64 { return *v }, Set: func(s *int64, v int64) { *s = v }}
	const want = `Memory: "1e12" is too large; want 0 to 8192`
	var v int64
	if err := k.Parse(&v, "1e12"); err == nil || err.Error() != want {
		t.Error(err)
	}
	if _, err := k.Canon("1e12"); err == nil || err.Error() != want {
		t.Error(err)
	}
}
