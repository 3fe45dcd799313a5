//go:build !lean

package filesys

import "encoding/json"

// encode returns a result as JSON.
func encode(r *result) ([]byte, error) { return json.MarshalIndent(r.Result, "", "  ") }
