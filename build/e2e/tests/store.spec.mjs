// The laboratory of the object store, and what all laboratories share: tabs,
// their links and programs.
import { readFile } from 'node:fs/promises';
import path from 'node:path';
import { charts, drop, enter, expect, finished, opened, screenshot, test, tool, unfold, visit } from '../fixture.mjs';

const root = path.resolve(import.meta.dirname, '../../..');
const store = './#v=2&lab=store';
const train = './#v=2&lab=train&model=bert-base&batch=16&times=as-paper';

async function open(page, url = store) {
  await visit(page, url);
  await charts(page, url.startsWith(store) ? 7 : 6);
}

// programs records which files of laboratories the page asks for.
function programs(page) {
  const asked = [];
  page.context().on('request', (r) => {
    const name = new URL(r.url()).pathname.split('/').pop();
    if (/^(store|train)\.(wasm|info)$/.test(name)) asked.push(name);
  });
  return asked;
}

test.describe('tabs', () => {
  test('a laboratory is fetched when its tab is opened', async ({ page }) => {
    const asked = programs(page);
    await visit(page, train);
    await expect(page.locator('#lab-train')).toHaveAttribute('aria-current', 'true');
    expect(new Set(asked)).toEqual(new Set(['train.wasm', 'train.info']));
    await enter(page, 'store');
    await expect(page.locator('#f-workload')).toBeVisible();
    await finished(page);
    await expect(page.locator('#lab-store')).toHaveAttribute('aria-current', 'true');
    await expect(page.locator('#lab-train')).not.toHaveAttribute('aria-current', 'true');
    await expect(page.locator('.run.done').first()).toBeVisible();
    await expect(page).toHaveURL(/#v=\d&lab=store/);
    expect(asked.filter((name) => name.startsWith('store.'))).toEqual(['store.info']); // the site came with what it opens on
    await unfold(page);
    await page.fill('#f-gpu_memory', '4');
    await finished(page);
    expect(asked.filter((name) => name === 'store.wasm')).toHaveLength(1);
  });

  test('a link opens the store without the other', async ({ page }) => {
    const asked = programs(page);
    await visit(page, `${store}&workload=networks&clients=3&gpu_memory=10&systems=lru,oracle&focus=lru`);
    await expect(page.locator('#f-workload')).toHaveValue('networks');
    await expect(page.locator('#f-clients')).toHaveValue('3');
    await expect(page.locator('#f-gpu_memory')).toHaveValue('10');
    await expect(page.locator('.run:visible')).toHaveCount(2);
    await expect(page.locator('#focus-memory')).toHaveValue('lru');
    expect(new Set(asked)).toEqual(new Set(['store.wasm', 'store.info']));
  });
});

test('each laboratory keeps its state', async ({ page }) => {
  await open(page, train);
  await page.fill('#f-gpu_memory', '24');
  await finished(page);
  const numbers = await page.locator('#numbers').innerText();
  await enter(page, 'store');
  await expect(page.locator('#f-workload')).toBeVisible();
  await expect(page.locator('#undo')).toBeDisabled();
  await unfold(page);
  await page.fill('#f-gpu_memory', '4');
  await finished(page);
  const other = await page.locator('#numbers').innerText();
  await enter(page, 'train');
  await expect(page.locator('#f-gpu_memory')).toHaveValue('24');
  await finished(page);
  expect(await page.locator('#numbers').innerText()).toBe(numbers);
  await expect(page).toHaveURL(/lab=train.*gpu_memory=24/);
  await charts(page, 6);
  await tool(page, 'undo');
  await expect(page.locator('#f-gpu_memory')).toHaveValue('40');
  await enter(page, 'store');
  await expect(page.locator('#f-gpu_memory')).toHaveValue('4');
  await finished(page);
  expect(await page.locator('#numbers').innerText()).toBe(other);
});

test('a link of format 1 shows the run that it showed', async ({ page }) => {
  await visit(page, './#v=1&model=bert-base&batch=64&times=as-paper&gpu_memory=2&without=flashneuron&axis=kernel');
  await expect(page.locator('#lab-train')).toHaveAttribute('aria-current', 'true');
  await expect(page.locator('#notice')).toHaveCount(0);
  await expect(page.locator('#f-model')).toHaveValue('bert-base');
  await expect(page.locator('#f-batch')).toHaveValue('64');
  await expect(page.locator('#f-times-as-paper')).toBeChecked();
  await expect(page.locator('#f-mode-published')).toBeChecked();
  await expect(page.locator('#f-gpu_memory')).toHaveValue('2');
  await expect(page.locator('#on-flashneuron')).not.toBeChecked();
  await expect(page.locator('.run:visible')).toHaveCount(6);
  await expect(page.locator('#axis-kernel-memory')).toHaveAttribute('aria-pressed', 'true');
  const numbers = await page.locator('#numbers').innerText();
  await page.fill('#f-gpu_memory', '3');
  await expect(page).toHaveURL(/#v=\d&lab=train/);
  await page.fill('#f-gpu_memory', '2');
  await finished(page);
  const link = page.url();
  await page.goto('about:blank');
  await visit(page, link);
  expect(await page.locator('#numbers').innerText()).toBe(numbers);
});

test('without a network both laboratories compute', { tag: '@fresh' }, async ({ page, context }) => {
  await visit(page, train);
  await page.waitForFunction(() => navigator.serviceWorker.controller);
  await context.setOffline(true);
  await page.reload();
  await finished(page);
  await expect(page.locator('.run.done').first()).toBeVisible();
  await enter(page, 'store');
  await expect(page.locator('#f-workload')).toBeVisible();
  await finished(page);
  await expect(page.locator('.run.done').first()).toBeVisible();
  await charts(page, 7);
  await expect(page.locator('#notice')).toHaveCount(0);
  await context.setOffline(false);
});

test('settings, charts and numbers', async ({ page }) => {
  await open(page);
  await expect(page.locator('#headline')).toHaveText(/(is fastest|are level): [\d.]+ s/);
  await expect(page.locator('.run.failed')).toHaveCount(0);
  const before = await page.locator('#numbers').innerText();
  await page.fill('#f-gpu_memory', '4');
  await finished(page);
  await expect(page.locator('#numbers')).not.toHaveText(before);
  await tool(page, 'undo');
  expect(await page.locator('#numbers').innerText()).toBe(before);
  // A workload shows the settings that belong to it, and brings its memory.
  await expect(page.locator('#f-clients')).toHaveCount(0);
  await page.selectOption('#f-workload', 'networks');
  await expect(page.locator('#f-clients')).toBeVisible();
  await expect(page.locator('#f-gpu_memory')).toHaveValue('12');
  await finished(page);
  await expect(page.locator('#context')).toContainText('2 × ResNet-50, batch 64');
  await page.selectOption('#f-workload', 'table-and-blocks');
  await finished(page);
  await page.check('#f-prefetch-0');
  await finished(page);
  await expect(page.locator('#context')).toContainText('without prefetch');
  await page.uncheck('#on-best-known');
  await expect(page.locator('#run-best-known')).toBeHidden();
});

test('an eviction is picked in the chart or by its number', async ({ page }) => {
  await open(page);
  const section = await opened(page, 'eviction');
  const answer = section.locator('.answer').first();
  await expect(answer).toHaveText(/^Size-aware, eviction 1 of \d+: at [\d.]+ s it evicts \w+ \(.*\) of \w+, because operation \d+, of \w+, needs room\. It is (got next by operation \d+ of the trace|never again)\./);
  await expect(section.locator('.answer').nth(1)).toHaveText(/^(That is as Belady's order would have it: .*|Belady's order would have evicted \w+ of \w+, .*)$/);
  await page.fill('#f-eviction', '7');
  await page.press('#f-eviction', 'Enter');
  await expect(answer).toContainText(', eviction 7 of');
  await expect(page).toHaveURL(/eviction=7/);
  // The marks are where the chart says; a click on one tells its number.
  const canvas = page.locator('#chart-memory canvas');
  await canvas.scrollIntoViewIfNeeded();
  const at = await page.evaluate(() => {
    const chart = echarts.getInstanceByDom(document.querySelector('#chart-memory .plot-host'));
    const option = chart.getOption();
    const k = option.series.findIndex((s) => s.type === 'scatter' && s.cursor === 'pointer');
    const data = option.series[k].data;
    const point = (i) => (data[0].length ? data[i] : [data[2 * i], data[2 * i + 1]]);
    const count = data[0].length ? data.length : data.length / 2;
    return chart.convertToPixel({ seriesIndex: k }, [...point(count - 1)].slice(0, 2));
  });
  await canvas.click({ position: { x: at[0], y: at[1] } });
  await expect(answer).not.toContainText(', eviction 7 of');
  await expect(answer).toHaveText(/eviction \d\d+ of/);
  await expect(page.locator('#f-eviction')).not.toHaveValue('7');
  // Another system in focus: its chart and its evictions.
  await page.selectOption('#focus-memory', 'lru');
  await expect(answer).toContainText('LRU, eviction');
  await expect(page.locator('#title-memory')).toContainText('LRU');
  await expect(page.locator('#title-host')).toContainText('LRU');
  await expect(page.locator('#focus-host')).toHaveValue('lru');
  await expect(page).toHaveURL(/focus=lru/);
  await page.check('#on-oracle');
  await finished(page);
  await page.selectOption('#focus-memory', 'oracle');
  await expect(section.locator('.findings')).toHaveText(/^\s*(\d+) of \1 evictions are as Belady's order would have them/);
});

test('fairness, numbers of clients and the switches', async ({ page }) => {
  await open(page, `${store}&workload=networks&clients=2`);
  await expect(page.locator('#section-fairness table')).toHaveCount(0);
  await page.click('#open-fairness');
  await expect(page.locator('#open-fairness')).toHaveAttribute('aria-expanded', 'true');
  await expect(page.locator('#section-fairness .answer')).toHaveText(/^Among the others, clients take [\d.]+ to [\d.]+ times as long as alone\.$/);
  await expect(page.locator('#section-fairness tbody tr')).toHaveCount(2);
  await page.click('#open-clients');
  await expect(page.locator('#section-clients table')).toHaveCount(2);
  await expect(page.locator('#section-clients thead').first()).toContainText('8 clients');
  await page.click('#open-prefetch');
  await expect(page.locator('#section-prefetch tbody tr')).toHaveCount(6);
  await page.click('#open-fairness');
  await expect(page.locator('#section-fairness table')).toHaveCount(0);
});

test('a trace of operations is dropped and runs', async ({ page }) => {
  await open(page);
  const text = await readFile(path.join(root, 'traces/opstrace/testdata/tiny.csv'), 'utf8');
  await drop(page, { 'mine.csv': text });
  await expect(page.locator('#context')).toContainText('mine.csv');
  await finished(page);
  await expect(page.locator('#facts')).toContainText('2 clients, 2 tensors, 6 operations');
  await expect(page.locator('.run.done').first()).toBeVisible();
  await expect(page.locator('.run.failed')).toHaveCount(0);
  await expect(page).toHaveURL(/entry=mine\.csv/);
  // A damaged one says where, and nothing else changes.
  const numbers = await page.locator('#numbers').innerText();
  await drop(page, { 'broken.csv': text.replace('64000,a,free', 'later,a,free') });
  await expect(page.locator('#files-error')).toContainText('broken.csv:6: time_us: "later" is not a time');
  await drop(page, { 'photo.png': '\x89PNG\r\n' });
  await expect(page.locator('#files-error')).toContainText('photo.png: text, but none that is known');
  await expect(page.locator('#files-error')).toContainText('What opens');
  // Lines of JSON are read as well; back to what is bundled.
  await drop(page, { 'mine.jsonl': await readFile(path.join(root, 'traces/opstrace/testdata/tiny.jsonl'), 'utf8') });
  await expect(page.locator('#context')).toContainText('mine.jsonl');
  await finished(page);
  expect(numbers.length).toBeGreaterThan(100);
  await page.click('#bundled');
  await expect(page.locator('#context')).toContainText('Training beside a program with bursts');
  await finished(page);
  await expect(page.locator('.run.done').first()).toBeVisible();
});

test('a trace for another laboratory opens there, and one step leads back', async ({ page }) => {
  await open(page);
  await page.setInputFiles('#pick-files', path.join(root, 'traces/spillway/testdata/tiny.json'));
  await expect(page.locator('#notice')).toContainText('tiny.json is for the laboratory Training memory, which is shown now');
  await expect(page.locator('#context')).toContainText('Two layers, batch 32');
  await finished(page);
  await expect(page.locator('.run.failed')).toHaveCount(0);
  await expect(page).toHaveURL(/lab=train.*entry=/);
  await tool(page, 'undo');
  await expect(page.locator('#lab-store')).toHaveAttribute('aria-current', /.+/);
  await finished(page);
  await expect(page).toHaveURL(/lab=store&workload=training-and-bursts/);
  await expect(page.locator('#context')).toContainText('Training beside a program with bursts');
  await page.setInputFiles('#pick-files', { name: 'photo.png', mimeType: 'image/png', buffer: Buffer.from('\x89PNG\r\n\x1a\n', 'latin1') });
  await expect(page.locator('#files-error')).toContainText('photo.png: an image (PNG), not a trace');
  await expect(page.locator('#files-error')).toContainText('What opens');
});

test('the store in a narrow window', async ({ page }) => {
  await page.setViewportSize({ width: 360, height: 740 });
  await visit(page, store);
  const fits = async () => expect(await page.evaluate(() => document.documentElement.scrollWidth)).toBeLessThanOrEqual(360);
  await fits();
  await page.click('#labs');
  await expect(page.locator('#lab-store')).toBeInViewport();
  await expect(page.locator('#lab-train')).toBeInViewport();
  await fits();
  await page.keyboard.press('Escape');
  await expect(page.locator('#lab-train')).toBeHidden();
  await page.click('#open-fairness');
  await expect(page.locator('#section-fairness .answer')).toBeVisible();
  await fits();
  await screenshot(page, 'store-narrow', { fullPage: true });
  await page.click('#view-reproduce');
  await expect(page.locator('#paper-title')).toContainText('Table 1');
  await page.locator('[id="figure-entry-ravenstore.T2"]').click();
  await expect(page.locator('#paper-title')).toBeInViewport();
  await fits();
});

test('tabs and sections by keyboard', async ({ page }) => {
  await open(page, train);
  const tabTo = async (id) => {
    for (let i = 0; i < 250; i++) {
      if (await page.evaluate((want) => document.activeElement?.id === want, id)) return;
      await page.keyboard.press('Tab');
    }
    throw new Error(`Tab never reaches #${id}`);
  };
  await expect(page.locator('#labs')).toHaveText('Training memory');
  await tabTo('labs');
  await page.keyboard.press('Enter');
  const tabs = page.getByRole('navigation', { name: 'Laboratories' });
  await expect(tabs.locator('#lab-train, #lab-store')).toHaveCount(2);
  await expect(tabs.locator('[aria-current=true]')).toContainText('Training memory');
  await tabTo('lab-store');
  await page.keyboard.press('Enter');
  await expect(page.locator('#f-workload')).toBeVisible();
  await finished(page);
  await expect(page.locator('#labs')).toHaveText('Object store');
  await expect(page.locator('#labs')).toBeFocused();
  await page.click('#given-preset');
  await page.click('#preset-training-and-bursts'); // every eviction of which can be picked
  await finished(page);
  await tabTo('f-workload');
  await tabTo('fold-systems');
  await page.keyboard.press('Enter');
  await tabTo('on-fifo');
  await page.keyboard.press('Space');
  await expect(page.locator('#run-fifo')).toBeHidden();
  await tabTo('fold-costs');
  await page.keyboard.press('Enter');
  await tabTo('f-parallel_eviction-0');
  await page.keyboard.press('ArrowLeft');
  await expect(page.locator('#f-parallel_eviction-1')).toBeChecked();
  await finished(page);
  await tabTo('focus-memory'); // Size-aware, which the laboratory is about
  await page.keyboard.press('ArrowUp');
  await expect(page).toHaveURL(/focus=latency-logical/);
  await tabTo('open-eviction');
  await page.keyboard.press('Enter');
  await tabTo('f-eviction');
  await page.keyboard.press('Control+A');
  await page.keyboard.type('3');
  await page.keyboard.press('Enter');
  await expect(page.locator('#section-eviction .answer').first()).toContainText('eviction 3 of');
  for (const key of ['fairness', 'clients', 'prefetch']) {
    await tabTo(`open-${key}`);
    expect(await page.evaluate(() => getComputedStyle(document.activeElement).outlineStyle)).toBe('solid');
    await page.keyboard.press('Enter');
    await expect(page.locator(`#open-${key}`)).toHaveAttribute('aria-expanded', 'true');
    await expect(page.locator(`#open-${key}`)).toBeFocused();
  }
});
