// The share dialog, and links that hold what is zoomed into.
import { createHash } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { expect, finished, screenshot, seen, test, tool, unfold, visit } from '../fixture.mjs';

const quick = './#v=4-by-hand&lab=train&preset=g10-paper&batch=16&gpu_memory=2&host_memory=0&systems=ideal,uvm,g10';
const zoomed = (page) => page.locator('#chart-memory .plot-host[data-zoomed=true]');

test('Share has the link, code to embed and a citation, and sends nothing', async ({ page, context }) => {
  await context.grantPermissions(['clipboard-read', 'clipboard-write']);
  await visit(page, quick);
  const first = page.locator('.plot-host').first();
  await page.locator('.plot').first().scrollIntoViewIfNeeded(); // the library of charts comes with the first that is near
  await expect(first).toHaveAttribute('data-drawn', 'true');
  const asked = [];
  // A new address has the browser ask the service worker for the tab's icon again.
  context.on('request', (request) => { if (!request.url().endsWith('/icon.svg')) asked.push(request.url()); });
  await tool(page, 'link');
  const link = await page.locator('#share-link').inputValue();
  expect(link).toBe(page.url());
  expect(link).toMatch(/#v=4&lab=train&preset=g10-paper:[0-9a-f]{5}&.*&end=[0-9a-f]{5}$/);
  await expect(page.locator('#share-length')).toContainText(`${link.length} characters`);
  await expect(page.locator('#share-warnings')).toBeEmpty();
  for (const what of ['link', 'embed', 'text', 'bibtex']) {
    await page.click(`[data-copies=share-${what}]`);
    expect(await page.evaluate(() => navigator.clipboard.readText())).toBe(await page.locator(`#share-${what}`).inputValue());
  }
  await page.selectOption('#share-chart', 'memory');
  await expect(page.locator('#share-embed')).toHaveValue(/<iframe src="[^"]*\?embed=view&amp;only=memory#v=4&amp;lab=train.*sandbox="allow-scripts allow-popups allow-popups-to-escape-sandbox allow-downloads"/);
  // What is saved here says where it is from, and a column's picture is as wide as one.
  for (const [format, says] of [['svg', /^<svg [^>]* width="320" [^]*#v=4&amp;/], ['csv', /^system,[^\n]*,setup\n/], ['md', /\| System \|[^]*\[Spillway\]\(</], ['tex', /^% \\usepackage\{booktabs,graphicx\}\n% http[^]*\\label\{tab:/], ['bib', /^@software\{spillway-[^]*@inproceedings\{g10,/]]) {
    await page.selectOption('#share-width', '320');
    const saved = page.waitForEvent('download');
    await page.click(`[data-saves=${format}]`);
    expect(await readFile(await (await saved).path(), 'utf8'), format).toMatch(says);
  }
  await page.selectOption('#share-as', 'figure');
  await expect(page.locator('#share-embed')).toHaveValue(/<spill-figure src="[^"]*#v=4&amp;[^"]*" only="memory">\s*<svg [^]*<\/svg>\s*<a href="[^"]*">Open in Spillway<\/a>\s*<\/spill-figure>$/);
  const bibtex = await page.locator('#share-bibtex').inputValue();
  await expect(page.locator('#share-text')).toHaveValue(/version \d+\.\d+\.\d+\+[0-9a-f]{12}\. .*G10 \(MICRO 2023\)/s);
  expect(asked).toEqual([]);
  await screenshot(page, 'share');
  await page.evaluate(() => { document.documentElement.dataset.theme = 'dark'; });
  await screenshot(page, 'share-dark');
  await page.setViewportSize({ width: 320, height: 700 });
  expect(await page.evaluate(() => document.getElementById('share-dialog').scrollWidth <= document.getElementById('share-dialog').clientWidth)).toBe(true);
  await screenshot(page, 'share-narrow');
  await page.setViewportSize({ width: 1280, height: 800 });
  await page.click('#share-close');
  await page.click('#save-memory');
  const saved = page.waitForEvent('download');
  await page.click('#csv-memory');
  const csv = await readFile(await (await saved).path());
  expect(bibtex).toContain(`sha256:${createHash('sha256').update(csv).digest('hex')}`);
});

test('a link that needs files says which', async ({ page }) => {
  await visit(page, './#v=4-by-hand&lab=train&entry=Tiny%2C+batch+2');
  await tool(page, 'link');
  await expect(page.locator('#share-warnings')).toContainText('needs opened files, which no link carries: Tiny, batch 2');
});

test('a link opens on the same part of a chart, and zooming is nothing to undo', async ({ page, context }) => {
  await visit(page, quick);
  const plot = await seen(page, 'memory');
  const box = await plot.boundingBox();
  await page.mouse.move(box.x + box.width / 4, box.y + box.height / 2); // in a panel, not between two
  await page.keyboard.down('Control');
  for (let i = 0; i < 3; i++) await page.mouse.wheel(0, -120);
  await page.keyboard.up('Control');
  await expect(zoomed(page)).toHaveCount(1);
  await expect(page).toHaveURL(/&zoom=memory:[\d.]+-[\d.]+&end=/);
  await expect(page.locator('#undo')).toBeDisabled();
  let was; // the wheel turns on for a moment
  await expect.poll(() => { const same = was === page.url(); was = page.url(); return same; }, { intervals: [500] }).toBe(true);
  const other = await context.newPage();
  await visit(other, page.url());
  await seen(other, 'memory');
  await expect(zoomed(other)).toHaveCount(1);
  expect(other.url()).toBe(page.url());
  await other.dblclick('#chart-memory .plot-host');
  await expect(other).not.toHaveURL(/zoom=/);
  // Another axis counts something else, so all of it is shown.
  await page.click('#axis-kernel-memory');
  await finished(page);
  await expect(page).not.toHaveURL(/zoom=/);
  await expect(zoomed(page)).toHaveCount(0);
});

test('a link that was cut off says so and shows what is left', async ({ page }) => {
  await page.goto('./#v=4&lab=store&preset=services&gpu_memory=3&systems=fi');
  await expect(page.locator('#notice')).toContainText('cut off after "gpu_memory=3"');
  await expect(page.locator('#lab-store')).toHaveAttribute('aria-current', 'true');
  await unfold(page);
  await expect(page.locator('#f-gpu_memory')).toHaveValue('3');
});
