package main

import (
	"crypto/sha256"
	"encoding/base64"
	"fmt"
	"strings"
)

// wheelParts are the contents of the wheel: the one file that people import, and the command as
// WebAssembly for computers without the native one.
type wheelParts struct{ script, program, starter, license, licenses []byte }

// wheelName is how the wheel of a version is called: for every Python 3 on every platform.
func wheelName(release string) string { return "spillway-" + release + "-py3-none-any.whl" }

// metadata describes the wheel to installers (core metadata 2.1).
const metadata = `Metadata-Version: 2.1
Name: spillway
Version: %s
Summary: Simulators of memory that spills out of GPUs: runs, sweeps and live figures
License: Apache-2.0
Classifier: License :: OSI Approved :: Apache Software License
Classifier: Programming Language :: Python :: 3
Classifier: Framework :: Jupyter
Requires-Python: >=3.9
Provides-Extra: tables
Requires-Dist: pandas; extra == 'tables'
Provides-Extra: widget
Requires-Dist: anywidget; extra == 'widget'
Description-Content-Type: text/plain

%s
`

// pythonWheel packs a wheel: a zip whose RECORD has the hash of every file (PEP 427).
func pythonWheel(release string, p wheelParts) ([]byte, error) {
	packed, err := gzipped(p.program)
	if err != nil {
		return nil, err
	}
	about, err := docstring(p.script)
	if err != nil {
		return nil, err
	}
	info := "spillway-" + release + ".dist-info/"
	entries := []entry{
		{"spillway.py", p.script, 0o644},
		{"spillway_program/spillway.wasm.gz", packed, 0o644},
		{"spillway_program/wasm_exec.js", p.starter, 0o644},
		{info + "LICENSE", p.license, 0o644},
		{info + "METADATA", fmt.Appendf(nil, metadata, release, about), 0o644},
		{info + "WHEEL", []byte("Wheel-Version: 1.0\nGenerator: spillway\nRoot-Is-Purelib: true\nTag: py3-none-any\n"), 0o644},
		{info + "licenses.txt", p.licenses, 0o644},
	}
	var record strings.Builder
	for _, e := range entries {
		s := sha256.Sum256(e.data)
		fmt.Fprintf(&record, "%s,sha256=%s,%d\n", e.name, base64.RawURLEncoding.EncodeToString(s[:]), len(e.data))
	}
	fmt.Fprintf(&record, "%sRECORD,,\n", info)
	return zipped(append(entries, entry{info + "RECORD", []byte(record.String()), 0o644}))
}

// docstring is what a script says of itself at its beginning.
func docstring(script []byte) (string, error) {
	_, after, ok := strings.Cut(string(script), `"""`)
	about, _, end := strings.Cut(after, `"""`)
	if !ok || !end {
		return "", fmt.Errorf("public/spillway.py begins without a docstring")
	}
	return strings.TrimSpace(about), nil
}
