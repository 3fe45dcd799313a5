package serve

import "spillway/sim/unit"

// backlog is how far writing to drives may be behind before blocks are dropped instead: what host memory is set aside for.
const backlog = 2 * unit.Second

// blocksOf is how many blocks so many tokens fill.
func (e *engine) blocksOf(tokens int64) int64 {
	if e.block == 0 {
		return 0
	}
	return tokens / e.block
}

// names are the blocks of a request.
func (e *engine) namesOf(id int32) []int32 { return e.names[e.offset[id]:e.offset[id+1]] }

// find says where the blocks of a prompt are, up to the first that is nowhere. At least one token is left to compute.
func (r *replica) find(id int32) []Tier {
	r.tiers, r.missed = r.tiers[:0], false
	if !r.system.Prefix || r.block == 0 {
		return nil
	}
	names := r.namesOf(id)
	names = names[:min(int64(len(names)), r.blocksOf(int64(r.requests[id].Prompt)-1))]
	for _, b := range names {
		t := r.tier(b)
		if t == Computed {
			r.missed = r.lost[b]
			break
		}
		r.tiers = append(r.tiers, t)
	}
	return r.tiers
}

// tier is the fastest that has a block.
func (r *replica) tier(b int32) Tier {
	switch {
	case r.refs[b] > 0 || r.cached.has(b):
		return InHBM
	case r.host.has(b):
		return InHost
	case r.drive.has(b) && r.held[b]:
		return InDrive
	}
	return Computed
}

// begin gives a sequence memory, and has tiers load what they have of it. It reports whether there was room.
func (r *replica) begin(id int32) bool {
	s, q := &r.all[id], &r.requests[id]
	if s.swapped {
		return r.back(id)
	}
	tiers := r.find(id)
	if r.system.Weigh {
		tiers = tiers[:r.worth(id, tiers)]
	}
	total := int64(q.Prompt + s.made)
	need := total
	if r.whole {
		need = int64(q.Prompt) + int64(q.Output)
	}
	names := r.namesOf(id)
	var inHBM, fresh, host, drive int64
	for i, t := range tiers {
		switch t {
		case InHBM:
			inHBM++
			if r.refs[names[i]] == 0 {
				fresh++
			}
		case InHost:
			host++
		case InDrive:
			drive++
		}
	}
	need -= inHBM * r.block
	if !r.fits(need + fresh*r.block) {
		return false
	}
	r.result.missed = r.result.missed || r.missed
	for i, t := range tiers {
		if t == InHBM {
			r.pin(id, i)
		}
	}
	r.private += need
	s.private = need
	r.room(0)
	hits := (inHBM + host + drive) * r.block
	s.done, s.left = hits, total-hits
	s.fresh, s.first = true, !s.hits
	r.admitted(id)
	if !s.hits {
		s.hits = true
		v := &r.result.Requests[id]
		v.Admit = r.now
		v.Tokens = [Tiers]int32{int32(inHBM * r.block), int32(host * r.block), int32(drive * r.block), int32(total - hits)}
	}
	r.fetch(id, tiers, host, drive)
	return true
}

// lookAgain has a sequence whose first chunk is next share what others computed of its prompt while it waited for that: GPU memory
// that it took when it began for these blocks is free then.
func (r *replica) lookAgain(id int32) {
	s := &r.all[id]
	if !s.fresh {
		return
	}
	s.fresh = false
	names := r.namesOf(id)
	if len(names) == 0 {
		return
	}
	more := int64(0)
	most := min(int64(len(names)), r.blocksOf(int64(r.requests[id].Prompt)-1))
	for i := r.blocksOf(s.done); i < most && r.tier(names[i]) == InHBM; i++ {
		r.pin(id, int(i))
		more += r.block
	}
	r.private -= more
	s.private -= more
	s.done, s.left = s.done+more, s.left-more
	if v := &r.result.Requests[id]; s.first {
		v.Tokens[InHBM] += int32(more)
		v.Tokens[Computed] -= int32(more)
	}
}

// fits reports whether there is room for so many tokens and one more of each that decodes: who comes shall not have to go at once.
func (r *replica) fits(tokens int64) bool {
	if !r.whole {
		tokens += int64(len(r.decode))
	}
	return r.private+r.pinned+tokens <= r.capacity
}

