// Before and after: the pinned baseline, and named runs side by side.
import { readFile } from 'node:fs/promises';
import { expect, finished, saved, screenshot, seen, test, tool, visit } from '../fixture.mjs';

const quick = './#v=2&lab=train&model=bert-base&batch=16&times=as-paper&gpu_memory=2&host_memory=0&ssd_read=3.2&mode=corrected&systems=ideal,uvm,g10&focus=uvm';

// compared waits until the view Compare has computed what it shows.
const compared = (page) => finished(page, { cancel: '#cancel-shown' });

// set gives a hardware number a value, and waits for what comes of it.
async function set(page, key, value) {
  const fold = page.locator('#fold-hardware');
  if (await fold.getAttribute('aria-expanded') === 'false') await fold.click();
  await page.fill(`#f-${key}`, value);
  await finished(page);
}

// keep keeps the run that is shown, under the suggested name if none is said.
async function keep(page, name) {
  await page.click('#keep');
  if (name) await page.fill('#keep-name', name);
  await page.click('#keep-it');
  await expect(page.locator('#keep-it')).toHaveCount(0);
}

test('a baseline shows what a change did, in numbers, charts and a sentence', async ({ page, context }) => {
  await visit(page, quick);
  const plain = await page.locator('#headline').innerText();
  const numbers = await page.locator('#numbers').innerText();
  await expect(page.locator('.change')).toHaveCount(0);
  await page.click('#pin');
  await expect(page.locator('#baseline-says')).toHaveText(/^This is the baseline/);
  await expect(page.locator('#headline')).toHaveText(plain);
  await set(page, 'ssd_read', '6.4');
  await expect(page.locator('#headline')).toHaveText(/^Twice the SSD read rate .*G10/);
  await expect(page.locator('#baseline-says')).toHaveText('Since the baseline: SSD read 3.2 → 6.4 GB/s.');
  await expect(page.locator('#numbers .change.better').first()).toHaveText(/^[+−][\d.]+ %, better$/);
  await seen(page, 'throughput');
  const ghost = () => page.evaluate(() => echarts.getInstanceByDom(document.querySelector('#chart-throughput .plot-host')).getOption().series.find((s) => s.id === 'ghost')?.data);
  await expect.poll(ghost).toHaveLength(3);
  const lines = () => page.evaluate(() => echarts.getInstanceByDom(document.querySelector('#chart-memory .plot-host')).getOption().series.filter((s) => s.id.startsWith('ghost')).length);
  await seen(page, 'memory');
  await expect.poll(lines).toBeGreaterThan(0);
  await page.locator('#headline').scrollIntoViewIfNeeded();
  await screenshot(page, 'baseline');

  // The link shows the same elsewhere, and Undo goes back step by step.
  const after = await page.locator('#headline').innerText();
  await expect(page).toHaveURL(/&base=[^&]*ssd_read(=|%3D)3\.2/);
  const other = await context.newPage();
  await visit(other, page.url());
  await expect(other.locator('#headline')).toHaveText(after);
  await expect(other.locator('#numbers .change.better').first()).toBeVisible();
  await other.close();
  await tool(page, 'undo');
  await expect(page.locator('#headline')).toHaveText(plain);
  await tool(page, 'undo');
  await expect(page.locator('#pin')).toHaveAttribute('aria-pressed', 'false');
  await finished(page);
  expect(await page.locator('#numbers').innerText()).toBe(numbers);
  await tool(page, 'redo');
  await tool(page, 'redo');
  await expect(page.locator('#headline')).toHaveText(after);
  await page.click('#pin');
  await expect(page.locator('.change')).toHaveCount(0);
  await expect.poll(ghost).toBeUndefined();
});

