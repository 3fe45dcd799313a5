// Everybody can use every view of every laboratory: rules that a machine can
// check, in light and dark, at 320 pixels, with forced colours, more contrast and
// wider letters.
import AxeBuilder from '@axe-core/playwright';
import { expect, finished, live, screenshot, test } from '../fixture.mjs';

const train = '#v=2&lab=train&model=bert-base&batch=16&times=as-paper&gpu_memory=2&host_memory=0&systems=ideal,uvm,g10';
const store = '#v=2&lab=store&workload=pairs&pairs=50';
const compress = '#v=4-by-hand&lab=compress&contents=alexnet&focus=per-allocation-16x';
const cxlssd = '#v=4-by-hand&lab=cxlssd&workload=srad&scale=4&mode=artifact&focus=skybyte-full';
const filesys = '#v=4-by-hand&lab=filesys&workload=varmail&scale=256&mode=paper&focus=bytefs';
const llm = '#v=4-by-hand&lab=llm&node=one-4090&model=llama3-8b&layers=3&batch=2&micro=1&sequence=1024&buffer_size=540&focus=teraio-mixed';

// The views with something in them. A place is gone to without a new page.
const places = [
  {
    name: 'train-explore', at: train, async with(page) {
      for (const id of ['fold-hardware', 'fold-systems', 'fold-files']) if (await page.locator(`#${id}`).getAttribute('aria-expanded') === 'false') await page.click(`#${id}`);
      for (const id of ['numbers-throughput', 'numbers-memory', 'numbers-slowdown', 'open-survive', 'open-effects']) await page.click(`#${id}`);
      await page.click('#draw-ssd-link');
      await keep(page);
    },
  },
  { name: 'train-line', at: `${train}&view=whatif&ask-vary=ssd_read&ask-values=1.6,3.2`, with: asked },
  { name: 'train-map', at: `${train}&view=whatif&ask-vary=ssd_read&ask-values=1.6,3.2&ask-vary2=gpu_memory&ask-values2=1,2`, with: asked },
  { name: 'train-compare', at: `${train}&view=compare`, async with(page) { await finished(page, { cancel: '#cancel-shown' }); } },
  { name: 'train-reproduce', at: `${train}&view=reproduce&figure=g10.11`, with: reproduced },
  { name: 'train-claims', at: `${train}&view=reproduce&figure=g10.claims`, with: reproduced },
  {
    name: 'store-explore', at: store, async with(page) {
      for (const id of ['numbers-time', 'numbers-memory', 'open-fairness']) await page.click(`#${id}`);
      await keep(page);
    },
  },
  { name: 'store-line', at: `${store}&view=whatif&ask-vary=gpu_memory&ask-values=8,16`, with: asked },
  { name: 'store-compare', at: `${store}&view=compare`, async with(page) { await finished(page, { cancel: '#cancel-shown' }); } },
  { name: 'store-reproduce', at: `${store}&view=reproduce&figure=ravenstore.T1`, with: reproduced },
  {
    name: 'compress-explore', at: compress, async with(page) {
      for (const id of ['numbers-capacity', 'numbers-links', 'open-inside']) await page.click(`#${id}`);
      await expect(page.locator('#section-inside table').first()).toBeVisible();
      await page.click('#draw-link');
      await keep(page);
    },
  },
  { name: 'compress-line', at: `${compress}&view=whatif&ask-vary=link&ask-values=50,150&ask-of=slowdown_percent`, with: asked },
  { name: 'compress-map', at: `${compress}&view=whatif&ask-vary=link&ask-values=50,150&ask-of=slowdown_percent&ask-vary2=threshold&ask-values2=10,30`, with: asked },
  { name: 'compress-compare', at: `${compress}&view=compare`, async with(page) { await finished(page, { cancel: '#cancel-shown' }); } },
  { name: 'compress-reproduce', at: `${compress}&view=reproduce&figure=buddy.11`, with: reproduced },
  { name: 'compress-claims', at: `${compress}&view=reproduce&figure=buddy.claims`, with: reproduced },
  {
    name: 'cxlssd-explore', at: cxlssd, async with(page) {
      for (const id of ['numbers-time', 'numbers-bill', 'open-threads', 'open-log', 'open-page', 'open-locality', 'open-profile', 'open-cost']) await page.click(`#${id}`);
      for (const key of ['bill', 'threads', 'log', 'page', 'locality', 'profile', 'cost']) await expect(page.locator(`#section-${key}`).locator('table, .plot').first()).toBeVisible({ timeout: 30_000 });
      await page.click('#draw-cxl');
      await keep(page);
    },
  },
  { name: 'cxlssd-line', at: `${cxlssd}&view=whatif&ask-vary=log&ask-values=7,56`, with: asked },
  { name: 'cxlssd-map', at: `${cxlssd}&view=whatif&ask-vary=log&ask-values=7,56&ask-vary2=threads&ask-values2=8,24`, with: asked },
  { name: 'cxlssd-compare', at: `${cxlssd}&view=compare`, async with(page) { await finished(page, { cancel: '#cancel-shown' }); } },
  { name: 'cxlssd-reproduce', at: `${cxlssd}&view=reproduce&figure=skybyte.14`, with: reproduced },
  { name: 'cxlssd-claims', at: `${cxlssd}&view=reproduce&figure=skybyte.claims`, with: reproduced },
  {
    name: 'filesys-explore', at: filesys, async with(page) {
      const folded = ['log', 'traffic', 'crash', 'factors', 'sensitivity', 'life', 'quirks'];
      for (const id of ['numbers-throughput', 'numbers-ledger', ...folded.map((key) => `open-${key}`)]) await page.click(`#${id}`);
      for (const key of ['operation', ...folded]) await expect(page.locator(`#section-${key}`).locator('table, .plot').first()).toBeVisible({ timeout: 30_000 });
      await page.click('#draw-link');
      await keep(page);
    },
  },
  { name: 'filesys-line', at: `${filesys}&view=whatif&ask-vary=ssd_dram&ask-values=64,256`, with: asked },
  { name: 'filesys-map', at: `${filesys}&view=whatif&ask-vary=ssd_dram&ask-values=64,256&ask-vary2=channels&ask-values2=4,8`, with: asked },
  { name: 'filesys-compare', at: `${filesys}&view=compare`, async with(page) { await finished(page, { cancel: '#cancel-shown' }); } },
  { name: 'filesys-reproduce', at: `${filesys}&view=reproduce&figure=bytefs.6`, with: reproduced },
  { name: 'filesys-claims', at: `${filesys}&view=reproduce&figure=bytefs.claims`, with: reproduced },
  {
    name: 'llm-explore', at: llm, async with(page) {
      const folded = ['memory', 'links', 'map', 'roofline', 'inactive', 'life', 'fits', 'next', 'decode'];
      for (const id of ['numbers-throughput', 'numbers-ledger', ...folded.map((key) => `open-${key}`)]) await page.click(`#${id}`);
      for (const key of ['cost', ...folded]) await expect(page.locator(`#section-${key}`).locator('table, .plot').first()).toBeVisible({ timeout: 60_000 });
      await page.click('#draw-array');
      await keep(page);
    },
  },
  { name: 'llm-line', at: `${llm}&view=whatif&ask-vary=drives&ask-values=1,2`, with: asked },
  { name: 'llm-map', at: `${llm}&view=whatif&ask-vary=drives&ask-values=1,2&ask-vary2=host_memory&ask-values2=32,128`, with: asked },
  { name: 'llm-compare', at: `${llm}&view=compare`, async with(page) { await finished(page, { cancel: '#cancel-shown' }); } },
  { name: 'llm-reproduce', at: `${llm}&view=reproduce&figure=teraio.11`, with: reproduced },
  { name: 'llm-claims', at: `${llm}&view=reproduce&figure=teraio.claims`, with: reproduced },
];

