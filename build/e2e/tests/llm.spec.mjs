// The laboratory of LLM training: charts, sections, a model of the reader's own and the paper.
import { execFile } from 'node:child_process';
import { readFile } from 'node:fs/promises';
import path from 'node:path';
import { promisify } from 'node:util';
import AxeBuilder from '@axe-core/playwright';
import { expect, finished, live, resident, saved, screenshot, test, visit } from '../fixture.mjs';

const root = path.resolve(import.meta.dirname, '../../..');
const lab = './#v=4-by-hand&lab=llm';
const setup = 'node=one-4090 model=llama3-8b layers=3 batch=2 micro=1 sequence=1024 buffer_size=540'; // a quick one
const quick = `${lab}&${setup.replaceAll(' ', '&')}`;
const systems = ['ideal', 'teraio-ssd', 'teraio-mixed', 'zero-infinity', 'fsdp-offload'];

test.beforeEach(() => { test.setTimeout(180_000); });

async function violations(page) {
  const found = await new AxeBuilder({ page }).withTags(['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa', 'wcag22aa']).analyze();
  return found.violations.map((v) => `${v.id}: ${v.nodes.map((n) => n.target).join(' | ')}`);
}

// native runs the command and returns its values.
async function native(system, ...args) {
  const { stdout } = await promisify(execFile)(path.join(root, 'build/out/spillway'), ['run', 'lab=llm', `system=${system}`, ...args, '--json']);
  return JSON.parse(stdout)[0].values;
}

// result is what the page has of a system's run.
const result = async (page, system) => JSON.parse((await saved(page, 'results', 'json')).data).runs.find((r) => r.system === system).result;

// drop gives files to the page as if dragged onto it.
const drop = (page, ...files) => page.evaluate((list) => {
  const transfer = new DataTransfer();
  for (const [name, content] of list) transfer.items.add(new File([content], name));
  document.body.dispatchEvent(new DragEvent('drop', { bubbles: true, cancelable: true, dataTransfer: transfer }));
}, files);

const sample = (name) => readFile(path.join(root, 'traces/hf/testdata', name), 'utf8');

test('a 70B model on two GPUs: which system, what it costs, how long drives live', async ({ page }) => {
  const start = Date.now();
  await visit(page, `${lab}&preset=llama3-70b`);
  console.log(`  70B at batch 8: ${Date.now() - start} ms`);
  await expect(page.locator('#lead')).toContainText(/Llama-3 70B with batch 8 needs .* GiB on the fullest GPU/);
  await expect(page.locator('#headline')).toHaveText(/is fastest, at [\d.]+ tokens\/s.* The machine costs [\d\s\u202f]+ \$\. .* tokens\/\$.*\. Its drives live [\d.]+ days if it never stops( \(.*\))?\./);
  await expect(page.locator('#headline')).toContainText('cannot run it');
  await expect(page.locator('.run.failed')).toHaveCount(0);
  const charts = await page.locator('.plot:visible').count();
  expect(charts).toBeGreaterThan(6);
  await expect(page.locator('.plot-host[data-drawn=true]')).toHaveCount(charts);
  await expect(page.locator('#drawing li')).toHaveCount(5);
  await screenshot(page, 'llm', { fullPage: true });
});

test('the largest: 70B at batch 32, with progress and cancel', async ({ page }) => {
  const start = Date.now();
  await page.goto(`${lab}&model=llama3-70b&batch=32&systems=ideal,teraio-mixed`);
  await live(page);
  await expect(page.locator('#cancel')).toBeVisible({ timeout: 30_000 });
  await page.click('#cancel');
  await finished(page);
  console.log(`  cancelled after ${Date.now() - start} ms`);
  await page.reload();
  const again = Date.now();
  await expect(page.locator('#cancel')).toBeVisible({ timeout: 30_000 });
  await finished(page, { timeout: 90_000 });
  console.log(`  70B at batch 32: ${Date.now() - again} ms; the renderer took at most ${Math.round(resident())} MiB`);
  await expect(page.locator('.run.failed')).toHaveCount(0);
  await expect(page.locator('#headline')).toContainText('tokens/s');
});

