// Everybody can use every view of every laboratory: rules that a machine can
// check, in light and dark, at 320 pixels, with forced colours, more contrast and
// wider letters.
import { execFile } from 'node:child_process';
import { readFile } from 'node:fs/promises';
import path from 'node:path';
import { promisify } from 'node:util';
import axe from 'axe-core';
import { nightly } from '../effort.mjs';
import { drop, expect, finished, live, opened, screenshot, seen, test, tool, unfold } from '../fixture.mjs';
import { kineto } from '../kineto.mjs';
import { every, turn } from '../labs.mjs';
import { chance, contents, safetensors } from '../tensors.mjs';

const root = path.resolve(import.meta.dirname, '../../..');
const known = Object.fromEntries(every.map((lab) => [lab.name, lab]));
const train = known.train.quick;
const bundle = (name) => readFile(path.join(root, 'build/spillway/testdata', `${name}.spillway.zip`));

// The views of any laboratory with something in them. A place is gone to without a new
// page; with makes it full, narrow is done in the narrow window, and leave closes what
// would lie over the next.
const views = (lab) => [
  {
    name: 'explore', at: lab.looked, async with(page) {
      await unfold(page);
      for (const id of await page.locator('.study:visible [id^=open-][aria-expanded=false]').evaluateAll((all) => all.map((e) => e.id))) await page.click(`#${id}`);
      for (const id of (await page.locator('[id^=numbers-]:visible').evaluateAll((all) => all.map((e) => e.id))).slice(0, 3)) await page.click(`#${id}`);
      for (const id of await page.locator('[id^=section-]:visible').evaluateAll((all) => all.map((e) => e.id))) await expect(page.locator(`#${id}`).locator('table, .plot, .answer').first(), id).toBeVisible();
      const drawn = lab.draw ? page.locator(`#draw-${lab.draw}`) : page.locator('[id^=draw-]').first();
      if (await drawn.isVisible()) await drawn.click();
      await keep(page);
    },
  },
  { name: 'line', at: `${lab.looked}&view=whatif${lab.line ?? lab.sweep.ask}`, with: asked },
  ...(lab.maps ? [{ name: 'map', at: `${lab.looked}&view=whatif${lab.line ?? lab.sweep.ask}${lab.maps}`, with: asked }] : []),
  {
    name: 'timeline', at: `${lab.looked}&view=timeline`, async with(page) {
      await expect(page.locator('#timeline-canvas:visible, #timeline-empty:visible').first()).toBeVisible();
      if (!await page.locator('#timeline-canvas').isVisible()) return;
      await page.focus('#timeline-canvas');
      await page.keyboard.press('}');
      if (await page.locator('.tl-box details[open]').count() === 0) await page.click('.tl-box summary');
    },
  },
  {
    name: 'kept runs', at: lab.looked, async with(page) {
      await page.click('#keep');
      await page.click('#keep-it');
      await page.click('#kept');
      await page.click('#against-0');
      await finished(page);
    },
  },
  { name: 'reproduce', at: `${lab.looked}&view=reproduce${lab.figure ?? lab.shows ? `&figure=${lab.figure?.id ?? lab.shows}` : ''}`, with: reproduced },
  ...(lab.claims ? [{ name: 'claims', at: `${lab.looked}&view=reproduce&figure=${lab.claims}`, with: reproduced }] : []),
];

