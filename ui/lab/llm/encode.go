//go:build !lean

package llm

import "encoding/json"

// encode returns a result as JSON.
func encode(r *result) ([]byte, error) { return json.MarshalIndent(outcomeOf(r.Result), "", "  ") }
