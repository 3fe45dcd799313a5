// Package bytefs is the evaluation of the ByteFS paper as data: what it publishes, how
// that is taken from a run, and how its figures are drawn.
//
// # Source
//
// Li, Zhou, Ren, Huang: ByteFS: System Support for (CXL-based) Memory-Semantic Solid-State
// Drives (ASPLOS 2025, arXiv 2501.04993): its abstract,
// and notes that a third party took from the rest of it, which nobody here has compared
// with the paper; and reports of early runs that lie in its artifact. Every file in
// published says where it is from.
//
// # What the comparison is worth
//
// The values of its figures are not public: the notes quote ratios from the text. How it was
// measured decides many of them, and much of that can be read: in the artifact's scripts, in its
// emulated SSD, in the kernel, in Filebench. Everything is computed so (machine.Measured); the figures of the
// switches show every ratio of Filebench with each fact turned over alone, and as facts are added
// one after the other. One number is fitted: the share of fresh pages that differ from what they
// are compared with, to fileserver over Ext4. All others are held out.
//
// Which facts are in was decided by where they can be read, not by what they give: those that
// hold for every file system alike, and those of NOVA and PMFS in the branch that has them. What only the published branch of ByteFS does is shown, and
// not compared.
//
// A mean of workloads is the arithmetic mean of ratios, the paper's word being average.
// Traffic is that of the measured part of a run with what is still to be written at its
// end. Metadata are all structures but data.
//
// A number that is farther off than its limit is a gap; gaps.csv has each with its value,
// and gaps.go the reason.
package bytefs

import (
	"embed"
	"maps"
	"math"
	"strings"

	"spillway/sim/filesys"
	"spillway/sim/filesys/call"
	"spillway/sim/filesys/device"
	"spillway/sim/filesys/plan"
	"spillway/sim/study"
	"spillway/sim/unit"
)

// Tolerance is the relative difference up to which a point agrees that has no limit of
// its own. Up to ClaimTolerance a claim is near.
const (
	Tolerance      = 0.20
	ClaimTolerance = 0.15
)

// The systems of the laboratory that the paper compares.
const (
	byteFS   = "bytefs"
	ext4     = "ext4"
	f2fs     = "f2fs"
	nova     = "nova"
	pmfs     = "pmfs"
	dual     = "bytefs-dual"
	logged   = "bytefs-log"
	selected = "bytefs-select"
)

// systems are in the order of Figures 6 and 12.
var (
	systems = []string{ext4, f2fs, nova, pmfs, byteFS, dual, logged, selected}
	rivals  = []string{ext4, f2fs, nova, pmfs}
	titles  = map[string]string{
		ext4: "Ext4", f2fs: "F2FS", nova: "NOVA", pmfs: "PMFS", byteFS: "ByteFS",
		dual: "ByteFS-Dual", logged: "ByteFS-Log", selected: "ByteFS-Select",
	}
)

// The workloads of the laboratory.
const (
	create     = "create"
	remove     = "delete"
	mkdir      = "mkdir"
	rmdir      = "rmdir"
	stat       = "stat"
	varmail    = "varmail"
	fileserver = "fileserver"
	webproxy   = "webproxy"
	webserver  = "webserver"
	oltp       = "oltp"
)

var (
	micros    = []string{create, remove, mkdir, rmdir, stat}
	macros    = []string{varmail, fileserver, webproxy, webserver, oltp}
	workloads = append(append([]string(nil), micros...), macros...)
	// changing are those whose metadata change much: of stat, webserver and oltp there is
	// next to nothing to reduce.
	changing = []string{create, remove, mkdir, rmdir, varmail, fileserver, webproxy}
	// filling are those that write files and change names: where there are only names,
	// metadata are all that is written, and of oltp ByteFS writes nothing but its log.
	filling = []string{create, varmail, fileserver, webproxy}
	// flashing are those that reach flash at all.
	flashing = []string{create, remove, mkdir, rmdir, varmail, fileserver, webproxy, webserver, oltp}
	stores   = []string{"ycsb-a", "ycsb-b", "ycsb-c", "ycsb-d", "ycsb-e", "ycsb-f"}
)