// What else only some have, or that is enough to look at in one of them.
const more = {
  train: [
    { name: 'settings', at: train, async with() {}, async narrow(page) { await page.click('#open-settings'); }, async leave(page) { await page.click('#close-settings'); } },
    {
      name: 'fields', at: train, async with(page) {
        await unfold(page);
        await page.selectOption('#f-ssd', 'z-nand');
        await expect(page.locator('#values-drive')).toBeVisible();
        await page.click('#list-mode');
        await page.click('#i-gpu_memory');
        await page.fill('#f-ssd_read', 'x');
        await page.fill('#f-host_link', '1');
        await expect(page.locator('#err-ssd_read')).not.toBeEmpty();
      },
      async leave(page) { await page.locator('#list-mode').evaluate((e) => e.click()); }, // out of sight, in a drawer
    },
    { name: 'help', at: train, async with(page) { await tool(page, 'help'); await expect(page.locator('#help-dialog')).toBeVisible(); }, leave: escape },
    { name: 'share', at: train, async with(page) { await tool(page, 'link'); await expect(page.locator('#share-dialog')).toBeVisible(); }, leave: escape },
    { name: 'palette', at: train, async with(page) { await page.keyboard.press('Control+K'); await page.keyboard.type('ssd'); await expect(page.locator('#palette-list [aria-selected=true]')).toHaveCount(1); }, leave: escape },
    { name: 'formats', at: train, async with(page) { await page.click('#save-throughput'); await expect(page.locator('#formats-throughput')).toBeVisible(); }, leave: escape },
    {
      name: 'tour', at: train, async with(page) {
        await tool(page, 'help');
        await page.click('#help-tour');
        await expect(page.locator('#tour')).toBeVisible();
        await finished(page);
      },
      async leave(page) { await page.locator('#tour-end').press('Enter'); },
    },
    {
      name: 'baseline', at: `${train}&ssd_read=3.2&mode=corrected`, async with(page) {
        await page.click('#pin');
        await unfold(page);
        await page.fill('#f-ssd_read', '6.4');
        await finished(page);
        await expect(page.locator('#numbers .change.better').first()).toBeVisible();
      },
    },
    {
      name: 'check', at: train, async with(page) {
        await drop(page, { 'store.zip': await bundle('store') });
        await expect(page.locator('#check-says')).toContainText(/Replayed|Agrees/); // another version may word a text otherwise
      },
      async leave(page) { await page.click('#check-close'); },
    },
    {
      name: 'damaged', at: train, async with(page) {
        const data = await bundle('store');
        data[data.indexOf('results/lru.json') + 3000] ^= 1;
        await drop(page, { 'damaged.zip': data });
        await expect(page.locator('#check-says')).toContainText('Damaged');
      },
      async leave(page) { await page.click('#check-close'); },
    },
    {
      name: 'question', at: `${train}&view=whatif&ask-vary=ssd_read&ask-values=1.6,3.2,32`, async with(page) {
        await asked(page);
        await page.fill('#f-ask-values\\.list', 'x');
        await expect(page.locator('#err-ask-values\\.list')).not.toBeEmpty();
      },
      unsaid: true, // a question that cannot be read has no chart
    },
    { name: 'figure', at: `${train}&view=reproduce&figure=g10.2`, async with(page) { await run(page, 'g10'); } },
    {
      name: 'learned', at: './#v=4-by-hand&lab=train&model=gpt2-l-pytorch&batch=3&times=estimated&machine=v100-32gb-pcie-3-deepum&mode=corrected&um_usable=75.7813&systems=ideal,deepum&focus=deepum', async with(page) {
        await page.click('#open-learned');
        await expect(page.locator('#section-learned table').first()).toBeVisible();
      },
    },
    {
      name: 'recording', at: train, async with(page) {
        await drop(page, { 'mine.json': [...kineto()].join('') });
        await expect(page.locator('#section-recorded')).toContainText('What was recorded');
        await finished(page);
      },
    },
  ],
  store: [
    {
      name: 'fields', at: known.store.link, async with(page) {
        await unfold(page);
        await page.click('#info-lru');
        await page.fill('#f-link', 'x');
        await expect(page.locator('#err-link')).not.toBeEmpty();
      },
    },
    { name: 'tables', at: './#v=4-by-hand&lab=store&view=reproduce&figure=ravenstore.T2', async with(page) { await page.click('#reproduce-ravenstore'); await finished(page, { cancel: '#cancel-ravenstore' }); } },
  ],
  compress: [
    {
      name: 'file', at: known.compress.looked, async with(page) {
        const random = chance(7);
        await page.setInputFiles('#pick-files', [{ name: 'model.safetensors', mimeType: 'application/octet-stream', buffer: safetensors([
          { name: 'layers.0.noise', dtype: 'I32', shape: [32, 1024], data: Buffer.from(contents.noise(32_768, random)) },
          { name: 'layers.0.half', dtype: 'I32', shape: [32, 1024], data: contents.half(32_768, random) },
          { name: 'zeros', dtype: 'F32', shape: [2048], data: Buffer.alloc(8192) },
        ]) }]);
        await expect(page.locator('#context')).toContainText('model.safetensors');
        await finished(page);
        if (await page.locator('#open-inside').getAttribute('aria-expanded') === 'false') await page.click('#open-inside');
        await expect(page.locator('#section-inside table').first()).toBeVisible();
        await (await opened(page, 'heat')).locator('.plot').scrollIntoViewIfNeeded();
        await expect(page.locator('#section-heat .plot-host[data-drawn=true]')).toHaveCount(1);
      },
    },
    { name: 'figure', at: './#v=4-by-hand&lab=compress&view=reproduce&figure=buddy.11', async with(page) { await run(page, 'buddy'); } },
  ],
  llm: [
    {
      name: 'file', at: known.llm.looked, async with(page) {
        await drop(page, { 'config.json': await readFile(path.join(root, 'traces/hf/testdata/mistral-7b.json')) });
        await expect(page.locator('#context')).toContainText(/config\.json|[Mm]istral/);
        await finished(page);
      },
    },
  ],
};