// keep keeps all runs, for the view that compares them.
async function keep(page) {
  await page.click('#keep');
  await page.selectOption('#keep-which', 'all');
  await page.click('#keep-it');
  await expect(page.locator('#keep-it')).toHaveCount(0);
}

async function asked(page) {
  const run = page.locator('#ask-run');
  if (/^Run/.test(await run.innerText()) && await run.isEnabled()) await run.click();
  await expect(page.locator('#ask-state')).toHaveText(/^(\d+) of \1 runs\.$/, { timeout: 60_000 });
}

async function reproduced(page) {
  await expect(page.locator('#paper-summary, #paper-claims tbody tr').first()).not.toBeEmpty();
  const rows = page.locator('#paper-rows');
  if (await rows.isVisible() && await rows.getAttribute('aria-expanded') === 'false') await rows.click();
}

// go shows a place and does what makes it full.
async function go(page, place) {
  if (page.url() === 'about:blank') await page.goto(`./${place.at}`);
  else await page.evaluate((hash) => { location.hash = hash; }, place.at);
  await live(page);
  await page.waitForFunction((view) => document.querySelector(`#view-${view}`)?.getAttribute('aria-pressed') === 'true', /view=(\w+)/.exec(place.at)?.[1] ?? 'explore');
  if (!place.at.includes('view=')) await finished(page);
  await place.with(page);
}

