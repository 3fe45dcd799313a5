// The view that reproduces the paper.
import { existsSync } from 'node:fs';
import path from 'node:path';
import { charts, enter, expect, finished, saved, screenshot, test } from '../fixture.mjs';

const view = './#v=2&lab=train&model=bert-base&batch=16&times=as-paper&view=reproduce&figure=g10.11';
const store = './#v=2&lab=store&view=reproduce';
const root = path.resolve(import.meta.dirname, '../../..');
const artifact = path.resolve(root, process.env.SPILLWAY_ARTIFACT || '../shared/artifacts/g10'); // as build/artifact finds it

const idle = (page) => finished(page, { cancel: '#cancel-g10' });

// part is the element of a figure; its id holds a dot.
const part = (page, kind, figure) => page.locator(`[id="${kind}-${figure}"]`);

test('Figure 11 with the bundled workloads', async ({ page }) => {
  await page.goto(view);
  await expect(page.locator('#paper-title')).toContainText('Figure 11');
  // What this build came with is there before anything runs.
  await expect(page.locator('#board h2')).toHaveText(/^\d+ of \d+ published numbers are met; half of all are within 4 %\.$/);
  await expect(page.locator('#paper-summary')).toContainText('35 published numbers; 35 compared');
  await expect(part(page, 'origin', 'g10.11')).toHaveText('shipped');
  await expect(page.locator('#board button[data-figure="g10.11"] .origin')).toHaveText('shipped');
  await expect(page.locator('#reproduce-g10')).toHaveText(/^Compute all of it here \([1-9]\d* s\)$/);
  await expect(page.locator('#state-g10')).toContainText('0 of 411 runs. Shown is what this build came with.');
  const start = await page.evaluate(() => performance.now());
  await page.click('#paper-run');
  await expect(part(page, 'verdict', 'g10.11')).toContainText('runs');
  await idle(page);
  console.log(`Figure 11 took ${Math.round(await page.evaluate((t) => performance.now() - t, start))} ms`);
  await expect(part(page, 'verdict', 'g10.11')).toContainText('within 25 %');
  await expect(part(page, 'origin', 'g10.11')).toHaveText('confirmed on this machine');
  await expect(page.locator('#board button[data-figure="g10.11"] .origin')).toHaveText('confirmed on this machine');
  await expect(page.locator('#paper-times')).toContainText(/^Reconstruction|reconstruction: modelled kernel times/);
  await expect(page.locator('#paper-claims')).not.toContainText(/\bnot run\b/);
  await page.locator('#chart-paper').scrollIntoViewIfNeeded();
  await expect(page.locator('#chart-paper canvas')).toBeVisible();
  await page.click('#paper-rows');
  await expect(page.locator('.paper-rows tbody tr')).toHaveCount(35);
  await expect(page.locator('.paper-rows')).toContainText('does not fit');
  const csv = await saved(page, 'paper', 'csv');
  expect(csv.name).toBe('spillway-g10-11.csv');
  const rows = csv.data.toString().trim().split('\n');
  expect(rows).toHaveLength(36);
  expect(rows[0]).toMatch(/^figure,about,at,system,quantity,unit,published,ours,relative_difference,verdict,rebuilt,explanation,note,setup,source$/);
  expect(rows[1]).toMatch(/^g10\.11,.*,true,/);
  expect((await saved(page, 'paper-chart', 'png')).data.subarray(1, 4).toString()).toBe('PNG');
  const svg = (await saved(page, 'paper-chart', 'svg')).data.toString();
  expect(svg).toMatch(/^<svg[\s\S]*Figure 11/);
  expect(await page.evaluate((text) => new DOMParser().parseFromString(text, 'image/svg+xml').querySelector('parsererror')?.textContent, svg)).toBeUndefined();
  expect(await page.evaluate(() => document.querySelectorAll('#app *').length)).toBeLessThan(1500);
  await page.click('#paper-rows');
  await screenshot(page, 'reproduce-light');
});