// admitted ends the wait of a sequence for its turn.
func (r *replica) admitted(id int32) {
	s := &r.all[id]
	short := r.shortUntil(r.now) - r.since[id]
	r.spend(id, Queue, s.since, r.now-short)
	r.spend(id, Memory, r.now-short, r.now)
	s.phase, s.since = Queue, r.now
	r.order = append(r.order, id)
}

// fetch has tiers load a sequence's blocks.
func (r *replica) fetch(id int32, tiers []Tier, host, drive int64) {
	s := &r.all[id]
	if host+drive == 0 {
		s.state = filling
		r.fill = append(r.fill, id)
		return
	}
	var there [Tiers]unit.Time // when the last block of a tier is written
	for i, b := range r.namesOf(id)[:len(tiers)] {
		switch tiers[i] {
		case InHost:
			there[InHost] = max(there[InHost], r.host.ready[b])
		case InDrive:
			there[InDrive] = max(there[InDrive], r.drive.ready[b])
		}
	}
	w := r.transfer(host, drive, there)
	r.tell(id, host, drive, w)
	r.linkIn, r.readFree, r.writeEnd = w.link, w.read, w.write
	r.work.LinkIn.add(r.rates.link, r.bytesOf(host+drive))
	if drive > 0 {
		r.work.Read.add(r.rates.read, r.bytesOf(drive))
	}
	s.state, s.ready = loading, w.ready
	r.hostDone[id] = w.host
	r.load = append(r.load, id)
}

// tell tells whoever looks of a load.
func (r *replica) tell(id int32, host, drive int64, w journey) {
	if r.watch == nil {
		return
	}
	in := lasts(r.rates.link, r.bytesOf(host+drive))
	r.watch.move(r.number, ToGPU, id, max(r.linkIn, w.link-in), w.link, r.bytesOf(host+drive))
	if drive > 0 {
		span := lasts(r.rates.read, r.bytesOf(drive))
		r.watch.move(r.number, FromDrives, id, max(r.readFree, w.read-span), w.read, r.bytesOf(drive))
	}
}

// A journey is what a load would do: when what comes from host memory is there, when all is, and until when link and drives are busy then.
type journey struct{ host, ready, link, read, write unit.Time }

// transfer is how blocks of host memory and of drives would come, in the order of queues that are there: drives, then the link. While
// drives are written too, both get half.
func (r *replica) transfer(host, drive int64, there [Tiers]unit.Time) journey {
	w := journey{host: r.now, ready: r.now, link: r.linkIn, read: r.readFree, write: r.writeEnd}
	if host > 0 {
		w.link = after(max(r.now, w.link, there[InHost]), lasts(r.rates.link, r.bytesOf(host)))
		w.host, w.ready = w.link, w.link
	}
	if drive > 0 {
		begin := max(r.now, w.read, there[InDrive])
		span := lasts(r.rates.read, r.bytesOf(drive)) + r.rates.latency
		if behind := w.write - begin; behind > 0 {
			shared := min(2*span, behind)
			span += shared / 2
			w.write = after(w.write, shared/2)
		}
		w.read = after(begin, span)
		w.link = max(after(max(r.now, w.link), lasts(r.rates.link, r.bytesOf(drive))), after(w.read, lasts(r.rates.link, r.bytesOf(1))))
		w.ready = w.link
	}
	return w
}

// bytesOf is what so many blocks take.
func (r *replica) bytesOf(blocks int64) unit.Bytes {
	return unit.Bytes(unit.MulDiv(blocks*r.block, int64(r.result.Memory.KVToken), 1))
}

// bytesOfTokens is what so many tokens take.
func (r *replica) bytesOfTokens(n int64) unit.Bytes {
	return unit.Bytes(unit.MulDiv(n, int64(r.result.Memory.KVToken), 1))
}

// add counts what moves at a rate.
func (w *Work) add(rate unit.Bandwidth, n unit.Bytes) {
	w.Busy = after(w.Busy, lasts(rate, n))
	w.Bytes += min(n, mostBytes-w.Bytes)
}