async function violations(page, rules) {
  const axe = new AxeBuilder({ page }).setLegacyMode(); // there are no frames, so no page beside this one is needed
  const found = await (rules ? axe.withRules(rules) : axe.withTags(['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa', 'wcag22aa'])).analyze();
  return found.violations.map((v) => `${v.id}: ${v.nodes.map((n) => n.target).join(' | ')}`);
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

for (const lab of ['train', 'store', 'compress', 'cxlssd', 'filesys', 'llm']) {
  test(`every view of ${lab}: light, and dark at 320 pixels`, async ({ page }) => {
    test.setTimeout(240_000);
    const wrong = [];
    const add = (place, list) => wrong.push(...list.map((what) => `${place.name}: ${what}`));
    for (const place of places.filter((p) => p.name.startsWith(lab))) {
      await page.setViewportSize({ width: 1440, height: 900 });
      await page.emulateMedia({ colorScheme: 'light', reducedMotion: 'reduce' }); // colours do not fade into others
      await go(page, place);
      add(place, await violations(page));
      add(place, await silent(page));
      await page.emulateMedia({ colorScheme: 'dark', reducedMotion: 'reduce' });
      await page.setViewportSize({ width: 320, height: 640 });
      add(place, await violations(page, ['color-contrast', 'target-size']));
      add(place, await sideways(page));
      if (process.env.SHOTS) await screenshot(page, `everyone-${place.name}-320`, { fullPage: true });
    }
    expect(wrong).toEqual([]);
  });
}

test('forced colours, more contrast, less motion, wider letters', async ({ page }) => {
  await page.emulateMedia({ forcedColors: 'active', reducedMotion: 'reduce' });
  await page.goto(`./${train}`);
  await live(page);
  await finished(page);
  await expect(page.locator('#chart-throughput .plot-host[data-drawn=true]')).toBeVisible();
  const style = (selector, name) => page.locator(selector).first().evaluate((e, n) => getComputedStyle(e)[n], name);
  for (const [on, off] of [['#view-explore', '#view-whatif'], ['.chip-button[aria-pressed=true]', '.chip-button[aria-pressed=false]'], ['.labs [aria-current=true]', '.labs [aria-current=false]']]) {
    expect(await style(on, 'backgroundColor')).not.toBe(await style(off, 'backgroundColor'));
  }
  expect(await style('.plot', 'backgroundColor')).toMatch(/^rgb\(/); // charts keep their colours, on their own ground
  for (const selector of ['.chip-button', '.labs button', '#pin', '#numbers-throughput']) expect(await style(selector, 'borderTopStyle')).toBe('solid');
  await page.locator('#view-whatif').focus();
  await page.keyboard.press('Tab');
  await page.keyboard.press('Shift+Tab');
  expect(await style('#view-whatif', 'outlineStyle')).toBe('solid');
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
