// The laboratory of file systems: charts, sections, a power failure, a recording of the
// reader's own and the paper.
import { execFile } from 'node:child_process';
import { readFile } from 'node:fs/promises';
import path from 'node:path';
import { promisify } from 'node:util';
import AxeBuilder from '@axe-core/playwright';
import { expect, finished, resident, saved, screenshot, test, visit } from '../fixture.mjs';

const root = path.resolve(import.meta.dirname, '../../..');
const lab = './#v=4-by-hand&lab=filesys';
const setup = 'workload=varmail scale=256 mode=paper'; // a quick one
const quick = `${lab}&${setup.replaceAll(' ', '&')}`;
const systems = ['bytefs', 'ext4', 'f2fs', 'nova', 'pmfs'];

test.beforeEach(() => { test.setTimeout(120_000); });

async function violations(page) {
  const found = await new AxeBuilder({ page }).withTags(['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa', 'wcag22aa']).analyze();
  return found.violations.map((v) => `${v.id}: ${v.nodes.map((n) => n.target).join(' | ')}`);
}

// native runs the command and returns its values.
async function native(system, ...args) {
  const { stdout } = await promisify(execFile)(path.join(root, 'build/out/spillway'), ['run', 'lab=filesys', `system=${system}`, ...args, '--json']);
  return JSON.parse(stdout)[0].values;
}

// result is what the page has of a system's run.
const result = async (page, system) => JSON.parse((await saved(page, 'results', 'json')).data).runs.find((r) => r.system === system).result;

const sum = (list) => list.reduce((a, b) => a + b, 0);

// drop gives a file to the page as if dragged onto it.
const drop = (page, name, content) => page.evaluate(([n, c]) => {
  const transfer = new DataTransfer();
  transfer.items.add(new File([c], n));
  document.body.dispatchEvent(new DragEvent('drop', { bubbles: true, cancelable: true, dataTransfer: transfer }));
}, [name, content]);

test('it opens, charts come, and they say what the command says', async ({ page }) => {
  await visit(page, lab);
  await expect(page.locator('#headline')).toHaveText(/^ByteFS is fastest, .* as fast as /);
  await expect(page.locator('.run.failed')).toHaveCount(0);
  const charts = await page.locator('.plot:visible').count();
  expect(charts).toBeGreaterThan(5);
  await expect(page.locator('.plot-host[data-drawn=true]')).toHaveCount(charts);
  await screenshot(page, 'filesys');
  await visit(page, quick);
  const numbers = await page.locator('#numbers').innerText();
  for (const name of systems) {
    const there = await native(name, ...setup.split(' '));
    const here = await result(page, name);
    expect(here.Time / 1e9).toBeCloseTo(there.time_ms, 9);
    expect(sum(here.Device.FlashReads) + sum(here.Device.FlashPrograms)).toBe(there.flash_pages);
    expect(numbers).toContain(there.time_ms.toFixed(2));
  }
});

test('every section opens with something in it', async ({ page }) => {
  await visit(page, `${quick}&focus=bytefs`);
  const keys = await page.locator('[id^=section-]').evaluateAll((all) => all.map((e) => e.id.slice(8)));
  expect(keys.toSorted()).toEqual(['crash', 'factors', 'life', 'log', 'operation', 'quirks', 'sensitivity', 'traffic']);
  for (const key of keys) {
    const section = page.locator(`#section-${key}`);
    const start = Date.now();
    const button = page.locator(`#open-${key}`);
    if (await button.getAttribute('aria-expanded') === 'false') await button.click();
    await expect(section.locator('table, .plot-host[data-drawn=true]').first(), key).toBeVisible({ timeout: 60_000 });
    const text = await section.innerText();
    expect(text.length, key).toBeGreaterThan(200);
    expect(text, key).not.toMatch(/NaN|Inf\b|undefined/);
    console.log(`  ${key}: ${Date.now() - start} ms`);
  }
  await finished(page);
  expect(await violations(page)).toEqual([]);
  await screenshot(page, 'filesys-sections', { fullPage: true });
});

test('one operation in five columns, of the call that is chosen', async ({ page }) => {
  await visit(page, quick);
  const table = page.locator('#section-operation table').first();
  await expect(table.locator('thead th')).toHaveText([/^Structure/, 'ByteFS', 'Ext4', 'F2FS', 'NOVA', 'PMFS']);
  await expect(page.locator('#section-operation')).toContainText('What the run moves for each create');
  await page.selectOption('#f-op_call', 'fsync');
  await expect(page.locator('#section-operation')).toContainText('What the run moves for each fsync');
  await expect(page).toHaveURL(/op_call=fsync/);
});

