// Package serve simulates how language models are served: requests, an engine that computes one step after the other over
// pages of keys and values, one replica or more behind a router, and tiers that keep what was computed of prompts.
//
// # Source
//
// Iteration-level scheduling over pages of keys and values is that of Orca (OSDI 2022) and vLLM (SOSP 2023), chunks of prompts
// that of Sarathi (OSDI 2024), tiers behind GPU memory that of CachedAttention (ATC 2024), LMCache and Mooncake (FAST 2025), streamed
// weights that of FlexGen (ICML 2023) and ZeRO-Inference. Constants are fitted to published tables of engines; Engines and ChipOf say
// which rows, and tests print all of them beside the model.
//
// # Model
//
//  1. Requests go through the server's front end one after the other and wait in order. One begins when there is a place in the batch
//     and memory for its prompt (for its whole answer, where the engine reserves that) and for one more token of all that decode.
//  2. Then its prefix is looked up block by block, in GPU memory, host memory, on drives, up to the first that is nowhere. Blocks
//     of tiers come in order through two queues, drives and the link; the request goes on when the last is there, others meanwhile.
//     When its first chunk is next, it shares what others computed of it in GPU memory since then, as vLLM's scheduler looks it up then.
//  3. A step computes one token of each that decodes, and with what is left of its tokens prompts in order, in chunks. The last chunk
//     of a prompt gives the first token.
//  4. Where memory is over, the youngest gives back all and waits in front: it is computed again, or comes back from host memory
//     where there is such a tier, in which it takes room from prefixes.
//  5. At a prompt's end its blocks are known to others: in GPU memory while somebody has them, then as the last of a list by use; in host
//     memory at once; what that drops goes to drives.
//  6. A router takes the replica where affinity times the share of the prompt that it has, less the requests there, is most.
//
// Steps of sequences that only decode grow evenly with their contexts, so that many have a closed sum: the engine goes from one event
// to the next, and gives what single steps would, to the picosecond.
//
// # Departures
//
//  1. A pool is as large as its largest tier: drives hold what host memory holds, too (as HiCache with a store behind it), but a
//     block is written only when host memory drops it.
//  2. Writing to drives that is two seconds behind is given up: the block is lost to them.
//  3. Two requests that compute the same prefix at the same time both keep it. Who waits for its first chunk has its memory already,
//     where vLLM gives it chunk by chunk.
//  4. A part of a block is never shared; with blocks of 512 tokens, as in Mooncake's trace, the end of a prompt never is.
//  5. Copies take what the link sustains, whatever the size of blocks; connectors before vLLM 0.12 with blocks of 8 to 72 KB reach less.
//  6. Attention over a window of tokens counts as over all of them (Gemma, gpt-oss), latent keys and values are divided among
//     the GPUs of a replica as others are, though engines copy them.
//  7. What goes to host memory because GPU memory was over leaves it at once; it comes back when it is there. Where host memory
//     has no room for it, it is computed again.
//  8. An engine knows how long answers may be where it reserves memory: here the truth, there a maximum.
//  9. Activations are those of vLLM up to 0.11, which sorts logits to choose a token; later ways to choose take less, and models that
//     read images more. What a driver keeps of a GPU is the same for all, as on one of 80 GB.
package serve
