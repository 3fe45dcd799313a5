// The page as its visitors use it: results, settings, downloads, links.
import { charts, expect, finished, live, saved, screenshot, test, tool, visit } from '../fixture.mjs';

// quick is a workload that every system runs in moments.
const quick = './#v=2&lab=train&model=bert-base&batch=16&times=as-paper';

test('the first screen is there soon and every system runs', { tag: '@alone' }, async ({ page }) => {
  await page.goto('./');
  await live(page);
  const first = await page.evaluate(() => Math.round(performance.getEntriesByName('page-drawn')[0].startTime));
  await expect(page.locator('.run.done').first()).toBeVisible();
  const bar = await page.evaluate(() => Math.round(performance.now()));
  await finished(page);
  const all = await page.evaluate(() => Math.round(performance.now()));
  console.log(`the program's page after ${first} ms (budget 1500), first result before ${bar} ms, all systems before ${all} ms`);
  const marks = await page.evaluate(() => performance.getEntriesByType('mark').map((m) => `${m.name} ${Math.round(m.startTime)}`));
  console.log(`  start: ${marks.join(', ')} ms`);
  const runs = page.locator('.run:visible');
  for (let i = 0; i < await runs.count(); i++) await expect(runs.nth(i)).toHaveText(/done|does not fit/);
  await expect(page.locator('#headline')).toHaveText(/fast/);
  await charts(page, 6);
  await screenshot(page, 'light');
});

test('no chart is blank', async ({ page }) => {
  await visit(page, quick);
  await charts(page, 6);
  const colors = await page.evaluate(() => [...document.querySelectorAll('.plot canvas')].map((canvas) => {
    const { data } = canvas.getContext('2d').getImageData(0, 0, canvas.width, canvas.height);
    const seen = new Set();
    for (let i = 0; i < data.length; i += 4) if (data[i + 3] > 200) seen.add((data[i] << 16) | (data[i + 1] << 8) | data[i + 2]);
    return seen.size;
  }));
  for (const n of colors) expect(n).toBeGreaterThan(20);
});

test('a changed setting runs again, undo brings the results back', async ({ page }) => {
  await visit(page, quick);
  const before = await page.locator('#numbers').innerText();
  await page.fill('#f-gpu_memory', '2');
  await expect(page).toHaveURL(/gpu_memory=2/);
  await finished(page);
  await expect(page.locator('#numbers')).not.toHaveText(before);
  await expect(page.locator('#context')).toContainText('GPU memory 2 GiB');
  await tool(page, 'undo');
  await expect(page.locator('#f-gpu_memory')).toHaveValue('40');
  expect(await page.locator('#numbers').innerText()).toBe(before);
  await page.keyboard.press('Control+Shift+Z');
  await expect(page.locator('#f-gpu_memory')).toHaveValue('2');
});

test('undo and redo bring back what lists had chosen', async ({ page }) => {
  await visit(page, quick);
  const lists = { '#f-model': ['bert-base', 'vit-s-32'], '#f-machine': ['g10-table-2-a100-40gb-pcie-3-z-nand', 'h100-80gb-pcie-5-pm1743'], '#f-ssd': ['fixed', '990-pro'] };
  for (const [list, [, second]] of Object.entries(lists)) await page.selectOption(list, second);
  await expect(page.locator('#f-part-gpu')).toHaveValue('h100-80');
  for (const list of ['#f-ssd', '#f-machine', '#f-model']) {
    await tool(page, 'undo');
    await expect(page.locator(list)).toHaveValue(lists[list][0]);
  }
  for (const list of ['#f-model', '#f-machine', '#f-ssd']) {
    await tool(page, 'redo');
    await expect(page.locator(list)).toHaveValue(lists[list][1]);
  }
});

