package all_test

import (
	"bytes"
	"encoding/json"
	"testing"

	"spillway/ui/files"
	"spillway/ui/jsontext"
	labs "spillway/ui/lab/all"
	"spillway/ui/lab/labtest"
)

// quick is how laboratories run in milliseconds. One that is not here opens on something
// that does.
var quick = map[string]labtest.Quick{
	"train": {
		Set: "model=bert-base batch=16 times=estimated gpu_memory=2", Other: "model=resnet-152 batch=32 gpu_memory=2", Systems: []string{"ideal", "uvm", "g10"},
		Long: []string{"model", "batch", "machine"}, Share: 8, Time: "iteration_s", Home: "gpu", Tight: "mode=corrected",
		Off: []string{"noise=0", "iterations=1"}, Chance: []string{"iterations=1 duplex_loss"},
		Walk: []string{
			small + " mode=corrected gpu_memory=0.4 host_memory=0.1 gpu_link=5 host_link=4 noise=0.1 iterations=1 policy=score=benefit*p1/size-idle*p2",
			small + " mode=corrected gpu_memory=0.4 gpu_link=5 host_link=4 transfer_cost=5 duplex_loss=20 " +
				"policy=keep+n+of+tensor=0@when+evicted:n=n%2Bp1@evict=next*size-n@leave=next>10*p2+and+free<capacity/4@host=next<20*p3@ahead=5*p4",
			"model=resnet18 batch=16 mode=corrected gpu_memory=0.4 gpu_link=5 host_link=4 transfer_cost=5 duplex_loss=20 noise=0.1 policy=spare=expected>=0+and+expected<=20*p1",
			"model=bert-base batch=16 gpu_memory=2",
			"model=resnet18 batch=16 mode=corrected gpu_memory=0.3 gpu_link=5 host_link=4 host_memory=0.2 ssd_read=2 ssd_write=1 transfer_cost=20",
			"model=bert-base batch=16 times=estimated mode=corrected gpu_memory=0.6 noise=0.5 iterations=4 policy=score=benefit",
		},
	},
	"store": {
		Off: []string{"evict=0", "clients=1", "prefetch=0"}, Chance: []string{"clients=1"},
		Set: "workload=services", Other: "workload=pairs", Systems: []string{"lru", "size-aware", "oracle"}, Share: 4, Time: "time_s", Home: "gpu",
		Walk: []string{"workload=networks", "workload=networks clients=1 gpu_memory=40", "workload=pairs", "workload=allocation"},
	},
	"compress": {
		Off:   []string{"cache=0", "threshold=0", "naive=0", "max_ratio=1", "bound=0", "random=0"},
		Other: "contents=hpc", Share: 2, Elsewhere: []string{"exact", "patterns"}, Walk: []string{"contents=bert-base batch=64"},
	},
	"cxlssd": {
		Set: "workload=bfs-dense scale=64", Other: "workload=tpcc scale=64", After: map[string]string{"workload": "scale=64", "scale": "scale=64"},
		Off:     []string{"precondition=0", "link_rate=0", "own_log=0", "own_switch=0", "cores=1", "outstanding=1"},
		Systems: []string{"base-cssd", "own-design"}, Time: "time_ms", Home: "flash",
		Elsewhere: []string{"split", "llc", "heavy_share", "fill", "flash_erase", "scan_period", "scan_pages", "collect_at", "collect_until", "endurance", "store_buffer"},
	},
	"filesys": {
		Set: "workload=varmail scale=256 calls=30000", Other: "workload=mkdir scale=256 calls=3000", After: map[string]string{"workload": "calls=30000 scale=256"},
		For:  map[string]string{"memtable": ofStore, "block_cache": ofStore, "sync_log": ofStore},
		Long: []string{"scale", "files", "calls"}, Systems: []string{"bytefs", "ext4", "nova"}, Share: 2, Time: "time_ms", Home: "host",
		Cure: []string{"workload=create scale=256 calls=3000"}, Off: []string{"payload=zeros", "fresh=0", "warm=0", "streams=1"},
		Chance: []string{"payload=zeros", "fresh=0", "warm=0 page_cache", "warm=0 keeps_freed"},
		Walk: []string{
			"workload=varmail scale=256 calls=60000 payload=share changed=5 fresh=1 fresh_share=10 warm=1 byte_limit=20 io=8 append=40000",
			"workload=oltp scale=256 calls=3000000 payload=share changed=5 page_cache=512 ssd_dram=32 journal=32 own_cache=512",
			"workload=fileserver scale=256 files=8000 calls=3000000 capacity=4 block_pages=8 channels=2 old_data=30 dram_shared=1 page_cache=512 ssd_dram=32 own_cache=512 streams=2 gc_stop=20 gc_start=15",
			"workload=block-hot-cold scale=256 requests=300000 capacity=2 block_pages=8 channels=2 gc_start=15 gc_stop=20 streams=2 request_reads=30",
			"device=artifact workload=varmail scale=256 calls=60000",
			"workload=webserver scale=256 calls=60000 generator_serial=0 cores=1",
			"workload=webserver scale=256 calls=60000 read_latency=1000",
			"workload=webproxy scale=256 calls=60000 generator_serial=0 recipe_threads=1 channels=64 block_pages=64 line_read=20000",
			ofStore,
		},
		Elsewhere: []string{"direct_limit", "bytefs line_read", "bytefs-dual line_read", "bytefs-log line_read", "bytefs-select line_read", "own line_read", "pmfs fresh", "raw keeps_freed"},
	},
	"llm": {
		Set: "node=one-4090 model=llama3-8b layers=3 batch=2 micro=1 sequence=1024 buffer_size=540", Other: "node=one-4090 model=llama3-8b layers=2 batch=2 micro=1 sequence=512 buffer_size=540",
		Entry: "layers=2 micro=1 batch=2 sequence=256", After: map[string]string{"model": "layers=4 micro=1 sequence=512"}, Systems: []string{"teraio-mixed", "zero-infinity"},
		Long: []string{"batch", "sequence", "layers", "encoder", "experts", "active", "gpus", "vocab", "ffn", "hidden"}, Share: 2, Time: "iteration_s", Home: "gpu",
		Cure: []string{"node=teraio model=llama3-8b layers=4 batch=4 micro=1 sequence=512 zero_cut=data"}, Night: []string{"map", "next", "roofline"},
		Off:    []string{"nodes=1", "nodes=0 gpus=1", "drives=0", "host_memory=0", "data=1 context=1", "method=full", "experts=0"},
		Chance: []string{"drives=0", "host_memory=0"},
		Walk: []string{
			"node=dgx-h100 gpus=4 model=llama3-8b layers=4 batch=8 micro=0 sequence=512 zero_cut=data gpu_memory=12",
			"node=dgx-h100 gpus=2 nodes=2 model=llama3-8b layers=4 batch=8 micro=0 sequence=512 zero_cut=data",
			"node=one-4090 model=llama3-8b layers=8 batch=2 micro=0 sequence=1024 method=lora activation_offload=1",
			"node=one-4090 model=llama3-8b layers=8 batch=4 micro=0 sequence=1024 gpu_memory=12 host_memory=50 optimizer=paged-32bit",
			"node=teraio model=llama3-8b layers=4 batch=8 micro=1 sequence=1024 gpu_memory=12 zero_cut=tensor",
			"node=dgx-h100 gpus=4 model=mixtral-8x7b layers=2 batch=8 micro=0 data=4 sequence=512",
			"node=one-4090 model=llama3-8b layers=6 batch=4 micro=1 sequence=1024 host_memory=20 zero_cut=data buffer_size=540",
		},
	},
	"serve": {
		Set: "gpu=rtx-4090 weights=fp8 kv=fp8 spare=9000 requests=100 input=6400 output=20 groups=24 shared=6000 rate=1", Other: "workload=mooncake requests=60", Systems: []string{"hbm", "host-ssd", "ideal"},
		Long: []string{"requests", "input", "output", "turns", "pace"}, Share: 4, Time: "time_s", Home: "gpu", Cure: []string{"gpu=a10 weights=w4 input=4000 output=400 rate=6"},
		Off: []string{"turns=1", "groups=0", "groups=1", "drives=0", "host=0", "gpus=1", "years=0"},
		Walk: []string{
			"workload=mooncake requests=60 gpus=2 tensor=1 ttft=600 tpot=5000",
			"gpu=rtx-4090 weights=w4 kv=w4 input=200 output=20 requests=100 ttft=600 tpot=60000 gpu_share=30 host_share=30",
			"gpu=rtx-4090 weights=fp8 kv=fp8 input=500 output=20 requests=100 arrivals=gamma input_sigma=0.5 groups=3 shared=400 turns=3 think=5 rate=1 layers=16 processors=5 ttft=600 tpot=60000",
			"gpu=rtx-4090 weights=fp8 kv=fp8 input=500 output=20 requests=100 arrivals=closed think=5 ttft=600 tpot=60000",
		},
	},
}

