// The first screen: what it opens on, the drawing, the drawer, the ways back.
import { execFile } from 'node:child_process';
import path from 'node:path';
import { promisify } from 'node:util';
import { enter, expect, finished, live, screenshot, test, tool, visit } from '../fixture.mjs';

const quick = './#v=2&lab=train&model=bert-base&batch=16&times=as-paper&gpu_memory=1';

// text measures what can be read in the window: words, and the smallest letters. What is
// drawn is a chart, though it is made of text: the ranking, and where the time goes.
function read(page) {
  return page.evaluate(() => {
    const walk = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
    let words = 0;
    const small = new Set();
    while (walk.nextNode()) {
      const { currentNode: node } = walk;
      const e = node.parentElement;
      if (!node.data.trim() || e.closest('script, style, noscript, dialog, option, .sr, .skip, .runs, .account') || !e.checkVisibility({ visibilityProperty: true })) continue;
      if (getComputedStyle(e).clipPath !== 'none') continue;
      const range = document.createRange();
      range.selectNodeContents(node);
      const box = range.getBoundingClientRect();
      if (box.width < 2 || box.height < 2 || box.top >= innerHeight || box.bottom <= 0 || box.left >= innerWidth || box.right <= 0) continue;
      words += node.data.trim().split(/\s+/).length;
      if (parseFloat(getComputedStyle(e).fontSize) < 13) small.add(`${e.tagName}.${e.className} ${getComputedStyle(e).fontSize}`);
    }
    return { words, small: [...small] };
  });
}

test('what a laboratory opens on can be read before any program has come', async ({ page }) => {
  await page.route('**/*.wasm', () => {}); // nothing answers
  for (const lab of ['store', 'compress', 'cxlssd', 'filesys', 'llm']) {
    await page.goto('about:blank');
    await page.goto(`./#lab=${lab}`, { waitUntil: 'commit' });
    await expect(page.locator('#headline')).toBeVisible();
    await expect(page.locator('#headline')).not.toBeEmpty();
    await expect(page.locator('#tab-menu, .menu').first()).toBeVisible();
    await expect(page.locator('#app')).toHaveAttribute('inert', '');
    expect(await page.locator('[data-first] .runs').first().innerText()).toBeTruthy();
  }
  await page.goto('about:blank');
  await page.goto('./#lab=store&gpu_memory=3', { waitUntil: 'commit' });
  await page.locator('[data-first]').waitFor({ state: 'attached' });
  await page.waitForTimeout(500);
  await expect(page.locator('#headline')).toBeHidden(); // it would be of something else
});

test('the first screen says what happens, in few words that can be read', async ({ page }) => {
  await page.setViewportSize({ width: 1280, height: 720 });
  await page.addInitScript(() => localStorage.setItem('spillway-docked', 'no')); // as on a first visit
  await page.goto('./');
  await finished(page);
  await expect(page.locator('#lead')).toHaveText(/needs [\d.]+ GiB; the GPU has [\d.]+\./);
  await expect(page.locator('#given-preset')).toHaveText('GPT-2 XL, RTX 4090');
  for (const id of ['#lead', '#headline', '#why']) await expect(page.locator(id)).toBeInViewport();
  await expect(page.locator('.stage')).toBeInViewport({ ratio: 1 });
  const { words, small } = await read(page);
  console.log(`  ${words} words in the first view`);
  expect(words).toBeLessThanOrEqual(300);
  expect(small).toEqual([]);
  const stops = await page.evaluate(() => {
    const chart = document.querySelector('.plot');
    return [...document.querySelectorAll('a[href], button:not(:disabled), input, select, [tabindex="0"]')]
      .filter((e) => e.tabIndex >= 0 && e.checkVisibility({ visibilityProperty: true }) && e.compareDocumentPosition(chart) & Node.DOCUMENT_POSITION_FOLLOWING).length;
  });
  console.log(`  ${stops} Tab stops before the first chart (there were 75)`);
  expect(stops).toBeLessThan(24); // 25 with a tab for each laboratory
  await page.click('#given-preset');
  await page.click('#preset-g10-paper');
  await finished(page);
  await expect(page.locator('#context')).toContainText('as published');
  await expect(page.locator('#caveat')).not.toBeEmpty();
});

