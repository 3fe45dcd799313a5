// Hashes reads jobs, one JSON object a line, runs them natively and prints the
// hash of each result. The browser test compares them with the page's workers.
package main

import (
	"bufio"
	"fmt"
	"os"

	"spillway/traces/jsonx"
	"spillway/ui/job"
)

func main() {
	if err := hashes(); err != nil {
		fmt.Fprintln(os.Stderr, "hashes:", err)
		os.Exit(1)
	}
}

func hashes() error {
	b := &job.Bench{}
	lines := bufio.NewScanner(os.Stdin)
	for lines.Scan() {
		var j job.Job
		if err := jsonx.Unmarshal(lines.Bytes(), &j); err != nil {
			return err
		}
		j.Hash = true
		a := b.Do(j, nil)
		if a.Error != "" {
			return fmt.Errorf("job %d: %s", j.ID, a.Error)
		}
		fmt.Println(a.Hash)
	}
	return lines.Err()
}
