// Pages of others that hold Spillway: with the code that Share gives, and isolated.
import http from 'node:http';
import { expect, screenshot, test as base, visit } from '../fixture.mjs';

const test = base.extend({
  // open shows a page on another origin.
  around: async ({ page, guard }, use) => {
    let shown = {};
    const server = http.createServer((request, response) => {
      response.writeHead(200, { 'Content-Type': 'text/html; charset=utf-8', ...shown.headers });
      response.end(`<!doctype html><html lang="en"><head><title>A page around</title><link rel="icon" href="data:,"></head><body style="margin:0">${shown.body}</body></html>`);
    });
    await new Promise((resolve) => { server.listen(0, '127.0.0.1', resolve); });
    const origin = `http://127.0.0.1:${server.address().port}/`;
    guard.expect(new RegExp(`^foreign request: ${origin}`));
    await use(async (body, headers = {}) => {
      shown = { body, headers };
      await page.goto(origin);
    });
    server.closeAllConnections();
    server.close();
  },
});

test('the frame that Share gives is as high as it needs, in every laboratory', async ({ page, around }) => {
  test.setTimeout(400_000);
  await visit(page, './');
  const given = [];
  const labs = await page.locator('[id^=lab-]').evaluateAll((all) => all.map((e) => e.id));
  for (const lab of labs) {
    await page.click(`#${lab}`);
    await expect(page.locator('#headline')).not.toHaveText(/^Computing/, { timeout: 60_000 });
    await page.click('#link');
    given.push([lab, await page.locator('#share-embed').inputValue()]);
    await page.click('#share-close');
  }
  expect(given.length).toBeGreaterThan(5);
  await page.setViewportSize({ width: 700, height: 1000 });
  for (const [lab, code] of given) {
    await test.step(lab, async () => {
      const [frame] = code.split('\n');
      const [, height] = /^<iframe [^>]* height="(\d+)"/.exec(frame);
      // Without the script it has room, and not much more than it needs.
      await around(frame);
      const needs = () => page.frames()[1].evaluate(() => document.documentElement.getBoundingClientRect().height);
      const inside = page.frameLocator('iframe');
      await expect(inside.locator('.plot-host[data-drawn=true]').first()).toBeVisible({ timeout: 60_000 });
      await expect(inside.locator('#headline')).not.toHaveText(/^Computing/, { timeout: 60_000 });
      await expect.poll(async () => Number(height) - await needs()).toBeGreaterThanOrEqual(0);
      expect(Number(height) - await needs()).toBeLessThan(100);
    });
  }
  // With it, it is as high as that, at any width.
  await around(given[0][1]);
  const scrolls = () => page.frames()[1].evaluate(() => document.documentElement.scrollHeight - innerHeight);
  const inside = page.frameLocator('iframe');
  await expect(inside.locator('.plot-host[data-drawn=true]').first()).toBeVisible({ timeout: 60_000 });
  const high = () => page.locator('iframe').evaluate((f) => f.clientHeight);
  await expect.poll(scrolls).toBe(0);
  const wide = await high();
  await page.setViewportSize({ width: 360, height: 1000 });
  await expect.poll(high).toBeGreaterThan(wide);
  await expect.poll(scrolls).toBe(0);
  await screenshot(page, 'frame-given-narrow');
});

test('an isolated page shows the script, the pictures and frames', async ({ page, baseURL, around }) => {
  const link = `${baseURL}#v=4&lab=store`;
  await around(`<script src="${baseURL}spill-figure.js"></script>
<spill-figure src="${link}" only="time"><img src="${baseURL}f/services/time.svg" alt="as printed"></spill-figure>
<spill-figure src="${link}" only="time" frame="view"></spill-figure>`, { 'Cross-Origin-Embedder-Policy': 'require-corp', 'Cross-Origin-Opener-Policy': 'same-origin' });
  expect(await page.evaluate(() => crossOriginIsolated)).toBe(true);
  expect(await page.getByAltText('as printed').evaluate(async (img) => { await img.decode(); return img.naturalWidth; })).toBe(760);
  for (const figure of await page.locator('spill-figure').all()) {
    await figure.getByRole('button', { name: 'Run here' }).click();
    await expect(figure.getByRole('figure')).toHaveAttribute('data-state', 'live', { timeout: 60_000 });
  }
  await expect(page.locator('spill-figure').first().locator('.live img')).toHaveCount(1);
  await expect(page.locator('spill-figure').last().frameLocator('iframe').locator('.plot-host[data-drawn=true]')).toHaveCount(1, { timeout: 60_000 });
});
