package compress

import "spillway/sim/compress/buddy"

// A tensor is what was measured of one tensor of a file.
type tensor struct {
	Name    string `json:"name" help:"as the file has it"`
	Type    string `json:"dtype" help:"of its elements, as NumPy calls it; empty if unknown"`
	Bytes   int64  `json:"bytes" help:"in memory"`
	Entries int64  `json:"entries" help:"of 128 bytes, the last one filled up with zeros, that were compressed: all with exact=yes, else a sample"`
	Bits    int64  `json:"bits" help:"of these entries: sum of the lengths of their Bit-Plane Compression bitstreams, each as it is even where it is longer than an entry"`
	// Sectors counts the entries that take 0 (all zeros) to 4 sectors of 32 bytes.
	Sectors [5]int64 `json:"sectors" help:"of these entries, how many take 0 (all bytes are zero), 1, 2, 3 and 4 sectors of 32 bytes"`
	// Error is the standard error of the share of entries that take 4 sectors, in
	// thousandths, between the pages of a sample; 0 if all were compressed.
	Error  int64    `json:"standard_error_thousandths" help:"of the share of entries that take 4 sectors, between the pages of a sample; 0 if all were compressed"`
	Errors [3]int64 `json:"-"` // the same of the shares that overflow at 1.33x, 2x and 4x
}

// A written is a result as JSON has it. Names and meanings are stable.
type written struct {
	Programs []writtenProgram `json:"programs" help:"what was compressed; of an opened file it is the only one"`
	Tensors  []tensor         `json:"tensors,omitempty" help:"of an opened file, as the allocations of its program; missing without one"`
	Script   *writtenScript   `json:"script,omitempty" help:"what somebody wrote, and what it was asked; missing of all other designs"`
	GaveUp   string           `json:"gave_up,omitempty" help:"why there are no programs, where that asked for too much"`
}

type writtenScript struct {
	Title      string   `json:"title" help:"as the text has it, or empty"`
	SHA256     string   `json:"sha256" help:"of the text"`
	Text       string   `json:"text" help:"of the policy, with @ between its lines"`
	Future     bool     `json:"future" help:"it reads what nobody can know who has to decide"`
	Asked      int64    `json:"asked" help:"questions"`
	Candidates int64    `json:"candidates" help:"in all questions"`
	Work       int64    `json:"work" help:"operations, and numbers that were read"`
	Notes      []string `json:"notes,omitempty" help:"what is allowed and perhaps not meant"`
}

type writtenProgram struct {
	Program     string              `json:"program" help:"its name, or the file's"`
	Bytes       int64               `json:"bytes" help:"uncompressed, in whole entries"`
	Device      int64               `json:"device_bytes" help:"slots of all entries in GPU memory"`
	Buddy       int64               `json:"buddy_bytes" help:"reserved in the buddy memory"`
	Metadata    int64               `json:"metadata_bytes" help:"4 bits for every entry, in GPU memory besides the slots"`
	Ratio       float64             `json:"ratio" help:"bytes / device_bytes"`
	Optimistic  float64             `json:"optimistic_ratio" help:"the ratio if every entry could have one of eight sizes, without slots; 0 if all bytes are zero"`
	Overflow    float64             `json:"buddy_access_share" help:"of accesses, from 0 to 1: those to entries that do not fit into their slots, if all entries are accessed alike"`
	Remote      float64             `json:"buddy_entry_share" help:"how much of an entry comes from the buddy memory, in the mean over accesses; 1 is all of it"`
	Local       float64             `json:"device_entry_share" help:"how much of an entry comes from GPU memory, in the mean over accesses"`
	Whole       float64             `json:"uncompressed_entry_share" help:"how much of an entry would come without compression: 1, or less with random accesses"`
	Hits        float64             `json:"metadata_hit_share" help:"of accesses, from 0 to 1: those whose metadata is in the cache; 0 without metadata"`
	Time        writtenTime         `json:"time" help:"each part relative to the whole time on a GPU that holds everything uncompressed"`
	Allocations []writtenAllocation `json:"allocations" help:"each with its own target"`
}

type writtenTime struct {
	GPU      float64 `json:"gpu" help:"computing, and compressed traffic to GPU memory"`
	Metadata float64 `json:"metadata" help:"lines of metadata that the cache did not have"`
	Buddy    float64 `json:"buddy" help:"traffic to the buddy memory"`
}

type writtenAllocation struct {
	Name   string       `json:"name" help:"as the suite or the file has it"`
	Bytes  int64        `json:"bytes" help:"uncompressed"`
	Target buddy.Target `json:"target" help:"1x, 1.33x, 2x, 4x or 16x: an entry of 128 bytes has a slot of 128, 96, 64, 32 or 8 bytes"`
}