test('named runs stand side by side, also after a reload and in a link', async ({ page, browser, baseURL }) => {
  await visit(page, quick);
  await keep(page, 'stock');
  await set(page, 'ssd_read', '6.4');
  await keep(page);
  await page.click('#view-compare');
  await compared(page);
  await expect(page.locator('#shelf > li')).toHaveCount(2);
  await expect(page.locator('#compare-headline')).toHaveText(/^Against A stock: B is .*faster\.$/);
  await expect(page.locator('#side-settings')).toContainText('SSD read');
  await expect(page.locator('#side-settings')).not.toContainText('GPU memory');
  await expect(page.locator('#side-numbers .change.better').first()).toBeVisible();
  for (const id of ['side-quantity', 'side-causes', 'lag']) {
    await seen(page, id);
  }
  await page.selectOption('#side-of', 'iteration_s');
  await expect(page.locator('#title-side-quantity')).toHaveText('Iteration time');
  await page.evaluate(() => scrollTo(0, 0));
  await screenshot(page, 'compare', { fullPage: true });

  const json = JSON.parse((await saved(page, 'side', 'json')).data);
  expect(json.runs.map((r) => [r.name === 'stock', r.system, r.status])).toEqual([[true, 'uvm', 'ok'], [false, 'uvm', 'ok']]);
  expect(json.runs[1].setup).toContain('ssd_read=6.4');
  expect(json.runs[1].values.iteration_s).toBeLessThan(json.runs[0].values.iteration_s);

  const headline = await page.locator('#compare-headline').innerText();
  const link = page.url();
  await page.reload();
  await compared(page);
  await expect(page.locator('#compare-headline')).toHaveText(headline);
  await expect(page.locator('#adopt-0')).toBeHidden();

  // Elsewhere, where nothing is kept, the link is enough.
  const stranger = await browser.newContext({ baseURL });
  const there = await stranger.newPage();
  await there.goto(link);
  await compared(there);
  await expect(there.locator('#compare-headline')).toHaveText(headline);
  await expect(there.locator('#adopt-0')).toBeVisible();
  await stranger.close();
});

test('another tab has the kept runs too, and what is deleted comes back', async ({ page, context }) => {
  await visit(page, quick);
  await keep(page, 'one');
  await set(page, 'ssd_read', '6.4');
  await keep(page, 'two');
  const tab = await context.newPage();
  await tab.goto(`${quick}&view=compare`);
  await compared(tab);
  await expect(tab.locator('#shelf > li')).toHaveCount(2);
  await tab.click('#rename-0');
  await expect(tab.locator('#name-0')).toBeFocused();
  await tab.fill('#name-0', 'first');
  await tab.press('#name-0', 'Enter');
  await expect(tab.locator('#shelf > li').first()).toContainText('first');
  await tab.click('#delete-1');
  await expect(tab.locator('#shelf > li')).toHaveCount(1);
  await tab.click('#undo');
  await expect(tab.locator('#shelf > li')).toHaveCount(2);
  await tab.click('#visit-1');
  await finished(tab);
  await expect(tab).toHaveURL(/ssd_read=6\.4/);
});

test('what the browser stores may be damaged, and then nothing is lost', async ({ page }) => {
  await page.addInitScript(() => {
    if (!localStorage.getItem('spillway-runs-train')) localStorage.setItem('spillway-runs-train', 'spillway runs 1\nname=x system=nobody\n');
  });
  await visit(page, quick);
  await page.click('#keep');
  await page.click('#keep-it');
  await page.click('#view-compare');
  await compared(page);
  await expect(page.locator('#shelf-problem')).toContainText('1 of the runs that this browser keeps cannot be read');
  await expect(page.locator('#shelf > li')).toHaveCount(1);
  const stored = await page.evaluate(() => localStorage.getItem('spillway-runs-train'));
  expect(stored).toContain('name=x system=nobody');
  expect(stored).toContain('system=uvm');
  const [file] = await Promise.all([page.waitForEvent('download'), page.click('#save-damaged')]);
  expect(await readFile(await file.path(), 'utf8')).toBe('name=x system=nobody');
});

test('without storage it works until the tab is closed', async ({ page }) => {
  await page.addInitScript(() => {
    Object.defineProperty(window, 'localStorage', { get() { throw new DOMException('denied', 'SecurityError'); } });
  });
  await visit(page, quick);
  await page.click('#keep');
  await page.click('#keep-it');
  await page.click('#view-compare');
  await compared(page);
  await expect(page.locator('#shelf > li')).toHaveCount(1);
  await expect(page.locator('#shelf-problem')).toContainText('stores nothing');
});
