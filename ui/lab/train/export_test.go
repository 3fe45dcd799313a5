package train

import (
	"bytes"
	"encoding/binary"
	"encoding/json"
	"fmt"
	"maps"
	"math"
	"slices"
	"strings"
	"testing"

	"google.golang.org/protobuf/proto"
	"google.golang.org/protobuf/reflect/protodesc"
	"google.golang.org/protobuf/reflect/protoreflect"
	"google.golang.org/protobuf/types/descriptorpb"
	"google.golang.org/protobuf/types/dynamicpb"

	"spillway/build/effort"
	"spillway/sim/knob"
	"spillway/sim/timeline"
	"spillway/sim/train/machine"
	"spillway/sim/train/result"
	"spillway/sim/unit"
	"spillway/sim/workload"
	"spillway/ui/lab"
	"spillway/ui/lab/labtest"
	"spillway/ui/lab/timefiles"
)

// exported are runs whose files are read again: both fidelities, both memory
// models, little and much that moves.
var exported = []string{
	"model=bert-base batch=64 mode=published",
	"model=bert-base batch=64 mode=corrected gpu_memory=4",
	"model=resnet-50 batch=128 mode=corrected gpu_memory=8 times=estimated",
}

// origin is what the tests say of files.
var origin = lab.Origin{Title: `a "title" <b>`, Mode: "corrected", Link: "https://example.org/#v=3", Version: "1234abcd"}

// TestExports runs every system once for each of the exported runs and reads what each
// format says of it.
func TestExports(t *testing.T) {
	effort.Natively(t)
	l, moved := New(), 0
	for i, set := range exported {
		for n, s := range l.Systems {
			if testing.Short() && !effort.Takes(n, 4) {
				continue
			}
			t.Run(s.Name+" "+set, func(t *testing.T) {
				x, err := runOf(t, set, s.Name)
				if err != nil {
					if !strings.Contains(err.Error(), "cannot run it") {
						t.Fatal(err)
					}
					t.Skip(err)
				}
				moved += len(x.Transfers)
				for f, format := range []struct {
					key   string
					data  func() ([]byte, error)
					check func(t *testing.T, x *exporting, data []byte)
				}{
					{timefiles.TimelineKey, func() ([]byte, error) { return perfetto(x) }, checkTimeline},
					{stallsExport, func() ([]byte, error) { return x.stalls(), nil }, checkStalls},
					{chakraExport, func() ([]byte, error) { return x.chakra(), nil }, checkChakra},
				} {
					t.Run(format.key, func(t *testing.T) {
						data, err := format.data()
						if err != nil {
							t.Fatal(err)
						}
						format.check(t, x, data)
						if i > 0 || f != n%3 { // another run
							return
						}
						u := l.Setup()
						if err := applyText(u, set); err != nil {
							t.Fatal(err)
						}
						if again, err := l.Export(format.key, u, s.Name, nil, origin, nil); err != nil || !bytes.Equal(again, data) {
							t.Errorf("the laboratory writes another file: %d bytes, not %d, %v", len(again), len(data), err)
						}
					})
				}
			})
		}
	}
	if moved == 0 {
		t.Error("nothing moves")
	}
}

func perfetto(x *exporting) ([]byte, error) {
	data, ok := x.timed().Perfetto()
	if !ok {
		return nil, lab.ErrLarge
	}
	return data, nil
}

// event is what a reader of traces sees.
type event struct {
	Ph, Name, Cat string
	Pid, Tid      int
	TS, Dur       json.Number
	Args          map[string]any
}

// ns reads microseconds with three decimals.
func ns(t *testing.T, n json.Number) int64 {
	t.Helper()
	f, err := n.Float64()
	if err != nil {
		t.Fatal(err)
	}
	return int64(math.Round(f * 1000))
}

