package view

import (
	"strings"

	"spillway/sim/report"
)

// Notes is what the results say that the reader should know.
type Notes struct{ *App }

// noteClass is that of a note: what lacks data is shown as an error.
func noteClass(t string) string {
	if strings.HasPrefix(t, report.Missing) {
		return "error"
	}
	return ""
}