// A file of the reader's own, where there is one to drop.
const withFiles = (lab) => (lab.files ? [{
  name: 'file', at: lab.looked, async with(page) {
    await drop(page, { 'mine.txt': lab.files.own });
    await expect(page.locator('#context')).toContainText('mine.txt');
    await finished(page);
  },
}] : []);

async function escape(page) { await page.keyboard.press('Escape'); }

// run computes the figure that is shown, and lists its numbers.
async function run(page, paper) {
  await page.click('#paper-run');
  await finished(page, { cancel: `#cancel-${paper}` });
  await reproduced(page);
}

// keep keeps all runs, for the view that compares them.
async function keep(page) {
  await page.click('#keep');
  await page.selectOption('#keep-which', 'all');
  await page.click('#keep-it');
  await expect(page.locator('#keep-it')).toHaveCount(0);
}

async function asked(page) {
  const button = page.locator('#ask-run');
  await finished(page, { cancel: '#ask-cancel' });
  if (/^Run/.test(await button.innerText()) && await button.isEnabled()) await button.click();
  await expect(page.locator('#ask-state')).toHaveText(/^(\d+) of \1 runs\.$/);
}

async function reproduced(page) {
  await expect(page.locator('#paper-summary, #paper-claims tbody tr').first()).not.toBeEmpty();
  const rows = page.locator('#paper-rows');
  if (await rows.isVisible() && await rows.getAttribute('aria-expanded') === 'false') await rows.click();
}

// go shows a place and does what makes it full.
async function go(page, place) {
  if (page.url() === 'about:blank') await page.goto(place.at);
  else await page.evaluate((hash) => { location.hash = hash; }, place.at.replace('./', ''));
  await live(page);
  await page.waitForFunction((view) => document.querySelector(`#view-${view}`)?.getAttribute('aria-pressed') === 'true', /view=(\w+)/.exec(place.at)?.[1] ?? 'explore');
  if (!place.at.includes('view=')) await finished(page);
  await place.with(page);
}

// violations are what axe finds: by all rules that are law, or by some. Contrast is
// nine tenths of the work, as axe looks behind every word: by day the first rows of a
// table stand for the others, which look alike.
async function violations(page, rules) {
  const alike = nightly ? [] : [['tbody tr:nth-child(n+7)'], ['.quirks li:nth-child(n+7)']];
  const contrast = ['color-contrast', ...rules?.includes('color-contrast-enhanced') ? ['color-contrast-enhanced'] : []];
  if (!await page.evaluate(() => 'axe' in window)) await page.evaluate(axe.source);
  return page.evaluate(async ([some, look, exclude]) => {
    const law = { type: 'tag', values: ['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa', 'wcag22aa'] };
    const options = { resultTypes: ['violations'], preload: false };
    const found = [];
    const others = some?.filter((name) => !look.includes(name));
    if (!others || others.length > 0) found.push(await window.axe.run(document, { ...options, runOnly: others ? { type: 'rule', values: others } : law, rules: others ? {} : { 'color-contrast': { enabled: false } } }));
    found.push(await window.axe.run({ exclude }, { ...options, runOnly: { type: 'rule', values: look } }));
    return found.flatMap((f) => f.violations.map((v) => `${v.id}: ${v.nodes.map((n) => n.target).join(' | ')}`));
  }, [rules, contrast, alike]);
}

