package machine

import "spillway/sim/quirk"

// Accidents of the artifact, as switches. On is what the artifact does.
const (
	FreeBytes   quirk.Set = 1 << iota // byte accesses take no time
	NoData                            // ByteFS' file data make no requests
	NoCommit                          // ByteFS has no transactions
	Inverted                          // a load that the log has reads flash, one that it has not does not
	KeepsLines                        // a block write leaves the lines of its page in the log
	StaleDirty                        // a write miss of the page buffer keeps the dirty flag of what left
	ShortMisses                       // flash accesses that block the byte path are 65 µs shorter
)

// Quirks documents every switch.
var Quirks = quirk.List{
	{Key: "free-bytes", Source: "ByteFS artifact, byte interface", Text: "Loads and stores take no time of the link, only that of the flash they wait for.", Paper: "A line takes 4.8 µs to load and 0.6 µs to store."},
	{Key: "no-data", Source: "ByteFS artifact, branch bytefs, file reads and writes", Text: "ByteFS moves no file data between host and device: the calls that would are commented out.", Paper: "Data go as bytes or blocks."},
	{Key: "no-commit", Source: "ByteFS artifact, branch bytefs", Text: "ByteFS commits nothing: there is no log of transactions and no recovery.", Paper: "COMMIT ends every change of names and every fsync."},
	{Key: "inverted", Source: "ByteFS artifact, log reads", Text: "A load of lines that the log has reads flash, and one of lines that it has not does not. ByteFS loads only for direct reads of at most direct_limit bytes, which no bundled workload makes: there it changes nothing.", Paper: "The log answers what it has, flash the rest."},
	{Key: "keeps-lines", Source: "ByteFS artifact, block writes", Text: "A block write leaves lines of its page in the log, which are merged over it later. It changes something only where a page with lines in the log is written as a block, which the bundled workloads hardly do.", Paper: "It makes them void."},
	{Key: "stale-dirty", Source: "ByteFS artifact, branch baseline, page buffer", Text: "After a write miss a page of the buffer is only as dirty as the one that left, so some programs are lost and some are done twice.", Paper: "It is dirty."},
	{Key: "short-misses", Source: "ByteFS artifact, branch baseline, timing", Text: "Flash accesses that block a load or store are 65 µs shorter, which makes most of them free.", Paper: "They take as long as any other."},
}
