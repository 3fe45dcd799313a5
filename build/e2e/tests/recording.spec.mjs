// A training job's own recording: a trace of PyTorch's profiler that this test
// writes, dropped on the page.
import { createWriteStream } from 'node:fs';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { once } from 'node:events';
import os from 'node:os';
import path from 'node:path';
import { expect, finished, test, visit } from '../fixture.mjs';

// Secrets are planted where only unlisted keys are.
const SECRET = 'hf_PlantedTokenThatNobodyMayKeep';

// kineto yields the text of a trace, piece by piece: steps of so many layers, each of
// which runs forward, keeps its result and reads it again on the way back.
function* kineto({ steps = 4, layers = 12, pad = 0 } = {}) {
  const filler = 'x'.repeat(pad);
  yield JSON.stringify({
    schemaVersion: 1, record_shapes: 1, profile_memory: 1, HF_TOKEN: SECRET, env: { HOME: `/home/${SECRET}` },
    deviceProperties: [{ id: 0, name: 'NVIDIA H100 80GB HBM3', totalGlobalMem: 85018279936 }],
  }).slice(0, -1) + ',"traceEvents":[\n';
  let ts = 1_000_000;
  let gpu = 1_000_050;
  let correlation = 1;
  let allocated = 2 ** 30;
  let first = true;
  const event = (e) => {
    const text = (first ? '' : ',\n') + JSON.stringify(e);
    first = false;
    return text;
  };
  const memory = (addr, bytes) => {
    allocated += bytes;
    return event({ ph: 'i', cat: 'cpu_instant_event', s: 't', name: '[memory]', pid: 7, tid: 7, ts: ts + 1, args: { 'Total Reserved': 2 ** 33, 'Total Allocated': allocated, Bytes: bytes, Addr: addr, 'Device Id': 0, 'Device Type': 1, 'Ev Idx': correlation } });
  };
  const operator = (name, dims, pieces) => {
    const c = correlation++;
    const list = [
      event({ ph: 'X', cat: 'cpu_op', name, pid: 7, tid: 7, ts, dur: 40, args: { 'External id': c, 'Record function id': 0, 'Input Dims': dims, 'Input type': dims.map(() => 'float'), 'Call stack': filler && `${SECRET} ${filler}`, 'Ev Idx': c } }),
      ...pieces,
      event({ ph: 'X', cat: 'cuda_runtime', name: 'cudaLaunchKernel', pid: 7, tid: 7, ts: ts + 10, dur: 5, args: { cbid: 211, correlation: c } }),
      event({ ph: 'X', cat: 'kernel', name: `${name.slice(6)}_kernel`, pid: 0, tid: 7, ts: gpu, dur: 900, args: { 'External id': c, device: 0, stream: 7, correlation: c } }),
    ];
    ts += 50;
    gpu += 901;
    return list.join('');
  };
  for (let s = 0; s < steps; s++) {
    const begin = ts;
    const body = [];
    for (let l = 0; l < layers; l++) body.push(operator('aten::addmm', [[4096], [8192, 4096], [4096, 4096]], [memory(10 ** 9 + l * 2 ** 28, 2 ** 27)]));
    for (let l = layers - 1; l >= 0; l--) {
      body.push(operator('aten::mm', [[8192, 4096], [4096, 4096]], []));
      body.push(memory(10 ** 9 + l * 2 ** 28, -(2 ** 27)));
      ts += 5;
    }
    yield body.join('');
    ts += 100;
    yield event({ ph: 'X', cat: 'user_annotation', name: `ProfilerStep#${s + 3}`, pid: 7, tid: 7, ts: begin - 5, dur: ts - begin, args: { 'External id': correlation++, 'Ev Idx': 0 } });
    ts += 50;
    gpu = Math.max(gpu, ts);
  }
  yield '\n]}';
}

let folder;
test.beforeAll(async () => { folder = await mkdtemp(path.join(os.tmpdir(), 'spillway-')); });
test.afterAll(async () => { await rm(folder, { recursive: true, force: true }); });

// write puts a trace into a file and says how large it is.
async function write(name, options) {
  const file = path.join(folder, name);
  const out = createWriteStream(file);
  for (const piece of kineto(options)) if (!out.write(piece)) await once(out, 'drain');
  out.end();
  await once(out, 'finish');
  return { file, bytes: out.bytesWritten };
}

// open hands files to the page as the button does.
async function open(page, ...files) {
  await page.setInputFiles('#pick-files', files);
}

test('large files say how far they are, and can be cancelled', async ({ page }) => {
  await visit(page, './#v=2&lab=train&model=bert-base&batch=16&times=as-paper');
  await finished(page);
  const { file, bytes } = await write('large.json', { steps: 600, layers: 40, pad: 4000 });
  expect(bytes).toBeGreaterThan(150e6);
  const headline = await page.locator('#headline').innerText();
  const url = page.url();
  await page.locator('body').click({ position: { x: 2, y: 2 } });
  const begun = Date.now();
  await open(page, file);
  await expect(page.locator('#reading-cancel')).toBeVisible();
  await expect(page.locator('#reading-says')).toHaveText(/Reading large\.json/);
  console.log(`  ${Date.now() - begun} ms to a button that cancels (budget 1000)`);
  await expect(page.locator('#reading-says')).toHaveText(/Reading large\.json: [\d.]+ MB of [\d.]+ MB/);
  console.log(`  ${Date.now() - begun} ms to bytes`);
  expect(Number(await page.locator('#reading-progress').getAttribute('value'))).toBeLessThan(100);
  const cancelled = await page.evaluate(async () => {
    const start = performance.now();
    document.getElementById('reading-cancel').click();
    while (!document.getElementById('reading').hidden) await new Promise((done) => { setTimeout(done, 5); });
    return performance.now() - start;
  });
  console.log(`  ${cancelled.toFixed(0)} ms to cancel (budget 200)`);
  expect(cancelled).toBeLessThan(1000);
  await expect(page.locator('#told')).toHaveText('Cancelled: large.json was not opened.');
  await expect(page.locator('#main')).toBeFocused();
  await finished(page);
  await expect(page.locator('#headline')).toHaveText(headline);
  expect(page.url()).toBe(url);
});
