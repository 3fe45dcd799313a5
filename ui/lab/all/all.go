// Package all lists the laboratories. Adding one is a package beside this one
// and one line here.
package all

import (
	"fmt"
	"strings"

	"spillway/ui/lab"
	"spillway/ui/lab/compress"
	"spillway/ui/lab/cxlssd"
	"spillway/ui/lab/filesys"
	"spillway/ui/lab/llm"
	"spillway/ui/lab/serve"
	"spillway/ui/lab/store"
	"spillway/ui/lab/train"
)

// An Entry is how a laboratory is entered.
type Entry struct {
	Name    string // stable
	Package string // its folder below ui/lab, from which its program is built
	New     func() lab.Lab
}

// Labs lists the laboratories in the order of the page's tabs. The first stays
// where it is: links that name no laboratory are about it.
var Labs = []Entry{
	{"train", "train", train.New},
	{"store", "store", store.New},
	{"compress", "compress", compress.New},
	{"cxlssd", "cxlssd", cxlssd.New},
	{"filesys", "filesys", filesys.New},
	{"llm", "llm", llm.New},
	{"serve", "serve", serve.New},
}

// Find returns the laboratory with this name.
func Find(name string) (lab.Lab, error) {
	var names []string
	for _, d := range Labs {
		if d.Name == name {
			return d.New(), nil
		}
		names = append(names, d.Name)
	}
	return lab.Lab{}, fmt.Errorf("unknown laboratory %q; there are %s", name, strings.Join(names, ", "))
}
