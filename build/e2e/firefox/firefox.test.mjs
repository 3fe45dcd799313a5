// The way through the page in Firefox: over WebDriver BiDi, because Playwright's
// driver needs a Firefox of its own. FIREFOX is the browser; see firefox.mjs.
import assert from 'node:assert/strict';
import path from 'node:path';
import test, { after, before } from 'node:test';
import puppeteer from 'puppeteer-core';
import { serveZip, single } from '../plain.mjs';
import { inPage, natively, some } from '../worker.mjs';

const root = path.resolve(import.meta.dirname, '../../..');
const opened = 'v=2&lab=train&model=bert-base&batch=16&times=as-paper';
const patience = { timeout: 0, polling: 100 }; // a slow machine takes longer; a test's own end is for what hangs

let browser;

before(async () => {
  browser = await puppeteer.launch({
    browser: 'firefox',
    executablePath: process.env.FIREFOX,
    headless: true,
    // No network but this machine's: everything else goes to a port where nobody is.
    extraPrefsFirefox: { 'network.proxy.type': 1, 'network.proxy.http': '127.0.0.1', 'network.proxy.http_port': 9, 'network.proxy.ssl': '127.0.0.1', 'network.proxy.ssl_port': 9 },
  });
}, { timeout: 1_800_000 });
after(() => browser?.close());

// open returns a new tab with the page, and what it complained about.
async function open(url) {
  const page = await browser.newPage();
  const complaints = [];
  page.on('console', (m) => { if (m.type() === 'error' || /^(panic|fatal error):/.test(m.text())) complaints.push(m.text()); });
  page.on('pageerror', (err) => complaints.push(String(err)));
  await page.setViewport({ width: 1440, height: 900 });
  await page.goto(url);
  await computed(page);
  return { page, complaints };
}

// computed waits until the program has taken over and nothing runs any more.
async function computed(page) {
  await page.waitForFunction(() => !document.querySelector('[data-first]') && document.querySelector('#cancel')
    && !/^Computing/.test(document.querySelector('#headline').textContent), patience);
  await page.evaluate(() => new Promise((done) => { setTimeout(done, 400); })); // it draws four times a second at the least
  await page.waitForFunction(() => !document.querySelector('#cancel').checkVisibility({ visibilityProperty: true }), patience);
}

const text = (page, selector) => page.$eval(selector, (e) => e.textContent);
const value = (page, selector) => page.$eval(selector, (e) => e.value);

async function unfold(page) {
  await page.$eval('#open-settings', (button) => button.click());
  await page.$$eval('.fold[aria-expanded=false]', (folds) => folds.forEach((fold) => fold.click()));
  await page.waitForFunction(() => !document.querySelector('.fold[aria-expanded=false]'), patience);
}

// same expects the same bytes of the page's programs as natively.
async function same(page) {
  for (const jobs of [await some('train', 'model=bert-base batch=16 gpu_memory=4 mode=corrected'), await some('store', '')]) {
    const ours = (await natively(jobs)).map((a) => a.Error || a.Hash);
    assert.ok(ours.every((hash) => hash.length > 30), ours.join());
    assert.deepEqual((await inPage(page, jobs)).map((a) => a.Hash), ours);
  }
}

// walk goes through the page: charts, a setting, another laboratory, a file, a link.
async function walk(page) {
  assert.match(await text(page, '#context'), /BERT/);
  assert.ok(await page.$$eval('canvas', (all) => all.some((c) => c.width > 100)), 'no chart is drawn');

  await unfold(page);
  const before = await text(page, '#headline');
  await page.click('#f-gpu_memory', { count: 3 });
  await page.keyboard.type('4');
  await page.keyboard.press('Enter');
  await page.waitForFunction(() => location.hash.includes('gpu_memory=4'), patience);
  await page.waitForFunction((was) => document.querySelector('#headline').textContent !== was, patience, before);
  await computed(page);

  // The link shows the same again.
  const [shown, link] = await Promise.all([text(page, '#headline'), page.evaluate(() => location.href)]);
  await page.reload();
  await computed(page);
  assert.equal(await page.evaluate(() => location.href), link);
  assert.equal(await text(page, '#headline'), shown);
  await unfold(page);
  assert.equal(await value(page, '#f-gpu_memory'), '4');

  const files = await page.$('#pick-files');
  await files.uploadFile(path.join(root, 'traces/spillway/testdata/tiny.json'));
  await page.waitForFunction(() => /Two layers/.test(document.querySelector('#context').textContent), patience);
  await computed(page);

  await page.evaluate(() => { location.hash = 'v=2&lab=store'; });
  await page.waitForFunction(() => /^Object store/.test(document.title), patience);
  await computed(page);
  assert.ok(await page.$$eval('canvas', (all) => all.some((c) => c.width > 100)), 'no chart is drawn');
  await overTime(page);
}

// overTime draws two runs in one picture and finds the longest wait by the keyboard; the numbers of
// what is in view come with a script of their own.
async function overTime(page) {
  await page.evaluate(() => { location.hash = 'v=4-by-hand&lab=train&model=bert-base&batch=16&times=as-paper&gpu_memory=2&host_memory=0&systems=ideal,uvm,g10&focus=uvm&view=timeline&against=g10'; });
  await page.waitForFunction(() => window.timeline?.view?.run.sides.length === 2 && /In view/.test(document.querySelector('#timeline-view')?.textContent), patience);
  assert.ok(await page.evaluate(() => new Set(window.timeline.view.buffer).size) > 6, 'nothing is drawn');
  await page.focus('#timeline-canvas');
  await page.keyboard.type('}');
  await page.waitForFunction(() => document.querySelector('#timeline-details .tl-chain li'), patience);
  await page.$eval('.tl-box summary', (summary) => summary.click());
  await page.waitForFunction(() => document.querySelectorAll('#timeline-table caption').length === 4, patience);
}

test('the site, and without its server', { timeout: 1_800_000 }, async () => {
  const site = await serveZip();
  let running = true;
  try {
    const { page, complaints } = await open(`${site.url}#${opened}`);
    await walk(page);
    await page.waitForFunction(() => navigator.serviceWorker.controller, patience);
    await site.close();
    running = false;
    await page.goto(`${site.url}#${opened}`);
    await page.reload();
    await computed(page);
    await same(page);
    assert.deepEqual(complaints, []);
    await page.close();
  } finally {
    if (running) await site.close();
  }
});

test('the single file', { timeout: 1_800_000 }, async () => {
  const { page, complaints } = await open(`${single}#${opened}`);
  await walk(page);
  await same(page);
  assert.deepEqual(complaints, []);
  await page.close();
});
