package serve

import (
	"fmt"
	"slices"

	"spillway/sim/knob"
	"spillway/sim/machine"
	"spillway/sim/model"
	core "spillway/sim/serve"
	"spillway/sim/unit"
	"spillway/ui/lab/own"
)

// A settings is everything a run depends on besides the system.
type settings struct {
	Workload string // made, or a bundled trace
	Entry    string // of opened files: a list of requests or a model; empty for none
	OwnModel string // of opened files, beside a list of requests; empty for Model
	Arrivals string
	Pace     int64 // of a trace, in percent of its own
	Recipe   core.Recipe

	Model, GPU, Drive, Engine string
	Weights, KV, Reserve      string
	KVPlace                   string // of FlexGen
	GPUs, Tensor              int64  // a Tensor of 0 is as many as hold the weights
	Host                      unit.Bytes
	Drives                    int64 // for each GPU
	Spare                     int64 // of a GPU's memory, in MiB; -1 as the engine
	Link                      unit.Bandwidth
	Processors, DriveRead     unit.Bandwidth // 0: as the server's and the drive's
	Setting                   core.Setting
	Own                       own.Setting
	Tiers                     string // that a policy of somebody's own rules: a key of tiersOf
	KWh, Years                int64
	Pause                     unit.Time // of a user between questions
}

// Texts of knobs, in the order of the simulator's numbers.
var (
	arrivals   = []string{"burst", "poisson", "gamma", "closed"}
	precisions = []string{"bf16", "fp8", "fp4", "w4"}
	reserves   = []string{"engine", "whole", "prompt"}
	places     = []string{"gpu", "host", "ssd"}
)

// recorded is the choice of arrivals as a trace has them, made that of a workload of recipes,
// mooncake the bundled trace, and azure the bundled histogram of lengths.
const (
	recorded = "file"
	made     = "made"
	mooncake = "mooncake"
	azure    = "azure-code"
)

// standard is what links leave out: Llama-3 8B on an H100, as vLLM serves it.
func standard() settings {
	return settings{
		Workload: made, Arrivals: "poisson", Pace: 100,
		Recipe: core.Recipe{
			Requests: 1000, Rate: 4000, CV: 2000, Users: 32, Input: core.Length{Mean: 1024}, Output: core.Length{Mean: 256},
			Block: 16, Turns: 1, Zipf: 0, Seed: 1,
		},
		Model: "llama3-8b", GPU: "h100-sxm", Drive: "pm9a3", Engine: "vllm", Weights: "bf16", KV: "bf16", Reserve: "engine", KVPlace: "host",
		Own: own.Standard(), Tiers: tiersOf[0],
		GPUs: 1, Host: 256 * unit.GiB, Drives: 1, Spare: -1, KWh: 13, Years: 4, Pause: 30 * unit.Second,
		Setting: core.Setting{Activations: -1, HostKV: -1, DriveKV: -1, Layers: -1, Front: -1, Affinity: 10_000, GPUShare: 200, HostShare: 800, KVPlace: core.OnHost, CPUAttention: true, TTFT: 2 * unit.Second, TPOT: 50 * unit.Millisecond},
	}
}

// index is the place of a text.
func index(list []string, text string) int { return max(0, slices.Index(list, text)) }

// arch is the architecture that is served; opened is that of opened files, nil without.
func (s *settings) arch(opened *model.Arch) (*model.Arch, error) {
	if opened != nil {
		return opened, nil
	}
	a, err := model.Find(s.Model)
	return &a, err
}

