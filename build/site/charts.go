package main

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path"
	"path/filepath"

	"github.com/evanw/esbuild/pkg/api"

	"spillway/build/tree"
)

// addCharts bundles the parts of ECharts that build/site/echarts.mjs names.
func (s site) addCharts(ctx context.Context) error {
	if err := installPackages(ctx, "build"); err != nil {
		return err
	}
	dir, err := filepath.Abs("build")
	if err != nil {
		return err
	}
	r := api.Build(api.BuildOptions{
		EntryPoints:       []string{"build/site/echarts.mjs"},
		Bundle:            true,
		MinifyWhitespace:  true,
		MinifyIdentifiers: true,
		MinifySyntax:      true,
		Format:            api.FormatIIFE,
		Target:            api.ES2022,
		Outfile:           filepath.Join(dir, "out", "echarts.js"),
		LegalComments:     api.LegalCommentsLinked,
	})
	for _, m := range r.Errors {
		return errors.New(m.Text)
	}
	for _, f := range r.OutputFiles {
		if err := tree.Add(s, path.Base(filepath.ToSlash(f.Path)), f.Contents); err != nil {
			return err
		}
	}
	return nil
}

// installPackages runs npm ci in dir, unless the last run installed the same
// lock file. Install scripts never run; what only tests need is left to them (make
// harness).
func installPackages(ctx context.Context, dir string) error {
	lock, err := os.ReadFile(filepath.Join(dir, "package-lock.json"))
	if err != nil {
		return err
	}
	mark := filepath.Join(dir, "node_modules", ".installed-lock.json")
	if done, err := os.ReadFile(mark); err == nil && bytes.Equal(done, lock) {
		return nil
	}
	npm, err := exec.LookPath("npm")
	if err != nil {
		return fmt.Errorf("npm, which fetches the chart library, was not found: install Node.js 20 or newer (%w)", err)
	}
	if _, err := run(ctx, nil, npm, "--prefix", dir, "ci", "--omit=dev", "--ignore-scripts", "--no-audit", "--no-fund", "--loglevel=error"); err != nil {
		return err
	}
	return os.WriteFile(mark, lock, 0o644)
}
