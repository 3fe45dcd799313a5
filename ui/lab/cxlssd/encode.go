//go:build !lean

package cxlssd

import "encoding/json"

// encode returns a result as JSON.
func encode(r *result) ([]byte, error) { return json.MarshalIndent(r.Result, "", "  ") }
