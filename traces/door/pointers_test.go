package door

import (
	"testing"

	"spillway/traces/archive"
)

// TestPointers: a pointer of Git LFS is no file; what lies beside it is.
func TestPointers(t *testing.T) {
	const pointer = "version https://git-lfs.github.com/spec/v1\noid sha256:4d7a214614ab2935c943f9e0ff69d22eadbb8f32b1258daaa5e2ca24d17e2393\nsize 4999999999\n"
	files, says := pointers([]archive.Item{{File: File{Name: "m.safetensors", Data: []byte(pointer)}}, {File: File{Name: "x", Data: []byte(pointer[:30])}}})
	want := "m.safetensors is not the file but Git LFS's pointer to it, which has 4.66 GiB: run git lfs pull, or download it from its page."
	if len(files) != 1 || len(says) != 1 || says[0] != want {
		t.Errorf("%d files, %q", len(files), says)
	}
	if _, err := Open([]File{{Name: "m.safetensors", Data: []byte(pointer)}}, "compress", 0); err == nil || err.Error() != want {
		t.Error(err)
	}
}
