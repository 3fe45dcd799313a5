// Pages of others that hold Spillway: with the code that Share gives, and isolated.
import http from 'node:http';
import { expect, screenshot, test as base, tool, visit } from '../fixture.mjs';
import { every, turn } from '../labs.mjs';

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

// given takes the code for a frame of the first chart from the share dialog.
async function given(page, lab) {
  await visit(page, lab.quick);
  await tool(page, 'link');
  const code = await page.locator('#share-embed').inputValue();
  expect(code).toMatch(/^<iframe [^>]*only=[^>]*><\/iframe>\n<script>[^<]*<\/script>$/);
  return code;
}

// drawn waits for what the frame shows.
async function drawn(page) {
  const inside = page.frameLocator('iframe');
  await expect(inside.locator('.plot-host[data-drawn=true]')).toHaveCount(1);
  await expect(inside.locator('#headline')).not.toHaveText(/^(Computing|So far)/);
}

for (const lab of turn) {
  test(`the frame that Share gives has room for what it shows: ${lab.name}`, async ({ page, around }) => {
    const [frame] = (await given(page, lab)).split('\n');
    await page.setViewportSize({ width: 700, height: 1000 });
    await around(frame); // without the script
    await drawn(page);
    const height = Number(/ height="(\d+)"/.exec(frame)[1]);
    const spare = () => page.frames()[1].evaluate((h) => h - document.documentElement.getBoundingClientRect().height, height);
    await expect.poll(spare).toBeGreaterThanOrEqual(0);
    expect(await spare()).toBeLessThan(80);
  });
}

test('the code that Share gives makes the frame as high as it is, at any width', async ({ page, around }) => {
  await page.setViewportSize({ width: 700, height: 1000 });
  await around(await given(page, every[0]));
  await drawn(page);
  const high = () => page.locator('iframe').evaluate((f) => f.clientHeight);
  const scrolls = () => page.frames()[1].evaluate(() => document.documentElement.scrollHeight - innerHeight);
  await expect.poll(scrolls).toBe(0);
  const wide = await high();
  await page.setViewportSize({ width: 360, height: 1000 });
  await expect.poll(high).toBeGreaterThan(wide);
  await expect.poll(scrolls).toBe(0);
  await screenshot(page, 'frame-given-narrow');
});

test('an isolated page shows the script, the pictures and frames', async ({ page, baseURL, around }) => {
  const link = `${baseURL}#v=4-by-hand&lab=store`;
  await around(`<script src="${baseURL}spill-figure.js"></script>
<spill-figure src="${link}" only="time"><img src="${baseURL}f/services/time.svg" alt="as printed"></spill-figure>
<spill-figure src="${link}" only="time" frame="view"></spill-figure>`, { 'Cross-Origin-Embedder-Policy': 'require-corp', 'Cross-Origin-Opener-Policy': 'same-origin' });
  expect(await page.evaluate(() => crossOriginIsolated)).toBe(true);
  expect(await page.getByAltText('as printed').evaluate(async (img) => { await img.decode(); return img.naturalWidth; })).toBe(760);
  for (const figure of await page.locator('spill-figure').all()) {
    await figure.getByRole('button', { name: 'Run here' }).click();
    await expect(figure.getByRole('figure')).toHaveAttribute('data-state', 'live');
  }
  await expect(page.locator('spill-figure').first().locator('.live img')).toHaveCount(1);
  await expect(page.locator('spill-figure').last().frameLocator('iframe').locator('.plot-host[data-drawn=true]')).toHaveCount(1);
});