test('charts say what the command says', async ({ page }) => {
  await visit(page, quick);
  const numbers = await page.locator('#numbers').innerText();
  for (const name of systems) {
    const there = await native(name, ...setup.split(' '));
    const here = await result(page, name);
    expect(here.time_ps / 1e12).toBeCloseTo(there.iteration_s, 9);
    expect(here.gpus.reduce((sum, g) => sum + g.read_bytes, 0) / 1e9).toBeCloseTo(there.read_gb, 6);
    expect(here.gpus[0].ledger_ps.reduce((a, b) => a + b, 0)).toBe(here.time_ps);
    expect(numbers).toContain(there.iteration_s.toFixed(2));
  }
});

test('every section opens with something in it', async ({ page }) => {
  await visit(page, `${quick}&focus=teraio-mixed`);
  const keys = await page.locator('[id^=section-]').evaluateAll((all) => all.map((e) => e.id.slice(8)));
  expect(keys.toSorted()).toEqual(['cost', 'decode', 'fits', 'inactive', 'life', 'links', 'map', 'memory', 'next', 'roofline']);
  for (const key of keys) {
    const section = page.locator(`#section-${key}`);
    const start = Date.now();
    const button = page.locator(`#open-${key}`);
    if (await button.getAttribute('aria-expanded') === 'false') await button.click();
    await expect(section.locator('table, .plot-host[data-drawn=true]').first(), key).toBeVisible({ timeout: 90_000 });
    const text = await section.innerText();
    expect(text.length, key).toBeGreaterThan(200);
    expect(text, key).not.toMatch(/NaN|Inf\b|undefined/);
    console.log(`  ${key}: ${Date.now() - start} ms`);
  }
  await finished(page);
  expect(await violations(page)).toEqual([]);
  await screenshot(page, 'llm-sections', { fullPage: true });
});

test('a config.json is dropped and trains', async ({ page }) => {
  await visit(page, quick);
  await drop(page, ['config.json', await sample('mistral-7b.json')]);
  await expect(page.locator('#context')).toContainText(/config\.json|[Mm]istral/);
  await finished(page);
  await expect(page.locator('.run.failed')).toHaveCount(0);
  await expect(page).toHaveURL(/entry=/);
  await expect(page.locator('#facts')).toContainText('7.24 billion');
  await expect(page.locator('#f-batch')).toBeVisible(); // it is trained as the bundled ones are
  const numbers = await page.locator('#numbers').innerText();

  // What is wrong is said, and the page stays as it was.
  for (const [name, text, says] of [
    ['letter.txt', 'Dear all,\nhere it is.\n', 'letter.txt'],
    ['config.json', '{"model_type": "unheard-of"}', 'llama'],
    ['model.safetensors.index.json', await sample('llama-3-8b.index.json'), 'config.json'],
  ]) {
    await drop(page, [name, text]);
    await expect(page.locator('#files-error')).toContainText(says);
  }
  await finished(page);
  expect(await page.locator('#numbers').innerText()).toBe(numbers);

  await page.click('#bundled');
  await finished(page);
  await expect(page.locator('#context')).toContainText('Llama-3 8B');
  await expect(page.locator('#lead')).not.toContainText('mistral');
  await expect(page.locator('.run.failed')).toHaveCount(0);
});

test('a timeline for Perfetto has what the charts have', async ({ page }) => {
  await visit(page, `${quick}&focus=teraio-mixed`);
  const { time_ps: time, gpus } = await result(page, 'teraio-mixed');
  const file = JSON.parse((await saved(page, 'results', 'timeline')).data);
  const spells = file.traceEvents.filter((e) => e.ph === 'X' && e.tid === 1);
  expect(spells.reduce((sum, e) => sum + e.args.time_ps, 0)).toBe(time * gpus.length);
  expect(file.otherData.iteration_ps).toBe(String(time));
});

test('how many drives', async ({ page }) => {
  await page.goto(`${quick}&view=whatif&ask=vary&ask-vary=drives&ask-values=1,2,4`);
  await expect(page.locator('#ask-says')).toBeVisible({ timeout: 30_000 });
  const run = page.locator('#ask-run');
  if (/^Run/.test(await run.innerText()) && await run.isEnabled()) await run.click(); // a slow machine asks first
  await expect(page.locator('#ask-state')).toHaveText(/^(\d+) of \1 runs\.$/, { timeout: 90_000 });
  await expect(page.locator('#chart-whatif .plot-host[data-drawn=true]')).toBeVisible();
  await expect(page.locator('#ask-table tbody tr')).toHaveCount(3);
  await screenshot(page, 'llm-whatif');
});

