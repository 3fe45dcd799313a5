// Site assembles the static site: it compiles the page's program and one program
// for each laboratory to WebAssembly, asks the laboratories for their
// descriptions, computes and draws what the page opens on, bundles the charts from the packages in build/package-lock.json,
// makes pages of the documents, adds the files of public/ and writes everything to one folder that any file
// host can serve. Run it from the repository root; the Makefile does.
//
// Parts that do not need each other are made side by side, and what is compressed is
// kept in build/out/compressed, so that no content is compressed twice.
//
// With -compress every text-like file gets a .br and a .gz beside it, and the
// programs' sizes are held against those that are recorded. With -offline the site is also
// packed in two ways that need no host of its own, a zip and a single HTML file,
// both in build/out; -compress does that, too, and puts the single file into the
// site. With -if-changed nothing is done when the last build had the same sources.
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"os"
	"time"

	"spillway/build/tree"
)

func main() {
	var b build
	flag.StringVar(&b.Out, "out", "dist", "folder to write the site to")
	flag.BoolVar(&b.Compress, "compress", false, "add .br and .gz files, best quality")
	flag.BoolVar(&b.Offline, "offline", false, "also write the zip and the single file of the site")
	flag.StringVar(&b.Origin, "origin", "", "address at which the site will be; pages of figures then have oEmbed and cards, which need whole addresses")
	flag.BoolVar(&b.ifChanged, "if-changed", false, "do nothing if the last build was of the same sources and all that it wrote is still there")
	sources := flag.Bool("sources", false, "only write the sources of the laboratories' programs, for tools that read all code")
	flag.BoolVar(&b.record, "record", false, "with -compress: write what the programs weigh into "+sizesFile)
	heavy := flag.String("weigh", "", "only list what the code of a program weighs by package; as llm, files, app or spillway")
	flag.Parse()
	run := b.run
	switch {
	case *sources:
		run = writeSources
	case *heavy != "":
		run = func() error { return weighProgram(os.Stdout, *heavy) }
	}
	if err := run(); err != nil {
		fmt.Fprintln(os.Stderr, "site:", err)
		os.Exit(1)
	}
}

// A build is what is asked for.
type build struct {
	wanted
	ifChanged bool
	record    bool // write sizesFile
	say       *progress
	packer    *packer
}

// run builds the site, unless it is there already.
func (b *build) run() error {
	var err error
	if b.Origin, err = origin(b.Origin); err != nil {
		return err
	}
	b.Offline = b.Offline || b.Compress
	say, end := newProgress()
	defer end()
	b.say, b.packer = say, newPacker(kept)
	start := time.Now()
	before, err := b.sources()
	if err != nil {
		return err
	}
	if b.ifChanged {
		why := b.stale(stampFile, before)
		if why == "" {
			say.say("%s is up to date (inputs unchanged); without -if-changed it is built anew", b.Out)
			return nil
		}
		say.say("building, because %s", why)
	}
	if err := b.assemble(context.Background()); err != nil {
		return err
	}
	if err := b.stamp(stampFile, before); err != nil {
		return err
	}
	say.say("%s is complete (%.1f s)", b.Out, time.Since(start).Seconds())
	return nil
}

// assemble builds all parts and then writes them, so that a failed build
// leaves the last good site alone.
func (b *build) assemble(ctx context.Context) error {
	s := site{}
	if err := s.addPublic(); err != nil {
		return fmt.Errorf("public: %w", err)
	}
	code, shown, err := b.parts(ctx, s)
	if err != nil {
		return err
	}
	sources, err := tree.Hash(".")
	if err != nil {
		return err
	}
	err = b.say.do("drawing the figures", func() error {
		if err := errors.Join(s.addHashes(), s.addVersion(sources)); err != nil {
			return err
		}
		if err := s.addLandings(shown, b.Origin); err != nil { // they name the version
			return fmt.Errorf("figures: %w", err)
		}
		return s.addCacheList() // last: it lists the others
	})
	if err != nil {
		return err
	}
	if err := b.compress(s, code); err != nil {
		return err
	}
	if b.Offline {
		file, err := s.offline(code, b.packer, b.say)
		if err != nil {
			return fmt.Errorf("without a host: %w", err)
		}
		if b.Compress {
			s[single] = file
		}
		if err := b.packer.prune(); err != nil {
			return err
		}
	}
	return b.say.do("writing "+b.Out, func() error { return b.write(s) })
}