// node is the machine: GPUs in a server with what stands around them there.
func (s *settings) node() (machine.Config, error) {
	g, err := machine.FindGPU(s.GPU)
	if err != nil {
		return machine.Config{}, err
	}
	d, err := machine.FindDrive(s.Drive)
	if err != nil {
		return machine.Config{}, err
	}
	c := core.Server(g, s.GPUs)
	c.Prices.KWh, c.Prices.Years = s.KWh, s.Years
	c.Drive, c.Drives, c.Host = d, s.Drives, s.Host
	c.HostSpare = min(c.HostSpare, c.Host/2)
	c.HostReads = s.Processors
	if s.DriveRead > 0 {
		c.Drive.Read = s.DriveRead
	}
	if s.Link > 0 {
		c.HostPath, c.GPU.Link = s.Link, max(c.GPU.Link, s.Link)
	}
	return c, nil
}

// setting is all that a run needs besides requests.
func (s *settings) setting(system string, opened *model.Arch) (core.Setting, error) {
	x := s.Setting
	a, err := s.arch(opened)
	if err != nil {
		return x, err
	}
	if x.Node, err = s.node(); err != nil {
		return x, err
	}
	x.System, x.Model, x.Engine = system, a, s.Engine
	if system == own.Name {
		if err := s.ruled(&x); err != nil {
			return x, err
		}
	}
	x.Weights, x.KV, x.Reserve = core.Precision(index(precisions, s.Weights)), core.Precision(index(precisions, s.KV)), core.Reserve(index(reserves, s.Reserve))
	x.Layers = min(x.Layers, a.Layers)
	x.KVPlace = core.Place(index(places, s.KVPlace))
	if s.Spare >= 0 {
		x.Activations = unit.Bytes(s.Spare) * unit.MiB
	}
	x.Tensor = s.Tensor
	if x.Tensor == 0 {
		x.Tensor = s.parts(a, x.Weights)
	}
	if s.GPUs%x.Tensor != 0 {
		return x, fmt.Errorf("%d GPUs are not a multiple of the %d that hold one copy of the model; set gpus or tensor under Machine", s.GPUs, x.Tensor)
	}
	return x, nil
}

// parts is how many GPUs hold one copy of the model where nobody says: as few as leave two fifths
// of their memory to keys and values, or all that there are.
func (s *settings) parts(a *model.Arch, p core.Precision) int64 {
	g, err := machine.FindGPU(s.GPU)
	if err != nil {
		return 1
	}
	need := core.Stored(a, p)
	for n := int64(1); n < s.GPUs; n *= 2 {
		if s.GPUs%n == 0 && need <= g.Memory*unit.Bytes(n)*6/10 {
			return n
		}
	}
	return s.GPUs
}

// recipe makes requests by rule.
func (s *settings) recipe() *core.Recipe {
	r := s.Recipe
	r.Arrivals = core.Arrival(index(arrivals, s.Arrivals))
	if r.Groups == 0 {
		r.Shared = 0
	}
	return &r
}

// check reports what contradicts.
func check(s *settings) error {
	r := &s.Recipe
	switch {
	case s.Workload != mooncake && s.Entry == "" && s.Arrivals == recorded:
		return fmt.Errorf("arrivals as a file has them need one; open a list of requests, or choose another under Arrivals and lengths")
	case s.OwnModel != "" && s.Entry == "":
		return fmt.Errorf("own_model=%s is of opened files, and entry names no requests of them; set entry, or leave own_model out", s.OwnModel)
	case r.Groups > 0 && int64(r.Shared) >= int64(r.Input.Mean):
		return fmt.Errorf("prompts of %d tokens have no room for %d that are shared; set input above shared under Arrivals and lengths", r.Input.Mean, r.Shared)
	case s.Setting.GPUShare+s.Setting.HostShare > 1000:
		return fmt.Errorf("weights on the GPU and in host memory are more than all; set gpu_share and host_share under Engine so that both are at most 100 %%")
	}
	_, err := s.setting(core.Systems()[0].Key, nil)
	return err
}