test('the power fails where it is told to', async ({ page }) => {
  await visit(page, `${quick}&focus=bytefs&crash=50`);
  const section = page.locator('#section-crash');
  if (await page.locator('#open-crash').getAttribute('aria-expanded') === 'false') await page.click('#open-crash');
  await expect(section).toContainText(/ByteFS loses power after/, { timeout: 60_000 });
  await expect(section).toContainText(/All [\d\s\u202f]+ files? that were promised to be durable are as promised\./);
  const first = await section.innerText();
  await page.fill('#f-crash', '80');
  await page.keyboard.press('Enter');
  await expect(page).toHaveURL(/crash=80/);
  await expect.poll(() => section.innerText(), { timeout: 60_000 }).not.toBe(first);
  await expect(section).toContainText(/are as promised\./);
  await screenshot(page, 'filesys-crash');
  // A mistake of the firmware breaks promises.
  await page.selectOption('#f-crash_fault', 'mapped');
  await expect(page).toHaveURL(/crash_fault=mapped/);
  await expect(section).toContainText(/With the mistake [\d\s\u202f]+ lines are not as/, { timeout: 60_000 });
  await expect(section).toContainText(/promised to be durable, [\d\s\u202f]+ files? (is|are) not\./);
});

test('what programs write decides', async ({ page }) => {
  await visit(page, `${lab}&workload=oltp&scale=256&mode=paper`);
  const zeros = (await result(page, 'bytefs')).SentBlocks; // of the log, which grows
  await visit(page, `${lab}&workload=oltp&scale=256&mode=paper&payload=random`);
  expect((await result(page, 'bytefs')).SentBlocks).toBeGreaterThan(3 * zeros);
  await expect(page.locator('#context')).toContainText('random payload');
});

test('a recording is dropped and runs', async ({ page }) => {
  await visit(page, quick);
  const own = ['fscalls 1', '- - dir /mail', ...Array.from({ length: 500 }, (_, i) => [
    `${10 * i} ${i % 4} create /mail/f${i}`, `${10 * i + 1} ${i % 4} write /mail/f${i} 0 5000`, `${10 * i + 2} ${i % 4} fsync /mail/f${i}`, `${10 * i + 3} ${i % 4} close /mail/f${i}`,
  ]).flat()].join('\n');
  await drop(page, 'mine.txt', own);
  await expect(page.locator('#context')).toContainText('mine.txt');
  await finished(page);
  await expect(page.locator('.run.failed')).toHaveCount(0);
  await expect(page).toHaveURL(/entry=mine\.txt/);
  const here = await result(page, 'ext4');
  expect(here.Calls).toBe(2000);
  expect(here.Asked[1]).toBe(500 * 5000);
  const numbers = await page.locator('#numbers').innerText();
  const headline = await page.locator('#headline').innerText();

  // What is wrong is said, and the page stays as it was.
  for (const [name, text, says] of [
    ['broken.txt', 'fscalls 1\n0 0 create /a\n1 0 leap /a\n', 'broken.txt:3'],
    ['letter.txt', 'Dear all,\nhere it is.\n', 'letter.txt: no recording of calls of a file system'],
    ['photo.png', '\x89PNG\r\n', 'photo.png'],
    ['empty.txt', '', 'empty.txt: the file is empty'],
  ]) {
    await drop(page, name, text);
    await expect(page.locator('#files-error')).toContainText(says);
  }
  await finished(page);
  expect(await page.locator('#numbers').innerText()).toBe(numbers);
  expect(await page.locator('#headline').innerText()).toBe(headline);

  await drop(page, 'strace.txt', await readFile(path.join(root, 'traces/fscalls/testdata/strace.txt'), 'utf8'));
  await expect(page.locator('#context')).toContainText('strace.txt');
  await finished(page);
  await expect(page.locator('.run.failed')).toHaveCount(0);
  await expect(page.locator('#facts')).toContainText(/strace/);
  expect(await page.locator('#numbers').innerText()).not.toMatch(/NaN|Inf\b/);
  await page.click('#bundled');
  await finished(page);
  await expect(page.locator('#context')).toContainText('varmail');
  await expect(page.locator('.run.failed')).toHaveCount(0);
});

