// DeepUM and what it is compared with: unified memory in blocks, swapping while time
// passes, all systems ranked, the paper.
import { execFile } from 'node:child_process';
import path from 'node:path';
import { promisify } from 'node:util';
import { expect, saved, screenshot, test, visit } from '../fixture.mjs';

const root = path.resolve(import.meta.dirname, '../../..');
// GPT-2 L at batch 3 is the smallest of the paper's; every system runs it in a second.
const setup = 'model=gpt2-l-pytorch&batch=3&times=estimated&machine=v100-32gb-pcie-3-deepum&mode=corrected&um_usable=75.7813&lms_limit=0';
const lab = `./#v=4-by-hand&lab=train&${setup}&systems=ideal,um,deepum,lms&focus=deepum`;


// native runs the command and returns its result.
async function native(system) {
  const args = ['run', 'lab=train', `system=${system}`, ...setup.split('&'), '--json'];
  return JSON.parse((await promisify(execFile)(path.join(root, 'build/out/spillway'), args, { maxBuffer: 1 << 28 })).stdout)[0];
}

test('UM, DeepUM and LMS learn over iterations, and say what the command says', async ({ page }) => {
  await visit(page, lab);
  await expect(page.locator('.run.failed')).toHaveCount(0);
  await expect(page.locator('#headline')).toHaveText(/^DeepUM is fastest/);
  for (const title of ['Iteration time while systems learn', 'Page faults while systems learn', 'What paging did', 'What swapping did']) {
    await expect(page.getByText(title, { exact: true })).toBeVisible();
  }
  const runs = JSON.parse((await saved(page, 'results', 'json')).data).runs;
  for (const name of ['um', 'deepum', 'lms']) {
    const here = runs.find((r) => r.system === name);
    const there = await native(name);
    const { iterations, measured = 1, clock_hz: clock } = here.result; // of several the mean is reported
    const mean = (of) => iterations.slice(-measured).map(of).reduce((a, b) => a + b) / measured;
    expect(mean((i) => i.time_cycles) / clock, name).toBeCloseTo(there.values.iteration_s, 8);
    const paging = 'paging' in iterations.at(-1);
    expect(Math.abs(mean((i) => (paging ? i.paging.faults : i.swapping.demand_fetches)) - there.values[paging ? 'page_faults' : 'demand_fetches']), name).toBeLessThanOrEqual(0.5);
  }
  await screenshot(page, 'deepum');
});

test('what DeepUM learned, by kernel', async ({ page }) => {
  await visit(page, lab);
  const section = page.locator('#section-learned');
  await page.click('#open-learned');
  await expect(section.locator('table').first()).toBeVisible();
  await expect(section).toContainText("Rows of the kernel's block table");
  await expect(section).toContainText('Queued');
  const before = await section.innerText();
  await page.fill('#f-learned_kernel', '100');
  await page.press('#f-learned_kernel', 'Enter');
  await expect.poll(() => section.innerText()).not.toBe(before);
});

test('all systems are ranked, with the reasons of those that cannot run', async ({ page }) => {
  await page.goto(`${lab}&view=whatif&ask=rank&ask-among=all`);
  await expect(page.locator('#ask-says')).toBeVisible();
  const run = page.locator('#ask-run');
  if (await run.isVisible() && await run.isEnabled()) await run.click();
  await expect(page.locator('#ask-state')).toHaveText(/^(\d+) of \1 runs\.$/);
  const rows = page.locator('#ask-table tbody tr');
  expect(await rows.count()).toBeGreaterThan(15);
  await expect(page.locator('#ask-table')).toContainText('none is a convolution');
  await screenshot(page, 'ranking');
});

test('a table of the paper, with what is doubted', async ({ page }) => {
  await page.goto('./#v=4-by-hand&lab=train&view=reproduce&figure=deepum.T4');
  await expect(page.locator('#paper-title')).toContainText('Table 4');
  await expect(page.locator('#paper-summary')).toContainText('23 published numbers');
});