// knobs are the settings by panel.
func knobs() map[string][]knob.Knob[settings] {
	number := func(k knob.Info, ref func(*settings) *int64) knob.Knob[settings] {
		if k.Scale == 0 {
			k.Scale = 1
		}
		return knob.Int(k, ref)
	}
	small := func(k knob.Info, ref func(*settings) *int32) knob.Knob[settings] {
		k.Scale = 1
		return knob.Knob[settings]{Info: k, Get: func(s *settings) int64 { return int64(*ref(s)) }, Set: func(s *settings, v int64) { *ref(s) = int32(v) }}
	}
	span := func(k knob.Info, ref func(*settings) *unit.Time) knob.Knob[settings] { return knob.Int(k, ref) }
	bytes := func(k knob.Info, ref func(*settings) *unit.Bytes) knob.Knob[settings] { return knob.Int(k, ref) }
	one := func(k knob.Info, ref func(*settings) *string) knob.Knob[settings] {
		k.Kind = knob.One
		return knob.Knob[settings]{Info: k, Word: ref}
	}
	const most = 100_000
	ofRecipe := []string{"input", "output", "input_sigma", "output_sigma", "shared", "groups", "zipf", "turns"}
	source := []knob.Knob[settings]{
		one(knob.Info{Key: "workload", Label: "Requests", Help: "What the service is asked.", Always: true, Choices: []knob.Choice{
			{Key: made, Label: "made by lengths", Help: "Requests of the lengths and arrivals below.", Hides: []string{"pace"}},
			{Key: mooncake, Label: "Mooncake's conversations", Help: "2000 requests of an hour of a chat, with the beginnings that their prompts share.", Source: "Qin et al., Mooncake, FAST 2025, conversation trace (Apache-2.0), thinned to a sixth by conversations", Set: "arrivals=file", Hides: ofRecipe},
			{Key: azure, Label: "Azure's code completions", Help: "Prompts and answers as long as those of a service that completes code; they share nothing, and arrivals are those below.", Source: "Patel et al., Splitwise, ISCA 2024: Azure's public trace of 2023, code (CC-BY 4.0), as a histogram of 8819 requests", Set: "arrivals=poisson", Hides: append([]string{"pace"}, ofRecipe...)},
		}}, func(s *settings) *string { return &s.Workload }),
		{Info: knob.Info{Key: "entry", Label: "Entry of the opened files", Help: "Which list of requests, or model, of the opened files is used, by name.", Kind: knob.Word}, Word: func(s *settings) *string { return &s.Entry }},
		{Info: knob.Info{Key: "own_model", Label: "Model of the opened files", Help: "Which model of the opened files answers their requests, by name; none is the one of the list of models.", Kind: knob.Word}, Word: func(s *settings) *string { return &s.OwnModel }},
	}
	requests := []knob.Knob[settings]{
		one(knob.Info{Key: "arrivals", Label: "Arrivals", Help: "When requests come.", Choices: []knob.Choice{
			{Key: "burst", Label: "all at once", Help: "As throughput is measured: the time to the first token is a queue then, and no latency.", Hides: []string{"rate", "users", "cv", "pace"}},
			{Key: "poisson", Label: "at random, at a rate", Help: "Independently of each other: times between them are exponential.", Hides: []string{"users", "cv", "pace"}},
			{Key: "gamma", Label: "in clusters, at a rate", Help: "The same with times between them that spread more, or less.", Hides: []string{"users", "pace"}},
			{Key: "closed", Label: "from users who wait", Help: "Each user asks again when the answer is there, and the time to think has passed.", Hides: []string{"rate", "cv", "pace"}},
			{Key: recorded, Label: "as recorded", Help: "As the list of requests has them.", Hides: []string{"rate", "users", "cv"}},
		}}, func(s *settings) *string { return &s.Arrivals }),
		number(knob.Info{Key: "requests", Label: "Number of requests", Help: "How many there are; of a list the first so many.", Min: 1, Max: most}, func(s *settings) *int64 { return &s.Recipe.Requests }),
		number(knob.Info{Key: "rate", Label: "Rate", Help: "Requests a second.", Unit: "1/s", Scale: 1000, Min: 1, Max: 1e7}, func(s *settings) *int64 { return &s.Recipe.Rate }),
		number(knob.Info{Key: "cv", Label: "Spread of arrivals", Help: "Standard deviation of the times between requests over their mean; 1 is as independent.", Scale: 1000, Min: 100, Max: 20_000}, func(s *settings) *int64 { return &s.Recipe.CV }),
		number(knob.Info{Key: "pace", Label: "Pace", Help: "How much faster than recorded requests come.", Unit: "%", Min: 1, Max: 100_000}, func(s *settings) *int64 { return &s.Pace }),
		number(knob.Info{Key: "users", Label: "Users", Help: "How many wait for answers at a time.", Min: 1, Max: most}, func(s *settings) *int64 { return &s.Recipe.Users }),
		small(knob.Info{Key: "input", Label: "Prompt", Help: "Tokens of a prompt, in the mean; what is shared counts.", Unit: "tokens", Min: 1, Max: 1 << 20}, func(s *settings) *int32 { return &s.Recipe.Input.Mean }),
		small(knob.Info{Key: "output", Label: "Answer", Help: "Tokens of an answer, in the mean.", Unit: "tokens", Min: 1, Max: 1 << 16}, func(s *settings) *int32 { return &s.Recipe.Output.Mean }),
		number(knob.Info{Key: "input_sigma", Label: "Spread of prompts", Help: "Of the logarithm of lengths; 0: all are alike.", Scale: 1000, Max: 3000}, func(s *settings) *int64 { return &s.Recipe.Input.Sigma }),
		number(knob.Info{Key: "output_sigma", Label: "Spread of answers", Help: "Of the logarithm of lengths; 0: all are alike.", Scale: 1000, Max: 3000}, func(s *settings) *int64 { return &s.Recipe.Output.Sigma }),
		number(knob.Info{Key: "groups", Label: "Groups", Help: "How many beginnings there are that prompts share; 0: they share nothing.", Max: 1_000_000}, func(s *settings) *int64 { return &s.Recipe.Groups }),
		small(knob.Info{Key: "shared", Label: "Shared", Help: "Tokens at the beginning of prompts of a group that are the same.", Unit: "tokens", Max: 1 << 20, Idle: []knob.Idle{{While: "groups=0", Why: "no groups share: set groups above 0"}}}, func(s *settings) *int32 { return &s.Recipe.Shared }),
		number(knob.Info{Key: "zipf", Label: "Uneven groups", Help: "Exponent of Zipf's law by which groups are drawn; 0: all alike.", Scale: 1000, Max: 3000, Idle: []knob.Idle{{While: "groups=0..1", Why: "no groups to draw from: set groups above 1"}}}, func(s *settings) *int64 { return &s.Recipe.Zipf }),
		number(knob.Info{Key: "turns", Label: "Turns", Help: "Questions of a conversation; each has all before it as its beginning.", Min: 1, Max: 100}, func(s *settings) *int64 { return &s.Recipe.Turns }),
		span(knob.Info{Key: "think", Label: "Time to think", Help: "Between an answer and the next question: of users who wait, and of conversations.", Unit: "s", Scale: int64(unit.Second), Max: int64(3600 * unit.Second), Idle: []knob.Idle{
			{While: "workload=made turns=1 arrivals=burst,poisson,gamma,file", Why: "one turn each, and nobody waits: set turns above 1, or arrivals to closed"},
			{While: "workload=mooncake,azure-code arrivals=burst,poisson,gamma,file", Why: "these requests wait for no answers: set arrivals to closed"},
		}}, func(s *settings) *unit.Time { return &s.Recipe.Think }),
		number(knob.Info{Key: "seed", Label: "Seed", Help: "Of random numbers.", Min: 1, Max: 1_000_000}, func(s *settings) *int64 { return &s.Recipe.Seed }),
	}
	limits := []knob.Knob[settings]{
		span(knob.Info{Key: "ttft", Label: "First token", Help: "How long a user waits for the first token at most.", Unit: "s", Scale: int64(unit.Second), Min: int64(unit.Millisecond), Max: int64(600 * unit.Second)}, func(s *settings) *unit.Time { return &s.Setting.TTFT }),
		span(knob.Info{Key: "tpot", Label: "Each token", Help: "How long a further token takes at most, in the mean of an answer.", Unit: "ms", Scale: int64(unit.Millisecond), Min: int64(unit.Millisecond), Max: int64(60 * unit.Second)}, func(s *settings) *unit.Time { return &s.Setting.TPOT }),
		span(knob.Info{Key: "pause", Label: "Between their questions", Help: "How long a user reads and thinks before asking again: it decides how many users a rate of requests is.", Unit: "s", Scale: int64(unit.Second), Max: int64(24 * 3600 * unit.Second)}, func(s *settings) *unit.Time { return &s.Pause }),
	}
	models := one(knob.Info{Key: "model", Label: "Model", Help: "The language model that answers."}, func(s *settings) *string { return &s.Model })
	for _, a := range model.Models() {
		c := knob.Choice{Key: a.Name, Label: a.Title, Source: a.Source, Suggests: "own_model="}
		if a.Name == "llama3.1-405b" {
			c.Names = []string{"llama3-405b"}
		}
		models.Choices = append(models.Choices, c)
	}
	engines := one(knob.Info{Key: "engine", Label: "Engine", Help: "The program that serves: what a step costs beside the GPU's work, and how many it lets in."}, func(s *settings) *string { return &s.Engine })
	for _, e := range core.Engines() {
		engines.Choices = append(engines.Choices, knob.Choice{Key: e.Key, Label: e.Title, Help: "Band: " + e.Band + ".", Source: e.Source})
	}
	served := []knob.Knob[settings]{
		models, engines,
		one(knob.Info{Key: "weights", Label: "Weights", Help: "How weights of layers are stored.", Choices: []knob.Choice{
			{Key: "bf16", Label: "bf16"},
			{Key: "fp8", Label: "fp8", Help: "Computed with as such where the GPU can, which doubles its rate."},
			{Key: "fp4", Label: "fp4", Help: "Computed with as such on Blackwell."},
			{Key: "w4", Label: "four bits", Help: "Stored in four bits, computed with in bf16: AWQ, GPTQ, Q4_K_M."},
		}}, func(s *settings) *string { return &s.Weights }),
		one(knob.Info{Key: "kv", Label: "Keys and values", Help: "How keys and values are stored.", Choices: []knob.Choice{{Key: "bf16", Label: "bf16"}, {Key: "fp8", Label: "fp8", Help: "Half of the memory, twice the tokens."}, {Key: "w4", Label: "four bits", Help: "As FlexGen has them."}}}, func(s *settings) *string { return &s.KV }),
	}
	gpus := one(knob.Info{Key: "gpu", Label: "GPU", Help: "The kind of GPU, with the server that it usually stands in."}, func(s *settings) *string { return &s.GPU })
	for _, g := range machine.GPUs() {
		gpus.Choices = append(gpus.Choices, knob.Choice{Key: g.Key, Label: g.Title, Source: g.Source + ". Price: " + g.PriceOf})
	}
	drives := one(knob.Info{Key: "drive", Label: "Kind of drive", Help: "What keeps keys and values behind host memory.", Idle: []knob.Idle{{While: "drives=0", Why: "no drives: set drives above 0"}}}, func(s *settings) *string { return &s.Drive })
	for _, d := range machine.Drives() {
		drives.Choices = append(drives.Choices, knob.Choice{Key: d.Key, Label: d.Title, Source: d.Source + ". Price: " + d.PriceOf})
	}
	tensor := number(knob.Info{Key: "tensor", Label: "GPUs of a copy", Help: "How many GPUs hold one copy of the model; the others hold more copies.", Max: 64, Kind: knob.One, Idle: []knob.Idle{{While: "gpus=1", Why: "one GPU: set gpus above 1"}}}, func(s *settings) *int64 { return &s.Tensor })
	tensor.Choices = []knob.Choice{{Key: "0", Label: "as few as hold it", Names: []string{"auto"}}}
	for _, n := range []string{"1", "2", "4", "8", "16"} {
		tensor.Choices = append(tensor.Choices, knob.Choice{Key: n, Label: n})
	}
	hardware := []knob.Knob[settings]{
		gpus,
		number(knob.Info{Key: "gpus", Label: "GPUs", Help: "How many there are in all.", Min: 1, Max: 64}, func(s *settings) *int64 { return &s.GPUs }),
		tensor,
		bytes(knob.Info{Key: "host", Label: "Host memory", Help: "Of the machine, all copies together; systems with a host tier keep keys and values in it.", Unit: "GiB", Scale: int64(unit.GiB), Max: int64(64 * 1024 * unit.GiB)}, func(s *settings) *unit.Bytes { return &s.Host }),
		number(knob.Info{Key: "drives", Label: "Drives for each GPU", Help: "Systems with a tier of SSDs keep keys and values on them.", Max: 32}, func(s *settings) *int64 { return &s.Drives }),
		drives,
		knob.Int(knob.Info{Key: "link", Label: "Link to host memory", Help: "What copies between a GPU and host memory reach, each way.", Unit: "GB/s", Scale: int64(unit.GBps), Min: int64(unit.GBps), Max: int64(10_000 * unit.GBps), Zero: "as the GPU's"}, func(s *settings) *unit.Bandwidth { return &s.Link }),
		knob.Int(knob.Info{Key: "processors", Label: "Processors read", Help: "How fast processors read host memory that compute with what they read.", Unit: "GB/s", Scale: int64(unit.GBps), Min: int64(unit.GBps) / 10, Max: int64(10_000 * unit.GBps), Zero: "as the server's"}, func(s *settings) *unit.Bandwidth { return &s.Processors }),
		knob.Int(knob.Info{Key: "drive_read", Label: "Drives read", Help: "How fast each drive reads.", Unit: "GB/s", Scale: int64(unit.GBps), Min: int64(unit.GBps) / 10, Max: int64(100 * unit.GBps), Zero: "as the drive's"}, func(s *settings) *unit.Bandwidth { return &s.DriveRead }),
		number(knob.Info{Key: "kwh", Label: "Electricity", Help: "Price of a kWh.", Source: "12.8 cents, what businesses paid in the United States in 2024 (EIA)", Unit: "$", Scale: 100, Max: 1000}, func(s *settings) *int64 { return &s.KWh }),
		number(knob.Info{Key: "years", Label: "Years", Help: "In which the machine pays for itself; 0: only its electricity costs.", Max: 20}, func(s *settings) *int64 { return &s.Years }),
	}
	given := func(k knob.Info, ref func(*core.Setting) *int64) knob.Knob[settings] {
		return number(k, func(s *settings) *int64 { return ref(&s.Setting) })
	}
	yes := func(k knob.Info, ref func(*core.Setting) *bool) knob.Knob[settings] {
		k.Kind, k.Choices = knob.One, []knob.Choice{{Key: "1", Label: "yes"}, {Key: "0", Label: "no"}}
		return knob.Bool(k, func(s *settings) *bool { return ref(&s.Setting) })
	}
	engine := []knob.Knob[settings]{
		given(knob.Info{Key: "sequences", Label: "Sequences at once", Help: "How many requests a copy computes at a time at most. vLLM keeps memory to choose a token for each.", Min: 1, Max: 65536, Zero: "as the engine's"}, func(s *core.Setting) *int64 { return &s.Sequences }),
		given(knob.Info{Key: "step_tokens", Label: "Tokens of a step", Help: "How many tokens a step computes at most; longer prompts are cut into chunks. More of them take more memory for activations.", Unit: "tokens", Min: 16, Max: 1 << 20, Zero: "as the engine's"}, func(s *core.Setting) *int64 { return &s.Tokens }),
		one(knob.Info{Key: "reserve", Label: "Takes memory for", Help: "What a request takes of memory for keys and values when it begins.", Choices: []knob.Choice{
			{Key: "engine", Label: "as the engine does"},
			{Key: "whole", Label: "prompt and answer", Help: "TensorRT-LLM's default: nothing begins again, and memory waits for answers."},
			{Key: "prompt", Label: "its prompt", Help: "When memory is over the youngest gives back its own and begins again."},
		}}, func(s *settings) *string { return &s.Reserve }),
		given(knob.Info{Key: "gpu_share_used", Label: "Share of GPU memory", Help: "What of a GPU's memory the engine takes.", Unit: "%", Scale: 10, Min: 10, Max: 1000, Zero: "as the engine's"}, func(s *core.Setting) *int64 { return &s.Share }),
		number(knob.Info{Key: "spare", Label: "For activations", Help: "What of that is for neither weights nor keys and values, of each GPU; -1: what the engine keeps for its steps.", Unit: "MiB", Min: -1, Max: 1 << 17}, func(s *settings) *int64 { return &s.Spare }),
		given(knob.Info{Key: "affinity", Label: "Affinity of the router", Help: "How many requests on the way a whole prefix at hand outweighs when a copy is chosen.", Scale: 1000, Max: 1_000_000}, func(s *core.Setting) *int64 { return &s.Affinity }),
		yes(knob.Info{Key: "second", Label: "Written on second use", Help: "A block goes to drives only when it was used again: drives live longer."}, func(s *core.Setting) *bool { return &s.WriteOnSecond }),
		yes(knob.Info{Key: "pageable", Label: "Memory is not pinned", Help: "Copies of pageable memory take twice as long."}, func(s *core.Setting) *bool { return &s.Pageable }),
		given(knob.Info{Key: "layers", Label: "Layers on the GPU", Help: "Of Layers on the processors; -1: as many as fit.", Min: -1, Max: 1024}, func(s *core.Setting) *int64 { return &s.Layers }),
		given(knob.Info{Key: "gpu_share", Label: "Weights on the GPU", Help: "Of FlexGen.", Unit: "%", Scale: 10, Max: 1000}, func(s *core.Setting) *int64 { return &s.GPUShare }),
		given(knob.Info{Key: "host_share", Label: "Weights in host memory", Help: "Of FlexGen; what is left is on drives.", Unit: "%", Scale: 10, Max: 1000}, func(s *core.Setting) *int64 { return &s.HostShare }),
		one(knob.Info{Key: "kv_place", Label: "Keys and values are in", Help: "Of FlexGen.", Choices: []knob.Choice{{Key: "gpu", Label: "GPU memory"}, {Key: "host", Label: "host memory"}, {Key: "ssd", Label: "drives"}}}, func(s *settings) *string { return &s.KVPlace }),
		given(knob.Info{Key: "gpu_batch", Label: "Batch of the GPU", Help: "Of FlexGen: how many sequences the GPU computes at a time, which matters to weights of four bits.", Min: 1, Max: 65536, Zero: "all"}, func(s *core.Setting) *int64 { return &s.GPUBatch }),
		yes(knob.Info{Key: "cpu_attention", Label: "Processors attend", Help: "Of FlexGen: keys and values are in host memory, and processors compute attention over them."}, func(s *core.Setting) *bool { return &s.CPUAttention }),
	}
	return map[string][]knob.Knob[settings]{"requests": source, "arrivals": requests, "limits": limits, "model": served, "machine": hardware, "engine": engine, own.Panel().Key: yours(one(tiersKnob(), func(s *settings) *string { return &s.Tiers }))}
}