// The timeline is what the documented format allows, slices of a track nest or
// follow each other, and what it has sums to the result's ledger and traffic.
func checkTimeline(t *testing.T, x *exporting, data []byte) {
	t.Helper()
	var file struct {
		DisplayTimeUnit string
		OtherData       map[string]string
		TraceEvents     []event
	}
	read := json.NewDecoder(bytes.NewReader(data))
	read.UseNumber()
	if err := read.Decode(&file); err != nil {
		t.Fatal(err)
	}
	if o := file.OtherData; file.DisplayTimeUnit != "ns" || o["link"] != origin.Link || o["mode"] != origin.Mode || !strings.HasSuffix(o["title"], origin.Title) || !strings.HasSuffix(o["generator"], origin.Version) {
		t.Errorf("other data %v", file.OtherData)
	}
	labtest.Timeline(t, x.system, x.over(timeline.Window{}), ledgerTicks(x.r))
	sums, causes := summed(t, file.TraceEvents)
	it := x.r.Main()
	want := map[string]int64{
		"2/1": int64(it.Traffic.SSDIn), "2/2": int64(it.Traffic.SSDOut), "3/1": int64(it.Traffic.HostIn), "3/2": int64(it.Traffic.HostOut),
	}
	maps.DeleteFunc(want, func(_ string, n int64) bool { return n == 0 })
	if !maps.Equal(sums, want) {
		t.Errorf("bytes by track %v; the traffic is %v", sums, want)
	}
	for c := range result.NumCauses {
		if got, want := causes[c.String()], int64(*it.Ledger.At(c)); got != want {
			t.Errorf("%v: slices have %d cycles, the ledger %d", c, got, want)
		}
	}
}

// summed checks events and returns bytes by track, and cycles by cause.
func summed(t *testing.T, events []event) (sums, causes map[string]int64) {
	t.Helper()
	sums, causes = map[string]int64{}, map[string]int64{}
	named, counters := map[string]bool{}, map[string]int64{}
	open := map[string][]int64{} // ends of the slices that are open
	last := map[string]int64{}
	for _, e := range events {
		track := fmt.Sprintf("%d/%d", e.Pid, e.Tid)
		if e.Pid <= 0 || e.Args == nil || e.Name == "" {
			t.Fatalf("%+v", e)
		}
		switch e.Ph {
		case "M":
			if e.Name == "thread_name" {
				named[track] = e.Args["name"] != ""
			}
		case "C":
			at := ns(t, e.TS)
			key := fmt.Sprint(e.Pid, e.Name)
			if at < counters[key] || len(e.Args) != 1 {
				t.Fatalf("counter %+v after %d", e, counters[key])
			}
			counters[key] = at
		case "X":
			start := ns(t, e.TS)
			end := start + ns(t, e.Dur)
			for n := len(open[track]); n > 0 && open[track][n-1] <= start; n-- {
				open[track] = open[track][:n-1]
			}
			if n := len(open[track]); end < start || start < last[track] || n > 0 && open[track][n-1] < end || n > 1 || !named[track] {
				t.Fatalf("%+v overlaps %v or comes after %d", e, open[track], last[track])
			}
			last[track], open[track] = start, append(open[track], end)
			if e.Cat == "migration" {
				sums[track] += integer(t, e.Args["bytes"])
			}
			if e.Cat == "wait" {
				causes[e.Name] += integer(t, e.Args["ticks"])
			}
		case "s", "f": // from one move of a tensor to its next
		default:
			t.Fatalf("phase %q", e.Ph)
		}
	}
	return sums, causes
}

func integer(t *testing.T, v any) int64 {
	t.Helper()
	n, err := v.(json.Number).Int64()
	if err != nil {
		t.Fatal(err)
	}
	return n
}