test('Figure 9 of the paper: ours is what the command says', async ({ page }) => {
  await page.goto(`${lab}&view=reproduce&figure=teraio.9`);
  await expect(page.locator('#paper-title')).toContainText('Figure 9', { timeout: 30_000 });
  await expect(page.locator('#chart-paper canvas')).toBeVisible();
  const start = Date.now();
  await page.click('#paper-run');
  await expect(page.locator('[id="verdict-teraio.9"]')).toContainText(/within|off|compared|hold|differ/, { timeout: 90_000 });
  await finished(page, { cancel: '#cancel-teraio' });
  console.log(`  Figure 9: ${Date.now() - start} ms; the renderer took at most ${Math.round(resident())} MiB`);
  await expect(page.locator('#paper-claims')).not.toContainText(/\bnot run\b/);
  await page.click('#paper-rows');
  await expect(page.locator('.paper-rows')).not.toContainText(/NaN|not run/);
  const ours = (await saved(page, 'paper', 'csv')).data.toString();
  const { stdout } = await promisify(execFile)(path.join(root, 'build/out/spillway'), ['verify', '--figures', 'teraio.9', '--all', '--json']);
  const there = JSON.parse(stdout).points.filter((p) => p.ours !== null);
  expect(there.length).toBeGreaterThan(0);
  for (const p of there) expect(ours).toContain(`,${p.ours},`);
  expect(await violations(page)).toEqual([]);
});

for (const [scheme, width] of [['dark', 1440], ['light', 360]]) {
  test(`nothing is cut off, ${scheme}, ${width} px`, async ({ page }) => {
    await page.emulateMedia({ colorScheme: scheme });
    await page.setViewportSize({ width, height: 800 });
    await visit(page, `${quick}&focus=teraio-mixed`);
    for (const key of ['links', 'map', 'life']) await page.click(`#open-${key}`);
    for (const key of ['links', 'map', 'life']) await expect(page.locator(`#section-${key} table`).first()).toBeVisible({ timeout: 60_000 });
    await finished(page);
    expect(await page.evaluate(() => document.documentElement.scrollWidth)).toBeLessThanOrEqual(width);
    expect(await violations(page)).toEqual([]);
    await screenshot(page, `llm-${width}-${scheme}`, { fullPage: true });
  });
}

// The bar: all laboratories and tools at every width, on one row or more.
test('the bar at eleven widths', async ({ page }) => {
  await visit(page, quick);
  for (const width of [1920, 1521, 1520, 1440, 1280, 941, 940, 820, 768, 360, 320]) {
    await page.setViewportSize({ width, height: 800 });
    expect(await page.evaluate(() => document.documentElement.scrollWidth), `${width} px`).toBeLessThanOrEqual(width);
    await page.locator('#lab-llm').focus();
    await expect(page.locator('#lab-llm'), `${width} px`).toBeInViewport({ ratio: 0.9 });
    for (const id of ['#lab-train', '#view-reproduce', '#help']) {
      await page.locator(id).focus();
      await expect(page.locator(id), `${id} at ${width} px`).toBeInViewport({ ratio: 1 });
    }
    // What sticks below it begins where it ends.
    const [bar, says] = await page.evaluate(() => [document.querySelector('.top').offsetHeight, parseFloat(getComputedStyle(document.documentElement).getPropertyValue('--bar'))]);
    if (says > 0) expect(bar, `${width} px`).toBe(says);
  }
});

// The README's picture.
test('the picture of LLM training', async ({ page }) => {
  test.skip(!process.env.SCREENSHOTS, 'SCREENSHOTS=1 makes the pictures of the README');
  await page.setViewportSize({ width: 1280, height: 900 });
  await page.emulateMedia({ colorScheme: 'light' });
  await visit(page, `${lab}&preset=llama3-70b`);
  await page.screenshot({ path: path.join(root, 'public/screenshot-llm.png'), animations: 'disabled' });
});
