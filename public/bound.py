#!/usr/bin/env python3
"""Checks bounds of Spillway by itself: python3 bound.py CERTIFICATE.json ...

A certificate (spillway export --format certificate, or the page's exports) has a workload, a
machine and prices: of a byte that is away from the GPU at a moment (a kernel's beginning), of
a byte in host memory there, and of a byte through each link from one moment to the next, in
1e-12 cycles. If a cycle earns at most a cycle on all links together, then no schedule that
moves data takes less time than what is added up here, in whole numbers. If it says
"recomputation", the same holds of schedules that also run kernels again: a byte may come back
for its share of the time of the kernel that wrote it, as far as links do not earn that.
"""
import json
import sys

UNIT, PAGE, MOST, NEVER = 10**12, 4096, 10**16, -(10**60)


def prove(c):
    moments, clock, n, m = c["moments"], c["clock_hz"], len(c["kernels"]), len(c["moments"])
    memory, host, links, rates = c["memory_prices"], c["host_prices"], c["link_prices"], c["link_bytes_per_s"]
    assert moments == sorted(set(moments)) and 0 <= moments[0] and moments[-1] < n, "moments are ascending kernels"
    assert all(len(p) == m and min(p) >= 0 for p in [memory, host, *links]), "prices are 0 or more, one a moment"
    total, rest = 0, []  # rest: what of a cycle no link earns
    for x, k in enumerate(moments):
        earned = sum(p[x] * r for p, r in zip(links, rates))
        assert earned <= UNIT * clock, f"a cycle earns too much after moment {x}"
        rest.append((UNIT * clock - earned) // clock)
        end = moments[(x + 1) % m]
        cycles = sum(c["kernels"][i % n]["cycles"] for i in range(k, end + n * (end <= k)))
        total += cycles * (UNIT * clock - earned)
        total -= clock * (memory[x] * (c["gpu_memory_bytes"] // PAGE * PAGE) + host[x] * c["host_memory_bytes"])
    uses = [[] for _ in c["tensors"]]  # (kernel, reads, writes) in order
    for i, k in enumerate(c["kernels"]):
        for t in dict.fromkeys(k["inputs"] + k["outputs"]):
            uses[t].append((i, t in k["inputs"], t in k["outputs"]))
    times = [(k + turn * n, x) for turn in (-1, 0, 1, 2) for x, k in enumerate(moments)]
    price = lambda first, last: sum(memory[x] for at, x in times if first <= at <= last)

    pages = lambda t: -(-t["bytes"] // PAGE) * PAGE

    def again(k):  # cost of a byte that kernel k computes again
        return min(MOST, c["kernels"][k]["cycles"] * UNIT // sum(pages(c["tensors"][t]) for t in set(c["kernels"][k]["outputs"])))

    def earns(born, gaps, cost=None):  # at most, by a byte written by a kernel (None: copies are everywhere)
        copied, away, last = [NEVER if born is not None else 0] * 2, [NEVER] * 2, None
        here, gone = 0, NEVER  # without a copy
        start = max((at for at, _ in times if born is not None and at <= born), default=gaps[0][0])
        for at, x in times:
            if not start <= at < gaps[-1][1]:
                continue
            gap = next((g for g in gaps if g[0] < at < g[1]), None)
            if gap != last:
                away, gone, last = [NEVER] * 2, NEVER, gap
            if gap:
                back = [links[0][x] + links[2 + 2 * q][x] for q in (0, 1)]
                if cost is not None:
                    redo = cost * rest[x] // UNIT
                    back = [min(b, redo) for b in back]
                    gone = max(gone, here, *copied) + memory[x]
                    here = max(here, gone - redo)
                away = [max(away[q], copied[q]) + memory[x] - (host[x] if q == 0 else 0) for q in (0, 1)]
                copied = [max(copied[q], away[q] - back[q]) for q in (0, 1)]
            if born is not None:
                copied = [max(copied[q], max(here, copied[1 - q]) - links[1][x] - links[3 + 2 * q][x]) for q in (0, 1)]
        return max(here, *copied)

    for t, u in zip(c["tensors"], uses):
        byte = sum(price(k, k) for k, _, _ in u)
        if not u:
            byte = sum(memory) if t.get("global") else 0
        elif t.get("global") and not any(w for _, _, w in u):
            for (a, _, _), b in zip(u, [k for k, _, _ in u[1:]] + [u[0][0] + n]):
                byte += price(a + 1, b - 1) - earns(None, [(a, b)])
        else:
            if t.get("global"):
                first = next(i for i, (_, _, w) in enumerate(u) if w)
                u = u[first:] + [(k + n, r, w) for k, r, w in u[: first + 1]]
            else:
                u = u[: max((i + 1 for i, (_, r, _) in enumerate(u) if r), default=0)]
            born, gaps = (u[0][0] if u else 0), []
            rerun = lambda k, writes: again(k) if writes and c.get("recomputation") and not t.get("global") else None
            cost = rerun(born, bool(u) and u[0][2])
            for (a, _, _), (b, reads, writes) in zip(u, u[1:]):
                if reads:
                    byte += price(a + 1, b - 1)
                    gaps.append((a, b))
                if (writes or b == u[-1][0]) and gaps:
                    byte -= earns(born, gaps, cost)
                if writes:
                    born, gaps, cost = b, [], rerun(b, True)
        total += byte * clock * pages(t)
    return max(total // (UNIT * clock), sum(k["cycles"] for k in c["kernels"]))


if __name__ == "__main__":
    for name in sys.argv[1:]:
        with open(name) as f:
            c = json.load(f)
        proven = prove(c)
        assert proven == c["bound_cycles"], f"{name}: says {c['bound_cycles']} cycles, proves {proven}"
        even = ", even if it computes values again" if c.get("recomputation") else ""
        print(f"{name}: {c['workload']}: no schedule takes less than {proven / c['clock_hz']:.6f} s{even}")