// The quantities that runs are measured for.
const (
	speed      = "kops"
	readTime   = "read_us"
	readTail   = "read_p99_us"
	metaBytes  = "meta" // bytes of metadata between host and device, a call
	metaReads  = "meta_read"
	metaWrites = "meta_write"
	written    = "written"  // bytes from host to device, a call
	pages      = "flash"    // pages of flash read and programmed, a call
	programs   = "programs" // of them, programmed
	writeAmp   = "write_amp"
	readAmp    = "read_amp"
	writeAll   = "write_all" // all bytes over those of data
	readAll    = "read_all"
	duplicates = "duplicates"
	callTime   = "call_ms" // of a call from its beginning to its answer
	// Accesses, KB between host and device, and pages of flash for each file or directory
	// that is made or removed.
	storesName   = "name_stores"
	loadsName    = "name_loads"
	blockReads   = "name_block_reads"
	blockWrites  = "name_block_writes"
	storeKB      = "name_store_kb"
	loadKB       = "name_load_kb"
	blockReadKB  = "name_block_read_kb"
	blockWriteKB = "name_block_write_kb"
	partial      = "name_log_partial" // loads that the log serves in part
	hits         = "name_log_hits"    // and wholly
	directReads  = "name_direct_reads"
	cleanReads   = "name_clean_reads"
	namePrograms = "name_programs"
	writeShare   = "w_" // before a structure: share of what is written, %
	readShare    = "r_"
	totalShare   = "t_"
	byteWrites   = "bw_" // before a structure: share of its bytes that go byte-wise, %
	byteReads    = "br_"
	writtenBy    = "wk_" // before a structure: KB a call
	readBy       = "rk_"
)

// structures have the laboratory's names of what bytes are of.
var structures = [plan.Structures]struct{ key, name string }{
	plan.Data: {"data", "data"}, plan.Superblock: {"superblock", "superblock"}, plan.BlockBitmap: {"block_bitmap", "block bitmap"},
	plan.InodeBitmap: {"inode_bitmap", "inode bitmap"}, plan.Inode: {"inode", "inode"}, plan.Dentry: {"dentry", "directory entry"},
	plan.Pointer: {"pointer", "data pointer"}, plan.Journal: {"journal", "journal"},
}

// names are what people read.
func names() map[string]string {
	list := map[string]string{
		speed: "throughput", readTime: "mean read latency", readTail: "99 % of reads within",
		metaBytes: "metadata traffic", metaReads: "metadata read", metaWrites: "metadata written", written: "written to the SSD",
		pages: "flash pages read and programmed", programs: "flash pages programmed",
		writeAmp: "write amplification, over what was asked and reached the SSD", readAmp: "read amplification, over what was asked and reached the SSD",
		writeAll: "write amplification, all over data", readAll: "read amplification, all over data",
		duplicates: "pages with a duplicate", callTime: "time of a call", storesName: "stores a name", loadsName: "loads a name",
		directReads: "flash reads for the host a name", cleanReads: "flash reads of cleaning a name", namePrograms: "flash pages programmed a name",
		blockReads: "block reads a name", blockWrites: "block writes a name", blockReadKB: "read in blocks a name", blockWriteKB: "written in blocks a name",
		loadKB: "loaded a name", storeKB: "stored a name", partial: "loads that the log served in part a name", hits: "loads that the log served a name",
		"log_writes": "writes to the log", "log_reads": "reads of the log",
		"recovery": "recovery time", "load": "of it, loading the device's DRAM", "scan": "of it, scanning and flushing the log",
		"lookup": "lookup in the log's index", "index": "size of the log's index", "xor": "comparison of a page",
		"latency_read": "read latency", "latency_write": "write latency", "rate_read": "read rate", "rate_write": "write rate", "price": "price",
		"share_read": "share of pages read", "share_write": "share of pages written",
		"cleanings": "cleanings", "read_interface": "read by bytes", "write_interface": "written by bytes", "read_both": "read by", "write_both": "written by",
	}
	for _, s := range structures {
		list[writeShare+s.key] = s.name + " of what is written"
		list[readShare+s.key] = s.name + " of what is read"
		list[totalShare+s.key] = s.name + " of all traffic"
		list[byteWrites+s.key] = s.name + " written by bytes"
		list[byteReads+s.key] = s.name + " read by bytes"
		list[writtenBy+s.key] = s.name
		list[readBy+s.key] = s.name
	}
	maps.Copy(list, titles)
	return list
}

