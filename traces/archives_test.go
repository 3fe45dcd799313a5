package traces

import (
	"slices"
	"strings"
	"testing"

	"spillway/build/artifact"
	"spillway/traces/archive/archivetest"
)

// TestArchives: each of several archives is a recording that has its name; files of one archive
// find those that lie beside it.
func TestArchives(t *testing.T) {
	zipped := func(sample string) []byte {
		data := artifact.Sample(t, sample)
		return archivetest.Zip(t, 1, func(int) (string, []byte) { return "et.json", data })
	}
	a, b := zipped("et/et-1.0.1-own-transformer-cpu.json.gz"), zipped("et/et-1.0.1-own-resblock-cpu.json.gz")
	for _, tt := range []struct {
		files []File
		want  []string
	}{
		{[]File{{Name: "hf.zip", Data: a}}, []string{"hf.zip"}},
		{[]File{{Name: "hf.zip", Data: a}, {Name: "lit.zip", Data: b}}, []string{"hf.zip", "lit.zip"}},
		{[]File{{Name: "et.json", Data: artifact.Sample(t, "et/et-1.0.1-own-resblock-cpu.json.gz")}}, []string{"et.json"}},
	} {
		s, err := Open(tt.files, nil)
		if err != nil {
			t.Fatal(err)
		}
		var got []string
		for _, e := range s.Entries {
			got = append(got, e.Name)
		}
		if !slices.Equal(got, tt.want) {
			t.Errorf("%q; want %q", got, tt.want)
		}
	}
}

// TestSpoiled: a binary file that went through a conversion to text is said to have.
func TestSpoiled(t *testing.T) {
	data := []byte("\x0a\xef\xbf\xbd\x10/device:TPU:0 \xef\xbf\xbd\xef\xbf\xbd\xef\xbf\xbd\xef\xbf\xbd/host:CPU")
	_, err := Open([]File{{Name: "x.xplane.pb", Data: data}}, nil)
	if err == nil || !strings.Contains(err.Error(), "went through a conversion to text") || !strings.Contains(err.Error(), "TPUs") {
		t.Error(err)
	}
}
