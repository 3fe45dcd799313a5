// Site assembles the static site: it compiles the page's program and one program
// for each laboratory to WebAssembly, asks the laboratories for their
// descriptions, computes and draws what the page opens on, bundles the charts from the packages in build/package-lock.json,
// adds the files of public/ and writes everything to one folder that any file
// host can serve. Run it from the repository root; the Makefile does.
//
// With -compress every text-like file gets a .br and a .gz beside it, and the
// programs' sizes are held against the limits. With -offline the site is also
// packed in two ways that need no host of its own, a zip and a single HTML file,
// both in build/out; -compress does that, too, and puts the single file into the
// site.
package main

import (
	"flag"
	"fmt"
	"os"
	"time"
)

// The most that compressed programs may weigh: the page's and the first
// laboratory's together, so that a first visit over an ordinary connection stays
// a matter of seconds, and each further laboratory's, which is loaded when it is
// opened.
const (
	maxFirst   = 3_000_000
	maxFurther = 1_100_000
	// A whole program, where there is a lean one: loaded when files are opened or
	// results are saved. The readers of recordings of training jobs are 0.4 MB of
	// the largest; the next format has to fit into the rest.
	maxWhole = 2_800_000
)

func main() {
	out := flag.String("out", "dist", "folder to write the site to")
	compress := flag.Bool("compress", false, "add .br and .gz files, best quality")
	offline := flag.Bool("offline", false, "also write the zip and the single file of the site")
	where := flag.String("origin", "", "address at which the site will be; pages of figures then have oEmbed and cards, which need whole addresses")
	sources := flag.Bool("sources", false, "only write the sources of the laboratories' programs, for tools that read all code")
	flag.Parse()
	if *sources {
		if err := writeSources(); err != nil {
			fmt.Fprintln(os.Stderr, "site:", err)
			os.Exit(1)
		}
		return
	}
	start := time.Now()
	address, err := origin(*where)
	if err == nil {
		err = assemble(*out, address, *compress, *offline || *compress)
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, "site:", err)
		os.Exit(1)
	}
	fmt.Printf("site: %s is complete (%.1f s)\n", *out, time.Since(start).Seconds())
}

// assemble builds all parts and then writes them, so that a failed build
// leaves the last good site alone.
func assemble(out, address string, compress, offline bool) error {
	s := site{}
	steps := []struct {
		name string
		run  func(site) error
	}{
		{"public", site.addPublic},
		{"component", site.addComponent},
		{"programs", site.addPrograms},
		{"laboratories", site.addLabs},
		{"first screen", site.addFirst},
		{"schemas", site.addSchemas},
		{"renderer script", site.addRenderer},
		{"charts", site.addCharts},
		{"licenses", site.addLicenses},
		{"hashes", site.addHashes},
		{"version", site.addVersion},
		{"figures", func(s site) error { return s.addLandings(address) }}, // they name the version
		{"offline cache", site.addCacheList},                              // last: it lists the others
	}
	for _, step := range steps {
		if err := step.run(s); err != nil {
			return fmt.Errorf("%s: %w", step.name, err)
		}
	}
	if offline {
		file, err := s.offline()
		if err != nil {
			return fmt.Errorf("without a host: %w", err)
		}
		if compress {
			s[single] = file
		}
	}
	if err := s.write(out); err != nil {
		return err
	}
	if !compress {
		return nil
	}
	return s.compress(out)
}
