package script

import "testing"

// Lines end by @ in a joined text, comments but a title are gone, and blanks stand between words.
func TestJoin(t *testing.T) {
	for text, want := range map[string]string{
		"": "", " \n\t\n": "", "# only a title": "#only a title", "\n# no title\na = b": "a=b", "#\n#x\na": "a",
		"# T \r\n\r\na = b  # c @ d = e\nf=g": "#T@a=b@d=e@f=g", "a = (b\n + c)\nd = e": "a=(b+c)@d=e", "a = b if c else d": "a=b if c else d",
		"a = (b) if c else(d)": "a=(b)if c else(d)", "a)\nb": "a)@b", "keep  x\tof y = - 1": "keep x of y=-1", "ä ö": "ä ö", "@@a@@": "a",
		"a = b < = c": "a=b< =c", "a = b ! = c": "a=b! =c", "a = b = = c": "a=b= =c", "a = (b >\n= c)": "a=(b> =c)", "a <= b": "a<=b",
	} {
		got := Join(text)
		if got != want {
			t.Errorf("%q: %q, want %q", text, got, want)
		}
		if again := Join(got); again != got {
			t.Errorf("%q: again %q", got, again)
		}
	}
	if Lines("#T@a=b@c") != "#T\na=b\nc" {
		t.Error(Lines("#T@a=b@c"))
	}
	for text, want := range map[string]string{"#My rule@a=b": "My rule", "a=b": "", "": "", "#T": "T"} {
		if got := Title(text); got != want {
			t.Errorf("%q: title %q, want %q", text, got, want)
		}
	}
}
