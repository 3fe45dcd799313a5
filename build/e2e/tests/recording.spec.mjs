// A training job's own recording: a trace of PyTorch's profiler that this test
// writes, dropped on the page.
import { createWriteStream } from 'node:fs';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { once } from 'node:events';
import os from 'node:os';
import path from 'node:path';
import { expect, finished, test, tool, visit } from '../fixture.mjs';
import { SECRET, kineto } from '../kineto.mjs';

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

test('large files say how far they are, and can be cancelled', { tag: '@alone' }, async ({ page }) => {
  await visit(page, './#v=2&lab=train&model=bert-base&batch=16&times=as-paper');
  await finished(page);
  const { file, bytes } = await write('large.json', { steps: 600, layers: 40, pad: 4000 });
  expect(bytes).toBeGreaterThan(150e6);
  const headline = await page.locator('#headline').innerText();
  const url = page.url();
  await page.locator('body').click({ position: { x: 2, y: 2 } });
  const begun = Date.now();
  await open(page, file);
  await expect(page.locator('#opening-cancel')).toBeVisible();
  await expect(page.locator('#opening-says')).toHaveText(/Reading large\.json/);
  console.log(`  ${Date.now() - begun} ms to a button that cancels (budget 1000)`);
  await expect(page.locator('#opening-says')).toHaveText(/Reading large\.json: [\d.]+ MB of [\d.]+ MB/);
  console.log(`  ${Date.now() - begun} ms to bytes`);
  expect(Number(await page.locator('#opening-progress').getAttribute('value'))).toBeLessThan(100);
  await page.locator('#opening-cancel').focus();
  await expect(page.locator('#opening-cancel')).toBeFocused();
  const cancelled = await page.evaluate(async () => {
    const start = performance.now();
    document.getElementById('opening-cancel').click();
    while (!document.getElementById('opening').hidden) await new Promise((done) => { setTimeout(done, 5); });
    return performance.now() - start;
  });
  console.log(`  ${cancelled.toFixed(0)} ms to cancel (budget 200)`);
  await expect(page.locator('#told')).toHaveText('Cancelled: large.json was not opened.');
  await expect(page.locator('#main')).toBeFocused();
  await finished(page);
  await expect(page.locator('#headline')).toHaveText(headline);
  expect(page.url()).toBe(url);
});

test('50 MB of a recording are ranked and accounted for', async ({ page }) => {
  await visit(page, './#v=2&lab=train&model=bert-base&batch=16&times=as-paper');
  await finished(page);
  const { file, bytes } = await write('job.json', { steps: 130, layers: 40, pad: 4000 });
  expect(bytes).toBeGreaterThan(45e6);
  const begun = Date.now();
  await open(page, file);
  await expect(page.locator('#lead')).toHaveText(/^job\.json needs/);
  console.log(`  ${Date.now() - begun} ms to the first result of ${(bytes / 1e6).toFixed(0)} MB`);
  await finished(page);
  console.log(`  ${Date.now() - begun} ms to ranking and ledger (target 2000)`);
  await expect(page.locator('#section-recorded')).toContainText('PyTorch profiler (Kineto), label L1m');
  await expect(page.locator('#context')).toContainText('tensors known for 100 % of it');
});

