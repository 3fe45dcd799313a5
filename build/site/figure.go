package main

import (
	"bytes"
	"errors"
	"fmt"

	"github.com/andybalholm/brotli"
	"github.com/evanw/esbuild/pkg/api"
)

// component is the script of <spill-figure>, which pages of others load, and
// maxComponent the most that it may weigh with brotli.
const (
	component    = "spill-figure.js"
	maxComponent = 5_000
)

// addComponent makes the component's script small. Its comments stay in public/.
func (s site) addComponent() error {
	r := api.Transform(string(s[component]), api.TransformOptions{
		MinifyWhitespace:  true,
		MinifyIdentifiers: true,
		MinifySyntax:      true,
		Target:            api.ES2022,
		Banner:            "// Spillway's <spill-figure>; Apache-2.0; how to use it and its readable source: see the project.",
	})
	for _, m := range r.Errors {
		return errors.New(m.Text)
	}
	var b bytes.Buffer
	w := brotli.NewWriterLevel(&b, brotli.BestCompression)
	if _, err := w.Write(r.Code); err != nil {
		return err
	}
	if err := w.Close(); err != nil {
		return err
	}
	if b.Len() > maxComponent {
		return fmt.Errorf("%s has %d bytes with brotli, more than %d", component, b.Len(), maxComponent)
	}
	s[component] = r.Code
	return nil
}
