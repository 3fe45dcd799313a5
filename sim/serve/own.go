package serve

import (
	"spillway/sim/policy"
	"spillway/sim/unit"
)

// What policies are about.
const (
	aRequest = "request"
	aBlock   = "block"
	aReplica = "replica"
)

// The features of the place, in its order.
const (
	featPrompt = iota
	featNumber
	featWaited
	featAtHand
	featAnswer
	featUses
	featLast
	featDepth
	featAge
	featTier
	featShare
	featRequests
	featWaiting
	featFree
	featNow
	featBlock
	featDials // p1 to p4
)

// Asks is what serving asks a policy of somebody's own, and what it lets it know. Names and meanings stay for ever: links have them.
func Asks() *policy.Place {
	return &policy.Place{
		Lab: "serve", Title: "LLM serving",
		Without: "the system with the same tiers",
		Rules: []policy.Rule{
			{Name: "evict", Thing: aBlock, Help: "Of the blocks of a tier that nobody has under way the one with the greatest number is forgotten there, until there is room. Without it: the one that was not used for the longest time."},
			{Name: "write", Thing: aBlock, Condition: true, Help: "Whether a block that host memory forgets goes to drives; without host memory, whether one that was computed does. Without it: as Written on second use says."},
			{Name: "admit", Thing: aRequest, Help: "Of the requests that wait the one with the greatest number begins next, before all that need less memory; then the one that came first. Who gave back its memory comes before them. Without it: in the order in which they came."},
			{Name: "route", Thing: aReplica, Help: "The replica with the greatest number gets the request that comes; of equal ones the first. Without it: as Affinity of the router says."},
		},
		Events: []policy.Event{
			{Name: "used", Thing: aBlock, Help: "A request whose prompt or answer ends had the block, in whatever tier; uses counts it already."},
		},
		Features: append([]policy.Feature{
			featPrompt:   {Name: "prompt", Live: true, Help: "Tokens of the prompt: of the request that waits, or of the one that is given a replica."},
			featNumber:   {Name: "number", Thing: aRequest, Help: "Place of the request in the workload, from 1."},
			featWaited:   {Name: "waited", Thing: aRequest, Unit: "s", Live: true, Help: "How long the request waits for its turn."},
			featAtHand:   {Name: "at_hand", Thing: aRequest, Live: true, Help: "Tokens of its prompt that some tier has."},
			featAnswer:   {Name: "answer", Thing: aRequest, Future: true, Help: "Tokens of its answer."},
			featUses:     {Name: "uses", Thing: aBlock, Help: "How many requests of the replica had the block."},
			featLast:     {Name: "last", Thing: aBlock, Help: "Number of its last use among all uses of blocks: the end of a prompt or of an answer, for GPU memory that of the last request that had it. The end of a text counts as used before its beginning."},
			featDepth:    {Name: "depth", Thing: aBlock, Help: "Place of the block in its prompt, from 0."},
			featAge:      {Name: "age", Thing: aBlock, Unit: "s", Live: true, Help: "Time since its last use."},
			featTier:     {Name: "tier", Thing: aBlock, Help: "Which tier forgets it: 0 GPU memory, 1 host memory, 2 drives; 3 in events."},
			featShare:    {Name: "share", Thing: aReplica, Live: true, Help: "Share of the request's prompt that the replica has, 0 to 1."},
			featRequests: {Name: "requests", Thing: aReplica, Live: true, Help: "Requests there, under way and waiting."},
			featWaiting:  {Name: "waiting", Thing: aReplica, Live: true, Help: "Those of them that wait for their turn."},
			featFree:     {Name: "free", Thing: aReplica, Live: true, Help: "Tokens of its GPU memory that no request under way has."},
			featNow:      {Name: "now", Unit: "s", Live: true, Help: "Simulated time."},
			featBlock:    {Name: "block", Constant: true, Help: "Tokens of a block."},
		}, policy.DialFeatures()...),
		Examples: examples(),
		Taken:    taken(),
	}
}

// taken are the titles of what runs here.
func taken() []string {
	var list []string
	for _, s := range Systems() {
		list = append(list, s.Title)
	}
	return list
}

// asks is a policy as a run asks it. A block of a replica is a thing of its own.
type asks struct {
	*policy.Asker
	e                          *engine
	evict, write, admit, route *policy.Code
	usedBy                     *policy.Code
	dials                      [policy.Dials]float64
	blocks                     int32 // names of blocks

	r       *replica // who is asked for, of a block or a request
	tier    Tier
	request int32 // that is given a replica
	uses    []int32
	last    []int64 // by the end of a prompt or of an answer
	freed   []int64 // by the end of the last request that had it, which is the use that counts in GPU memory
	at      []unit.Time
	depth   []int32
	count   int64
	list    []int32             // scratch
	ranked  [][Computed]*ranked // of replicas, by tier; nil where all blocks are asked each time
}