// parts adds to the site what needs no other part, or only few, side by side: the
// compiler is one of several. It returns the program of the single file and what the
// presets show.
func (b *build) parts(ctx context.Context, s site) (code []byte, shown []shown, err error) {
	if err := writeSources(); err != nil {
		return nil, nil, err
	}
	programs := list()
	if b.Offline {
		one, err := everything(s.icon())
		if err != nil {
			return nil, nil, err
		}
		programs = append(programs, one)
	}
	compiled, charts, rest := site{}, site{}, site{}
	err = together(ctx,
		func(ctx context.Context) error {
			said := b.say.begin(fmt.Sprintf("compiling %d programs", len(programs)), len(programs))
			made, err := compile(ctx, programs, said)
			if err != nil {
				return fmt.Errorf("programs: %w", err)
			}
			said.end()
			code = made[singleProgram]
			delete(made, singleProgram)
			return compiled.addPrograms(ctx, made)
		},
		func(ctx context.Context) error {
			return b.say.do("bundling the charts, collecting licenses", func() error {
				if err := charts.addCharts(ctx); err != nil {
					return fmt.Errorf("charts: %w", err)
				}
				if err := charts.addLicenses(ctx); err != nil {
					return fmt.Errorf("licenses: %w", err)
				}
				return nil
			})
		},
		func(ctx context.Context) error {
			err := b.say.do("running and drawing the first screen", func() error {
				for _, add := range []func() error{s.addSmall, s.addLabs, s.addFirst, s.addPapers, s.addCards} {
					if err := add(); err != nil {
						return fmt.Errorf("first screen: %w", err)
					}
				}
				return nil
			})
			if err != nil {
				return err
			}
			if err := b.say.do("writing the documents", func() error { return s.addDocuments(".") }); err != nil {
				return fmt.Errorf("documents: %w", err)
			}
			if err := b.say.do("writing the schemas", rest.addSchemas); err != nil {
				return fmt.Errorf("schemas: %w", err)
			}
			if err := rest.addRenderer(ctx); err != nil {
				return fmt.Errorf("renderer script: %w", err)
			}
			all, err := showPresets(ctx, b.say)
			if err != nil {
				return fmt.Errorf("figures: %w", err)
			}
			shown = all
			return nil
		},
	)
	if err != nil {
		return nil, nil, err
	}
	return code, shown, errors.Join(tree.Join(s, compiled), tree.Join(s, charts), tree.Join(s, rest))
}

// compress makes all that has to be compressed.
func (b *build) compress(s site, code []byte) error {
	if !b.Offline {
		return nil
	}
	inside := s.inside(code)
	tasks := append(s.tasks(b.Compress), inside.tasks(false)...)
	said := b.say.begin(fmt.Sprintf("compressing %d files", len(s)), 0)
	said.share = true
	for _, t := range tasks {
		said.total += t.cost()
	}
	if err := b.packer.packAll(tasks, said); err != nil {
		return err
	}
	said.end()
	return nil
}

// write writes the site with the copies that are asked for.
func (b *build) write(s site) error {
	if err := s.write(b.Out); err != nil {
		return err
	}
	if !b.Compress {
		return nil
	}
	if err := s.compress(b.Out, b.packer); err != nil {
		return err
	}
	is, err := sizes(b.Out, programNames())
	if err != nil {
		return err
	}
	first, err := sizes(b.Out, firstVisit())
	if err != nil {
		return err
	}
	if b.record {
		if err := os.WriteFile(sizesFile, []byte(record(is)), 0o644); err != nil {
			return err
		}
	}
	text, err := os.ReadFile(sizesFile)
	if err != nil {
		return err
	}
	was, err := recorded(string(text))
	if err != nil {
		return err
	}
	return errors.Join(weigh(is, was, b.say), weighFirst(first, b.say))
}
