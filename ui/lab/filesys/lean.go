//go:build lean

package filesys

import "spillway/ui/lab"

// The lean program writes nothing; the page asks the whole one when results go.

func exports() []format { return nil }

func encode(*result) ([]byte, error) { return nil, errNoFiles }

// Words, the picture, the tour and help are in what the page knows of the
// laboratory.

func picture() *lab.Picture { return nil }

func glossary() []lab.Term { return nil }

func tour() []lab.Stop { return nil }

func help() []lab.Help { return nil }