func newAsks(e *engine, c *policy.Chosen, blocks int) *asks {
	things := max(len(e.requests), blocks*len(e.replicas), len(e.replicas))
	o := &asks{e: e, blocks: int32(blocks), dials: c.Dials}
	o.Asker = policy.NewAsker(c, o, things)
	p := c.Policy
	o.evict, o.write, o.admit, o.route, o.usedBy = p.Rule("evict"), p.Rule("write"), p.Rule("admit"), p.Rule("route"), p.Event("used")
	n := blocks * len(e.replicas)
	o.uses, o.last, o.at, o.depth = make([]int32, n), make([]int64, n), make([]unit.Time, n), make([]int32, n)
	o.freed = make([]int64, n)
	if o.evict != nil && o.evict.Fixed && blocks > 0 {
		o.ranked = make([][Computed]*ranked, len(e.replicas))
		for i := range o.ranked {
			r := &e.replicas[i]
			drive := r.drive
			if drive != nil && drive.most >= int64(blocks) {
				drive = nil // it never forgets; host memory may, for who gave back GPU memory
			}
			o.ranked[i] = [Computed]*ranked{newRanked(r.cached, blocks), newRanked(r.host, blocks), newRanked(drive, blocks)}
		}
	}
	return o
}

// thing is the number of a block of a replica.
func (o *asks) thing(r *replica, b int32) int32 { return r.number*o.blocks + b }

// had counts the use of a block, which stands so deep in a prompt.
func (o *asks) had(r *replica, b, depth int32) {
	i := o.thing(r, b)
	o.count++
	o.uses[i]++
	o.last[i], o.at[i], o.depth[i] = o.count, r.now, depth
	o.r, o.tier = r, Computed // nobody forgets it now
	o.Happens(o.usedBy, i)
	if o.ranked != nil && r.cached.has(b) { // lower tiers get it anew
		o.tier = InHBM
		o.ranked[r.number][InHBM].score(b, o.Score(o.evict, i))
	}
}

// come notes that a tier has a block now, as the last of its list.
func (o *asks) come(r *replica, tier Tier, b int32) {
	if o == nil || o.ranked == nil || o.ranked[r.number][tier] == nil {
		return
	}
	o.r, o.tier = r, tier
	o.ranked[r.number][tier].come(b, o.Score(o.evict, o.thing(r, b)))
}

// free notes that nobody has a block any more.
func (o *asks) free(r *replica, b int32) {
	o.count++
	i := o.thing(r, b)
	o.freed[i], o.at[i] = o.count, r.now
	o.come(r, InHBM, b)
}

// victim is the block that a tier forgets.
func (o *asks) victim(r *replica, tier Tier, of *blocks) int32 {
	if o.ranked != nil {
		return o.ranked[r.number][tier].first()
	}
	o.r, o.tier, o.list = r, tier, o.list[:0]
	head := int32(len(of.next) - 1)
	for b := of.next[head]; b != head; b = of.next[b] {
		o.list = append(o.list, o.thing(r, b))
	}
	return o.First(o.evict, o.list) - r.number*o.blocks
}

// writes reports whether a block goes to drives.
func (o *asks) writes(r *replica, b int32) bool {
	o.r, o.tier = r, InDrive
	return o.Yes(o.write, o.thing(r, b))
}

// next puts the request of those that wait in front that begins next.
func (o *asks) next(r *replica) {
	if o.admit == nil || len(r.again) > 0 || r.wait.len() < 2 {
		return
	}
	o.r = r
	list := r.wait.list[r.wait.head:]
	id := o.First(o.admit, list)
	for i, x := range list {
		if x == id {
			copy(list[1:i+1], list[:i])
			list[0] = id
			return
		}
	}
}

// choose is the replica that gets a request.
func (o *asks) choose(id int32, t unit.Time) *replica {
	for i := range o.e.replicas {
		o.e.replicas[i].settle(t) // which may ask for what is forgotten
	}
	o.request, o.list = id, o.list[:0]
	for i := range o.e.replicas {
		o.list = append(o.list, int32(i))
	}
	o.r = &o.e.replicas[0]
	r := &o.e.replicas[o.First(o.route, o.list)]
	o.request = -1
	return r
}

// Read implements policy.Reader.
func (o *asks) Read(feature int, things []int32, out []float64) {
	for i, x := range things {
		out[i] = o.one(feature, x)
	}
}

// ReadOne implements policy.One.
func (o *asks) ReadOne(feature int, thing int32) float64 { return o.one(feature, thing) }

func (o *asks) one(feature int, x int32) float64 {
	e := o.e
	switch feature {
	case featPrompt:
		if o.request >= 0 {
			x = o.request
		}
		return float64(e.requests[x].Prompt)
	case featNumber:
		return float64(x) + 1
	case featWaited:
		return policy.Seconds(o.r.now - e.all[x].since)
	case featAtHand:
		return float64(int64(len(o.r.find(x))) * e.block)
	case featAnswer:
		return float64(e.requests[x].Output)
	case featUses:
		return float64(o.uses[x])
	case featLast:
		if o.tier == InHBM {
			return float64(o.freed[x])
		}
		return float64(o.last[x])
	case featDepth:
		return float64(o.depth[x])
	case featAge:
		return policy.Seconds(o.r.now - o.at[x])
	case featTier:
		return float64(o.tier)
	case featShare:
		return float64(int64(len(e.replicas[x].find(o.request)))*e.block) / float64(e.requests[o.request].Prompt)
	case featRequests:
		return float64(e.replicas[x].present)
	case featWaiting:
		return float64(e.replicas[x].waitsFor() + e.replicas[x].inbox.len())
	case featFree:
		return float64(e.capacity - e.replicas[x].private - e.replicas[x].pinned)
	case featNow:
		return policy.Seconds(o.r.now)
	case featBlock:
		return float64(e.block)
	}
	return o.dials[feature-featDials]
}
