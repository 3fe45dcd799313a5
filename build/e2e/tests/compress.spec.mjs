// The laboratory of compressed memory: its suites, and files of tensors that these
// tests write and whose contents they know.
import { execFile } from 'node:child_process';
import { mkdtemp, open as openFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { promisify } from 'node:util';
import { gzipSync } from 'node:zlib';
import { expect, finished, opened, resident, saved, screenshot, test, tool, visit } from '../fixture.mjs';
import { chance, contents, npy, safetensors, zip } from '../tensors.mjs';

const root = path.resolve(import.meta.dirname, '../../..');
const lab = './#v=4-by-hand&lab=compress&focus=per-allocation-16x';

let folder;
test.beforeAll(async () => { folder = await mkdtemp(path.join(tmpdir(), 'spillway-')); });
test.afterAll(() => rm(folder, { recursive: true, force: true }));

// write puts a file into the folder of this run.
async function write(name, data) {
  const file = path.join(folder, name);
  await writeFile(file, data);
  return file;
}

// choose opens files as the button does, and waits for what they hold.
async function choose(page, ...files) {
  await page.setInputFiles('#pick-files', files);
  await expect(page.locator('#context')).toContainText(path.basename(files[0]));
  await finished(page);
}

// native runs the command on a file and returns its results, one a system.
async function native(file, ...more) {
  const args = ['run', 'lab=compress', 'exact=yes', ...more, ...(file ? [`file=${file}`] : []), '--json'];
  return JSON.parse((await promisify(execFile)(path.join(root, 'build/out/spillway'), args)).stdout);
}

// model is a small checkpoint. All of it is compressed even where a sample is asked
// for, because no tensor has more than 512 KiB.
const random = chance(11);
const tensor = (name, dtype, shape, kind) => ({ name, dtype, shape, data: contents[kind](shape.reduce((a, b) => a * b, 1), random) });
const model = [
  tensor('embed.weight', 'F32', [128, 1024], 'dense'),
  tensor('layers.0.attn.q.weight', 'BF16', [256, 1024], 'bf16'),
  tensor('layers.1.attn.q.weight', 'BF16', [256, 1024], 'bf16'),
  tensor('layers.0.attn.mask', 'BOOL', [512, 1024], 'mask'),
  tensor('layers.0.mlp.half', 'I32', [128, 1024], 'half'),
  tensor('position_ids', 'I64', [4096], 'positions'),
  tensor('ramp', 'I32', [32, 1024], 'ramp'),
  tensor('token_ids', 'I64', [4096], 'ids'),
  tensor('noise', 'I32', [64, 1024], 'noise'),
  tensor('optimizer.m', 'F32', [128, 1024], 'zeros'),
  { name: 'scale', dtype: 'F32', shape: [], data: Buffer.from(new Float32Array([1.5]).buffer) },
];
const checkpoint = safetensors(model, { format: 'pt' });

test('the suites, and one program', async ({ page }) => {
  await visit(page, lab);
  await expect(page).toHaveTitle(/^Compression/);
  await expect(page.locator('#headline')).toHaveText(/^Buddy makes memory largest: 1\.\d+×/);
  await expect(page.locator('#context')).toHaveText('Deep learning suite · link 150 GB/s, memory 900 GB/s');
  await expect(page.locator('#caveat')).toContainText('fitted');
  await expect(page.locator('.run.failed')).toHaveCount(0);
  await expect(page.locator('#draw-gpu')).not.toContainText(/\b0 GiB$/);
  const before = await page.locator('#numbers').innerText();
  await page.selectOption('#f-contents', 'hpc');
  await finished(page);
  await expect(page.locator('#numbers')).not.toHaveText(before);
  await page.selectOption('#f-contents', 'alexnet');
  await page.fill('#f-link', '50');
  await finished(page);
  await expect(page.locator('#given-preset')).toHaveText('AlexNet on a slow link');
  const numbers = await page.locator('#numbers').innerText();
  const link = page.url();
  for (let i = 0; i < 3; i++) await tool(page, 'undo');
  await finished(page);
  expect(await page.locator('#numbers').innerText()).toBe(before);
  // Numbers equal the command's, and the link shows them again.
  const [ours] = await native('', 'system=per-allocation-16x,naive', 'contents=alexnet', 'link=50');
  await page.goto('about:blank');
  await visit(page, link);
  expect(await page.locator('#numbers').innerText()).toBe(numbers);
  const row = page.locator('#numbers tr', { hasText: 'Compression ratio' }).locator('td');
  expect(Number(await row.last().innerText())).toBeCloseTo(ours.values.ratio, 3);
});

test('every setting at its least and its most', async ({ page }) => {
  await visit(page, lab);
  const ids = await page.locator('#body-hardware input[type=text], #body-policy input[type=text]').evaluateAll((all) => all.map((x) => x.id.slice(2)));
  expect(ids.length).toBeGreaterThan(7);
  for (const end of [1, 2]) { // all at their least, then all at their most
    for (const id of ids.toSorted((a, b) => (a === 'memory') - (b === 'memory') || end)) {
      const range = /Range: ([\d.e+-]+) to ([\d.e+-]+)/.exec(await page.locator(`#help-${id}`).textContent());
      await page.fill(`#f-${id}`, range[end]);
      await expect(page.locator(`#err-${id}`)).toBeEmpty();
    }
    await finished(page);
    expect(`${await page.locator('#headline').innerText()} ${await page.locator('#numbers').innerText()}`).not.toMatch(/NaN|Inf|undefined/);
  }
  await page.goto('about:blank');
  await visit(page, lab);
  await page.fill('#f-link', '901');
  await expect(page.locator('#blocked')).toContainText('These settings contradict each other');
  await expect(page.locator('#body-hardware')).toContainText('is faster than GPU memory');
  await tool(page, 'undo');
  await page.fill('#f-gpu_memory', '1');
  await finished(page);
  await expect(page.locator('#headline')).toContainText(/None of the \d that are compared can run it|cannot run it/);
  await expect(page.locator('#main')).toContainText(/VGG16 needs [\d.]+ GiB of GPU memory/);
});

test('a checkpoint: native equals the page, and what is known of its contents', async ({ page }) => {
  const file = await write('model.safetensors', checkpoint);
  const runs = await native(file, 'system=naive,per-allocation-16x');
  const { tensors } = runs[1].result;
  expect(tensors.map((t) => t.name).toSorted()).toEqual(model.map((t) => t.name).toSorted());
  const of = Object.fromEntries(tensors.map((t) => [t.name, t]));
  for (const t of model) {
    const x = of[t.name];
    expect(x.entries, t.name).toBe(Math.ceil(t.data.length / 128));
    expect(x.sectors.reduce((a, b) => a + b), t.name).toBe(x.entries);
  }
  expect(of['optimizer.m']).toMatchObject({ dtype: 'float32', bits: 10 * 4096, sectors: [4096, 0, 0, 0, 0] });
  expect(of.noise.sectors).toEqual([0, 0, 0, 0, 2048]);
  expect(of['layers.0.mlp.half'].sectors).toEqual([2048, 0, 0, 0, 2048]);
  expect(of['embed.weight'].sectors).toEqual([0, 0, 0, 0, 4096]);
  expect(of.ramp.sectors).toEqual([0, 1024, 0, 0, 0]);
  expect(of.scale).toMatchObject({ entries: 1, sectors: [0, 1, 0, 0, 0] });

  await visit(page, lab);
  await choose(page, file);
  await expect(page.locator('#entries .entry[aria-pressed=true]')).toHaveText(/model\.safetensors.*safetensors, 11 tensors/s);
  await expect(page.locator('.run.failed')).toHaveCount(0);
  const section = await opened(page, 'allocations');
  await expect(section).toContainText('embed.weight');
  const results = JSON.parse((await saved(page, 'results', 'json')).data);
  for (const run of runs) {
    expect(results.runs.find((r) => r.system === run.system).result.tensors).toEqual(run.result.tensors);
  }
  const [, hash] = /SHA-256[^:]*: ([0-9a-f]+)/.exec(JSON.stringify(results)) ?? [];
  if (hash) expect(runs.map((r) => r.hash)).toContain(hash);
  // A link is about the file without holding it.
  await expect(page).toHaveURL(/entry=model\.safetensors/);
  await page.click('#bundled');
  await finished(page);
  await expect(page.locator('#context')).toContainText('Deep learning suite');
});

test('where a tensor compresses, and one entry', async ({ page }) => {
  const file = await write('model.safetensors', checkpoint);
  await visit(page, lab);
  await choose(page, file);
  const rows = await opened(page, 'allocations');
  await expect(rows).toContainText('layers.*.attn.q.weight × 2');
  await page.check('#f-allocations_by-single');
  await expect(rows).toContainText('layers.1.attn.q.weight');
  await tool(page, 'undo');
  await expect(rows).toContainText('layers.*.attn.q.weight × 2');
  const heat = await opened(page, 'heat');
  await page.selectOption('select#f-heat_of', { label: 'layers.0.mlp.half' });
  await expect(heat).toContainText('of its 4096 entries 50.0 % are zeros and 50.0 % take all 4 sectors');
  await heat.locator('.plot').scrollIntoViewIfNeeded();
  await expect(heat.locator('.plot-host[data-drawn=true]')).toBeVisible();
  await page.click('#open-inside');
  const inside = page.locator('#section-inside');
  await page.selectOption('select#f-inside_of', { label: 'layers.0.mlp.half' });
  for (const [entry, says] of [['0', '10 bits of 1024; as all of it is zero, nothing is stored'], ['1', 'it is kept as it is, in 4 sectors']]) {
    await page.fill('#f-inside_entry', entry);
    await page.press('#f-inside_entry', 'Enter');
    await expect(inside).toContainText(`Entry ${entry} of 4096 of layers.0.mlp.half`);
    await expect(inside).toContainText(says);
  }
  await expect(inside.locator('table')).toHaveCount(3);
  await expect(page).toHaveURL(/heat_of=.*inside_entry=1/);
});

test('all entries of a larger file, with progress, cancelled and gone on', async ({ page }) => {
  const larger = [tensor('w', 'BF16', [4096, 4096], 'bf16'), tensor('half', 'I32', [2048, 4096], 'half'), tensor('m', 'F32', [2048, 4096], 'zeros')];
  const file = await write('larger.safetensors', safetensors(larger));
  const [ours] = await native(file, 'system=per-allocation-16x');
  await visit(page, lab);
  await choose(page, file);
  const tensors = async () => JSON.parse((await saved(page, 'results', 'json')).data).runs.find((r) => r.system === 'per-allocation-16x').result.tensors;
  expect((await tensors())[1].entries).toBeLessThan(ours.result.tensors[1].entries);
  await expect(page.locator('#main')).toContainText('A sample:');
  await page.evaluate(() => { // reading may be over before a click from outside arrives
    new MutationObserver((_, observer) => {
      const button = document.querySelector('#survey-cancel');
      if (!button.checkVisibility()) return;
      observer.disconnect();
      setTimeout(() => button.click());
    }).observe(document.body, { subtree: true, childList: true, attributes: true });
  });
  await page.check('#f-exact-yes');
  await expect(page.locator('#survey-says')).toContainText('cancelled. What was read is kept; the charts show a sample.');
  await expect(page.locator('#survey-cancel')).toHaveText('Go on');
  await page.click('#survey-cancel');
  await expect(page.locator('#survey')).toBeHidden();
  await finished(page);
  expect(await tensors()).toEqual(ours.result.tensors);
  await expect(page.locator('#main')).not.toContainText('A sample:');
  await tool(page, 'undo');
  await finished(page);
  await expect(page.locator('#main')).toContainText('A sample:');
});

test('arrays, archives, checkpoints of PyTorch and bytes', async ({ page }) => {
  const floats = contents.dense(65_536, random);
  const files = {
    'act.npy': npy('<f4', [256, 256], contents.relu(65_536, random)),
    'arrays.npz': zip([{ name: 'w.npy', data: npy('<f4', [256, 256], floats) }, { name: 'ids.npy', data: npy('<i8', [4096], contents.ids(4096, random)) }]),
    'ckpt.pt': zip([{ name: 'ckpt/data.pkl', data: Buffer.from('\x80\x02}q\x00.', 'latin1') }, { name: 'ckpt/data/0', data: floats }, { name: 'ckpt/data/1', data: Buffer.alloc(65_536) }, { name: 'ckpt/version', data: Buffer.from('3\n') }]),
    'raw.bin': floats.subarray(0, 99_999),
    'one.bin': Buffer.from('x'),
  };
  const info = { 'act.npy': 'NumPy array', 'arrays.npz': 'NumPy archive', 'ckpt.pt': 'PyTorch checkpoint', 'raw.bin': 'raw bytes', 'one.bin': 'raw bytes' };
  await visit(page, lab);
  for (const [name, data] of Object.entries(files)) {
    const file = await write(name, data);
    await choose(page, file);
    await expect(page.locator('#entries .entry[aria-pressed=true]')).toContainText(info[name]);
    const [ours] = await native(file, 'system=per-allocation-16x');
    const theirs = JSON.parse((await saved(page, 'results', 'json')).data);
    expect(theirs.runs.find((r) => r.system === 'per-allocation-16x').result.tensors, name).toEqual(ours.result.tensors);
  }
  // Several at once: one is chosen.
  await page.setInputFiles('#pick-files', Object.keys(files).map((name) => path.join(folder, name)));
  await expect(page.locator('#entries .entry')).toHaveCount(5);
});

test('what cannot be read says why, and changes nothing', async ({ page }) => {
  const header = (text, data = 8) => Buffer.concat([(() => { const b = Buffer.alloc(8); b.writeBigUInt64LE(BigInt(text.length)); return b; })(), Buffer.from(text), Buffer.alloc(data)]);
  const one = '"dtype":"F32","shape":[2],"data_offsets":[0,8]';
  const bad = [
    ['empty.bin', Buffer.alloc(0), 'empty.bin: the file is empty'],
    ['model.gz', gzipSync(Buffer.alloc(1000)), 'the file is compressed with gzip, so its bytes are not those of memory; unpack it first'],
    ['old.pt', Buffer.from('\x80\x02\x8a\x0a', 'latin1'), 'the file is a pickle, which names code; save its tensors with torch.save, or as safetensors'],
    ['cut.safetensors', checkpoint.subarray(0, 100), /cut\.safetensors: byte 0: the header is said to have \d+ bytes, but only 92 follow; the file is cut off or no safetensors file/],
    ['half.safetensors', checkpoint.subarray(0, checkpoint.length >> 1), /its range ends at byte \d+ of the data, which has \d+/],
    ['lies.safetensors', Buffer.concat([Buffer.from([0, 0, 0, 0, 0, 0, 0, 128]), Buffer.from('{"a":1}')]), 'byte 0: the header is said to have 9223372036854775808 bytes; at most 104857600 are allowed. Is this a safetensors file?'],
    ['dtype.safetensors', header('{"a":{"dtype":"<b>","shape":[2],"data_offsets":[0,8]}}'), 'tensor "a": unknown dtype "<b>"'],
    ['overlap.safetensors', header(`{"a":{${one}},"b":{"dtype":"F32","shape":[1],"data_offsets":[4,8]}}`), 'tensors "a" and "b" overlap: the second begins at byte 4 of the data, the first ends at 8'],
    ['twice.safetensors', header(`{"a":{${one}},"a":{${one}}}`), 'tensor "a" is there twice'],
    ['code.npy', npy('|O8', [2], Buffer.alloc(16)), 'the array holds Python objects, which are pickles; save numbers'],
    ['cut.npz', zip([{ name: 'w.npy', data: Buffer.alloc(99) }]).subarray(0, 120), 'the zip archive is damaged'],
  ];
  await visit(page, lab);
  const numbers = await page.locator('#numbers').innerText();
  for (const [name, data, says] of bad) {
    await page.setInputFiles('#pick-files', [{ name, mimeType: 'application/octet-stream', buffer: data }]);
    await expect(page.locator('#files-error')).toContainText(name);
    await expect(page.locator('#files-error')).toContainText(says);
  }
  await finished(page);
  expect(await page.locator('#numbers').innerText()).toBe(numbers);
  // Of several the good ones are opened, and the others said.
  const file = await write('good.npy', npy('<f4', [1024], contents.dense(1024, random)));
  await page.setInputFiles('#pick-files', [file, await write('overlap.safetensors', bad[7][1])]);
  await expect(page.locator('#context')).toContainText('good.npy');
  await expect(page.locator('.side')).toContainText('overlap: the second begins');
});

test('the paper is reproduced', async ({ page }) => {
  await page.goto(`${lab}&view=reproduce`);
  await page.click('#reproduce-buddy');
  await finished(page, { cancel: '#cancel-buddy' });
  await expect(page.locator('#score-buddy')).toContainText(/\d+ published numbers compared/);
  console.log(`  ${await page.locator('#score-buddy').innerText()}`);
  await expect(page.locator('#state-buddy')).toHaveText(/^(\d+) of \1 runs/);
  for (const id of await page.locator('[id^="figure-entry-buddy."]').evaluateAll((all) => all.map((e) => e.id))) {
    await page.locator(`[id="${id}"]`).click();
    await expect(page.locator('#main')).not.toContainText('NaN');
  }
});

test('systems of training run on compressed memory', async ({ page }) => {
  await visit(page, './#v=4-by-hand&lab=train&model=bert-base&batch=64&times=as-paper&gpu_memory=2&systems=g10,uvm');
  await page.check('#on-buddy-g10');
  await finished(page);
  await expect(page.locator('#run-buddy-g10')).toHaveClass(/done/);
  await expect(page.locator('#numbers')).toContainText('Buddy + G10');
  await expect(page.locator('.run.failed')).toHaveCount(0);
});

test('a bundle holds the suite, and replays natively', async ({ page }) => {
  await visit(page, `${lab}&contents=hpc`);
  const bundle = await saved(page, 'results', 'bundle');
  const file = await write('hpc.spillway.zip', bundle.data);
  const { stdout } = await promisify(execFile)(path.join(root, 'build/out/spillway'), ['check', file]);
  expect(stdout).toContain('replayed');
});

// tensorsOf16GB writes a sparse checkpoint of 16 GB: its first tensors are dense, the
// rest is a hole.
async function large(name) {
  const each = 2 ** 26;
  const count = 256;
  const header = {};
  for (let i = 0; i < count; i++) header[`layers.${i}.weight`] = { dtype: 'BF16', shape: [each / 2], data_offsets: [i * each, (i + 1) * each] };
  const text = JSON.stringify(header).padEnd(65_536);
  const length = Buffer.alloc(8);
  length.writeBigUInt64LE(BigInt(text.length));
  const file = path.join(folder, name);
  const handle = await openFile(file, 'w');
  await handle.write(Buffer.concat([length, Buffer.from(text), contents.bf16(each / 8, chance(3))]));
  await handle.truncate(8 + text.length + count * each);
  await handle.close();
  return file;
}

test('a checkpoint of 16 GB is opened and answered', { tag: '@alone' }, async ({ page }) => {
  const file = await large('large.safetensors');
  await visit(page, lab);
  const before = resident();
  const start = Date.now();
  await page.setInputFiles('#pick-files', file);
  await expect(page.locator('#context')).toContainText('large.safetensors');
  await finished(page);
  const seconds = (Date.now() - start) / 1000;
  await expect(page.locator('.run.failed')).toHaveCount(0);
  await expect(page.locator('#facts')).toContainText('256 allocations, 16 GiB');
  await expect(page.locator('#main')).toContainText(/sample/i);
  console.log(`  16 GB: ${seconds.toFixed(1)} s (budget 30); the renderer took at most ${Math.round(resident())} MiB, ${Math.round(before)} before`);
  expect(resident()).toBeLessThan(700);
});

test('by keyboard, in a narrow window, in the dark', async ({ page }) => {
  await page.emulateMedia({ colorScheme: 'dark' });
  await page.setViewportSize({ width: 390, height: 844 });
  await page.goto('./');
  await finished(page);
  await expect(page.locator('#labs')).toBeInViewport();
  const tabTo = async (id) => {
    for (let i = 0; i < 250; i++) {
      if (await page.evaluate((want) => document.activeElement?.id === want, id)) return;
      await page.keyboard.press('Tab');
    }
    throw new Error(`Tab never reaches #${id}`);
  };
  await tabTo('labs');
  await page.keyboard.press('Enter');
  await tabTo('lab-compress');
  await page.keyboard.press('Enter');
  await expect(page.locator('#headline')).toContainText('makes memory largest');
  await finished(page);
  await expect(page.locator('#labs')).toBeFocused();
  await expect(page.locator('#labs')).toHaveText('Compression');
  await tabTo('given-preset');
  await page.keyboard.press('Enter');
  await tabTo('preset-hpc');
  await page.keyboard.press('Enter');
  await finished(page);
  await expect(page.locator('#context')).toContainText('HPC suite');
  await tabTo('open-inside');
  await page.keyboard.press('Enter');
  await expect(page.locator('#section-inside table').first()).toBeVisible();
  expect(await page.evaluate(() => document.documentElement.scrollWidth)).toBeLessThanOrEqual(390);
  await screenshot(page, 'compress-narrow-dark', { fullPage: true });
});

// The README's picture.
test('the picture of compression', async ({ page }) => {
  test.skip(!process.env.SCREENSHOTS, 'SCREENSHOTS=1 makes the pictures of the README');
  await page.setViewportSize({ width: 1280, height: 900 });
  await page.emulateMedia({ colorScheme: 'light' });
  await visit(page, lab);
  const bigger = [
    tensor('embed.weight', 'F32', [4096, 4096], 'dense'),
    ...[0, 1].map((i) => tensor(`layers.${i}.attn.q.weight`, 'BF16', [4096, 4096], 'bf16')),
    tensor('layers.0.mlp.activation', 'F32', [2048, 4096], 'relu'),
    tensor('causal_mask', 'BOOL', [4096, 4096], 'mask'),
    tensor('token_ids', 'I64', [512, 4096], 'ids'),
    tensor('optimizer.m', 'F32', [4096, 4096], 'zeros'),
  ];
  await choose(page, await write('checkpoint.safetensors', safetensors(bigger)));
  await page.screenshot({ path: path.join(root, 'public/screenshot-compress.png'), animations: 'disabled' });
});