// Each of the two profiles weighs what the run takes beyond ideal.
func checkStalls(t *testing.T, x *exporting, data []byte) {
	t.Helper()
	var file struct {
		Schema   string `json:"$schema"`
		Name     string
		Exporter string
		Shared   struct{ Frames []struct{ Name string } }
		Profiles []struct {
			Type, Unit, Name     string
			StartValue, EndValue int64
			Samples              [][]int
			Weights              []int64
		}
	}
	if err := json.Unmarshal(data, &file); err != nil {
		t.Fatal(err)
	}
	if file.Schema != "https://www.speedscope.app/file-format-schema.json" || !strings.Contains(file.Exporter, origin.Link) || len(file.Profiles) != 2 {
		t.Errorf("%+v", file)
	}
	want := int64(x.time(x.r.Main().Ledger.Total()) / unit.Nanosecond)
	for k, p := range file.Profiles {
		off := []int64{1, int64(len(p.Samples))}[k] // each sample is whole nanoseconds
		var sum int64
		byCause := map[string]int64{}
		for i, stack := range p.Samples {
			sum += p.Weights[i]
			for _, f := range stack {
				byCause[file.Shared.Frames[f].Name] += p.Weights[i]
			}
		}
		if p.Type != "sampled" || p.Unit != "nanoseconds" || len(p.Samples) != len(p.Weights) || sum != want || p.StartValue != 0 || p.EndValue != want {
			t.Errorf("%s %s weighs %d of %d; the run takes %d ns beyond ideal", p.Name, p.Unit, sum, p.EndValue, want)
		}
		for c := range result.NumCauses {
			if got, want := byCause[c.String()], int64(x.time(*x.r.Main().Ledger.At(c))/unit.Nanosecond); got < want-off || got > want+off {
				t.Errorf("%v weighs %d ns, the ledger has %d", c, got, want)
			}
		}
	}
}

// schema is et_def.proto as the format's description has it.
func schema(t *testing.T) protoreflect.FileDescriptor {
	t.Helper()
	type f struct {
		name string
		n    int32
		kind descriptorpb.FieldDescriptorProto_Type
		of   string // message or enum
		many bool
	}
	const (
		u64, i64, str  = descriptorpb.FieldDescriptorProto_TYPE_UINT64, descriptorpb.FieldDescriptorProto_TYPE_INT64, descriptorpb.FieldDescriptorProto_TYPE_STRING
		message, truth = descriptorpb.FieldDescriptorProto_TYPE_MESSAGE, descriptorpb.FieldDescriptorProto_TYPE_BOOL
	)
	make := func(name string, oneof string, fields ...f) *descriptorpb.DescriptorProto {
		m := &descriptorpb.DescriptorProto{Name: new(name)}
		if oneof != "" {
			m.OneofDecl = []*descriptorpb.OneofDescriptorProto{{Name: new(oneof)}}
		}
		for _, x := range fields {
			d := &descriptorpb.FieldDescriptorProto{Name: new(x.name), Number: new(x.n), Type: x.kind.Enum(), Label: descriptorpb.FieldDescriptorProto_LABEL_OPTIONAL.Enum()}
			if x.many {
				d.Label = descriptorpb.FieldDescriptorProto_LABEL_REPEATED.Enum()
			}
			if x.of != "" {
				d.TypeName = new(".ChakraProtoMsg." + x.of)
			}
			if oneof != "" && x.n > 2 {
				d.OneofIndex = proto.Int32(0)
			}
			m.Field = append(m.Field, d)
		}
		return m
	}
	kinds := &descriptorpb.EnumDescriptorProto{Name: new("NodeType")}
	for i, name := range []string{"INVALID_NODE", "METADATA_NODE", "MEM_LOAD_NODE", "MEM_STORE_NODE", "COMP_NODE", "COMM_SEND_NODE", "COMM_RECV_NODE", "COMM_COLL_NODE"} {
		kinds.Value = append(kinds.Value, &descriptorpb.EnumValueDescriptorProto{Name: new(name), Number: new(int32(i))})
	}
	file, err := protodesc.NewFile(&descriptorpb.FileDescriptorProto{
		Name: new("et_def.proto"), Package: new("ChakraProtoMsg"), Syntax: new("proto3"),
		EnumType: []*descriptorpb.EnumDescriptorProto{kinds},
		MessageType: []*descriptorpb.DescriptorProto{
			make("AttributeProto", "value", f{"name", 1, str, "", false}, f{"doc_string", 2, str, "", false},
				f{"int64_val", 9, i64, "", false}, f{"uint64_val", 13, u64, "", false}, f{"bool_val", 27, truth, "", false}, f{"string_val", 29, str, "", false}),
			make("IOInfo", "", f{"values", 1, str, "", false}, f{"shapes", 2, str, "", false}, f{"types", 3, str, "", false}),
			make("GlobalMetadata", "", f{"version", 1, str, "", false}, f{"attr", 2, message, "AttributeProto", true}),
			make("Node", "", f{"id", 1, u64, "", false}, f{"name", 2, str, "", false}, f{"type", 3, descriptorpb.FieldDescriptorProto_TYPE_ENUM, "NodeType", false},
				f{"ctrl_deps", 4, u64, "", true}, f{"data_deps", 5, u64, "", true}, f{"start_time_micros", 6, u64, "", false}, f{"duration_micros", 7, u64, "", false},
				f{"inputs", 8, message, "IOInfo", false}, f{"outputs", 9, message, "IOInfo", false}, f{"attr", 10, message, "AttributeProto", true}),
		},
	}, nil)
	if err != nil {
		t.Fatal(err)
	}
	return file
}