// worth is how many blocks of a prefix it takes least time to load instead of computing them.
func (r *replica) worth(id int32, tiers []Tier) int {
	var there [Tiers]unit.Time
	best, least := 0, never
	var host, drive int64
	total := int64(r.requests[id].Prompt + r.all[id].made)
	for i := 0; i <= len(tiers); i++ {
		if i == len(tiers) || i > 0 && tiers[i] != tiers[i-1] || i == 0 && tiers[0] != InHBM {
			before := int64(i) * r.block
			t := after(r.transfer(host, drive, there).ready-r.now, r.cost.alone(before, total-before, r.setting.Tokens))
			if t < least {
				best, least = i, t
			}
		}
		if i < len(tiers) {
			switch tiers[i] {
			case InHost:
				host++
			case InDrive:
				drive++
			}
		}
	}
	return best
}

// back brings a sequence from host memory that was written there when memory was over.
func (r *replica) back(id int32) bool {
	s := &r.all[id]
	need := s.done + s.left
	if !r.fits(need) {
		return false
	}
	s.swapped = false
	r.swapped -= s.done
	r.private += need
	s.private = need
	r.room(0)
	r.admitted(id)
	n := r.bytesOfTokens(s.done)
	begin := max(r.now, r.linkIn, s.ready)
	r.linkIn = after(begin, lasts(r.rates.link, n))
	if r.watch != nil {
		r.watch.move(r.number, ToGPU, id, begin, r.linkIn, n)
	}
	r.work.LinkIn.add(r.rates.link, n)
	s.state, s.ready = loading, r.linkIn
	r.hostDone[id] = r.linkIn
	r.load = append(r.load, id)
	return true
}

// out writes so many tokens of a sequence to host memory.
func (r *replica) out(id int32, tokens int64) unit.Time {
	n := r.bytesOfTokens(tokens)
	begin := max(r.now, r.linkOut)
	r.linkOut = after(begin, lasts(r.rates.link, n))
	if r.watch != nil {
		r.watch.move(r.number, ToHost, id, begin, r.linkOut, n)
	}
	r.work.LinkOut.add(r.rates.link, n)
	return r.linkOut
}

// pin makes a sequence one of those that have a block in GPU memory.
func (r *replica) pin(id int32, i int) {
	b := r.namesOf(id)[i]
	if r.refs[b] == 0 {
		r.cached.drop(b)
		r.pinned += r.block
	}
	r.refs[b]++
	r.mine[int(r.offset[id])+i] = true
}

// release takes all memory from a sequence. Blocks that nobody has then stay while there is room: the end of a prefix goes first.
func (r *replica) release(id int32) {
	s := &r.all[id]
	grown := int64(0)
	if s.state == decoding && !r.whole {
		grown = r.steps - s.joined
	}
	r.private -= s.private + grown
	s.private = 0
	names, mine := r.namesOf(id), r.mine[r.offset[id]:r.offset[id+1]]
	for i := len(names) - 1; i >= 0; i-- {
		if !mine[i] {
			continue
		}
		mine[i] = false
		b := names[i]
		if r.refs[b]--; r.refs[b] == 0 {
			r.pinned -= r.block
			r.cached.put(b)
			if r.asks != nil {
				r.asks.free(r, b)
			}
		}
	}
}

// victim is the block that a tier forgets first: the one that was not used for the longest time, if nobody wrote another rule.
func (r *replica) victim(t Tier, of *blocks) int32 {
	if r.asks != nil && r.asks.evict != nil {
		return r.asks.victim(r, t, of)
	}
	return of.oldest()
}

// wanted reports whether drives shall have a block.
func (r *replica) wanted(b int32) bool {
	if r.asks != nil && r.asks.write != nil {
		return r.asks.writes(r, b)
	}
	return !r.setting.WriteOnSecond || r.uses[b] > 1
}

// room evicts blocks that nobody has until so many tokens more fit.
func (r *replica) room(tokens int64) {
	if r.cached == nil {
		return
	}
	for r.private+r.pinned+r.cached.count*r.block+tokens > r.capacity && r.cached.count > 0 {
		old := r.victim(InHBM, r.cached)
		r.cached.drop(old)
		r.lost[old] = true
	}
}