// sideways lists what is wider than the window and not inside something that scrolls.
const sideways = (page) => page.evaluate(() => {
  const wide = document.documentElement.scrollWidth > innerWidth ? [`the page, ${document.documentElement.scrollWidth}`] : [];
  for (const e of document.querySelectorAll('body *')) {
    const box = e.getBoundingClientRect();
    if (box.width < 2 || box.right <= innerWidth + 1 || !e.checkVisibility({ visibilityProperty: true }) || e.closest('.sr, .skip')) continue;
    let up = e;
    while (up && !/auto|scroll|hidden|clip/.test(getComputedStyle(up).overflowX)) up = up.parentElement;
    if (!up) wide.push(`${e.tagName}#${e.id}.${e.className} to ${Math.round(box.right)}`);
  }
  return wide.slice(0, 5);
});

// silent lists charts without words, without a sentence or without a table.
const silent = (page) => page.evaluate(() => [...document.querySelectorAll('.plot')].filter((e) => e.checkVisibility()).flatMap((plot) => {
  const figure = plot.closest('figure');
  const lacks = [];
  if (plot.getAttribute('role') !== 'img' || (plot.getAttribute('aria-label') ?? '').length < 40) lacks.push(`label: ${plot.getAttribute('aria-label')}`);
  const words = [...figure.querySelectorAll('figcaption, .empty:not([hidden])'), ...document.querySelectorAll('#ask-says')].map((e) => e.textContent.trim()).join('');
  if (words.length < 12 || /undefined|NaN/.test(words)) lacks.push(`sentence: ${words}`);
  if (!figure.querySelector('[id^=numbers-]') && !document.querySelector('#ask-table table, .paper-rows, #paper-rows')) lacks.push('table');
  return lacks.map((what) => `${plot.id}: ${what}`);
}));

// judge looks at places one after the other: all rules in light and wide, colours and
// sizes in dark and at 320 pixels.
async function judge(page, places) {
  const wrong = [];
  const add = (place, list) => wrong.push(...list.map((what) => `${place.name}: ${what}`));
  for (const place of places) {
    await page.setViewportSize({ width: 1440, height: 900 });
    await page.emulateMedia({ colorScheme: 'light', reducedMotion: 'reduce' }); // colours do not fade into others
    await go(page, place);
    await page.evaluate(() => scrollTo(0, 0)); // what the bar at the top half covers would count as too small
    add(place, await violations(page));
    if (!place.unsaid) add(place, await silent(page));
    await page.emulateMedia({ colorScheme: 'dark', reducedMotion: 'reduce' });
    await page.setViewportSize({ width: 320, height: 640 });
    await place.narrow?.(page);
    add(place, await violations(page, ['color-contrast', 'target-size']));
    add(place, await sideways(page));
    if (process.env.SHOTS) await screenshot(page, `everyone-${place.name}-320`, { fullPage: true });
    await place.leave?.(page);
  }
  expect(wrong).toEqual([]);
}

for (const lab of turn) {
  test(`${lab.name}: every view, light, and dark at 320 pixels`, async ({ page }) => {
    await judge(page, views(lab));
  });

  const rest = [...more[lab.name] ?? [], ...withFiles(lab)];
  for (let from = 0; from < rest.length; from += 5) {
    const part = rest.slice(from, from + 5);
    test(`${lab.name}: ${part.map((place) => place.name).join(', ')}: light, and dark at 320 pixels`, async ({ page }) => {
      await judge(page, part);
    });
  }
}

