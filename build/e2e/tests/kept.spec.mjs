// Before and after: the pinned baseline, and kept runs as the other side of what is shown.
import { readFile } from 'node:fs/promises';
import { expect, finished, live, opened, saved, screenshot, seen, test, tool, visit } from '../fixture.mjs';

const quick = './#v=2&lab=train&model=bert-base&batch=16&times=as-paper&gpu_memory=2&host_memory=0&ssd_read=3.2&mode=corrected&systems=ideal,uvm,g10&focus=uvm';

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

test('a kept run is the other side of what is shown, also after a reload and in a link', async ({ page, browser, baseURL }) => {
  await visit(page, quick);
  await keep(page, 'stock');
  await set(page, 'ssd_read', '6.4');
  await page.selectOption('#against', { label: 'kept: stock' });
  await finished(page);
  await expect(page.locator('#beside')).toHaveText(/^Base UVM is [\d.]+ % faster than stock\. Since then: SSD read 3\.2 → 6\.4 GB\/s\.$/);
  await expect(page.locator('.account-rows .name')).toHaveText(['Base UVM', 'stock']);
  await seen(page, 'lag');
  await expect(page.locator('#title-lag')).toHaveText('Where time is lost and won');
  await expect(page.locator('#numbers thead th').last()).toHaveText('stock');
  await page.evaluate(() => scrollTo(0, 0));
  await screenshot(page, 'kept', { fullPage: true });
  const rows = (await saved(page, 'results', 'csv')).data.toString().trim().split('\n');
  expect(rows.at(-1)).toContain(',stock,');
  expect(rows.at(-1)).not.toContain('ssd_read=');
  expect(rows[1]).toContain('ssd_read=6.4');

  // The same two sides are asked why.
  const why = await opened(page, 'why');
  await expect(why).toContainText('the kept Base UVM');

  const says = await page.locator('#beside').innerText();
  const link = page.url();
  await page.reload();
  await live(page);
  await finished(page);
  await expect(page.locator('#beside')).toHaveText(says);

  // Elsewhere, where nothing is kept, the link is enough.
  const stranger = await browser.newContext({ baseURL });
  const there = await stranger.newPage();
  await there.goto(link);
  await live(there);
  await finished(there);
  await expect(there.locator('#beside')).toHaveText(says);
  await there.click('#kept');
  await expect(there.locator('#adopt-0')).toBeVisible();
  await stranger.close();

  // Two kept runs with different setups: one is opened, and compared with the other.
  await keep(page, 'fast');
  await page.click('#kept');
  await expect(page.locator('#shelf > li')).toHaveCount(2);
  await page.click('#visit-0');
  await finished(page);
  await page.selectOption('#against', { label: 'kept: fast' });
  await finished(page);
  await expect(page.locator('#beside')).toHaveText(/^Base UVM is [\d.]+ % slower than fast\. Since then: SSD read 6\.4 → 3\.2 GB\/s\.$/);
  // Any system is the other side, too.
  await page.selectOption('#against', 'ideal');
  await expect(page.locator('#beside')).toBeHidden();
  await expect(page.locator('.account-rows .name')).toHaveText(['Base UVM', 'Ideal']);
});

test('a link to the view that showed runs side by side opens its second beside its first', async ({ page }) => {
  await visit(page, `${quick}&view=compare&run=name%3Dstock+system%3Duvm+model%3Dbert-base+batch%3D16+times%3Das-paper+gpu_memory%3D2+host_memory%3D0+ssd_read%3D3.2+mode%3Dcorrected&run=name%3Dfast+system%3Dg10+model%3Dbert-base+batch%3D16+times%3Das-paper+gpu_memory%3D2+host_memory%3D0+ssd_read%3D6.4+mode%3Dcorrected`);
  await expect(page.locator('#view-explore')).toHaveAttribute('aria-pressed', 'true');
  await expect(page.locator('.account-rows .name')).toHaveText(['G10', 'stock']);
  await expect(page.locator('#beside')).toContainText('Since then: SSD read 3.2 → 6.4 GB/s.');
});

test('another tab has the kept runs too, and what is deleted comes back', async ({ page, context }) => {
  await visit(page, quick);
  await keep(page, 'one');
  await set(page, 'ssd_read', '6.4');
  await keep(page, 'two');
  const tab = await context.newPage();
  await tab.goto(quick);
  await live(tab);
  await finished(tab);
  await tab.click('#kept');
  await expect(tab.locator('#shelf > li')).toHaveCount(2);
  await tab.click('#rename-1');
  await expect(tab.locator('#name-1')).toBeFocused();
  await tab.fill('#name-1', 'first');
  await tab.press('#name-1', 'Enter');
  await expect(tab.locator('#shelf > li').last()).toContainText('first');
  await tab.click('#delete-1');
  await expect(tab.locator('#shelf > li')).toHaveCount(1);
  await tab.click('#undo');
  await expect(tab.locator('#shelf > li')).toHaveCount(2);
  await tab.click('#visit-0');
  await finished(tab);
  await expect(tab).toHaveURL(/ssd_read=6\.4/);
});

test('what the browser stores may be damaged, and then nothing is lost', async ({ page }) => {
  await page.addInitScript(() => {
    if (!localStorage.getItem('spillway-runs-train')) localStorage.setItem('spillway-runs-train', 'spillway runs 1\nname=x system=nobody\n');
  });
  await visit(page, quick);
  await keep(page);
  await page.click('#kept');
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
  await keep(page);
  await page.click('#kept');
  await expect(page.locator('#shelf > li')).toHaveCount(1);
  await expect(page.locator('#shelf-problem')).toContainText('stores nothing');
});