// keep makes blocks of a sequence known to others, in GPU memory and in the tiers: those that so many tokens fill, behind those that
// fewer did.
func (r *replica) keep(id int32, before, tokens int64) {
	if !r.system.Prefix || r.block == 0 {
		return
	}
	names := r.namesOf(id)
	from, to := r.blocksOf(before), min(int64(len(names)), r.blocksOf(tokens))
	if from >= to {
		return
	}
	names = names[from:to]
	first := int(int64(r.offset[id]) + from)
	for i, b := range names {
		// Of what two computed at the same time, the second keeps its own for itself.
		if r.mine[first+i] || r.refs[b] > 0 || r.cached.has(b) {
			continue
		}
		r.refs[b], r.mine[first+i] = 1, true
		r.pinned += r.block
		r.private -= r.block
		r.all[id].private -= r.block
	}
	if r.host == nil && r.drive == nil && r.asks == nil {
		return
	}
	for i := len(names) - 1; i >= 0; i-- { // the end of a prefix is the first to go
		b := names[i]
		r.uses[b] = min(2, r.uses[b]+1)
		if r.asks != nil {
			r.asks.had(r, b, int32(from)+int32(i))
		}
		if r.drive != nil {
			r.list(id, b)
		}
		if r.host != nil {
			r.save(id, b)
		}
	}
}

// save puts a block into host memory; what that drops goes to drives.
func (r *replica) save(id, b int32) {
	if r.host.has(b) {
		r.host.drop(b)
		r.host.put(b)
		r.asks.come(r, InHost, b)
		return
	}
	if r.swapped+r.block > r.result.Memory.Host {
		return
	}
	r.host.put(b)
	r.asks.come(r, InHost, b)
	r.host.ready[b] = r.out(id, r.block)
	r.trim(id)
}

// trim has host memory forget blocks until what is there has room.
func (r *replica) trim(id int32) {
	for r.host != nil && r.host.count > 0 && r.host.count*r.block+r.swapped > r.result.Memory.Host {
		old := r.victim(InHost, r.host)
		r.host.drop(old)
		switch {
		case !r.drive.has(old) || r.held[old]:
		case r.wanted(old):
			r.write(id, old, r.now)
		default:
			r.drop(old)
		}
	}
}

// list puts a block on the drives' list: with host memory above them they hold what it holds, too, so that a pool is as large as
// its largest tier; it is written when host memory drops it. Without, it is written at once.
func (r *replica) list(id, b int32) {
	if r.drive.has(b) {
		r.drive.drop(b)
		r.drive.put(b)
		r.asks.come(r, InDrive, b)
		if r.host == nil && !r.held[b] && r.wanted(b) {
			r.write(id, b, r.out(id, r.block))
		}
		return
	}
	if r.drive.most == 0 {
		return
	}
	r.drive.put(b)
	r.asks.come(r, InDrive, b)
	if r.host == nil && r.wanted(b) {
		r.write(id, b, r.out(id, r.block))
	}
	for r.drive.count > r.drive.most {
		r.drop(r.victim(InDrive, r.drive))
	}
}

// drop takes a block from the drives.
func (r *replica) drop(b int32) {
	r.drive.drop(b)
	if r.held[b] {
		r.held[b] = false
		r.written--
	}
}

// write has drives write a block that is there from a moment on; the block is lost to them if they are far behind.
func (r *replica) write(id, b int32, from unit.Time) {
	if r.writeEnd-r.now > backlog {
		if r.drive.has(b) {
			r.drop(b)
		}
		return
	}
	n := r.bytesOf(1)
	span := lasts(r.rates.write, n)
	begin := max(from, r.writeEnd)
	if ahead := r.readFree - begin; ahead > 0 {
		span += min(2*span, ahead) / 2
	}
	r.writeEnd = after(begin, span)
	if r.watch != nil {
		r.watch.move(r.number, ToDrives, id, begin, r.writeEnd, n)
	}
	r.work.Write.add(r.rates.write, n)
	r.drive.ready[b] = r.writeEnd
	if !r.held[b] {
		r.held[b] = true
		r.written++
	}
}
