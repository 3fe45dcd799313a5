package compress

// A tensor is what was measured of one tensor of a file.
type tensor struct {
	Name    string `json:"name"`
	Type    string `json:"dtype"`
	Bytes   int64  `json:"bytes"`
	Entries int64  `json:"entries"` // that were compressed
	Bits    int64  `json:"bits"`    // sum of the lengths of their bitstreams
	// Sectors counts the entries that take 0 (all zeros) to 4 sectors of 32 bytes.
	Sectors [5]int64 `json:"sectors"`
	// Error is the standard error of the share of entries that take 4 sectors, in
	// thousandths, between the pages of a sample; 0 if all were compressed.
	Error int64 `json:"standard_error_thousandths"`
}
