// The examples in the built site: real figures in documents of several kinds, with
// the real program and without any script; and the pages of presets.
import { readFileSync } from 'node:fs';
import path from 'node:path';
import { expect, screenshot, test } from '../fixture.mjs';

const names = ['index', 'docs', 'mkdocs', 'slides', 'notebook'];

// programs lists what is asked for of the simulator.
function programs(page) {
  const list = [];
  page.on('request', (request) => {
    const name = new URL(request.url()).pathname.split('/').at(-1);
    if (name.endsWith('.wasm')) list.push(name);
  });
  return list;
}

const live = (figure) => expect(figure.getByRole('figure').first()).toHaveAttribute('data-state', 'live');

test('documentation: nothing is loaded until one is asked for, then once for all', async ({ page }) => {
  const asked = programs(page);
  await page.goto('./examples/docs.html');
  const [loss, causes, hits] = ['#loss', '#causes', '#hits'].map((id) => page.locator(id));
  await expect(loss.getByRole('button')).toHaveText('Run here');
  await expect(loss.getByRole('img')).toBeVisible();
  expect(await loss.getByRole('img').evaluate(async (img) => { await img.decode(); return img.naturalWidth; })).toBe(760);
  expect(asked).toEqual([]);
  const said = (await loss.getByRole('img').getAttribute('alt')).split(';')[0];

  await loss.getByRole('button').press('Enter');
  await live(loss);
  expect(asked.toSorted()).toEqual(['app.wasm', 'train.wasm']);
  await causes.getByRole('button').press('Enter');
  await live(causes);
  await expect(page.locator('html > iframe')).toHaveCount(1);
  // What is computed here is what was computed when the site was built.
  await expect(loss.locator('.live img')).toHaveAttribute('alt', new RegExp(said.replace(/[.*+?^${}()|[\]\\]/g, '\\$&')));
  await expect(causes.locator('.live img')).toHaveCount(2);
  const before = await loss.locator('.live img').getAttribute('alt');
  const memory = loss.getByLabel(/^GPU memory/);
  await memory.fill('40');
  await memory.press('Enter');
  await live(loss);
  await expect(loss.locator('.live img')).not.toHaveAttribute('alt', before);
  await expect(loss.getByRole('link')).toHaveAttribute('href', /gpu_memory=40/);
  await loss.getByText('Numbers').click();
  await expect(loss.getByRole('row').nth(1)).toBeVisible();

  // Another laboratory of the same program, as soon as it is seen.
  await hits.scrollIntoViewIfNeeded();
  await live(hits);
  expect(asked.toSorted()).toEqual(['app.wasm', 'store.wasm', 'train.wasm']);
  await screenshot(page, 'example-docs', { fullPage: true });
});

test('the page itself in a frame becomes as high as it needs', async ({ page }) => {
  await page.goto('./examples/docs.html');
  const figure = page.locator('#frame');
  await figure.getByRole('button').press('Enter');
  await live(figure);
  const inside = figure.frameLocator('iframe');
  await expect(inside.locator('.plot-host[data-drawn=true]')).toHaveCount(1);
  const height = () => figure.locator('iframe').evaluate((f) => f.clientHeight);
  await expect.poll(height).toBeGreaterThan(200);
  await expect.poll(height).toBeLessThan(2000);
  await expect.poll(() => inside.locator('html').evaluate((h) => h.scrollHeight - h.clientHeight)).toBeLessThanOrEqual(1);
  await screenshot(page, 'example-frame');
});

test('a documentation site: figures follow its switch', async ({ page }) => {
  await page.goto('./examples/mkdocs.html');
  const figure = page.locator('spill-figure').first();
  await figure.getByRole('button').press('Enter');
  await live(figure);
  const ground = () => figure.locator('.live img').evaluate(async ({ src }) => {
    const img = Object.assign(new Image(), { src }); // that of the page may be replaced now
    await img.decode();
    const canvas = Object.assign(document.createElement('canvas'), { width: 4, height: 4 }).getContext('2d');
    canvas.drawImage(img, 0, 0, 400, 300);
    return canvas.getImageData(1, 1, 1, 1).data[0];
  });
  expect(await ground()).toBeGreaterThan(200);
  await page.getByRole('button', { name: 'Dark' }).click();
  await expect.poll(ground).toBeLessThan(60);
  await live(figure);
  await screenshot(page, 'example-mkdocs', { fullPage: true });
});