// chakraNode is what a reader of Chakra files sees.
type chakraNode struct {
	id, typ       uint64
	name          string
	control, data []uint64
	duration      uint64
	attrs         map[string]any
}

// readChakra reads a file with the format's own library.
func readChakra(t *testing.T, file protoreflect.FileDescriptor, data []byte) (head map[string]any, nodes []chakraNode) {
	t.Helper()
	next := func(name protoreflect.Name) *dynamicpb.Message {
		n, size := binary.Uvarint(data)
		if size <= 0 || n > uint64(len(data)-size) {
			t.Fatalf("a message of %d bytes, %d are left", n, len(data))
		}
		m := dynamicpb.NewMessage(file.Messages().ByName(name))
		if err := proto.Unmarshal(data[size:size+int(n)], m); err != nil || len(m.GetUnknown()) > 0 {
			t.Fatalf("%v, unknown %x", err, m.GetUnknown())
		}
		data = data[size+int(n):]
		return m
	}
	get := func(m *dynamicpb.Message, name protoreflect.Name) protoreflect.Value {
		return m.Get(m.Descriptor().Fields().ByName(name))
	}
	attrs := func(m *dynamicpb.Message) map[string]any {
		out := map[string]any{}
		list := get(m, "attr").List()
		for i := range list.Len() {
			a := list.Get(i).Message()
			which := a.WhichOneof(a.Descriptor().Oneofs().ByName("value"))
			if which == nil {
				t.Fatalf("attribute %v has no value", a)
			}
			out[a.Get(a.Descriptor().Fields().ByName("name")).String()] = a.Get(which).Interface()
		}
		return out
	}
	numbers := func(l protoreflect.List) (out []uint64) {
		for i := range l.Len() {
			out = append(out, l.Get(i).Uint())
		}
		return out
	}
	first := next("GlobalMetadata")
	head = attrs(first)
	head["version"] = get(first, "version").String()
	for len(data) > 0 {
		m := next("Node")
		nodes = append(nodes, chakraNode{
			get(m, "id").Uint(), uint64(get(m, "type").Enum()), get(m, "name").String(),
			numbers(get(m, "ctrl_deps").List()), numbers(get(m, "data_deps").List()), get(m, "duration_micros").Uint(), attrs(m),
		})
	}
	return head, nodes
}

