// What every browser test uses instead of @playwright/test:
//
//   import { test, expect, finished, visit, saved, screenshot } from '../fixture.mjs';
//
// Tests get the tab of the test before, emptied: its process has the programs
// compiled, which is most of what a first visit costs. There is no service worker. A
// test about first visits, service workers or memory has the tag @fresh and gets a
// browser profile of its own; one that measures time has @alone as well, and runs
// after the others. See playwright.config.mjs.
//
// A test fails when the page logs an error, throws, breaks the site's content
// security policy, or asks for anything outside the site. A test that provokes
// such a thing on purpose says so first: guard.expect(/regular expression/).
//
// No test ends because a machine is slow: one that waits ends when its browser has
// done nothing for a minute. Tests name no limits of their own.
import { readFileSync, readdirSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import path from 'node:path';
import { expect, test as base } from '@playwright/test';

export { expect };

// Complaints collects what went wrong in one test.
class Complaints {
  #found = [];
  #expected = [];

  add(kind, text) {
    this.#found.push(`${kind}: ${text}`);
  }

  // expect names a complaint that this test means to cause.
  expect(pattern) {
    this.#expected.push(pattern);
  }

  // all returns everything, expected or not.
  all() {
    return [...this.#found];
  }

  // list returns what nobody expected.
  list() {
    return this.#found.filter((text) => !this.#expected.some((pattern) => pattern.test(text)));
  }
}

const STILL = 60_000; // ms: how long a browser may do nothing
const TICK = 5000; // ms
const IDLE = 0.05; // of a processor: less is what waiting itself takes

export const test = base.extend({
  // progress moves the end of a test away while its browser computes, or while the test does
  // so itself: then a tick comes late.
  progress: [async ({ browser }, use, testInfo) => {
    const begun = Date.now();
    const goOn = () => testInfo.setTimeout(Date.now() - begun + STILL);
    const session = await browser.newBrowserCDPSession();
    let [spent, due, over] = [0, begun + TICK, false];
    const timer = setInterval(async () => {
      if (Date.now() > due + TICK) goOn();
      due = Date.now() + TICK;
      const { processInfo } = await session.send('SystemInfo.getProcessInfo').catch(() => ({ processInfo: [] }));
      const now = processInfo.reduce((sum, { cpuTime }) => sum + cpuTime, 0);
      if (!over && now - spent > IDLE * TICK / 1000) goOn();
      spent = now;
    }, TICK);
    await use();
    over = true;
    clearInterval(timer);
    await session.detach().catch(() => {});
  }, { auto: true }],
  guard: [async ({ context, baseURL }, use, { testId }) => {
    const guard = new Complaints();
    const origin = new URL(baseURL).origin;
    context.on('console', (message) => {
      // What the Go program says before it ends comes as an ordinary message.
      if (message.type() === 'error' || /^(panic|fatal error):/.test(message.text())) guard.add('console', message.text());
    });
    context.on('weberror', (error) => guard.add('page error', String(error.error())));
    // Workers and the service worker ask through the context as well.
    context.on('request', (request) => {
      const url = new URL(request.url());
      const local = url.protocol === 'data:' || url.protocol === 'blob:';
      if (!local && url.origin !== origin) guard.add('foreign request', request.url());
    });
    await context.exposeFunction('reportViolation', (text) => guard.add('security policy', text));
    await context.addInitScript(() => {
      addEventListener('securitypolicyviolation', (e) => {
        window.reportViolation(`${e.violatedDirective} blocked ${e.blockedURI} at ${e.sourceFile}:${e.lineNumber}`);
      });
    });
    // Tests use the settings, which stand beside the results when that was asked for once,
    // and have been here before.
    await context.addInitScript(() => {
      if (self !== top) return; // frames keep nothing
      try { for (const name of ['spillway-docked', 'spillway-visited']) localStorage.setItem(name, localStorage.getItem(name) ?? 'yes'); } catch { /* a document without storage */ }
    });
    // A tab keeps its session's storage; the test before left some.
    await context.addInitScript((id) => {
      if (self !== top) return;
      try {
        if (sessionStorage.getItem('test') !== id) sessionStorage.clear();
        sessionStorage.setItem('test', id);
      } catch { /* a document without storage */ }
    }, testId);
    await use(guard);
    const complaints = guard.list();
    if (complaints.length > 0) throw new Error(`The page must stay free of these:\n  ${complaints.join('\n  ')}`);
  }, { auto: true }],
});

// live waits until the Go program has replaced what index.html shows first.
export async function live(page) {
  await expect(page.locator('[data-first]')).toHaveCount(0);
}

// finished waits until the page shows what was last done to it and nothing is under
// way, which the page itself says. That the button to cancel is there and hidden says
// that the view is there, too.
export async function finished(page, { cancel = '#cancel' } = {}) {
  await page.waitForFunction((id) => window.tools?.settled() && document.querySelector(id)?.checkVisibility({ visibilityProperty: true }) === false, cancel, { polling: 100 });
}

// unfold opens all panels of settings; in a narrow window they are in a drawer,
// which the test opens itself.
export async function unfold(page) {
  await page.locator('.side').first().waitFor({ state: 'attached' });
  await page.evaluate(() => {
    for (const fold of document.querySelectorAll('.fold[aria-expanded=false]')) fold.click();
  });
  await expect(page.locator('.fold[aria-expanded=false]')).toHaveCount(0);
}

// opened opens a section of a laboratory, if it is folded, and returns it.
export async function opened(page, key) {
  const button = page.locator(`#open-${key}`);
  await button.waitFor({ state: 'attached' });
  if (await button.isVisible() && await button.getAttribute('aria-expanded') === 'false') await button.click();
  return page.locator(`#section-${key}`);
}

// tool presses a button of the bar, which may be in its menu.
export async function tool(page, id) {
  const button = page.locator(`#${id}`);
  await expect(button.or(page.locator('#more')).filter({ visible: true }).first()).toBeVisible();
  if (!await button.isVisible()) await page.click('#more');
  await page.click(`#${id}`);
}

// enter goes to a laboratory by the menu of them.
export async function enter(page, name) {
  await page.click('#labs');
  await page.click(`#lab-${name}`);
}

// visit opens an address of the page and waits until every system has run and
// every setting is in sight.
export async function visit(page, url) {
  await page.goto(url);
  await live(page);
  await expect(page.locator('#headline')).not.toHaveText(/^Computing/);
  await unfold(page);
  await finished(page);
}

// charts looks at every chart, as one is drawn only when it comes into sight, goes back to
// where the page was, and wants n of them.
export async function charts(page, n) {
  await page.evaluate(async () => {
    const at = [scrollX, scrollY];
    for (const plot of document.querySelectorAll('.plot')) {
      if (!plot.checkVisibility()) continue;
      plot.scrollIntoView({ block: 'center', behavior: 'instant' });
      const drawn = () => plot.querySelector('.plot-host[data-drawn=true]');
      for (let frames = 0; frames < 60 && !drawn(); frames++) await new Promise(requestAnimationFrame);
      while (!window.charts.settled()) await new Promise(requestAnimationFrame);
    }
    scrollTo({ left: at[0], top: at[1], behavior: 'instant' });
  });
  await expect(page.locator('.plot-host[data-drawn=true]')).toHaveCount(n);
}

// seen scrolls to the place of a chart, which is drawn then, and returns it.
export async function seen(page, id) {
  const plot = page.locator(`#chart-${id}`);
  await plot.scrollIntoViewIfNeeded();
  const host = plot.locator('.plot-host[data-drawn=true]');
  await expect(host).toBeVisible();
  return host;
}

// saved chooses a format in a menu "Save" and returns the file: its name and bytes.
export async function saved(page, menu, format) {
  await page.click(`#save-${menu}`);
  const [d] = await Promise.all([page.waitForEvent('download'), page.click(`#${format}-${menu}`)]);
  return { name: d.suggestedFilename(), data: await readFile(await d.path()) };
}

// drop gives files to the page as if they were dragged onto it: names, each with a text
// or with bytes.
export async function drop(page, files) {
  const list = Object.entries(files).map(([name, content]) => [name, Buffer.from(content).toString('base64')]);
  await page.evaluate((all) => {
    const transfer = new DataTransfer();
    for (const [name, data] of all) transfer.items.add(new File([Uint8Array.from(atob(data), (c) => c.charCodeAt(0))], name));
    document.body.dispatchEvent(new DragEvent('drop', { bubbles: true, cancelable: true, dataTransfer: transfer }));
  }, list);
}

// screenshot saves the page as build/out/screenshots/NAME.png for people to look at.
export function screenshot(page, name, options = {}) {
  const file = path.join(import.meta.dirname, '../out/screenshots', `${name}.png`);
  return page.screenshot({ path: file, animations: 'disabled', ...options });
}

// resident returns the largest resident set in MiB that a renderer of this process's
// browser has had; 0 where there is no /proc.
export function resident() {
  let most = 0;
  const status = (pid) => readFileSync(`/proc/${pid}/status`, 'utf8');
  const ours = (pid) => pid === process.pid || pid > 1 && ours(Number(/PPid:\s+(\d+)/.exec(status(pid))[1]));
  try {
    for (const pid of readdirSync('/proc').filter((name) => /^\d+$/.test(name)).map(Number)) {
      try {
        if (!readFileSync(`/proc/${pid}/cmdline`, 'utf8').includes('--type=renderer') || !ours(pid)) continue;
        most = Math.max(most, Number(/VmHWM:\s+(\d+)/.exec(status(pid))[1]) / 1024);
      } catch { /* it has ended */ }
    }
  } catch { /* not Linux */ }
  return most;
}