test('choices about a recording are settings, and what is saved has no secrets', async ({ page }) => {
  await visit(page, './#v=2&lab=train&model=bert-base&batch=16&times=as-paper');
  await finished(page);
  await expect(page.locator('#section-recorded')).toBeHidden();
  await expect(page.locator('#f-step')).toHaveCount(0);
  const { file } = await write('mine.json', {});
  await open(page, file);
  await expect(page.locator('#entries .entry[aria-pressed=true]')).toHaveText(/mine\.json/);
  await finished(page);
  await expect(page.locator('#f-gpu_memory')).toHaveValue('80'); // that of the GPU that it was recorded on
  const section = page.locator('#section-recorded');
  await expect(section).toContainText('What was recorded');
  await expect(section.getByRole('row', { name: /Peak by the recording's counter/ })).toContainText('2.5 GiB');


  // Every choice is in the link, can be undone, and says what is wrong with it.
  await expect(page.locator('#f-step option')).toHaveCount(5);
  await page.selectOption('#f-step', 'ProfilerStep#4');
  await finished(page);
  await expect(page).toHaveURL(/step=ProfilerStep%234/);
  await expect(section).toContainText('Step ProfilerStep#4');
  await page.check('#f-unknown-drop');
  await expect(page).toHaveURL(/unknown=drop/);
  await page.fill('#f-roles', '*=hat');
  await expect(page.locator('#err-roles')).toContainText('unknown "hat"');
  await page.fill('#f-roles', 'aten::addmm*=weight');
  await expect(page.locator('#err-roles')).toBeEmpty();
  await finished(page);
  await expect(page).toHaveURL(/roles=aten/);
  for (const gone of [/roles=/, /unknown=/, /step=/]) {
    while (gone.test(page.url())) {
      await tool(page, 'undo');
      await finished(page);
    }
  }
  await tool(page, 'redo');
  await finished(page);
  await expect(page).toHaveURL(/step=ProfilerStep%234/);

  // What leaves the page says nothing that was not to be said.
  const numbers = page.locator('#save-results');
  const save = async (key) => {
    const download = page.waitForEvent('download');
    await numbers.click();
    await page.click(`#${key}-results`);
    return readFile(await (await download).path());
  };
  const files = {};
  for (const key of ['csv', 'json', 'bundle', 'timeline', 'trace', 'trace-anonymous']) {
    files[key] = await save(key);
    expect(files[key].includes(SECRET), key).toBe(false);
  }
  expect(page.url()).not.toContain(SECRET);
  expect(await page.content()).not.toContain(SECRET);
  expect(files['trace-anonymous'].includes('addmm')).toBe(false);

  // A saved trace runs the same; so does the bundle.
  const hash = (json) => JSON.stringify(JSON.parse(json).runs.map((r) => r.result));
  await page.setInputFiles('#pick-files', [{ name: 'saved.json', mimeType: 'application/json', buffer: files['trace-anonymous'] }]);
  await expect(page.locator('#entries .entry[aria-pressed=true]')).toHaveText(/training job/);
  await finished(page);
  await expect(section).toBeHidden();
  expect(hash(await save('json'))).toBe(hash(files.json));
  await page.setInputFiles('#pick-files', [{ name: 'mine.spillway.zip', mimeType: 'application/zip', buffer: files.bundle }]);
  await expect(page.locator('#check-says')).toContainText('Replayed');

  // After a reload the files are gone, and the page says which.
  await page.reload();
  await finished(page);
  await expect(page.locator('#blocked')).toContainText('Drop');
});

test('files that cannot be run say what they are', async ({ page }) => {
  await visit(page, './#v=2&lab=train&model=bert-base&batch=16&times=as-paper');
  await finished(page);
  for (const [name, text, says] of [
    ['half.json', [...kineto({ steps: 2, layers: 2 })].join('').slice(0, 150), /half\.json: this is no PyTorch trace: want an object with "traceEvents"/],
    ['empty.json', '{"traceEvents":[]}', /empty\.json has neither operators nor work of a GPU/],
    ['nsight.sqlite', 'SQLite format 3\0', /Nsight Systems.*record with Spillway's capture\.py/],
    ['evil.pickle', '\x80\x02c__builtin__\nprint\n.', /evil\.pickle: byte 2: the opcode GLOBAL .* is refused/],
  ]) {
    await page.setInputFiles('#pick-files', [{ name, mimeType: 'application/octet-stream', buffer: Buffer.from(text, 'latin1') }]);
    await expect(page.locator('#files-error')).toHaveText(says);
    await expect(page.locator('#opening')).toBeHidden();
  }
});