// A laboratory tells all it has in five screens of a laptop, and nothing is wider than a window.
test('every laboratory is at most five screens long', async ({ page }) => {
  await page.addInitScript(() => { try { localStorage.setItem('spillway-docked', 'no'); } catch { /* a document without storage */ } });
  for (const lab of ['train', 'store', 'compress', 'cxlssd', 'filesys', 'llm']) {
    await page.setViewportSize({ width: 1280, height: 720 });
    await page.goto('about:blank');
    await page.goto(`./#lab=${lab}`);
    await live(page);
    await finished(page);
    const screens = await page.evaluate(() => document.documentElement.scrollHeight / innerHeight);
    console.log(`  ${lab}: ${screens.toFixed(1)} screens`);
    expect(screens, lab).toBeLessThanOrEqual(5);
    await page.setViewportSize({ width: 390, height: 844 });
    expect(await page.evaluate(() => document.documentElement.scrollWidth), lab).toBeLessThanOrEqual(390);
  }
});

// What is given is a sentence whose pieces are menus, by the keyboard, too.
test('a piece of what is given is a menu of what else it could be', async ({ page }) => {
  await visit(page, quick);
  await page.locator('#given-preset').focus();
  await page.keyboard.press('ArrowRight');
  await expect(page.locator('#given-0')).toBeFocused();
  await expect(page.locator('#given-0')).toHaveText('BERT-base, batch 16');
  await page.keyboard.press('Enter');
  await expect(page.locator('#given-menu')).toBeVisible();
  await page.keyboard.press('Escape');
  await expect(page.locator('#given-menu')).toHaveCount(0);
  await page.keyboard.press('Enter');
  await page.locator('#give-batch-32').focus();
  await page.keyboard.press('Enter');
  await expect(page.locator('#given-0')).toHaveText('BERT-base, batch 32');
  await expect(page.locator('#given-0')).toBeFocused();
  await finished(page);
  await expect(page).toHaveURL(/batch=32/);
  await tool(page, 'undo');
  await expect(page.locator('#given-0')).toHaveText('BERT-base, batch 16');
});

test('who is here for the first time has four ways in', async ({ page }) => {
  await page.setViewportSize({ width: 1280, height: 720 });
  await page.addInitScript(() => {
    if (!sessionStorage.getItem('returned')) localStorage.removeItem('spillway-visited');
    localStorage.setItem('spillway-docked', 'no');
  });
  await page.goto('./');
  await live(page);
  await expect(page.locator('.ways button')).toHaveText(['I study a paper', 'I train a model', 'I weigh a machine', 'I serve a model']);
  await expect(page.locator('.stage')).toBeInViewport({ ratio: 1 });
  await page.focus('.ways button');
  await page.keyboard.press('ArrowRight');
  await page.keyboard.press('Enter');
  await expect(page.locator('#headline')).toContainText('tokens/s');
  await page.click('#way-llm-whatif');
  await expect(page).toHaveURL(/lab=llm&.*view=whatif/);
  await page.goBack();
  await page.click('#way-train-reproduce');
  await expect(page).toHaveURL(/lab=train&.*view=reproduce/);
  await page.evaluate(() => sessionStorage.setItem('returned', 'yes'));
  await page.reload();
  await live(page);
  await expect(page.locator('.ways')).toBeHidden();
});

