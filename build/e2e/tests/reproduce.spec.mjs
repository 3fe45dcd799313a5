// The view that reproduces the paper.
import { existsSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import path from 'node:path';
import AxeBuilder from '@axe-core/playwright';
import { expect, finished, screenshot, test } from '../fixture.mjs';

const view = './#v=1&model=bert-base&batch=16&times=as-paper&view=reproduce';
const root = path.resolve(import.meta.dirname, '../../..');
const artifact = path.resolve(root, process.env.SPILLWAY_ARTIFACT || '../shared/artifacts/g10'); // as build/artifact finds it

const idle = (page) => finished(page, { cancel: '#reproduce-cancel', timeout: 150_000 });

async function download(page, id) {
  const [d] = await Promise.all([page.waitForEvent('download'), page.click(id)]);
  return { name: d.suggestedFilename(), data: await readFile(await d.path()) };
}

async function violations(page) {
  const found = await new AxeBuilder({ page }).withTags(['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa', 'wcag22aa']).analyze();
  return found.violations.map((v) => `${v.id}: ${v.nodes.map((n) => n.target).join(' | ')}`);
}

test('Figure 11 with the bundled workloads', async ({ page }) => {
  test.setTimeout(240_000);
  await page.goto(view);
  await expect(page.locator('#paper-title')).toContainText('Figure 11');
  await expect(page.locator('#paper-summary')).toContainText('35 published values, none computed yet');
  const start = await page.evaluate(() => performance.now());
  await page.click('#paper-run');
  await expect(page.locator('#verdict-11')).toContainText('runs');
  await idle(page);
  console.log(`Figure 11 took ${Math.round(await page.evaluate((t) => performance.now() - t, start))} ms`);
  await expect(page.locator('#verdict-11')).toContainText('within 25 %');
  await expect(page.locator('#paper-times')).toContainText('Reconstruction');
  await expect(page.locator('#paper-claims')).not.toContainText('not run');
  await expect(page.locator('#chart-paper canvas')).toBeVisible();
  await page.click('#paper-rows');
  await expect(page.locator('.paper-rows tbody tr')).toHaveCount(35);
  await expect(page.locator('.paper-rows')).toContainText('does not fit');
  const csv = await download(page, '#paper-csv');
  expect(csv.name).toBe('spillway-g10-paper-figure-11.csv');
  const rows = csv.data.toString().trim().split('\n');
  expect(rows).toHaveLength(36);
  expect(rows[0]).toMatch(/^figure,quantity,model,batch,system,.*published,ours,relative_difference,verdict,kernel_times/);
  expect(rows[1]).toContain('reconstruction');
  expect((await download(page, '#paper-png')).data.subarray(1, 4).toString()).toBe('PNG');
  expect((await download(page, '#paper-svg')).data.toString()).toMatch(/^<svg[\s\S]*Training performance/);
  expect(await page.evaluate(() => document.querySelectorAll('#app *').length)).toBeLessThan(1500);
  expect(await violations(page)).toEqual([]);
  await page.click('#paper-rows');
  await screenshot(page, 'reproduce-light');
});

test('every figure shows the published values before anything runs', async ({ page }) => {
  await page.goto(view);
  for (const id of ['2', '3', '4', '11', '12', '13', '14', '15', '16', '17', '18', '19']) {
    await page.click(`#figure-entry-${id}`);
    await expect(page.locator('#paper-title')).toContainText(`Figure ${id}:`);
    await expect(page.locator('#chart-paper canvas')).toHaveCount(1);
    await expect(page).toHaveURL(id === '11' ? /view=reproduce$/ : new RegExp(`figure=${id}$`));
  }
  await page.click('#figure-entry-claims');
  await expect(page.locator('#paper-claims tbody tr')).toHaveCount(27);
  await expect(page.locator('#chart-paper')).toBeHidden();
});

test('figures 2 to 4, dark and narrow', async ({ page }) => {
  await page.emulateMedia({ colorScheme: 'dark' });
  await page.goto(view);
  await page.click('#run-2');
  await idle(page);
  await expect(page.locator('#verdict-2')).toContainText('hold');
  await expect(page.locator('#verdict-4')).toContainText('hold'); // the same runs
  await expect(page.locator('#paper-claims')).toContainText('5.7 GB');
  expect(await violations(page)).toEqual([]);
  await screenshot(page, 'reproduce-dark');
  await page.setViewportSize({ width: 360, height: 740 });
  expect(await page.evaluate(() => document.documentElement.scrollWidth)).toBeLessThanOrEqual(360);
  await page.click('#figure-entry-3');
  await expect(page.locator('#paper-title')).toBeInViewport();
  expect(await violations(page)).toEqual([]);
  await screenshot(page, 'reproduce-narrow', { fullPage: true });
});

test('cancel ends everything at once and it can go on', async ({ page }) => {
  await page.goto(view);
  await page.click('#reproduce-all');
  await expect(page.locator('#reproduce-cancel')).toBeVisible();
  await expect(page.locator('#reproduce-state')).toContainText('running for');
  const took = await page.evaluate(async () => {
    const button = document.getElementById('reproduce-cancel');
    const t = performance.now();
    button.click();
    while (!button.hidden) await new Promise(requestAnimationFrame);
    return performance.now() - t;
  });
  console.log(`cancel took ${Math.round(took)} ms`);
  expect(took).toBeLessThan(1000);
  await expect(page.locator('#verdict-19')).not.toContainText(/[1-9]\d* of 30 runs, /);
  await page.click('#run-3');
  await idle(page);
  await expect(page.locator('#verdict-3')).toContainText('hold');
});

test('from one view to the other and back', async ({ page }) => {
  await page.goto(view);
  await page.click('#view-explore');
  await expect(page.locator('#headline')).toHaveText(/fast/, { timeout: 60_000 });
  await expect(page.locator('.plot canvas')).toHaveCount(6);
  await page.click('#view-reproduce');
  await expect(page.locator('#chart-paper canvas')).toBeVisible();
  await page.click('#view-explore');
  await expect(page.locator('.plot canvas')).toHaveCount(6);
  await expect(page).not.toHaveURL(/view=/);
});

test('with the artifact the values are exact', async ({ page }) => {
  test.skip(!existsSync(artifact), `the G10 artifact is not in ${artifact}: set SPILLWAY_ARTIFACT to its folder`);
  test.setTimeout(240_000);
  await page.goto(view);
  const results = ['', 'InputPF', 'PF', 'Workspace'].map((kind) => `results/BERT_Base/cudnn256${kind}.txt`);
  const files = ['frontend/Nets/BERT_Base.txt', ...results, 'src/configs/BERT/256-sim_lru.config', 'src/configs/BERT/256-sim_prefetch_lru.config'];
  await page.locator('#pick-files').setInputFiles(files.map((name) => path.join(artifact, name)));
  await expect(page.locator('#reproduce-source')).toContainText('hold 1 of the');
  await page.click('#run-11');
  await idle(page);
  await expect(page.locator('#paper-times')).toContainText('7 of 35 runs with measured kernel times');
  await page.click('#paper-rows');
  const bert = page.locator('.paper-rows tbody tr', { hasText: 'BERT-256' });
  await expect(bert).toHaveCount(7);
  for (let i = 0; i < 7; i++) await expect(bert.nth(i)).toHaveClass('exact');
  await expect(bert.filter({ hasText: 'Base UVM' }).locator('td').nth(4)).toHaveText('23\u202f580\u202f084\u202f389');
});