test('slides: a figure runs where the talk is', async ({ page }) => {
  const asked = programs(page);
  await page.goto('./examples/slides.html');
  const figure = page.locator('spill-figure').first();
  await expect(figure).toBeHidden();
  expect(asked).toEqual([]);
  await page.keyboard.press('ArrowRight');
  await live(figure);
  const memory = figure.getByLabel(/^GPU memory/);
  await memory.focus();
  await page.keyboard.press('ArrowLeft'); // the field's, not the slides'
  await expect(figure).toBeVisible();
  await screenshot(page, 'example-slides');
});

test('a notebook: the output runs in a frame without rights', async ({ page }) => {
  await page.goto('./examples/notebook.html');
  const cell = JSON.parse(await page.evaluate(async () => (await fetch('figure.ipynb')).text())).cells[1];
  expect(cell.outputs[0].data['text/html'].join('')).toMatch(/<spill-figure src="[^"]+#[^"]+" only="hits"[\s\S]*<img src="data:image\/svg\+xml;base64,/);
  expect(cell.source.join('')).not.toMatch(/@\w+|&amp;/);
  const figure = page.frameLocator('iframe').locator('spill-figure');
  await figure.getByRole('button').press('Enter');
  await live(figure);
  await expect(figure.getByRole('status')).not.toBeEmpty();
  await screenshot(page, 'example-notebook');
});

test('a narrow window needs no sideways scrolling, and can be printed', async ({ page }) => {
  await page.setViewportSize({ width: 320, height: 640 });
  for (const name of names) {
    await page.goto(`./examples/${name}.html`);
    expect(await page.evaluate(() => document.documentElement.scrollWidth), name).toBeLessThanOrEqual(320);
  }
  await page.goto('./f/');
  await page.emulateMedia({ colorScheme: 'dark' });
  await page.goto('./f/two-resnets/');
  await expect(page.getByRole('button', { name: 'Run here' }).first()).toBeVisible();
  await page.getByText('Numbers of this picture').first().click();
  await screenshot(page, 'landing-narrow-dark');
  expect(await page.evaluate(() => document.documentElement.scrollWidth)).toBeLessThanOrEqual(320);
  await page.emulateMedia({ media: 'print' });
  await expect(page.getByRole('button', { name: 'Run here' }).first()).toBeHidden();
  await expect(page.getByRole('img').first()).toBeVisible();
});

test.describe('without JavaScript', () => {
  test.use({ javaScriptEnabled: false });

  test('there are pictures, texts and numbers', async ({ page }) => {
    for (const name of ['examples/docs.html', 'examples/mkdocs.html', 'examples/slides.html', 'f/gpt2-xl-rtx-4090/', 'f/services/']) {
      const answers = [];
      page.on('response', (r) => { if (r.status() >= 400) answers.push(r.url()); });
      await page.goto(`./${name}`);
      await expect(page.getByRole('img').first(), name).toBeVisible();
      expect(await page.getByRole('img').first().getAttribute('alt')).not.toEqual('');
      expect(answers).toEqual([]);
    }
    await page.goto('./f/');
    await page.getByRole('link', { name: 'Two ResNet-50' }).click();
    await expect(page.getByRole('heading', { level: 1 })).toHaveText(/^Two ResNet-50/);
    await page.getByText('Numbers of this picture').first().click();
    await expect(page.getByRole('table').first()).toBeVisible();
    await page.getByRole('link', { name: 'Open in Spillway' }).first().click();
    await expect(page).toHaveURL(/#.*lab=store/);
  });
});

test('the component in the site is small', () => {
  const file = path.join(import.meta.dirname, '../../../dist/spill-figure.js');
  expect(readFileSync(file).length).toBeLessThan(16_000);
});