// small is a network whose training runs at once.
const small = "model=config network=Small|decoder,layers:2,hidden:512,heads:8,kv:8,dim:64,inner:2048,vocabulary:2000,sequence:512,rms,gated,rotary batch=8"

// ofStore is a file system's workload that has the settings of a store.
const ofStore = "workload=ycsb-a scale=256 calls=30000"

// What every laboratory must hold, it holds by being in the list.
func TestLaboratories(t *testing.T) {
	for _, door := range labs.Labs {
		t.Run(door.Name, func(t *testing.T) {
			q := quick[door.Name]
			q.Write = files.Write
			labtest.Run(t, door.New, q)
		})
	}
}

// A result is written as encoding/json would: so the type has nothing that a program
// without it cannot write.
func TestResultsAreJSON(t *testing.T) {
	for _, door := range labs.Labs {
		l := door.New()
		want, err := json.MarshalIndent(l.Result, "", "  ")
		if err != nil {
			t.Fatal(err)
		}
		if got, err := jsontext.MarshalIndent(l.Result); err != nil || !bytes.Equal(got, want) {
			t.Errorf("%s: %s, %v\nwant %s", l.Name, got, err, want)
		}
		q := quick[l.Name]
		if len(q.Systems) == 0 {
			continue
		}
		u, err := l.Read(q.Set)
		if err != nil {
			t.Fatal(err)
		}
		_, raw, err := l.Run(u, q.Systems[0], nil, nil)
		if err != nil {
			t.Fatal(err)
		}
		text, err := l.JSON(raw)
		if err != nil {
			t.Fatal(err)
		}
		var packed, again bytes.Buffer
		if err := json.Compact(&packed, text); err != nil {
			t.Fatal(err)
		}
		if err := json.Indent(&again, packed.Bytes(), "", "  "); err != nil || !bytes.Equal(again.Bytes(), text) {
			t.Errorf("%s: what is written is not indented as JSON is: %v", l.Name, err)
		}
	}
}
