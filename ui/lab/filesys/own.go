package filesys

import (
	"strings"

	core "spillway/sim/filesys"
	"spillway/sim/filesys/machine"
	"spillway/sim/prose"
)

// tableSays is what the table of Yours means for a power failure, empty of other systems.
func tableSays(r *result) []string {
	if r.System != core.Own {
		return nil
	}
	t := r.setup.Table
	var torn []string
	for _, call := range []string{"create", "delete", "rename", "truncate"} {
		for _, c := range machine.Cells() {
			if c.Call == call && t.In(c.Key()) {
				torn = append(torn, call)
				break
			}
		}
	}
	if len(torn) == 0 {
		return []string{"By Yours' table every change of names and inodes is in a transaction, which is there after a power failure, or not."}
	}
	says := "By Yours' table a power failure may leave a part of " + prose.List(torn) + ": what goes by blocks is in no transaction."
	if t.In("dentry.rename") || t.In("inode.rename") {
		says += " A rename over a file may leave neither of the two."
	}
	return []string{strings.TrimSpace(says)}
}