test('how large a log', async ({ page }) => {
  await page.goto(`${lab}&workload=varmail&scale=256&view=whatif&ask=vary&ask-vary=ssd_dram&ask-values=64,128,256,512`);
  await expect(page.locator('#ask-says')).toBeVisible({ timeout: 30_000 });
  const run = page.locator('#ask-run');
  if (/^Run/.test(await run.innerText()) && await run.isEnabled()) await run.click(); // a slow machine asks first
  await expect(page.locator('#ask-state')).toHaveText(/^(\d+) of \1 runs\.$/, { timeout: 90_000 });
  await expect(page.locator('#chart-whatif .plot-host[data-drawn=true]')).toBeVisible();
  await expect(page.locator('#ask-table tbody tr')).toHaveCount(4);
  await screenshot(page, 'filesys-whatif');
});

test('Figure 6: published and ours', async ({ page }) => {
  await page.goto(`${lab}&view=reproduce&figure=bytefs.6`);
  await expect(page.locator('#paper-title')).toContainText('Figure 6', { timeout: 30_000 });
  await expect(page.locator('#chart-paper canvas')).toBeVisible();
  const before = resident();
  const start = Date.now();
  await page.click('#paper-run');
  await expect(page.locator('[id="verdict-bytefs.6"]')).toContainText('within', { timeout: 100_000 });
  await finished(page, { cancel: '#cancel-bytefs' });
  console.log(`  Figure 6: ${Date.now() - start} ms; ${await page.locator('[id="verdict-bytefs.6"]').innerText()}; the renderer took at most ${Math.round(resident())} MiB, ${Math.round(before)} before`);
  await expect(page.locator('#paper-claims')).not.toContainText(/\bnot run\b/);
  await page.click('#paper-rows');
  await expect(page.locator('.paper-rows')).not.toContainText(/NaN|not run/);
  expect(await violations(page)).toEqual([]);
  await page.click('#paper-rows');
  await screenshot(page, 'filesys-6');
});

for (const [scheme, width] of [['dark', 1440], ['light', 360], ['dark', 360]]) {
  test(`nothing is cut off, ${scheme}, ${width} px`, async ({ page }) => {
    await page.emulateMedia({ colorScheme: scheme });
    await page.setViewportSize({ width, height: 800 });
    await visit(page, `${quick}&focus=bytefs`);
    for (const key of ['log', 'crash', 'factors']) await page.click(`#open-${key}`);
    await expect(page.locator('#section-factors table').first()).toBeVisible({ timeout: 60_000 });
    await finished(page);
    expect(await page.evaluate(() => document.documentElement.scrollWidth)).toBeLessThanOrEqual(width);
    expect(await violations(page)).toEqual([]);
    await screenshot(page, `filesys-${width}-${scheme}`, { fullPage: true });
  });
}

// The bar: five laboratories and all tools at every width, on one row or more.
for (const width of [1440, 1400, 1280, 941, 940, 820, 768, 360]) {
  test(`the bar at ${width} px`, async ({ page }) => {
    await page.setViewportSize({ width, height: 800 });
    await visit(page, quick);
    expect(await page.evaluate(() => document.documentElement.scrollWidth)).toBeLessThanOrEqual(width);
    await page.locator('#lab-filesys').focus();
    await expect(page.locator('#lab-filesys')).toBeInViewport({ ratio: 0.9 });
    for (const id of ['#lab-train', '#view-reproduce', '#help']) {
      await page.locator(id).focus();
      await expect(page.locator(id)).toBeInViewport({ ratio: 1 });
    }
    // What sticks below it begins where it ends.
    const [bar, says] = await page.evaluate(() => [document.querySelector('.top').offsetHeight, parseFloat(getComputedStyle(document.documentElement).getPropertyValue('--bar'))]);
    if (says > 0) expect(bar).toBe(says);
  });
}

// The README's picture.
test('the picture of file systems', async ({ page }) => {
  test.skip(!process.env.SCREENSHOTS, 'SCREENSHOTS=1 makes the pictures of the README');
  await page.setViewportSize({ width: 1280, height: 900 });
  await page.emulateMedia({ colorScheme: 'light' });
  await visit(page, `${lab}&preset=file-create`);
  await page.screenshot({ path: path.join(root, 'public/screenshot-filesys.png'), animations: 'disabled' });
});