for (const [scheme, width] of [['light', 1280], ['dark', 820], ['light', 360]]) {
  test(`the drawing turns knobs, ${scheme}, ${width} px`, async ({ page }) => {
    await page.emulateMedia({ colorScheme: scheme, reducedMotion: 'reduce' });
    await page.setViewportSize({ width, height: 800 });
    await page.goto(quick);
    await finished(page);
    expect(await page.evaluate(() => document.documentElement.scrollWidth)).toBeLessThanOrEqual(width);
    await page.locator('#draw-ssd-link').focus();
    await page.keyboard.press('Enter');
    await expect(page.locator('#p-ssd_read')).toHaveValue('3.2');
    await screenshot(page, `first-${width}-${scheme}`);
    await page.click('#product-990-pro');
    await expect(page.locator('#p-ssd_read')).toHaveValue('7.45');
    await expect(page.locator('#draw-ssd-link')).toContainText('7.45 GB/s');
    await page.locator('#s-ssd_read').focus();
    await page.keyboard.press('End');
    await expect(page.locator('#p-ssd_read')).not.toHaveValue('7.45');
    await finished(page);
    await page.fill('#p-ssd_read', '3200 MB/s');
    await page.keyboard.press('ArrowUp');
    await expect(page.locator('#p-ssd_read')).toHaveValue('3.3');
    await page.keyboard.press('Shift+ArrowDown');
    await expect(page.locator('#p-ssd_read')).toHaveValue('2.3');
    expect(await page.evaluate(() => document.documentElement.scrollWidth)).toBeLessThanOrEqual(width);
    await page.click('#turn-close');
    await expect(page.locator('#draw-ssd-link')).toBeFocused();
    expect(await page.locator('.flow').first().evaluate((e) => getComputedStyle(e).display)).toBe('none');
  });
}

test('the drawing moves when motion is welcome', async ({ page }) => {
  await page.emulateMedia({ reducedMotion: 'no-preference' });
  await page.goto(quick);
  await finished(page);
  await page.click('#show-uvm');
  await expect(page.locator('#story')).toContainText('Base UVM moves');
  expect(await page.locator('.flows .flow').first().evaluate((e) => getComputedStyle(e).animationName)).toBe('flow');
  await page.click('#show-ideal');
  await expect(page.locator('.flows')).toHaveCount(0);
});

test('on a phone results come first and settings are a drawer', async ({ page }) => {
  await page.setViewportSize({ width: 390, height: 844 });
  await page.goto(quick);
  await finished(page);
  const above = (a, b) => page.evaluate(([x, y]) => document.querySelector(x).getBoundingClientRect().top < document.querySelector(y).getBoundingClientRect().top, [a, b]);
  expect(await above('#headline', '.runs')).toBe(true);
  expect(await above('.runs', '#drawing')).toBe(true);
  expect(await above('#drawing', '.plot')).toBe(true);
  await expect(page.locator('#f-model')).toBeHidden();
  const top = await page.evaluate(() => document.querySelector('#lead').getBoundingClientRect().top);
  await page.click('#open-settings');
  await expect(page.locator('#f-model')).toBeVisible();
  await expect(page.locator('#settings')).toBeFocused();
  expect(await page.evaluate(() => document.querySelector('#lead').getBoundingClientRect().top)).toBe(top);
  for (let i = 0; i < 40; i++) { // the focus stays in it, or goes to the browser's own
    await page.keyboard.press('Tab');
    expect(await page.evaluate(() => document.activeElement === document.body || document.querySelector('#settings, .foot').contains(document.activeElement) || document.querySelector('.foot').contains(document.activeElement))).toBe(true);
  }
  await page.keyboard.press('Escape');
  await expect(page.locator('#f-model')).toBeHidden();
  await expect(page.locator('#open-settings')).toBeFocused();
});

test('back and forward walk through views, figures and laboratories', async ({ page }) => {
  await page.goto(quick);
  await finished(page);
  await page.click('#view-reproduce');
  await expect(page.locator('#paper-title')).toBeVisible();
  await page.locator('[id="figure-entry-g10.2"]').click();
  await expect(page).toHaveURL(/figure=g10\.2/);
  await enter(page, 'store');
  await expect(page).toHaveTitle(/^Object store/);
  await page.goBack();
  await expect(page).toHaveTitle(/^Training/);
  await expect(page).toHaveURL(/figure=g10\.2/);
  await page.goBack();
  await expect(page).not.toHaveURL(/figure=g10\.2/);
  await expect(page.locator('#view-reproduce')).toHaveAttribute('aria-pressed', 'true');
  await page.goBack();
  await expect(page.locator('#view-explore')).toHaveAttribute('aria-pressed', 'true');
  await expect(page.locator('#undo')).toBeDisabled(); // views are nothing to undo
  await page.goForward();
  await expect(page.locator('#view-reproduce')).toHaveAttribute('aria-pressed', 'true');
});

