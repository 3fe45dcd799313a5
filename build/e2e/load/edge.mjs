// Asks the optional host 10 000 times, in workerd: figures that are kept and figures that are
// computed, of every laboratory, pages, oEmbed, files, and what is refused. No answer may be
// another than it was, and memory may not grow. make load-edge runs it.
import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { readFileSync, readdirSync } from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { Miniflare } from 'miniflare';

const REQUESTS = Number(process.env.REQUESTS ?? 10_000);
const AT_ONCE = 8;
const WARM = Math.ceil(REQUESTS / 5); // after so many, memory is what it shall stay
const GROWS = 1.15;

const root = path.resolve(path.dirname(fileURLToPath(import.meta.url)), '../../..');
const worker = (name) => path.join(root, 'build/worker', name);
const mf = new Miniflare({
  modulesRoot: worker(''),
  modules: [
    { type: 'ESModule', path: worker('worker.mjs') },
    { type: 'ESModule', path: worker('wasm_exec.js') },
    { type: 'ESModule', path: worker('runtime.mjs') },
    { type: 'CompiledWasm', path: worker('app.wasm') },
  ],
  compatibilityDate: '2026-04-01',
  cf: false,
  assets: {
    directory: path.join(root, 'dist'),
    binding: 'ASSETS',
    routerConfig: { has_user_worker: true, static_routing: { user_worker: ['/figure/*', '/f/*', '/oembed'] } },
    assetConfig: { not_found_handling: '404-page' },
  },
});

// asks are what is asked for, with the answer's status and how often of a hundred.
const figures = [
  '/figure/g10-paper.svg?batch=16&gpu_memory=2&systems=ideal,uvm', '/figure/store.svg?workload=pairs', '/figure/compress.svg', '/figure/compress.svg?theme=dark&width=400',
  '/figure/cxlssd.svg?scale=64&systems=base-cssd', '/figure/filesys.svg?workload=create&calls=200&systems=bytefs', '/figure/llm.svg?model=llama3-8b&layers=2&systems=ideal', '/figure/two-resnets.svg?clients=1',
];
const asks = [
  [60, () => figures[turn % figures.length], [200, 422]],
  [10, () => `/figure/g10-paper.svg?batch=16&gpu_memory=2&systems=uvm&width=${240 + turn % 1700}`, [200]],
  [10, () => ['/f/g10-paper?batch=16&gpu_memory=2', '/f/mail-server?threads=4', '/f/llama3-8b'][turn % 3], [200]],
  [8, () => `/oembed?url=${encodeURIComponent('http://spillway.test/f/g10-paper?batch=16')}&format=json`, [200]],
  [6, () => `/figure/${['nothing', 'store'][turn % 2]}.svg?nonsense=${turn}`, [400, 404]],
  [4, () => `/figure/store.svg?${'x'.repeat(1100)}`, [414]],
  [2, () => '/boot.js', [200]],
];
const wheel = asks.flatMap(([n, address, statuses]) => Array(n).fill({ address, statuses }));
let turn = 0;

// memory is what workerd has in memory, in bytes; it is a child of this process.
function memory() {
  for (const pid of readdirSync('/proc').filter((name) => /^\d+$/.test(name))) {
    try {
      const status = readFileSync(`/proc/${pid}/status`, 'utf8');
      if (/^Name:\s*workerd/m.test(status) && Number(/^PPid:\s*(\d+)/m.exec(status)[1]) === process.pid) return 1024 * Number(/^VmRSS:\s*(\d+)/m.exec(status)[1]);
    } catch { /* it has ended */ }
  }
  return 0;
}

const answers = new Map(), times = { hit: [], other: [] }, counts = {};
let warm = 0, done = 0;
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
  if (++done === WARM) warm = memory();
  if (done % 1000 === 0) console.log(`${done} of ${REQUESTS}: workerd has ${(memory() / 2 ** 20).toFixed(0)} MiB`);
}
try {
  await Promise.all(Array.from({ length: AT_ONCE }, async () => { while (turn < REQUESTS) await one(); }));
  const end = memory();
  const at = (list, part) => list.sort((a, b) => a - b)[Math.floor(part * (list.length - 1))]?.toFixed(1);
  console.log(`${done} requests, no error; by status ${JSON.stringify(counts)}; ${answers.size} addresses`);
  console.log(`kept figures: ${times.hit.length}, half within ${at(times.hit, 0.5)} ms, 99 % within ${at(times.hit, 0.99)} ms, with ${AT_ONCE} at once; memory ${(warm / 2 ** 20).toFixed(0)} MiB after ${WARM}, ${(end / 2 ** 20).toFixed(0)} MiB at the end`);
  assert.ok(end <= GROWS * warm, 'memory grows');
} finally {
  await mf.dispose();
}
