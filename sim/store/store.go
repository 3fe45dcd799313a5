// Package store plays an object store for GPU memory: several clients leave
// tensors to a server, which evicts them to the host when somebody needs room
// and brings them back.
//
// # Source
//
// Ravenstore: "GPU Memory Harvesting for Global Memory Cache in Deep Learning
// Clusters" (technical report, CS 8803-SMR, Georgia Tech, 2023). Sections in
// comments are the report's.
//
// # Model
//
// A tensor is the client's (user), the store's in GPU memory, the store's in
// the host, or freed (§3). create, get, put and free go from one to another;
// free and put of a tensor that is the store's are errors (§3.2), and errors end
// the run: they are results, with the operation and the reason. malloc and
// mfree of programs that know no store are intercepted, and never moved.
//
// The server handles one call after the other, in the order of arrival. A call
// that needs room evicts victims, first those that the [Policy] names, until
// there is enough: each is a callback to its owner and a copy (§4.2). A get of an
// evicted tensor makes room, allocates and copies. After every free the store
// brings back what fits, in the policy's order, as long as something does
// (§4.3): the copies go one after the other while clients compute. A tensor on
// its way is no victim; a get of it waits for the rest, and is counted as late.
// If nothing else is left, eviction waits for one on its way.
//
// Between calls clients think: they compute. If they share the GPU, each that
// computes has an equal part of it.
//
// Ties are broken by tensor number. Time is in whole picoseconds, and every one
// of a client's belongs to one [Part].
//
// # Parameters
//
// [Knobs] lists them. [Published] has the report's, [Native] those of the driver
// alone.
//
// # Departures
//
//  1. Time of an allocation goes with its size, and almost all of a pair of
//     allocation and free is the free: the report's Tables 1 and 2 allow no other
//     reading. So each kind of call has a cost of its own.
//  2. The report does not say whether the time that put declares is a clock's or
//     an order. [Policies] has both: latency-aware takes times, which waiting
//     makes wrong; latency-logical takes the number of the client's operation. A
//     put that says only one has the other by the client's trace; a put that says
//     nothing is evicted first and brought back last.
//  3. The report does not define its FIFO and LRU. Here FIFO goes by the time of
//     put, and LRU by the last create or get: put says that the use is over. The
//     nearest in order to be brought back is what was put first for FIFO, and
//     what was used last for LRU.
//  4. Numbers of two clients' operations are compared as distances from where
//     each client is.
//  5. The size-aware policy is ours: of each client and class of size (powers of
//     two) the farthest is a candidate, and of these the one with the greatest
//     distance times bytes that help is the victim.
//  6. The pause of 100 ms between an eviction and the next allocation (§6.3.2),
//     a way around an error, is off: with it a run is mostly pauses. A call that
//     evicts several tensors pauses once.
//  7. Bringing a tensor back costs an allocation and a copy at the link's rate,
//     of which the report measures neither. The host's copy is given up when the
//     way back begins.
//  8. Time before a client's first operation is absence, not thinking.
//  9. Memory has no addresses, so it does not fragment. A get of a tensor that
//     its client has already is a hit.
//  10. The report does not say whether the server handles several clients' calls
//     at the same time. Here it does not, and waiting for it is a part of its own.
//  11. As published a tensor that comes back early takes room for which others are evicted
//     later, often itself. With [Setup.Yields] between calls one tensor after the other comes back
//     whenever room is free, but only what the policy needs before what it would evict first. The
//     host keeps its copy until the get: so it is no victim, and the last that came is given up, for
//     nothing, where room is needed. A get that misses breaks off what is under way.
package store