test('a wrong value is named next to its field and nothing typed is lost', async ({ page }) => {
  await visit(page, quick);
  await page.fill('#f-ssd_read', '3,200');
  await expect(page.locator('#err-ssd_read')).toContainText('"3,200" may be 3200 or 3.200');
  await expect(page.locator('#f-ssd_read')).toHaveAttribute('aria-invalid', 'true');
  await page.fill('#f-gpu_clock', '100');
  await expect(page.locator('#err-gpu_clock')).toContainText('want 0.1 to 10');
  await expect(page.locator('#f-ssd_read')).toHaveValue('3,200');
  await expect(page.locator('#blocked')).toContainText('2 settings are not valid');
  await page.fill('#f-batch', '12x');
  await expect(page.locator('#err-batch')).toContainText('"12x"');
  await page.fill('#f-batch', '16');
  await page.click('#reset-hardware');
  await expect(page.locator('#f-ssd_read')).toHaveValue('3.2');
  await expect(page.locator('#blocked')).toHaveCount(0);
  await page.fill('#f-ssd_read', '20');
  await expect(page.locator('#problems-hardware')).toContainText('faster than the host link');
});

test('typing keeps text and caret', async ({ page }) => {
  await visit(page, quick);
  await page.click('#f-gpu_memory');
  await page.keyboard.press('End');
  await page.keyboard.type('.5', { delay: 30 });
  await page.keyboard.press('Home');
  await page.keyboard.type('1');
  await expect(page.locator('#f-gpu_memory')).toHaveValue('140.5');
  expect(await page.evaluate(() => document.activeElement.selectionStart)).toBe(1);
});

test('cancel is immediate and the runs can be started again', { tag: '@alone' }, async ({ page }) => {
  await visit(page, quick);
  await page.fill('#f-batch', '1024');
  await expect(page.locator('#cancel')).toBeVisible();
  const took = await page.evaluate(async () => {
    const button = document.getElementById('cancel');
    const t = performance.now();
    button.click();
    while (getComputedStyle(button).visibility !== 'hidden') await new Promise(requestAnimationFrame);
    return performance.now() - t;
  });
  console.log(`cancel took ${Math.round(took)} ms (budget 100)`);
  await expect(page.locator('.run.cancelled').first()).toBeVisible(); // it did not wait for them
  await expect(page.locator('#again')).toBeVisible();
  await page.fill('#f-batch', '16');
  await finished(page);
  await expect(page.locator('.run.done').first()).toBeVisible();
});

test('systems can be left out', async ({ page }) => {
  await visit(page, quick);
  const shown = await page.locator('.run:visible').count();
  await page.uncheck('#on-g10');
  await expect(page.locator('.run:visible')).toHaveCount(shown - 1);
  await expect(page).toHaveURL(/systems=\d+:[0-9a-f]{5},-g10(&|$)/);
});

