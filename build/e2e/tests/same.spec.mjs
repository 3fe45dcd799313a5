// The worker in the tab and the native program give the same bytes.
import { execFile } from 'node:child_process';
import { readFile } from 'node:fs/promises';
import path from 'node:path';
import { expect, test, visit } from '../fixture.mjs';
import { inWorker } from '../worker.mjs';

const root = path.resolve(import.meta.dirname, '../../..');

// native runs jobs with build/e2e/hashes and returns the results' hashes.
function native(jobs) {
  return new Promise((resolve, reject) => {
    const child = execFile(path.join(root, 'build/out/hashes'), (err, out) => (err ? reject(err) : resolve(out.trim().split('\n'))));
    child.stdin.end(jobs.map((j) => JSON.stringify(j)).join('\n'));
  });
}

test('native equals wasm', async ({ page }) => {
  test.setTimeout(180_000);
  await visit(page, './#v=1&model=bert-base&batch=16&times=as-paper');
  const [download] = await Promise.all([page.waitForEvent('download'), page.click('#save-json')]);
  const saved = JSON.parse(await new Response((await download.createReadStream())).text());
  const jobs = [];
  for (const run of saved.runs) {
    for (const [model, batch, times, mode] of [
      ['bert-base', 16, 'as-paper', 'published'], ['bert-base', 64, 'as-paper', 'published'], ['bert-base', 64, 'as-paper', 'corrected'],
      ['vit-s-32', 256, 'estimated', 'corrected'], ['resnet-50', 64, 'estimated', 'published'],
    ]) {
      const source = { Model: model, Batch: batch, Times: times, GPU: 'a100-40' };
      const machine = { ...saved.state.Machine, GPUMemory: 4 * 2 ** 30 };
      jobs.push({ ID: jobs.length + 1, Source: source, Run: { System: run.system, Machine: machine, Options: { ...saved.state.Options, Quirks: mode } }, Hash: true });
    }
  }
  const [ours, theirs] = [await native(jobs), (await inWorker(page, jobs)).map((a) => a.Hash)];
  expect(ours).toHaveLength(jobs.length);
  expect(new Set(ours).size).toBeGreaterThan(jobs.length / 2);
  expect(theirs).toEqual(ours);
});

// The native tests compare with the same file.
test('every published run equals native', async ({ page }) => {
  test.setTimeout(400_000);
  const lines = (await readFile(path.join(root, 'ui/job/testdata/hashes.golden'), 'utf8')).trim().split('\n').map((line) => line.split(' '));
  expect(lines.length).toBeGreaterThan(350);
  await visit(page, './#v=1&model=bert-base&batch=16&times=as-paper');
  const jobs = lines.map(([model, batch, , ...run], i) => ({
    ID: i + 1, Source: { Model: model, Batch: Number(batch), Times: 'as-paper' }, Study: run.join(' '), Hash: true,
  }));
  const half = Math.ceil(jobs.length / 2);
  const theirs = (await Promise.all([inWorker(page, jobs.slice(0, half)), inWorker(page, jobs.slice(half))])).flat();
  const other = lines.filter((line, i) => !theirs[i].Hash.startsWith(line[2])).map((line) => line.join(' '));
  expect(other).toEqual([]);
});

test('jobs given before the page has its program wait for it', async ({ page, guard }) => {
  const job = { ID: 1, Source: { Model: 'bert-base', Batch: 256, Times: 'as-paper' }, Study: 'g10 BERT/256-sim_prefetch_lru.config', Hash: true };
  await page.route('**/app.wasm', async (route) => {
    await new Promise((resolve) => { setTimeout(resolve, 1500); });
    await route.continue();
  });
  await page.goto('./');
  expect(await page.evaluate(() => window.wasmModule)).toBeUndefined();
  expect(await inWorker(page, [job])).toHaveLength(1);

  guard.expect(/503/);
  await page.unroute('**/app.wasm');
  await page.route('**/app.wasm', (route) => route.fulfill({ status: 503 }));
  await page.goto('./?again');
  await expect(inWorker(page, [job])).rejects.toThrow(/did not start: .*503/);
});
