// Where there is no site to ask, or none that may be asked as usual: an installed
// page, the site from its zip in a folder of a plain server, the single file, a frame
// without an origin. The network is off.
import { createHash } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import path from 'node:path';
import { expect, finished, live, screenshot, test, unfold, visit } from '../fixture.mjs';
import { out, serveZip, single } from '../plain.mjs';
import { inPage, natively, some } from '../worker.mjs';

const root = path.resolve(import.meta.dirname, '../../..');
const opened = 'v=2&lab=train&model=bert-base&batch=16&times=as-paper';

// same expects the same bytes of the page's programs as natively.
async function same(page) {
  for (const jobs of [await some('train', 'model=bert-base batch=16 gpu_memory=4 mode=corrected'), await some('store', '')]) {
    const ours = (await natively(jobs)).map((a) => a.Error || a.Hash);
    expect(ours.every((hash) => hash.length > 30)).toBe(true);
    expect((await inPage(page, jobs)).map((a) => a.Hash)).toEqual(ours);
  }
}

// elsewhere serves one document on an origin of its own.
async function elsewhere(html) {
  const server = createServer((_, response) => {
    response.setHeader('Content-Type', 'text/html; charset=utf-8');
    response.end(html);
  });
  await new Promise((resolve) => { server.listen(0, '127.0.0.1', resolve); });
  return { url: `http://127.0.0.1:${server.address().port}/`, close: () => server.close() };
}

test('it works in a frame on another origin that has none itself', { tag: '@fresh' }, async ({ page, guard, baseURL }) => {
  guard.expect(/^foreign request: http:\/\/127\.0\.0\.1:/); // the document around it
  const around = await elsewhere(`<!doctype html><title>x</title><iframe sandbox="allow-scripts" width="1200" height="800" src="${baseURL}#v=3&model=bert-base&batch=64"></iframe>`);
  try {
    await page.goto(around.url);
    const frame = page.frameLocator('iframe');
    await expect(frame.locator('[data-first]')).toHaveCount(0);
    await expect(frame.locator('#headline')).not.toHaveText(/^Computing/);
    await expect(frame.locator('#cancel')).toBeHidden();
    expect(await page.frames()[1].evaluate(() => self.origin)).toBe('null');
    await frame.locator('#view-timeline').click(); // its script comes later than the others
    await expect(frame.locator('#timeline-canvas')).toBeVisible();
  } finally {
    around.close();
  }
});

test('Chromium can install it', { tag: '@fresh' }, async ({ page, context }) => {
  await page.goto('./');
  await page.waitForFunction(() => navigator.serviceWorker.controller);
  const devtools = await context.newCDPSession(page);
  const { errors, data } = await devtools.send('Page.getAppManifest');
  expect(errors).toEqual([]);
  const { installabilityErrors } = await devtools.send('Page.getInstallabilityErrors');
  expect(installabilityErrors.map((e) => e.errorId).filter((id) => id !== 'in-incognito')).toEqual([]);
  for (const { src, sizes } of JSON.parse(data).icons) {
    const wide = await page.evaluate(async (url) => {
      const image = new Image();
      image.src = url;
      await image.decode();
      return image.naturalWidth;
    }, src);
    if (sizes !== 'any') expect(`${wide}x${wide}`).toBe(sizes);
  }
});

test('the zip works in a folder of a plain server, and without it after one visit', { tag: '@fresh' }, async ({ page, context, guard }) => {
  guard.expect(/^foreign request: http:\/\/127\.0\.0\.1:/); // the server's own port
  const site = await serveZip();
  await page.goto(`${site.url}#${opened}`);
  await live(page);
  await page.waitForFunction(() => navigator.serviceWorker.controller);
  await site.close();
  await context.setOffline(true);
  await page.reload();
  await finished(page);
  await expect(page.locator('#context')).toContainText('BERT');
  await same(page);
  await page.goto(`${site.url}docs/validation.html`); // documents are kept, too
  await expect(page.locator('h1')).toHaveText('Is it right?');
});

test('the single file has everything in it', { tag: '@fresh' }, async ({ page, context, guard }) => {
  guard.expect(/^foreign request: file:.*\/spillway\.html/);
  await context.setOffline(true);
  await visit(page, `${single}#${opened}`);
  await expect(page.locator('#context')).toContainText('BERT');
  await screenshot(page, 'single');

  // So have its documents.
  await page.keyboard.press('?');
  const [documents] = await Promise.all([context.waitForEvent('page'), page.getByRole('link', { name: 'Validation' }).click()]);
  await expect(documents.getByRole('heading', { name: 'Is it right?' })).toBeInViewport();
  await documents.close();
  await page.keyboard.press('Escape');

  // And the script of a view that comes when it is opened.
  await page.click('#view-timeline');
  await expect(page.locator('#timeline-canvas')).toBeVisible();
  await page.click('.tl-box summary'); // and the script of its numbers
  await expect(page.locator('#timeline-table caption').first()).toHaveText('Time in view');
  await page.click('#view-explore');
  await finished(page);

  // A setting is in the link, and undone after a reload.
  await page.locator('#f-gpu_memory').fill('8');
  await page.locator('#f-gpu_memory').press('Enter');
  await expect(page).toHaveURL(/gpu_memory=8/);
  await finished(page);
  await page.reload();
  await live(page);
  await unfold(page);
  await expect(page.locator('#f-gpu_memory')).toHaveValue('8');
  await page.getByRole('button', { name: 'Undo' }).click();
  await expect(page).not.toHaveURL(/gpu_memory=8/);
  await finished(page);

  // Files come in and go out.
  await page.setInputFiles('#pick-files', path.join(root, 'traces/spillway/testdata/tiny.json'));
  await expect(page.locator('#context')).toContainText('Two layers');
  await finished(page);
  await page.locator('[id^=save-][aria-expanded]:visible').first().click();
  const [file] = await Promise.all([page.waitForEvent('download'), page.locator('[id^=csv-]:visible').first().click()]);
  expect(await readFile(await file.path(), 'utf8')).toMatch(/\n.*,/);

  await page.evaluate(() => { location.hash = 'v=2&lab=store'; });
  await expect(page).toHaveTitle(/^Object store/);
  await same(page);
});

// What a browser makes of the document is every byte of what was put into it.
test('the single file comes apart as it was put together', { tag: '@fresh' }, async ({ page, guard }) => {
  guard.expect(/^foreign request: file:.*\/spillway\.html/);
  await page.goto(single);
  await live(page);
  const files = ['programs/spillway.wasm', ...['echarts.js', 'page.js', 'train.info', 'first-train.info', 'licenses.txt', 'worker.js'].map((name) => `../../dist/${name}`)];
  const texts = await Promise.all(files.map((name) => readFile(path.join(out, name))));
  const found = await page.evaluate((names) => Promise.all(names.map(async (name) => {
    const data = await (await window.held.get(name)).arrayBuffer();
    return [...new Uint8Array(await crypto.subtle.digest('SHA-256', data))].map((b) => b.toString(16).padStart(2, '0')).join('');
  })), files.map((name) => path.basename(name)));
  expect(found).toEqual(texts.map((text) => createHash('sha256').update(text).digest('hex')));
});

test('the single file survives a server that says it is in another character set', { tag: '@fresh' }, async ({ page, guard }) => {
  guard.expect(/^foreign request: http:\/\/127\.0\.0\.1:/);
  const server = await elsewhere(await readFile(path.join(out, 'spillway.html')));
  try {
    await page.goto(server.url);
    await live(page);
    expect(await page.evaluate(() => document.characterSet)).toBe('UTF-8');
  } finally {
    server.close();
  }
});