// The graph has every kernel and every byte that moves, depends only on what is
// before, and each kernel on the loads of what it uses.
func checkChakra(t *testing.T, x *exporting, data []byte) {
	t.Helper()
	file := schema(t)
	head, nodes := readChakra(t, file, data)
	if head["version"] != "0.0.4" || head["link"] != origin.Link {
		t.Errorf("head %v", head)
	}
	seen := map[uint64]*chakraNode{}
	sums := map[string]uint64{}
	kernels := 0
	loaded := map[uint64]uint64{} // tensor: its last move
	for i := range nodes {
		n := &nodes[i]
		for _, d := range slices.Concat(n.control, n.data) {
			if seen[d] == nil {
				t.Fatalf("node %d (%s) needs %d, which is not before it", n.id, n.name, d)
			}
		}
		if n.id == 0 || seen[n.id] != nil || n.name == "" || n.attrs["is_cpu_op"] != false {
			t.Fatalf("node %+v", n)
		}
		seen[n.id] = n
		if n.typ == 4 {
			if n.attrs["kernel"] != uint64(kernels) || n.name != x.w.Kernels[kernels].Name {
				t.Fatalf("kernel %d is %+v", kernels, n)
			}
			for _, id := range x.w.WorkingSet(nil, workload.KernelID(kernels)) {
				if m, ok := loaded[uint64(id)]; ok && !slices.Contains(n.data, m) {
					t.Fatalf("kernel %d does not need %d, which moves tensor %d", kernels, m, id)
				}
			}
			kernels++
			continue
		}
		loaded[n.attrs["tensor"].(uint64)] = n.id
		sums[fmt.Sprint(n.typ, " ", n.attrs["from"], " ", n.attrs["to"])] += n.attrs["tensor_size"].(uint64)
	}
	if kernels != len(x.w.Kernels) {
		t.Errorf("%d kernels of %d", kernels, len(x.w.Kernels))
	}
	tr := x.r.Main().Traffic
	want := map[string]uint64{}
	for key, n := range map[string]unit.Bytes{
		fmt.Sprint(2, " ", machine.SSD, " ", machine.GPU): tr.SSDIn, fmt.Sprint(2, " ", machine.Host, " ", machine.GPU): tr.HostIn,
		fmt.Sprint(3, " ", machine.GPU, " ", machine.SSD): tr.SSDOut, fmt.Sprint(3, " ", machine.GPU, " ", machine.Host): tr.HostOut,
	} {
		if n > 0 {
			want[key] = uint64(n)
		}
	}
	if !maps.Equal(sums, want) {
		t.Errorf("moved %v, traffic %v", sums, want)
	}
}

// What cannot run has no file, and says why.
func TestExportErrors(t *testing.T) {
	l := New()
	for _, tt := range []struct{ key, set, system, want string }{
		{timefiles.TimelineKey, "gpu_memory=0.02", "uvm", "cannot run it"},
		{"nothing", "", "uvm", `no export "nothing"; there are ["timeline" "slices" "states" "stalls" "chakra" "trace" "trace-anonymous" "certificate" "certificate-recomputation"]`},
		{chakraExport, "", "nobody", "unknown system"},
		{chakraExport, "ssd_read=20", "g10", "faster"},
	} {
		u := l.Setup()
		if err := applyText(u, tt.set); err != nil {
			t.Fatal(err)
		}
		if _, err := l.Export(tt.key, u, tt.system, nil, lab.Origin{}, nil); err == nil || !strings.Contains(err.Error(), tt.want) {
			t.Errorf("%+v: %v", tt, err)
		}
	}
}

// applyText sets what a setup text says.
func applyText(u *knob.Setup, set string) error {
	pairs, err := knob.Pairs(set)
	if err != nil {
		return err
	}
	return u.Apply(pairs)
}

// runOf runs a system with a record. It fails where the system cannot run it.
func runOf(t *testing.T, set, system string) (*exporting, error) {
	t.Helper()
	s := standard()
	l := New()
	u := l.Setup()
	if err := applyText(u, set); err != nil {
		t.Fatal(err)
	}
	var all []knob.Knob[settings]
	for _, p := range l.Panels {
		all = append(all, knobs()[p.Key]...)
	}
	if err := knob.Fill(all, &s, u); err != nil {
		t.Fatal(err)
	}
	w, err := load(&s, nil)
	if err != nil {
		t.Fatal(err)
	}
	return recorded(&seen{System: system, Settings: &s, Workload: w, Origin: origin})
}

// ledgerTicks is the ledger of a run in the order of [categories]; what moves is in none.
func ledgerTicks(r *result.Result) []int64 {
	l := r.Main().Ledger
	list := make([]int64, len(categories()))
	for i := range r.Kernels {
		list[computes] += int64(r.Kernels[i].Ideal)
	}
	for c := range result.NumCauses {
		list[firstCause+uint8(c)] = int64(*l.At(c))
	}
	return list
}