test('downloads', async ({ page }) => {
  await visit(page, quick);
  const csv = await saved(page, 'results', 'csv');
  expect(csv.name).toMatch(/^spillway-bert-base-batch-16-results\.csv$/);
  const rows = csv.data.toString().trim().split('\n');
  expect(rows).toHaveLength(1 + await page.locator('.run:visible').count());
  expect(rows[0]).toMatch(/^lab,system,title,setup,workload,origin,status,reason,normalized_throughput,/);
  expect(rows[0]).toContain('beyond_ideal_ssd_read_s');
  expect(rows[1]).toMatch(/^train,ideal,Ideal,model=bert-base batch=16 /);
  const json = JSON.parse((await saved(page, 'results', 'json')).data);
  expect(json.format).toBe('spillway-results');
  expect(json.runs).toHaveLength(rows.length - 1);
  expect(json.link).toMatch(/^v=4&/);
  const png = await saved(page, 'throughput', 'png');
  expect(png.data.subarray(1, 4).toString()).toBe('PNG');
  for (const id of ['throughput', 'breakdown', 'causes', 'traffic', 'memory', 'slowdown']) {
    const svg = (await saved(page, id, 'svg')).data.toString();
    expect(svg).toMatch(/^<svg/);
    const read = await page.evaluate((text) => {
      const document = new DOMParser().parseFromString(text, 'image/svg+xml');
      return { wrong: document.querySelector('parsererror')?.textContent, title: document.querySelector('title')?.textContent, note: document.querySelector('desc')?.textContent, data: document.querySelector('metadata')?.textContent, of: document.querySelector('metadata > *')?.getAttribute('setup') };
    }, svg);
    expect(read.wrong).toBeUndefined();
    expect(read.title).toBe(await page.locator(`#title-${id}`).innerText());
    // The file's rows, each without what it is of, which the drawing says once.
    const csv = (await saved(page, id, 'csv')).data.toString().trim().split('\n');
    expect(read.data).toBe(csv.map((line) => `${line.slice(0, line.lastIndexOf(','))}\n`).join(''));
    expect(csv[1].endsWith(`,${read.of}`)).toBe(true);
    expect(read.note).toMatch(/BERT-base, batch 16 · .* Fidelity: .* http:.*#v=/);
  }
  const table = await saved(page, 'causes', 'csv');
  expect(table.data.toString()).toMatch(/^system,beyond_ideal_fault_handling_s,[\s\S]*\ng10(,[\d.]+){6},model=bert-base batch=16 [^\n]*\n$/);
});

test('a link shows the same settings elsewhere', async ({ page, context }) => {
  await context.grantPermissions(['clipboard-read', 'clipboard-write']);
  await visit(page, quick);
  await page.selectOption('#f-part-gpu', 'v100-32');
  await page.check('#f-mode-corrected');
  await page.fill('#f-host_memory', '64');
  await page.click('#axis-kernel-memory');
  await finished(page);
  await tool(page, 'link');
  await page.click('[data-copies=share-link]');
  await expect(page.locator('[data-copies=share-link]')).toHaveText('Copied');
  const link = await page.evaluate(() => navigator.clipboard.readText());
  const numbers = await page.locator('#numbers').innerText();
  const other = await context.newPage();
  await visit(other, link);
  await expect(other.locator('#f-gpu_memory')).toHaveValue('32');
  await expect(other.locator('#f-host_memory')).toHaveValue('64');
  await expect(other.locator('#f-mode-corrected')).toBeChecked();
  await expect(other.locator('#axis-kernel-memory')).toHaveAttribute('aria-pressed', 'true');
  expect(await other.locator('#numbers').innerText()).toBe(numbers);
});

test('links that cannot be read say so', async ({ page }) => {
  await page.goto('./#v=9&model=bert-base');
  await expect(page.locator('#notice')).toContainText('newer Spillway');
  await page.evaluate(() => { location.hash = 'v=2&lab=train&batch=16&colour=red'; });
  await expect(page.locator('#notice')).toContainText('unknown setting "colour"');
  await expect(page.locator('#f-batch')).toHaveValue('16');
  await page.click('#notice-close');
  await expect(page.locator('#notice')).toHaveCount(0);
});

test('a crashed worker is replaced and the visitor told', async ({ page, guard }) => {
  guard.expect(/on purpose/);
  await visit(page, quick);
  const workers = page.workers();
  expect(workers.length).toBeGreaterThan(0);
  await workers[0].evaluate(() => { setTimeout(() => { throw new Error('on purpose'); }, 0); });
  await expect(page.locator('#notice')).toContainText('was replaced');
  await page.fill('#f-batch', '17');
  await finished(page);
  await expect(page.locator('.run.done').first()).toBeVisible();
  await expect(page.locator('.run.failed')).toHaveCount(0);
});

test('without a network the page still computes', { tag: '@fresh' }, async ({ page, context }) => {
  await visit(page, quick);
  await page.waitForFunction(() => navigator.serviceWorker.controller);
  await context.setOffline(true);
  await page.reload();
  await finished(page);
  await expect(page.locator('.run.done').first()).toBeVisible();
  await charts(page, 6);
  await context.setOffline(false);
});

// shifts returns how far what is shown moves while change is done, as browsers
// measure it, but also right after an input.
async function shifts(page, change) {
  await page.evaluate(() => {
    window.shifts = [];
    window.shiftObserver?.disconnect();
    const name = (n) => (n?.id ? `#${n.id}` : `${n?.nodeName}.${n?.className ?? ''}`);
    const place = (r) => `${Math.round(r.x)},${Math.round(r.y)} ${Math.round(r.width)}×${Math.round(r.height)}`;
    window.shiftObserver = new PerformanceObserver((list) => {
      for (const e of list.getEntries()) {
        window.shifts.push({ value: e.value, of: e.sources.map((s) => `${name(s.node)} from ${place(s.previousRect)} to ${place(s.currentRect)}`) });
      }
    });
    window.shiftObserver.observe({ type: 'layout-shift' });
  });
  await change();
  await finished(page);
  const list = await page.evaluate(() => window.shifts);
  const sum = list.reduce((all, x) => all + x.value, 0);
  return { sum, text: `${sum.toFixed(4)} ${list.filter((x) => x.value >= 0.0005).flatMap((x) => x.of).join('; ')}` };
}

for (const [lab, link, changes] of [
  ['training', './#v=2&lab=train', { gpu_memory: '32', ssd_read: '2.5', batch: '200' }],
  ['estimated', './#v=2&lab=train&times=estimated&mode=corrected', { gpu_memory: '32', host_link: '14' }],
  ['store', './#v=2&lab=store', { gpu_memory: '4', link: '8' }],
]) {
  test(`nothing jumps when a setting changes or is cancelled: ${lab}`, async ({ page }) => {
    await visit(page, link);
    await charts(page, lab === 'store' ? 7 : 6);
    await finished(page);
    for (const [key, value] of Object.entries(changes)) {
      const { sum, text } = await shifts(page, () => page.fill(`#f-${key}`, value));
      console.log(`  ${key}: ${text} (budget 0.02)`);
      expect(sum, text).toBeLessThan(0.02);
    }
    const { sum, text } = await shifts(page, async () => {
      await page.fill('#f-gpu_memory', '37');
      // Quick runs may be done before anybody can cancel them.
      await page.click('#cancel', { timeout: 2000 }).catch(() => {});
    });
    console.log(`  cancelled: ${text} (budget 0.02)`);
    expect(sum, text).toBeLessThan(0.02);
  });
}

test('on A4 there are legends and all columns, and no chart lies on two sheets', async ({ page }) => {
  await visit(page, quick);
  const pills = await page.locator('.run:visible').count();
  await page.evaluate(() => { document.documentElement.dataset.theme = 'dark'; dispatchEvent(new Event('beforeprint')); });
  await expect(page.locator('html')).toHaveAttribute('data-theme', 'light');
  await page.emulateMedia({ media: 'print' });
  await page.setViewportSize({ width: 718, height: 1047 }); // A4 at 96 dpi less 10 mm on each side
  await expect(page.locator('.side').first()).toBeHidden();
  await expect(page.locator('.run:visible')).toHaveCount(pills); // the legend: names with the charts' colors
  const wide = await page.evaluate(() => [...document.querySelectorAll('.numbers')].filter((e) => e.checkVisibility()).map((e) => ({ id: e.id, right: Math.round(e.getBoundingClientRect().right), inside: e.parentElement.scrollWidth - e.parentElement.clientWidth })));
  expect(wide.length).toBeGreaterThan(0);
  for (const { id, right, inside } of wide) expect({ id, right: right <= 718, inside: inside <= 0 }).toEqual({ id, right: true, inside: true });
  const cut = await page.evaluate(() => [...document.querySelectorAll('.plot-frame')].filter((e) => e.checkVisibility() && (getComputedStyle(e).breakInside !== 'avoid' || e.offsetHeight > 1047)).length);
  expect(cut).toBe(0);
});