// What the site has beside its page: documents with figures in them, pages of presets,
// a report, the page in a frame's dress.
test('examples, pages of presets and a report', async ({ page }) => {
  const wrong = [];
  const add = (name, list) => wrong.push(...list.map((what) => `${name}: ${what}`));
  for (const name of ['examples/', 'examples/docs.html', 'examples/mkdocs.html', 'examples/slides.html', 'examples/notebook.html', 'f/', 'f/two-resnets/']) {
    await page.setViewportSize({ width: 1440, height: 900 });
    await page.emulateMedia({ colorScheme: 'light', reducedMotion: 'reduce' });
    await page.goto(`./${name}`);
    if (name === 'examples/docs.html') {
      const figure = page.locator('#loss');
      await figure.getByRole('button').press('Enter');
      await expect(figure.getByRole('figure').first()).toHaveAttribute('data-state', 'live');
      await figure.getByText('Numbers').click();
    }
    if (name.endsWith('mkdocs.html')) {
      await page.getByRole('button', { name: 'Dark' }).click();
      add(`${name}, its dark`, await violations(page));
      await page.getByRole('button', { name: 'Light' }).click();
    }
    if (name.endsWith('slides.html')) await page.keyboard.press('ArrowRight');
    for (const numbers of await page.getByText('Numbers of this picture').all()) await numbers.click();
    add(name, await violations(page));
    await page.emulateMedia({ colorScheme: 'dark', reducedMotion: 'reduce' });
    await page.setViewportSize({ width: 320, height: 640 });
    add(`${name}, dark`, await violations(page, ['color-contrast', 'target-size']));
    add(name, await sideways(page));
  }
  const file = test.info().outputPath('report.html');
  await promisify(execFile)(path.join(root, 'build/out/spillway'), ['report', '--paper', 'ravenstore', '-o', file]);
  await page.goto('about:blank'); // the report forbids everything, also what this site wants
  await page.setContent(await readFile(file, 'utf8'));
  add('report', await violations(page));
  expect(wrong).toEqual([]);
});

test('the page in a frame\'s dress, light and dark', async ({ page }) => {
  const wrong = [];
  for (const [mode, width, theme] of [['view', 320, 'dark'], ['edit', 700, 'light'], ['edit', 320, 'dark']]) {
    await page.setViewportSize({ width, height: 2400 });
    await page.goto('about:blank');
    await page.goto(`./?embed=${mode}&theme=${theme}${train.slice(2)}`);
    await expect(page.locator('#headline')).toContainText('G10');
    await expect(page.locator('.plot-host[data-drawn=true]').nth(2)).toBeVisible();
    const add = (list) => wrong.push(...list.map((what) => `${mode}, ${width}: ${what}`));
    add(await violations(page));
    if (mode === 'edit') {
      await page.click('#open-settings');
      await expect(page.locator('#f-batch')).toBeVisible();
      add(await violations(page));
    }
    add(await sideways(page));
  }
  expect(wrong).toEqual([]);
});

test('forced colours, more contrast, less motion, wider letters', async ({ page }) => {
  await page.emulateMedia({ forcedColors: 'active', reducedMotion: 'reduce' });
  await page.goto(train);
  await live(page);
  await finished(page);
  await seen(page, 'throughput');
  const style = (selector, name) => page.locator(selector).first().evaluate((e, n) => getComputedStyle(e)[n], name);
  for (const [on, off] of [['#view-explore', '#view-whatif'], ['.chip-button[aria-pressed=true]', '.chip-button[aria-pressed=false]']]) {
    expect(await style(on, 'backgroundColor')).not.toBe(await style(off, 'backgroundColor'));
  }
  expect(await style('.plot', 'backgroundColor')).toMatch(/^rgb\(/); // charts keep their colours, on their own ground
  for (const selector of ['.chip-button', '#labs', '#pin', '#numbers-throughput']) expect(await style(selector, 'borderTopStyle')).toBe('solid');
  await page.locator('#view-explore').focus(); // views are one stop: that which is shown
  await page.keyboard.press('Tab');
  await page.keyboard.press('Shift+Tab');
  expect(await style('#view-explore', 'outlineStyle')).toBe('solid');
  await screenshot(page, 'everyone-forced');
  expect(await page.evaluate(() => document.getAnimations().filter((a) => a.playState === 'running').length)).toBe(0);
  await page.emulateMedia({ forcedColors: 'none', contrast: 'more', reducedMotion: 'reduce' });
  expect(await violations(page, ['color-contrast', 'color-contrast-enhanced'])).toEqual([]);
  await screenshot(page, 'everyone-contrast');
  await page.emulateMedia({ contrast: 'no-preference', reducedMotion: 'reduce' });
  await page.addStyleTag({ content: '* { line-height: 1.5 !important; letter-spacing: .12em !important; word-spacing: .16em !important; }' });
  expect(await sideways(page)).toEqual([]);
  await screenshot(page, 'everyone-spaced');
});
