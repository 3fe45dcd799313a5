// <spill-figure> in pages of others: on another origin, under their policies, with
// frames that answer well, badly or never.
import { readFileSync } from 'node:fs';
import path from 'node:path';
import { expect, screenshot, test } from '../fixture.mjs';

const mock = readFileSync(path.join(import.meta.dirname, '../mock-engine.html'), 'utf8');
const still = '<img src="data:image/svg+xml,%3Csvg xmlns=\'http://www.w3.org/2000/svg\' width=\'300\' height=\'60\'/%3E" alt="as printed">';

// A writer's page has what a strict policy allows, on an origin of its own.
async function host(page, baseURL, guard, body, policy) {
  const site = new URL(baseURL);
  const origin = `http://localhost:${site.port}`;
  guard.expect(new RegExp(`foreign request: ${origin}/host.html`));
  const csp = policy ?? `default-src 'none'; script-src ${site.origin}; frame-src ${site.origin}; img-src data:; style-src 'none'`;
  await page.route('**/host.html', (route) => route.fulfill({
    contentType: 'text/html; charset=utf-8',
    headers: { 'Content-Security-Policy': csp },
    body: `<!doctype html><html lang="en"><head><title>Host</title><meta name="color-scheme" content="light dark"><script type="module" src="${site.origin}/spill-figure.js"></script><script defer src="${site.origin}/spill-figure.js"></script></head><body><main><h1>Host</h1>${body}</main></body></html>`,
  }));
  await page.route(/\/mock\w*\//, (route) => route.fulfill({ contentType: 'text/html; charset=utf-8', body: mock }));
  // As a module it is asked for with CORS, which file hosts allow.
  await page.route('**/spill-figure.js', async (route) => {
    const response = await route.fetch();
    await route.fulfill({ response, headers: { ...response.headers(), 'Access-Control-Allow-Origin': '*' } });
  });
  await page.goto(`${origin}/host.html`);
  await expect(page.locator('spill-figure').first().getByRole('button')).toBeVisible();
}

const tag = (baseURL, link, more = '', inside = still, site = 'mock') => `<spill-figure src="${baseURL}${site}/#${link}" ${more}>${inside}<span slot="caption">Figure ${link}</span></spill-figure>`;
const state = (figure, want) => expect(figure.getByRole('figure')).toHaveAttribute('data-state', want);
const engines = (page) => page.locator('html > iframe');

test('ten figures wait, and then share one frame that may only run scripts', async ({ page, baseURL, guard }) => {
  await host(page, baseURL, guard, Array.from({ length: 10 }, (_, i) => tag(baseURL, `v=3&n=${i}`, 'only="throughput"')).join(''));
  const figures = page.locator('spill-figure');
  await expect(page.getByAltText('as printed')).toHaveCount(10);
  await expect(page.locator('iframe')).toHaveCount(0);
  for (const i of [3, 7]) await figures.nth(i).getByRole('button', { name: 'Run here' }).click();
  for (const i of [3, 7]) {
    await state(figures.nth(i), 'live');
    await expect(figures.nth(i).getByRole('status')).toHaveText('G10 at 10 GiB, for throughput.');
    await expect(figures.nth(i).getByRole('link')).toHaveAttribute('href', `${baseURL}mock/#v=3&n=${i}&gpu_memory=10`);
  }
  await expect(engines(page)).toHaveCount(1);
  await expect(engines(page)).toHaveAttribute('sandbox', 'allow-scripts');
  await expect(figures.nth(3).getByRole('img', { name: 'G10 reaches 80 %.' })).toBeVisible();
  await expect(page.getByAltText('as printed').nth(3)).toBeHidden();
  await figures.nth(3).getByText('Numbers').click();
  await expect(figures.nth(3).getByRole('row')).toHaveText(['system%', 'G1080', 'UVM20']);
  // The last that is put away, or leaves the page, takes the frame along.
  await figures.nth(3).getByRole('button', { name: 'Reset' }).click();
  await state(figures.nth(3), 'static');
  await expect(page.getByAltText('as printed').nth(3)).toBeVisible();
  await expect(engines(page)).toHaveCount(1);
  await figures.nth(7).evaluate((f) => f.remove());
  await expect(page.locator('iframe')).toHaveCount(0);
});

test('settings are turned with the keyboard, and what comes out is said', async ({ page, baseURL, guard }) => {
  await host(page, baseURL, guard, tag(baseURL, 'v=3', 'controls="gpu_memory, mode, nothing" alt="x"'));
  const figure = page.locator('spill-figure');
  await page.keyboard.press('Tab');
  await page.keyboard.press('Enter');
  await state(figure, 'live');
  await expect(figure.getByRole('button')).toBeFocused();
  const memory = figure.getByLabel('GPU memory, GiB (1 to 1024)');
  await memory.fill('40');
  await memory.press('Enter');
  await expect(figure.getByRole('status')).toHaveText('G10 at 40 GiB, for all.');
  await expect(memory).toBeFocused();
  await expect(figure.getByRole('link')).toHaveAttribute('href', /gpu_memory=40$/);
  await memory.fill('4000');
  await memory.press('Enter'); // the browser says what is allowed
  await figure.getByLabel('Mode').selectOption('Corrected');
  await expect(figure.getByRole('status')).toHaveText('G10 at 40 GiB, for all.');
  await expect(figure.getByLabel('Mode')).toHaveValue('b');
  await expect(figure.getByRole('link')).toHaveAttribute('href', /gpu_memory=40$/); // what was turned before stays
});

test('the theme of the page, print and other settings of people', async ({ page, baseURL, guard }) => {
  await host(page, baseURL, guard, tag(baseURL, 'v=3', 'controls="gpu_memory"') + tag(baseURL, 'v=3', 'theme="dark"'));
  const [follows, fixed] = [page.locator('spill-figure').first(), page.locator('spill-figure').last()];
  await follows.getByRole('button').click();
  await fixed.getByRole('button').click();
  await state(fixed, 'live');
  const theme = (figure, want) => expect.poll(() => figure.locator('.live img').getAttribute('src')).toContain(encodeURIComponent(`<title>${want}<`));
  await theme(follows, 'light');
  await theme(fixed, 'dark');
  // As documentation tools do it: with a button, a class and colors of their own.
  await page.evaluate(() => { document.body.style.cssText = 'background:#111;color:#eee'; });
  await theme(follows, 'dark');
  await page.evaluate(() => { document.body.style.cssText = ''; });
  await theme(follows, 'light');
  await page.emulateMedia({ colorScheme: 'dark' });
  await theme(follows, 'dark');
  await page.emulateMedia({ media: 'print' });
  await expect(page.getByAltText('as printed').first()).toBeVisible();
  await expect(follows.locator('.live')).toBeHidden();
  await expect(follows.getByRole('button')).toBeHidden();
  await page.emulateMedia({ media: 'screen', forcedColors: 'active', reducedMotion: 'reduce' });
  await expect(follows.locator('.live')).toBeVisible();
});

test('a frame that fails, says nothing or is cancelled leaves the picture', async ({ page, baseURL, guard }) => {
  await host(page, baseURL, guard, tag(baseURL, 'broken') + tag(baseURL, 'silent', 'timeout="1"') + tag(baseURL, 'v=3', 'timeout="1"', still, 'mockmute') + tag(baseURL, 'silent') + tag(baseURL, 'v=3') + tag('javascript:', 'v=3') + tag(baseURL, 'unreadable'));
  const figures = page.locator('spill-figure');
  const failure = async (i, says) => {
    await figures.nth(i).getByRole('button', { name: 'Run here' }).click();
    await expect(figures.nth(i).getByRole('status')).toHaveText(says);
    await state(figures.nth(i), 'error');
    await expect(page.getByAltText('as printed').nth(i)).toBeVisible();
  };
  await failure(0, 'This figure could not be run: it broke on purpose.');
  await figures.first().evaluate((f) => f.setAttribute('src', f.getAttribute('src').replace('broken', 'v=3')));
  await figures.first().getByRole('button', { name: 'Run here' }).click();
  await state(figures.first(), 'live');
  await failure(1, `This figure could not be run: no answer from ${baseURL}mock/ within 1 s.`);
  await figures.nth(1).getByRole('button', { name: 'Try again' }).click();
  await state(figures.nth(1), 'error');
  await failure(2, `This figure could not be run: no answer from ${baseURL}mockmute/ within 1 s.`);
  await failure(5, 'This figure could not be run: src is no address of a Spillway.');
  await failure(6, 'This figure could not be run: there is no such chart.');
  // One waits behind another that is cancelled.
  await figures.nth(3).getByRole('button').click();
  await figures.nth(4).getByRole('button').click();
  await state(figures.nth(4), 'loading');
  await figures.nth(3).getByRole('button', { name: 'Cancel' }).click();
  await state(figures.nth(3), 'static');
  await state(figures.nth(4), 'live');
});

test('a page whose policy forbids the frame or the picture says so', async ({ page, baseURL, guard }) => {
  const { origin } = new URL(baseURL);
  guard.expect(/Content Security Policy|security policy/);
  await host(page, baseURL, guard, tag(baseURL, 'v=3'), `default-src 'none'; script-src ${origin}`);
  const figure = page.locator('spill-figure');
  await figure.getByRole('button').click();
  await expect(figure.getByRole('status')).toContainText("this page's policy (frame-src) does not allow");
  await page.unroute('**/host.html');
  await host(page, baseURL, guard, tag(baseURL, 'v=3'), `default-src 'none'; script-src ${origin}; frame-src ${origin}`);
  await figure.getByRole('button').click();
  await expect(figure).toContainText('The picture is not shown');
  await expect(figure.getByRole('status')).toHaveText('G10 at 10 GiB, for all.');
});

test('nothing that a hostile frame says is believed', async ({ page, baseURL, guard }) => {
  await host(page, baseURL, guard, `${tag(baseURL, 'hostile', 'controls="x,gpu_memory"')}${tag(baseURL, 'v=3')}<iframe title="another" src="${baseURL}mock/?embed=engine" sandbox="allow-scripts"></iframe>`);
  const [bad, good] = [page.locator('spill-figure').first(), page.locator('spill-figure').last()];
  await bad.getByRole('button').click();
  await state(bad, 'live');
  await expect(bad.getByRole('status')).toContainText('<script>parent.ran');
  await expect(bad.getByRole('link')).toHaveAttribute('href', `${baseURL}mock/#javascript:ran=true`);
  const inside = await bad.evaluate((f) => [...f.shadowRoot.querySelectorAll('script, iframe, object, svg, [onerror], .live img')].map((e) => `${e.localName} ${e.getAttribute('src')?.slice(0, 19)}`));
  expect(inside).toEqual(['img data:image/svg+xml,']);
  expect(await bad.evaluate((f) => f.shadowRoot.querySelectorAll('td, th').length)).toBeLessThan(17_000);
  await expect(bad.locator('form label')).toHaveCount(2);
  // Another frame answers what it was not asked.
  await good.getByRole('button').click();
  await state(good, 'live');
  await page.frames().find((f) => f.parentFrame() && f.url().endsWith('engine') && f !== page.mainFrame()).evaluate(() => {
    for (let id = 0; id < 40; id++) parent.postMessage({ spillway: 1, type: 'error', id, message: 'no' }, '*');
  });
  await expect(good.getByRole('status')).toHaveText('G10 at 10 GiB, for all.');
  await state(good, 'live');
  expect(await page.evaluate(() => window.ran)).toBeUndefined();
});

test('frame shows the page itself, as high as it says within limits', async ({ page, baseURL, guard }) => {
  await host(page, baseURL, guard, tag(baseURL, 'v=3&x=1', 'frame="edit" only="throughput" hide="head" alt="A comparison"'));
  const figure = page.locator('spill-figure');
  await figure.getByRole('button').click();
  await state(figure, 'live');
  const frame = figure.locator('iframe');
  await expect(frame).toHaveAttribute('title', 'A comparison');
  await expect(frame).toHaveAttribute('src', `${baseURL}mock/?embed=edit&theme=light&only=throughput&hide=head#v=3&x=1`);
  await expect(frame).toHaveAttribute('sandbox', /^(?!.*same-origin)/);
  await expect(frame).toHaveCSS('height', '20000px');
  await figure.getByRole('button', { name: 'Reset' }).press('Enter');
  await expect(page.locator('iframe')).toHaveCount(0);
});

test('run="view" waits until the figure is seen', async ({ page, baseURL, guard }) => {
  await host(page, baseURL, guard, '<p>…</p>'.repeat(100) + tag(baseURL, 'v=3', 'run="view" picture="data:image/svg+xml,x"', ''));
  const figure = page.locator('spill-figure');
  await state(figure, 'static');
  await expect(page.locator('iframe')).toHaveCount(0);
  await figure.scrollIntoViewIfNeeded();
  await state(figure, 'live');
  await screenshot(page, 'figure-mock');
});