// Paper returns the ByteFS paper. Every call reads the tables again.
func Paper() *study.Paper {
	points := all()
	return &study.Paper{
		Key: "bytefs", Short: "ByteFS (ASPLOS 2025)",
		Title:   "ByteFS: System Support for (CXL-based) Memory-Semantic Solid-State Drives",
		About:   "Every number of the ByteFS paper that is known: ratios of Figures 6 to 14, Tables 1 to 3, traffic and recovery, and the runs that its artifact ships.",
		Remark:  known,
		Systems: systems, Names: names(),
		Points: points.list, Probes: points.probes,
		Figures: figures(points), Claims: claims(points),
		Tolerance: Tolerance, Rebuilt: Tolerance, ClaimTolerance: ClaimTolerance,
		Fitted:   func(x *study.Point) bool { return x.Quantity == speed && x.Of == fileserver && x.Figure == "6" },
		Standing: "a model: workloads are generated, and the values of the figures are not public",
		Cannot:   "cannot run",
		Why:      why(study.ReadGaps(table("gaps.csv"))),
	}
}

// known says how much is known of the paper.
const known = "The abstract is as published. All other numbers of the paper are from a third party's notes, which quote ratios of its text; they are marked as doubted. Values of its figures are not public. One constant is fitted, to fileserver over Ext4: the share of fresh pages that differ (fresh_share=46); all other numbers are held out, but they were known when the model was made. Runs are as the paper's were, as far as that can be read (device=measured): the figures of the switches have each ratio with every such fact turned over."

// Reader takes from results what the paper publishes.
var Reader = study.Reader[struct{}, *filesys.Result]{Measure: measure}

// measure takes from a result what its points publish.
func measure(points []study.Point, _ study.Values, r *filesys.Result) []float64 {
	values := make([]float64, len(points))
	for i := range points {
		values[i] = math.NaN()
		if r != nil {
			values[i] = ours(points[i].Quantity, r)
		}
	}
	return values
}

// moved are the bytes of a structure between host and device.
func moved(r *filesys.Result, s plan.Structure, d device.Direction) int64 {
	b := &r.Device.Bytes[s]
	return b[device.Block][d] + b[device.Byte][d]
}

// traffic are the bytes of all structures from the given one on.
func traffic(r *filesys.Result, from plan.Structure, d device.Direction) (bytes int64) {
	for s := from; s < plan.Structures; s++ {
		bytes += moved(r, s, d)
	}
	return bytes
}

// counted adds up a counter of all structures.
func counted(list *[plan.Structures][device.Interfaces][device.Directions]int64, i device.Interface, d device.Direction) (n int64) {
	for s := range list {
		n += list[s][i][d]
	}
	return n
}

func sum(list []int64) (n int64) {
	for _, x := range list {
		n += x
	}
	return n
}

// over is a ratio, NaN of nothing.
func over(a, b int64) float64 {
	if b == 0 {
		return math.NaN()
	}
	return float64(a) / float64(b)
}

// amplification is a ratio, 0 where nothing is amplified: no data were moved.
func amplification(all, data int64) float64 {
	if data == 0 {
		return 0
	}
	return over(all, data)
}

const firstMeta = plan.Data + 1

