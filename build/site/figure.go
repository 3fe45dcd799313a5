package main

import (
	"bytes"
	"errors"
	"fmt"

	"github.com/andybalholm/brotli"
	"github.com/evanw/esbuild/pkg/api"
)

// component is the script of <spill-figure>, which pages of others load, timelineScript that of a
// view, which comes when somebody opens it, timelineFiles that of what
// is saved of it, and chartLibrary what charts are drawn with, once one is in sight.
const (
	component      = "spill-figure.js"
	timelineScript = "timeline.js"
	timelineFiles  = "timeline-files.js"
	versionsScript = "versions.js" // offers other versions of the site
	chartLibrary   = "echarts.js"
)

// small are the scripts that are made small, and the most that each may weigh with brotli.
var small = []struct {
	name, banner string
	most         int
}{
	{component, "// Spillway's <spill-figure>; Apache-2.0; how to use it and its readable source: see the project.", 5_000},
	{timelineScript, "", 12_000},
	{timelineFiles, "", 3_000},
}

// addSmall makes scripts small. Their comments stay in public/.
func (s site) addSmall() error {
	for _, x := range small {
		r := api.Transform(string(s[x.name]), api.TransformOptions{
			MinifyWhitespace:  true,
			MinifyIdentifiers: true,
			MinifySyntax:      true,
			Target:            api.ES2022,
			Banner:            x.banner,
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
		if b.Len() > x.most {
			return fmt.Errorf("%s has %d bytes with brotli, more than %d", x.name, b.Len(), x.most)
		}
		s[x.name] = r.Code
	}
	return nil
}