test('a reload loses nothing', async ({ page }) => {
  await visit(page, quick);
  await page.fill('#f-gpu_memory', '2');
  await page.fill('#f-ssd_read', '7 apples');
  await tool(page, 'undo');
  await page.reload();
  await live(page);
  await finished(page);
  await expect(page.locator('#redo')).toBeEnabled();
  await tool(page, 'redo');
  await expect(page.locator('#blocked')).toContainText('SSD read');
  await page.click('#jump-ssd_read');
  await expect(page.locator('#f-ssd_read')).toBeFocused();
  await expect(page.locator('#f-ssd_read')).toHaveValue('7 apples');
  await tool(page, 'undo');
  await tool(page, 'undo');
  await expect(page.locator('#f-gpu_memory')).toHaveValue('1');
  // Damaged storage, and none at all, are as if there had been nothing.
  await page.evaluate(() => addEventListener('pagehide', () => sessionStorage.setItem('spillway-memory', 'spillway memory 1\nundo \u0000')));
  await page.reload();
  await live(page);
  await finished(page);
  await expect(page.locator('#undo')).toBeDisabled();
  await page.addInitScript(() => Object.defineProperty(window, 'sessionStorage', { get() { throw new Error('no storage'); } }));
  await page.reload();
  await live(page);
  await finished(page);
  await expect(page.locator('#notice')).toHaveCount(0);
});

test('a published number opens in Explore', async ({ page }) => {
  await page.goto('./#v=2&lab=train&view=reproduce&figure=g10.11');
  await live(page);
  await page.click('#paper-rows');
  await page.locator('[data-open]').first().click();
  await expect(page.locator('#view-explore')).toHaveAttribute('aria-pressed', 'true');
  await expect(page).toHaveURL(/preset=g10-paper:|times=as-paper.*mode=published/);
  await page.goBack();
  await expect(page.locator('#view-reproduce')).toHaveAttribute('aria-pressed', 'true');
});

test('the page says its version, its licence and how to cite it', async ({ page }) => {
  await page.goto(quick);
  await finished(page); // charts that are drawn push the foot of the page
  await expect(page.locator('#version')).toHaveText(/^\d+\.\d+\.\d+\+[0-9a-f]{12}$/);
  const { stdout } = await promisify(execFile)(path.join(import.meta.dirname, '../../out/spillway'), ['version']);
  await expect(page.locator('#version'), 'the command is of the same').toHaveText(stdout.split(' ')[1]);
  expect((await page.request.get('./licenses.txt')).ok()).toBe(true);
  await page.click('#cite');
  await expect(page.locator('#share-cite')).toBeInViewport();
  await page.click('#share-close');
  await tool(page, 'help');
  await expect(page.locator('#help-dialog .version')).toHaveText(/\+[0-9a-f]{12}$/);
  await page.click('#help-share');
  await expect(page.locator('#help-dialog')).toBeHidden();
  await expect(page.locator('#share-cite')).toBeInViewport();
});

test('forced colours and large letters', async ({ page }) => {
  await page.emulateMedia({ forcedColors: 'active' });
  await page.goto(quick);
  await finished(page);
  const [fill, ground] = await page.locator('#draw-gpu .fill').evaluate((e) => [getComputedStyle(e, '::before').backgroundColor, getComputedStyle(e).backgroundColor]);
  expect(fill).not.toBe(ground);
  await screenshot(page, 'first-forced');
});

test('a link of another laboratory, or with other settings, has no chart of what the page opens on', async ({ page }) => {
  for (const link of ['./#v=4-by-hand&lab=filesys&workload=create&scale=256', './#v=4-by-hand&lab=train&model=bert-base&batch=64&times=estimated']) {
    await page.goto('about:blank');
    await visit(page, link);
    await expect(page.locator('.plot-host[data-drawn=true], .plot').first()).toBeVisible();
    expect(await page.locator('.plot > svg').count(), link).toBe(0);
  }
});
