// What visitors do that nobody planned for: wrong files, links inside the page,
// reloads in the middle, two tabs, extreme numbers, huge zoom.
import { deflateRawSync, gzipSync } from 'node:zlib';
import { drop, expect, finished, screenshot, test, visit } from '../fixture.mjs';

const quick = './#v=2&lab=train&model=bert-base&batch=16&times=as-paper';

const png = Buffer.from('iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==', 'base64');
const zip = Buffer.concat([Buffer.from('504b0304140000000800', 'hex'), Buffer.alloc(16), Buffer.from('050000000000', 'hex'), Buffer.from('a.txt'), deflateRawSync(Buffer.alloc(5000, 65))]);
const nested = '['.repeat(200_000) + ']'.repeat(200_000);
const noise = Buffer.from(Array.from({ length: 70_000 }, (_, i) => (i * 2654435761) >>> 13 & 255));

const wrong = {
  'a picture': { 'cat.png': png },
  'a truncated zip': { 'artifact.zip': zip },
  'a zip cut in its name': { 'artifact.zip': zip.subarray(0, 33) },
  'an empty file': { 'trace.json': '' },
  'deep nesting': { 'trace.json': nested },
  'deep nesting in a trace': { 'trace.json': `{"format":"spillway-trace","version":1,"x":${nested}}` },
  'noise': { 'data.bin': noise },
  'noise called JSON': { 'trace.json': noise },
  'a truncated gzip': { 'trace.json.gz': gzipSync(nested).subarray(0, 100) },
  'a trace of nothing': { 'trace.json': '{"format":"spillway-trace","version":1}' },
  'another JSON': { 'package.json': '{"name":"x","version":"1.0.0"}' },
  'a config alone': { 'x.config': 'batch_size 2\nnn_model_input_file ../Nets/No.txt\n' },
};

for (const [what, files] of Object.entries(wrong)) {
  test(`wrong file: ${what}`, async ({ page }) => {
    await visit(page, quick);
    const numbers = await page.locator('#numbers').innerText();
    await drop(page, files);
    const said = page.locator('#files-error, .when[aria-live] .hint:not(:empty)');
    await expect(said.first()).not.toBeEmpty();
    await expect(page.locator('#files-summary')).not.toHaveText('Reading…');
    const text = (await said.allInnerTexts()).join(' | ');
    console.log(`  ${text}`);
    expect(text).toContain(Object.keys(files)[0]);
    expect(text).not.toMatch(/panic|bug|undefined|stopped/);
    expect(text.length).toBeLessThan(700);
    expect(await page.locator('#numbers').innerText()).toBe(numbers);
    await page.fill('#f-batch', '17');
    await finished(page);
    await expect(page.locator('.run.done').first()).toBeVisible();
  });
}

test('links inside the page leave the settings alone', async ({ page }) => {
  await visit(page, './#v=2&lab=train&model=bert-base&batch=16&times=as-paper&gpu_memory=2');
  await page.locator('.skip').first().focus();
  await page.keyboard.press('Enter');
  await expect(page.locator('#main')).toBeFocused();
  await expect(page.locator('#notice')).toHaveCount(0);
  await expect(page).toHaveURL(/gpu_memory=2/);
});

test('reloads in the middle of runs', async ({ page }) => {
  await page.goto('./#v=2&lab=train&model=senet-154&batch=1024&times=as-paper');
  for (const stage of ['compiled app.wasm', 'worker-started', 'page-drawn', 'first-answer']) {
    await page.waitForFunction((name) => performance.getEntriesByName(name).length > 0, stage);
    await page.reload();
  }
  await expect(page.locator('#f-batch')).toHaveValue('1024');
  await finished(page);
  await expect(page.locator('.run.failed')).toHaveCount(0);
});

test('back and forward between links', async ({ page }) => {
  await visit(page, quick);
  await page.evaluate(() => { location.hash = 'v=2&lab=train&model=bert-base&batch=24&times=as-paper'; });
  await expect(page.locator('#f-batch')).toHaveValue('24');
  await page.goBack();
  await expect(page.locator('#f-batch')).toHaveValue('16');
  await page.goForward();
  await expect(page.locator('#f-batch')).toHaveValue('24');
  await finished(page);
  await expect(page.locator('#context')).toContainText('batch 24');
});

test('broken links say what is wrong and still show something', async ({ page }) => {
  for (const link of ['v=1&mod', '%', 'v=1&batch=99999999999999999999', 'v=2&lab=train&gpu_memory=-1&ssd=tape', 'v=2&lab=nowhere', 'v=2&lab=store&view=nothing', '<script>alert(1)</script>', `v=2&lab=train&entry=${'x'.repeat(5000)}`]) {
    await page.goto('about:blank');
    await page.goto(`./#${link}`);
    await expect(page.locator('#notice, #blocked').first()).toBeVisible();
    expect(await page.evaluate(() => document.documentElement.scrollWidth)).toBeLessThanOrEqual(1440);
    await finished(page);
  }
});

test('two tabs do not disturb each other', async ({ page, context }) => {
  await visit(page, quick);
  const other = await context.newPage();
  await visit(other, './#v=2&lab=train&model=bert-base&batch=24&times=as-paper');
  await page.fill('#f-batch', '18');
  await finished(page);
  await expect(page.locator('#context')).toContainText('batch 18');
  await expect(other.locator('#context')).toContainText('batch 24');
});

test('the least and the most of every hardware setting', async ({ page }) => {
  await visit(page, quick);
  const keys = await page.locator('#body-hardware input[type=text]').evaluateAll((all) => all.map((x) => x.id));
  for (const id of keys) {
    const help = await page.locator(`#help-${id.slice(2)}`).textContent();
    const [, least, most] = /Range: ([\d.e+-]+) to ([\d.e+-]+)/.exec(help);
    for (const value of [least, most]) {
      await page.fill(`#${id}`, value);
      await expect(page.locator(`#err-${id.slice(2)}`)).toBeEmpty();
      await finished(page);
      await expect(page.locator('.run.failed')).toHaveCount(0);
      await expect(page.locator('#headline')).not.toContainText(/NaN|Inf|undefined/);
      expect(await page.locator('#numbers').innerText()).not.toMatch(/NaN|Inf|undefined/);
    }
    await page.click(`#reset-${id.slice(2)}`);
  }
});

test('at 200 % zoom', async ({ page }) => {
  await page.setViewportSize({ width: 720, height: 450 });
  await visit(page, quick);
  expect(await page.evaluate(() => document.documentElement.scrollWidth)).toBeLessThanOrEqual(720);
  await page.click('#open-survive');
  await page.click('#open-effects');
  expect(await page.evaluate(() => document.documentElement.scrollWidth)).toBeLessThanOrEqual(720);
  await screenshot(page, 'zoom', { fullPage: true });
});
