// Where things stand: menus, the first Tab, what is shown while another laboratory comes.
import { enter, expect, finished, live, opened, screenshot, test, visit } from '../fixture.mjs';
import { labs } from '../labs.mjs';

test('a menu of what is given opens under its piece and inside the window', async ({ page }) => {
  for (const [width, height] of [[1280, 720], [390, 844]]) {
    await page.setViewportSize({ width, height });
    await page.goto('about:blank');
    await page.goto('./#lab=llm');
    await live(page);
    await finished(page);
    for (const id of await page.$$eval('.given .drops', (list) => list.map((b) => b.id))) {
      await page.click(`#${id}`);
      await expect(page.locator('#given-menu')).toBeVisible();
      const { menu, piece } = await page.evaluate((of) => {
        const box = (e) => { const { left, right, top, bottom } = e.getBoundingClientRect(); return { left, right, top, bottom }; };
        return { menu: box(document.getElementById('given-menu')), piece: box(document.getElementById(of)) };
      }, id);
      expect(Math.min(menu.left, menu.top, width - menu.right, height - menu.bottom), id).toBeGreaterThanOrEqual(0);
      expect(Math.min(menu.right - piece.left, piece.right - menu.left), id).toBeGreaterThan(0);
      expect(Math.min(Math.abs(menu.top - piece.bottom), Math.abs(menu.bottom - piece.top)), id).toBeLessThan(4);
      await page.keyboard.press('Escape');
      await expect(page.locator('#given-menu')).toHaveCount(0);
    }
  }
});

test('the Save menu of the lowest table is whole', async ({ page }) => {
  await page.setViewportSize({ width: 1280, height: 720 });
  await page.goto('./');
  await live(page);
  await finished(page);
  await page.click('#save-results');
  const last = page.locator('#formats-results button').last();
  await last.scrollIntoViewIfNeeded(); // within the menu, where it is taller than the room above
  await expect(last).toBeInViewport({ ratio: 1 });
  expect(await last.evaluate((e) => { // nothing lies over it, and nothing cuts it
    const { left, top, width, height } = e.getBoundingClientRect();
    return e.contains(document.elementFromPoint(left + width / 2, top + height / 2));
  })).toBe(true);
});

test('the first Tab goes to the first control, also before the program is there', async ({ page }) => {
  let go;
  const held = new Promise((resolve) => { go = resolve; });
  await page.route('**/app.wasm', async (route) => { await held; await route.continue(); });
  await page.goto('./', { waitUntil: 'commit' });
  await page.locator('[data-first]').waitFor({ state: 'attached' });
  await page.keyboard.press('Tab');
  expect(await page.evaluate(() => document.activeElement.closest('.foot'))).toBeNull();
  go();
  await live(page);
  await finished(page);
  await page.keyboard.press('Tab');
  await expect(page.locator('.skip').first()).toBeFocused();
});

test('no charts of another laboratory stand under its name', async ({ page }) => {
  let go;
  const held = new Promise((resolve) => { go = resolve; });
  await page.route('**/store.info', async (route) => { await held; await route.continue(); });
  await page.goto('./#lab=train');
  await live(page);
  await finished(page);
  await enter(page, 'store');
  await expect(page.locator('.starting')).toHaveText('Loading Object store…');
  await expect(page.locator('.plot, #headline')).toHaveCount(0);
  go();
  await finished(page);
  await expect(page.locator('#title-memory')).toBeVisible();
  const ids = await page.$$eval('.plot', (list) => list.map((e) => e.id));
  expect(ids).not.toContain('chart-throughput');
});

// cut lists the texts in sight that somebody cannot read to their end: those that a box cuts, and
// those that lie outside the window with nothing to scroll.
const cut = (page) => page.evaluate(() => {
  const clips = (e) => { const { overflowX: x } = getComputedStyle(e); return x === 'hidden' || x === 'clip'; };
  const scrolls = (e) => /auto|scroll/.test(getComputedStyle(e).overflowX);
  const list = document.documentElement.scrollWidth > innerWidth ? ['the page scrolls sideways'] : [];
  const walk = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
  while (walk.nextNode()) {
    const { currentNode: node } = walk;
    const e = node.parentElement;
    if (!node.data.trim() || e.closest('script, style, noscript, dialog, option, .sr, .skip, .story, .state') || !e.checkVisibility({ visibilityProperty: true })) continue;
    const range = document.createRange();
    range.selectNodeContents(node);
    const box = range.getBoundingClientRect();
    if (box.width <= 1) continue;
    let left = 0;
    let right = innerWidth;
    for (let a = e; a; a = a.parentElement) {
      if (scrolls(a)) { left = -Infinity; right = Infinity; break; }
      if (!clips(a)) continue;
      const at = a.getBoundingClientRect();
      left = Math.max(left, at.left);
      right = Math.min(right, at.right);
    }
    if (box.left < left - 1 || box.right > right + 1) list.push(node.data.trim());
  }
  return list;
});

for (const lab of ['train', 'store', 'compress', 'cxlssd', 'filesys', 'llm', 'serve']) {
  test(`no label is cut in ${lab}`, async ({ page }) => {
    await page.goto(`./#lab=${lab}`);
    await live(page);
    await finished(page);
    for (const width of [1280, 1024, 390]) {
      await page.setViewportSize({ width, height: 800 });
      await expect.poll(() => cut(page), { message: `${width} pixels` }).toEqual([]);
    }
  });
}

// What a laboratory that is left had in the page is freed.
test('switching laboratories to and fro keeps no nodes and no listeners', async ({ page, context }) => {
  const devtools = await context.newCDPSession(page);
  await devtools.send('Performance.enable');
  await page.goto('./#lab=store');
  await live(page);
  const round = async () => {
    for (const lab of ['compress', 'filesys', 'store']) {
      await page.evaluate((to) => { location.hash = `#lab=${to}`; }, lab);
      await expect(page.locator(`#lab-${lab}`)).toHaveAttribute('aria-current', 'true');
      await finished(page);
    }
    await devtools.send('HeapProfiler.collectGarbage');
    const { metrics } = await devtools.send('Performance.getMetrics');
    return ['Nodes', 'JSEventListeners'].map((name) => metrics.find((m) => m.name === name).value);
  };
  for (let i = 0; i < 2; i++) await round(); // all laboratories have come, and what is kept of them
  const [nodes, listeners] = await round();
  for (let i = 0; i < 3; i++) await round();
  // What a garbage collector leaves for later is of no round in particular.
  await expect.poll(async () => {
    const [n, l] = await round();
    return n < 1.1 * nodes && l < 1.1 * listeners;
  }).toBe(true);
});

for (const lab of labs) {
  test(`${lab.name}: nothing is cut off, dark and light, wide and narrow`, async ({ page }) => {
    await page.emulateMedia({ colorScheme: 'dark' });
    await page.setViewportSize({ width: 1440, height: 800 });
    await visit(page, lab.looked);
    for (const key of lab.narrow) await opened(page, key);
    for (const key of lab.narrow) await expect(page.locator(`#section-${key}`).locator('table, .answer').first()).toBeVisible();
    for (const [scheme, width] of [['dark', 1440], ['light', 360], ['dark', 360]]) {
      await page.emulateMedia({ colorScheme: scheme });
      await page.setViewportSize({ width, height: 800 });
      await finished(page);
      await expect.poll(() => page.evaluate(() => document.documentElement.scrollWidth), `${scheme}, ${width} px`).toBeLessThanOrEqual(width); // charts follow the window a moment later
      await screenshot(page, `${lab.name}-${width}-${scheme}`, { fullPage: true });
    }
  });
}