// ours is the value of a quantity, NaN if r does not have it.
func ours(quantity string, r *filesys.Result) float64 {
	const in, out = device.Reads, device.Writes
	d := &r.Device
	each := func(n int64) float64 { return over(n, r.Calls) }
	name := func(n int64) float64 { return over(n, r.Named()) }
	switch quantity {
	case speed:
		return over(r.Calls, int64(r.Time)) * float64(unit.Second) / 1000
	case callTime:
		var t unit.Time
		for i := range r.Tallies {
			t += r.Tallies[i].Time
		}
		return each(int64(t)) / float64(unit.Millisecond)
	case readTime:
		t := &r.Tallies[call.Read]
		return over(int64(t.Time), t.Count) / float64(unit.Microsecond)
	case readTail:
		if r.Tallies[call.Read].Count == 0 {
			return math.NaN()
		}
		return float64(r.ReadQuantile(990)) / float64(unit.Microsecond)
	case metaBytes:
		return each(traffic(r, firstMeta, in) + traffic(r, firstMeta, out))
	case metaReads:
		return each(traffic(r, firstMeta, in))
	case metaWrites:
		return each(traffic(r, firstMeta, out))
	case written:
		return each(traffic(r, 0, out))
	case pages:
		return each(sum(d.FlashReads[:]) + sum(d.FlashPrograms[:]) + d.Promoted)
	case programs:
		return each(sum(d.FlashPrograms[:]))
	case writeAmp:
		return amplification(traffic(r, 0, out), r.Through[out])
	case readAmp:
		return amplification(traffic(r, 0, in), r.Through[in])
	case writeAll:
		return amplification(traffic(r, 0, out), moved(r, plan.Data, out))
	case readAll:
		return amplification(traffic(r, 0, in), moved(r, plan.Data, in))
	case duplicates:
		return 100 * over(r.Duplicates, r.Cached)
	case storesName:
		return name(counted(&d.Accesses, device.Byte, out))
	case loadsName:
		return name(counted(&d.Accesses, device.Byte, in))
	case blockWrites:
		return name(counted(&d.Accesses, device.Block, out))
	case blockReads:
		return name(counted(&d.Accesses, device.Block, in))
	case storeKB:
		return name(counted(&d.Bytes, device.Byte, out)) / 1000
	case loadKB:
		return name(counted(&d.Bytes, device.Byte, in)) / 1000
	case blockWriteKB:
		return name(counted(&d.Bytes, device.Block, out)) / 1000
	case blockReadKB:
		return name(counted(&d.Bytes, device.Block, in)) / 1000
	case partial:
		return name(d.LogPartial)
	case hits:
		return name(d.LogHits)
	case directReads:
		return name(d.FlashReads[device.ByHost] + d.FlashReads[device.ByBuffer])
	case cleanReads:
		return name(d.FlashReads[device.ByCleaning])
	case namePrograms:
		return name(sum(d.FlashPrograms[:]))
	}
	for i, s := range structures {
		of := plan.Structure(i)
		what, ok := strings.CutSuffix(quantity, s.key)
		if !ok {
			continue
		}
		b := &d.Bytes[of]
		switch what {
		case writeShare:
			return 100 * over(moved(r, of, out), traffic(r, 0, out))
		case readShare:
			return 100 * over(moved(r, of, in), traffic(r, 0, in))
		case totalShare:
			return 100 * over(moved(r, of, in)+moved(r, of, out), traffic(r, 0, in)+traffic(r, 0, out))
		case byteWrites:
			return 100 * over(b[device.Byte][out], moved(r, of, out))
		case byteReads:
			return 100 * over(b[device.Byte][in], moved(r, of, in))
		case writtenBy:
			return each(moved(r, of, out)) / 1000
		case readBy:
			return each(moved(r, of, in)) / 1000
		}
	}
	return math.NaN()
}

//go:embed published/*.csv gaps.csv
var files embed.FS

// table reads an embedded table without its heading.
func table(name string) [][]string {
	if name != "gaps.csv" {
		name = "published/" + name
	}
	text, err := files.ReadFile(name)
	if err != nil {
		panic("bytefs: " + err.Error())
	}
	return study.Records(name, string(text))
}
