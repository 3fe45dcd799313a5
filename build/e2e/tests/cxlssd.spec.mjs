// The laboratory of the CXL-SSD: charts, sections, questions, a trace of the reader's
// own and the paper.
import { execFile } from 'node:child_process';
import { readFile } from 'node:fs/promises';
import path from 'node:path';
import { promisify } from 'node:util';
import AxeBuilder from '@axe-core/playwright';
import { expect, finished, resident, saved, screenshot, test, visit } from '../fixture.mjs';

const root = path.resolve(import.meta.dirname, '../../..');
const lab = './#v=4-by-hand&lab=cxlssd';
const setup = 'workload=srad scale=1 device=paper'; // a quick one
const quick = `${lab}&${setup.replaceAll(' ', '&')}`;

test.beforeEach(() => { test.setTimeout(120_000); });

async function violations(page) {
  const found = await new AxeBuilder({ page }).withTags(['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa', 'wcag22aa']).analyze();
  return found.violations.map((v) => `${v.id}: ${v.nodes.map((n) => n.target).join(' | ')}`);
}

// native runs the command and returns its values.
async function native(system, ...args) {
  const { stdout } = await promisify(execFile)(path.join(root, 'build/out/spillway'), ['run', 'lab=cxlssd', `system=${system}`, ...args, '--json']);
  return JSON.parse(stdout)[0].values;
}

// result is what the page has of a system's run.
const result = async (page, system) => JSON.parse((await saved(page, 'results', 'json')).data).runs.find((r) => r.system === system).result;

// like expects that a result has these values.
function like(r, values) {
  expect(r.Time / 1e9).toBeCloseTo(values.time_ms, 9);
  expect(r.UserReads + r.CompactionReads + r.CollectionReads).toBe(values.flash_reads);
  expect(r.EvictionPrograms + r.CompactionPrograms + r.DemotionPrograms + r.CollectionPrograms).toBe(values.flash_programs);
}

// drop gives a file to the page as if dragged onto it.
const drop = (page, name, content) => page.evaluate(([n, c]) => {
  const transfer = new DataTransfer();
  transfer.items.add(new File([c], n));
  document.body.dispatchEvent(new DragEvent('drop', { bubbles: true, cancelable: true, dataTransfer: transfer }));
}, [name, content]);

test('it opens, charts come, and they say what the command says', async ({ page }) => {
  await visit(page, lab);
  await expect(page.locator('#headline')).toHaveText(/as fast as Base-CSSD\./);
  await expect(page.locator('.run.failed')).toHaveCount(0);
  const charts = await page.locator('.plot:visible').count();
  expect(charts).toBeGreaterThan(3);
  await expect(page.locator('.plot-host[data-drawn=true]')).toHaveCount(charts);
  await screenshot(page, 'cxlssd');
  await visit(page, quick);
  const numbers = await page.locator('#numbers').innerText();
  for (const name of ['base-cssd', 'skybyte-full']) {
    const there = await native(name, ...setup.split(' '));
    like(await result(page, name), there);
    expect(numbers).toContain(there.time_ms.toFixed(3));
  }
});

test('every section opens with something in it', async ({ page }) => {
  await visit(page, `${quick}&focus=skybyte-full`);
  const keys = await page.locator('[id^=section-]').evaluateAll((all) => all.map((e) => e.id.slice(8)));
  expect(keys.toSorted()).toEqual(['bill', 'cost', 'locality', 'log', 'page', 'profile', 'quirks', 'threads']);
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
  await screenshot(page, 'cxlssd-sections', { fullPage: true });
});

test('how many threads hide flash', async ({ page }) => {
  await page.goto(`${lab}&workload=radix&scale=8&view=whatif&ask=vary&ask-vary=threads&ask-values=8,16,24,32,48`);
  await expect(page.locator('#ask-says')).toBeVisible({ timeout: 30_000 });
  const run = page.locator('#ask-run');
  if (/^Run/.test(await run.innerText()) && await run.isEnabled()) await run.click(); // a slow machine asks first
  await expect(page.locator('#ask-state')).toHaveText(/^(\d+) of \1 runs\.$/, { timeout: 90_000 });
  await expect(page.locator('#chart-whatif .plot-host[data-drawn=true]')).toBeVisible();
  await expect(page.locator('#ask-table tbody tr')).toHaveCount(5);
  await expect(page.locator('#ask-says')).not.toContainText('changes nothing');
  await screenshot(page, 'cxlssd-whatif');
});

test('a design of one\'s own', async ({ page }) => {
  await visit(page, `${quick}&systems=dram-only,base-cssd,skybyte-wp,own-design&focus=own-design`);
  await expect(page.locator('#run-own-design')).toHaveClass(/done/);
  await page.selectOption('#f-own_promote', 'adaptive');
  await page.check('#f-own_log-1');
  await page.check('#f-own_switch-0');
  await finished(page);
  like(await result(page, 'own-design'), await native('skybyte-wp', ...setup.split(' ')));
});