test('a dot of the scoreboard opens its figure and its row', async ({ page }) => {
  await page.goto(view);
  const column = page.locator('#board g[data-figure="g10.14"]');
  const dots = column.locator('path.dots').first();
  const at = await dots.evaluate((path) => {
    const [x, y] = path.getAttribute('d').slice(1).split(/[ h]/).map(Number);
    const p = new DOMPoint(x, y).matrixTransform(path.getScreenCTM());
    return { x: p.x, y: p.y };
  });
  await page.mouse.click(at.x, at.y);
  await expect(page.locator('#paper-title')).toContainText('Figure 14:');
  await expect(page.locator('.paper-rows tr.here')).toHaveCount(1);
  await expect(page.locator('.paper-rows tr.here button[data-open]')).toBeVisible(); // one press from its run in Explore
  await page.locator('#board button[data-figure="g10.18"]').press('Enter');
  await expect(page.locator('#paper-title')).toContainText('Figure 18:');
  await expect(page.locator('.paper-rows tr.here')).toHaveCount(0);
  for (const [scheme, width] of [['light', 1280], ['dark', 1280], ['light', 390], ['dark', 390]]) {
    await page.emulateMedia({ colorScheme: scheme });
    await page.setViewportSize({ width, height: 844 });
    expect(await page.evaluate(() => document.documentElement.scrollWidth)).toBeLessThanOrEqual(width);
    await screenshot(page, `scoreboard-${scheme}-${width}`, { fullPage: true });
  }
});

test('every figure shows the published values before anything runs', async ({ page }) => {
  await page.goto(view);
  for (const id of ['2', '3', '4', '11', '12', '13', '14', '15', '16', '17', '18', '19']) {
    await part(page, 'figure-entry', `g10.${id}`).click();
    await expect(page.locator('#paper-title')).toContainText(`Figure ${id}:`);
    if (Number(id) < 5) await expect(page.locator('.paper-figure .empty')).toContainText('nothing was published for it but the drawing');
    else await expect(page.locator('#chart-paper canvas')).toHaveCount(1);
    await expect(page).toHaveURL(new RegExp(`figure=g10\\.${id}(&|$)`));
  }
  await part(page, 'figure-entry', 'g10.claims').press('Enter');
  await expect(part(page, 'figure-entry', 'g10.claims')).toBeFocused();
  await expect(page.locator('#paper-claims tbody tr')).toHaveCount(28);
  await expect(page.locator('#chart-paper')).toBeHidden();
});

test('figures 2 to 4, dark and narrow', async ({ page }) => {
  await page.emulateMedia({ colorScheme: 'dark' });
  await page.goto(view);
  await part(page, 'run', 'g10.2').click();
  await idle(page);
  await expect(part(page, 'verdict', 'g10.2')).toContainText('hold');
  await expect(part(page, 'verdict', 'g10.4')).toContainText('hold'); // the same runs
  await expect(page.locator('#paper-claims')).toContainText('5.7 GB');
  await screenshot(page, 'reproduce-dark');
  await page.setViewportSize({ width: 360, height: 740 });
  expect(await page.evaluate(() => document.documentElement.scrollWidth)).toBeLessThanOrEqual(360);
  await part(page, 'figure-entry', 'g10.3').click();
  await expect(page.locator('#paper-title')).toBeInViewport();
  await screenshot(page, 'reproduce-narrow', { fullPage: true });
});

test('cancel ends everything at once and it can go on', { tag: '@alone' }, async ({ page }) => {
  await page.goto(view);
  await page.click('#reproduce-g10');
  await expect(page.locator('#cancel-g10')).toBeVisible();
  await expect(page.locator('#state-g10')).toHaveText(/^\d+ of \d+ runs/);
  const took = await page.evaluate(async () => {
    const button = document.getElementById('cancel-g10');
    const t = performance.now();
    button.click();
    while (!button.hidden) await new Promise(requestAnimationFrame);
    return performance.now() - t;
  });
  console.log(`cancel took ${Math.round(took)} ms (budget 1000)`);
  await expect(part(page, 'verdict', 'g10.19')).not.toContainText(/[1-9]\d* of 30 runs, /);
  await part(page, 'run', 'g10.3').click();
  await idle(page);
  await expect(part(page, 'verdict', 'g10.3')).toContainText('hold');
});

