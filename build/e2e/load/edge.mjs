// Asks the optional host 30 000 times, in workerd: figures that are kept and figures that are
// computed, of every laboratory, pages, oEmbed, files, and what is refused. No answer may be
// another than it was, and memory may not grow once it has found its level. The level is that
// of V8, which collects what answers leave behind when its heaps have grown, and of workerd's
// store of kept answers: kept figures alone, for which no Go program starts, bring it from 259
// to 420 MiB in 15 000 requests, and the 5 000 after these change it by less than 5 MiB.
// make load-edge runs it.
import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { readFileSync, readdirSync } from 'node:fs';
import { FIRST, start } from '../edge/host.mjs';

const REQUESTS = Number(process.env.REQUESTS ?? 30_000);
const AT_ONCE = 8;
const GROWS = 1.15; // from the third fifth, when memory has found its level, to the last: 1.05 and 1.10 measured

const mf = start(FIRST);

// asks are what is asked for, with the answer's status and how often of a hundred.
const figures = [
  '/figure/g10-paper.svg?batch=16&gpu_memory=2&systems=ideal,uvm', '/figure/store.svg?workload=pairs', '/figure/compress.svg', '/figure/compress.svg?theme=dark&width=400',
  '/figure/cxlssd.svg?scale=64&systems=base-cssd', '/figure/filesys.svg?workload=create&calls=200&systems=bytefs', '/figure/llm.svg?model=llama3-8b&layers=2&systems=ideal', '/figure/two-resnets.svg?clients=1',
];
const asks = [
  [88, () => figures[turn % figures.length], [200]],
  [1, () => `/figure/g10-paper.svg?batch=16&gpu_memory=2&systems=uvm&width=${300 + turn % 20}`, [200]],
  [3, () => ['/f/g10-paper?batch=16&gpu_memory=2', '/f/mail-server?threads=4', '/f/llama3-8b'][turn % 3], [200]],
  [3, () => `/oembed?url=${encodeURIComponent('http://spillway.test/f/g10-paper?batch=16')}&format=json`, [200]],
  [2, () => `/figure/${['nothing', 'store'][turn % 2]}.svg?nonsense=${turn}`, [400, 404]],
  [2, () => `/figure/store.svg?${'x'.repeat(1100)}`, [414]],
  [1, () => '/boot.js', [200]],
];
const wheel = asks.flatMap(([n, address, statuses]) => Array(n).fill({ address, statuses }));
let turn = 0;

// workerd is a file of that process, which is a child of this one.
function workerd(file) {
  for (const pid of readdirSync('/proc').filter((name) => /^\d+$/.test(name))) {
    try {
      const status = readFileSync(`/proc/${pid}/status`, 'utf8');
      if (/^Name:\s*workerd/m.test(status) && Number(/^PPid:\s*(\d+)/m.exec(status)[1]) === process.pid) return readFileSync(`/proc/${pid}/${file}`, 'utf8');
    } catch { /* it has ended */ }
  }
  throw new Error('there is no workerd');
}

// memory is what it has in memory, in bytes, and spent the processor's time it has taken, in ms.
const memory = () => 1024 * Number(/^VmRSS:\s*(\d+)/m.exec(workerd('status'))[1]);
const spent = () => workerd('stat').split(') ')[1].split(' ').slice(11, 13).reduce((sum, ticks) => sum + 10 * ticks, 0);

const answers = new Map(), times = { hit: [], other: [] }, counts = {};
const memories = []; // after every hundredth answer; what is not collected yet makes peaks
const low = (from, to) => Math.min(...memories.slice(memories.length * from, memories.length * to));
let done = 0;
async function one() {
  const mine = turn++;
  const { address, statuses } = wheel[(mine * 37) % wheel.length];
  const asked = address();
  const begin = performance.now();
  const r = await mf.dispatchFetch(`http://spillway.test${asked}`);
  const text = await r.text();
  const took = performance.now() - begin;
  assert.ok(statuses.includes(r.status), `${asked}: ${r.status} ${text.slice(0, 200)}`);
  assert.ok(text.length > 0 && (r.status === 200 || / /.test(text)), `${asked} is refused in words`);
  const is = `${r.status} ${createHash('sha256').update(text).digest('hex')}`;
  assert.equal(answers.get(asked) ?? is, is, `${asked} is another than before`);
  answers.set(asked, is);
  counts[r.status] = (counts[r.status] ?? 0) + 1;
  times[r.headers.get('x-spillway-cache') === 'hit' ? 'hit' : 'other'].push(took);
  if (++done % 100 === 0) memories.push(memory());
  if (done % 1000 === 0) console.log(`${done} of ${REQUESTS}: workerd has ${(memory() / 2 ** 20).toFixed(0)} MiB`);
}
try {
  for (const figure of figures) { // each is computed once, before eight ask for it at once
    const begin = performance.now();
    const r = await mf.dispatchFetch(`http://spillway.test${figure}`);
    const text = await r.text();
    assert.equal(r.status, 200, `${figure}: ${text}`);
    console.log(`${figure}: ${((performance.now() - begin) / 1000).toFixed(1)} s`);
  }
  const KEPT = 400, MOST = 50; // ms of a processor for a figure that is kept
  const before = spent();
  for (let i = 0; i < KEPT; i++) {
    const r = await mf.dispatchFetch(`http://spillway.test${figures[i % figures.length]}`);
    assert.equal(r.headers.get('x-spillway-cache'), 'hit');
    await r.text();
  }
  const each = (spent() - before) / KEPT;
  console.log(`a kept figure takes ${each.toFixed(1)} ms of workerd's processor time`);
  assert.ok(each < MOST, `a kept figure takes ${each} ms`);
  await Promise.all(Array.from({ length: AT_ONCE }, async () => { while (turn < REQUESTS) await one(); }));
  const [warm, end] = [low(0.4, 0.6), low(0.8, 1)];
  const at = (list, part) => list.sort((a, b) => a - b)[Math.floor(part * (list.length - 1))]?.toFixed(1);
  console.log(`${done} requests, no error; by status ${JSON.stringify(counts)}; ${answers.size} addresses`);
  console.log(`kept figures: ${times.hit.length}, half within ${at(times.hit, 0.5)} ms, 99 % within ${at(times.hit, 0.99)} ms, with ${AT_ONCE} at once; memory ${(warm / 2 ** 20).toFixed(0)} MiB at the least in the third fifth, ${(end / 2 ** 20).toFixed(0)} MiB in the last`);
  assert.ok(end <= GROWS * warm, 'memory grows');
} finally {
  await mf.dispose();
}