test('an address trace is dropped and runs', async ({ page }) => {
  await visit(page, quick);
  const own = ['address 1 cycles missed', ...Array.from({ length: 4000 }, (_, i) => `${i % 4} ${10 + i % 7} 0x${(0x10000 + (i * 1664525 + 1013904223) % 4096 * 4096 + i % 64 * 64).toString(16)} ${i % 3 ? 'R' : 'W'}`)].join('\n');
  await drop(page, 'mine.txt', own);
  await expect(page.locator('#context')).toContainText('mine.txt');
  await finished(page);
  await expect(page.locator('.run.failed')).toHaveCount(0);
  await expect(page.locator('.run.done').first()).toBeVisible();
  await expect(page).toHaveURL(/entry=mine\.txt/);
  await page.click('#open-profile');
  await expect(page.locator('#section-profile')).toContainText(/4[\s\u202f,]?000/);
  expect((await result(page, 'base-cssd')).Requests.reduce((a, b) => a + b)).toBe(4000);
  const numbers = await page.locator('#numbers').innerText();
  const headline = await page.locator('#headline').innerText();

  // What is wrong is said, and the page stays as it was.
  for (const [name, text, says] of [
    ['broken.txt', 'address 1\n0 0 0x1000 R\n0 x 0x2000 W\n', 'broken.txt:3: "x" is no gap'],
    ['letter.txt', 'Dear all,\nhere it is.\n', 'letter.txt: no address trace: it begins with'],
    ['photo.png', '\x89PNG\r\n', 'photo.png'],
    ['empty.txt', '', 'empty.txt: the file is empty'],
  ]) {
    await drop(page, name, text);
    await expect(page.locator('#files-error')).toContainText(says);
  }
  await finished(page);
  expect(await page.locator('#numbers').innerText()).toBe(numbers);
  expect(await page.locator('#headline').innerText()).toBe(headline);
  await expect(page.locator('#context')).toContainText('mine.txt');

  await drop(page, 'lackey.txt', await readFile(path.join(root, 'traces/address/testdata/lackey.txt'), 'utf8'));
  await expect(page.locator('#context')).toContainText('lackey.txt');
  await finished(page);
  await expect(page.locator('.run.failed')).toHaveCount(0);
  await expect(page.locator('#facts')).toContainText(/Lackey/);
  expect(await page.locator('#numbers').innerText()).not.toMatch(/NaN|Inf\b/);
  await page.click('#bundled');
  await finished(page);
  await expect(page.locator('#context')).toContainText('srad');
  await expect(page.locator('.run.failed')).toHaveCount(0);
});

test('Figure 14: published and ours', async ({ page }) => {
  await page.goto(`${lab}&view=reproduce&figure=skybyte.14`);
  await expect(page.locator('#paper-title')).toContainText('Figure 14', { timeout: 30_000 });
  await expect(page.locator('#paper-summary')).toContainText('105 published numbers');
  await expect(page.locator('#chart-paper canvas')).toBeVisible();
  const before = resident();
  const start = await page.evaluate(() => performance.now());
  await page.click('#paper-run');
  const verdict = page.locator('[id="verdict-skybyte.14"]');
  const took = await page.evaluate((t) => new Promise((tell) => {
    const look = () => document.getElementById('cancel-skybyte').getClientRects().length > 0 || !document.getElementById('verdict-skybyte.14').textContent.includes('within')
      ? setTimeout(look, 20) : tell(performance.now() - t);
    look();
  }), start);
  await finished(page, { cancel: '#cancel-skybyte' });
  console.log(`  Figure 14: ${Math.round(took)} ms; ${await verdict.innerText()}; the renderer took at most ${Math.round(resident())} MiB, ${Math.round(before)} before`);
  await expect(page.locator('#paper-claims')).not.toContainText(/\bnot run\b/);
  await page.click('#paper-rows');
  await expect(page.locator('.paper-rows tbody tr')).toHaveCount(105);
  await expect(page.locator('.paper-rows')).not.toContainText(/NaN|not run/);
  expect(await violations(page)).toEqual([]);
  await page.click('#paper-rows');
  await screenshot(page, 'cxlssd-14');
});

// The README's picture.
test('the picture of the CXL-SSD', async ({ page }) => {
  test.skip(!process.env.SCREENSHOTS, 'SCREENSHOTS=1 makes the pictures of the README');
  await page.setViewportSize({ width: 1280, height: 900 });
  await page.emulateMedia({ colorScheme: 'light' });
  await visit(page, `${lab}&preset=key-value-store`);
  await page.screenshot({ path: path.join(root, 'public/screenshot-cxlssd.png'), animations: 'disabled' });
});