test('from one view to the other and back', async ({ page }) => {
  await page.goto(view);
  await page.click('#view-explore');
  await expect(page.locator('#headline')).toHaveText(/fast/);
  await charts(page, 6);
  await page.click('#view-reproduce');
  await expect(page.locator('#chart-paper canvas')).toBeVisible();
  await page.click('#view-explore');
  await charts(page, 6);
  await expect(page).not.toHaveURL(/view=/);
});

test('with the artifact the values are exact', async ({ page }) => {
  test.skip(!existsSync(artifact), `the G10 artifact is not in ${artifact}: set SPILLWAY_ARTIFACT to its folder`);
  await page.goto(view);
  const results = ['', 'InputPF', 'PF', 'Workspace'].map((kind) => `results/BERT_Base/cudnn256${kind}.txt`);
  const files = ['frontend/Nets/BERT_Base.txt', ...results, 'src/configs/BERT/256-sim_lru.config', 'src/configs/BERT/256-sim_prefetch_lru.config'];
  await page.locator('#pick-files').setInputFiles(files.map((name) => path.join(artifact, name)));
  await expect(page.locator('#source-g10')).toContainText('hold 1 of the');
  await part(page, 'run', 'g10.11').click();
  await idle(page);
  await expect(page.locator('#paper-times')).toContainText('7 of 35 runs with the paper\'s own workloads');
  await page.click('#paper-rows');
  const bert = page.locator('.paper-rows tbody tr', { hasText: 'BERT-256' });
  await expect(bert).toHaveCount(7);
  for (let i = 0; i < 7; i++) await expect(bert.nth(i)).toHaveClass('exact');
  await expect(bert.filter({ hasText: 'Base UVM' }).locator('td').nth(3)).toHaveText('23\u202f580\u202f084\u202f389');
});

test('both tables of the Ravenstore report', async ({ page }) => {
  await page.goto(store);
  await expect(page.locator('#paper-title')).toContainText('Table 1');
  await expect(page.locator('#paper-summary')).toContainText('8 published numbers; 8 compared');
  await expect(part(page, 'origin', 'ravenstore.T1')).toHaveText('shipped');
  await expect(page.locator('#chart-paper')).toBeHidden();
  await page.click('#reproduce-ravenstore');
  await finished(page, { cancel: '#cancel-ravenstore' });
  await expect(page.locator('#state-ravenstore')).toContainText('12 of 12 runs');
  await expect(page.locator('#reproduce-ravenstore')).toBeDisabled();
  for (const table of ['ravenstore.T1', 'ravenstore.T2']) {
    await part(page, 'figure-entry', table).click();
    await expect(page.locator('#paper-title')).toContainText(`Table ${table.slice(-1)}`);
    await expect(part(page, 'verdict', table)).toHaveClass(/ok/);
    await expect(page.locator('#paper-verdict')).toHaveText(await part(page, 'verdict', table).innerText());
    await expect(page.locator('#paper-summary')).toContainText(', 0 off.');
    await expect(page.locator('#paper-claims')).not.toContainText(/\bnot run\b/);
    const rows = page.locator('.paper-rows tbody tr');
    await expect(rows.first()).toHaveClass(/exact|within/);
    expect(await rows.evaluateAll((all) => all.filter((r) => r.className === 'gap').length)).toBe(0);
  }
  const csv = await saved(page, 'paper', 'csv');
  expect(csv.name).toBe('spillway-ravenstore-T2.csv');
  await page.click('#forget-ravenstore');
  await expect(page.locator('#state-ravenstore')).toHaveText('0 of 12 runs. Shown is what this build came with.');
});

test('the paper of each laboratory keeps what was run', async ({ page }) => {
  await page.goto(store);
  await page.click('#reproduce-ravenstore');
  await finished(page, { cancel: '#cancel-ravenstore' });
  await enter(page, 'train');
  await expect(page.locator('#view-explore')).toHaveAttribute('aria-pressed', 'true');
  await page.click('#view-reproduce');
  await expect(page.locator('#reproduce-g10')).toBeEnabled();
  await expect(page.locator('#reproduce-ravenstore')).toHaveCount(0);
  await expect(page.locator('#chart-paper canvas')).toBeVisible();
  await enter(page, 'store');
  await expect(page.locator('#state-ravenstore')).toContainText('12 of 12 runs');
});
