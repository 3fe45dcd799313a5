// A new version of the site reaches people who have the old one offline, and
// never takes away what they are doing.
import { spawn } from 'node:child_process';
import { createHash } from 'node:crypto';
import { cp, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { expect, live, test } from '../fixture.mjs';

const root = path.resolve(import.meta.dirname, '../../..');

// serveCopy serves a copy of the site that publish changes into a new version.
async function serveCopy() {
  const dir = await mkdtemp(path.join(tmpdir(), 'spillway-'));
  await cp(path.join(root, 'dist'), dir, { recursive: true, filter: (file) => !/\.(br|gz)$/.test(file) });
  const server = spawn(path.join(root, 'build/out/serve'), ['-dir', dir, '-addr', '127.0.0.1:0']);
  const url = await new Promise((resolve, reject) => {
    server.once('exit', () => reject(new Error('build/out/serve ended at once')));
    server.stdout.on('data', (data) => {
      const found = /http:\S+/.exec(String(data));
      if (found) resolve(found[0]);
    });
  });
  const edit = async (name, from, to) => {
    const file = path.join(dir, name);
    const text = await readFile(file, 'utf8');
    expect(text).toMatch(from);
    await writeFile(file, text.replace(from, to));
  };
  // known makes scripts expect what a file is now.
  const known = async (scripts, name, file = name) => {
    const hash = createHash('sha256').update(await readFile(path.join(dir, file))).digest('base64');
    for (const script of scripts) await edit(script, new RegExp(`"${name.replaceAll('.', '\\.')}":"sha256-[^"]*"`), `"${name}":"sha256-${hash}"`);
  };
  return {
    url,
    // change is what files of the new version have instead.
    async publish(version, change = {}) {
      for (const [name, data] of Object.entries(change)) {
        await writeFile(path.join(dir, name), data);
        await known(['boot.js', 'sw.js'], name);
      }
      await edit('index.html', /(?<=<meta name="description" content=")[^"]*/, version);
      await edit('index.html', /(?<=<meta name="build" content=")[^"]*/, version);
      await known(['sw.js'], 'boot.js');
      await known(['sw.js'], './', 'index.html');
      await edit('sw.js', /const BUILD = '[^']*'/, `const BUILD = '${version}'`);
    },
    async close() {
      server.removeAllListeners('exit');
      server.kill();
      await rm(dir, { recursive: true });
    },
  };
}

// damage puts something else in place of files that the browser keeps.
const damage = (page, names) => page.evaluate(async (names) => {
  let n = 0;
  for (const key of await window.caches.keys()) {
    const cache = await window.caches.open(key);
    for (const r of await cache.keys()) {
      if (!names.some((name) => new URL(r.url).pathname.endsWith(name))) continue;
      await cache.put(r, new Response('damaged', { headers: { 'content-type': 'application/wasm' } }));
      n++;
    }
  }
  return n;
}, names);

const shows = (page, version) => expect(page.locator('meta[name=description]')).toHaveAttribute('content', version);
const offer = (page) => page.getByRole('status').filter({ hasText: 'A newer version' });
const caches = (page) => page.evaluate(() => window.caches.keys());

test('a newer version waits until it is asked for, and takes nothing from another tab', { tag: '@fresh' }, async ({ page, context, guard }) => {
  guard.expect(/^foreign request: http:\/\/127\.0\.0\.1:/); // the copy's own port
  const site = await serveCopy();
  try {
    await site.publish('one');
    await page.goto(site.url);
    await page.waitForFunction(() => navigator.serviceWorker.controller);
    await expect(offer(page)).toHaveCount(0);
    const other = await context.newPage();
    await other.goto(site.url);
    await other.waitForFunction(() => performance.getEntriesByName('page-settled').length > 0);

    // A reload by itself brings no newer version; the page says that there is one.
    await site.publish('two', { 'store.info': 'of another version' });
    await page.reload();
    await shows(page, 'one');
    await offer(page).getByRole('button', { name: 'Reload' }).click();
    await shows(page, 'two');
    await live(page);
    await expect(offer(page)).toHaveCount(0);

    // The other tab goes on with what it is, also with what it asks for only now,
    // and without a network.
    await expect(offer(other)).toHaveCount(1);
    await context.setOffline(true);
    await other.evaluate(() => { location.hash = 'v=2&lab=store'; });
    await expect(other).toHaveTitle(/^Object store/);
    await expect(other.locator('#headline')).not.toHaveText(/^Computing/);
    await context.setOffline(false);
    expect(await caches(page)).toEqual(['spillway / one', 'spillway / two']);

    // When nobody needs it any more, the old one goes.
    await offer(other).getByRole('button', { name: 'Reload' }).click();
    await shows(other, 'two');
    await expect.poll(() => caches(page)).toEqual(['spillway / two']);
  } finally {
    await site.close();
  }
});

test('what is damaged in the kept copy is loaded again', { tag: '@fresh' }, async ({ page, guard }) => {
  guard.expect(/^foreign request: http:\/\/127\.0\.0\.1:/);
  const site = await serveCopy();
  try {
    await page.goto(`${site.url}#v=3&lab=store&clients=3`);
    await page.waitForFunction(() => navigator.serviceWorker.controller);
    expect(await damage(page, ['/app.wasm', '/store.wasm', '/boot.js'])).toBe(3);
    await page.reload();
    await live(page);
    await expect(page.locator('#headline')).not.toHaveText(/^Computing/);
    await expect(page.locator('.boot-banner')).toHaveCount(0);
    const kept = await page.evaluate(async () => {
      const cache = await window.caches.open((await window.caches.keys())[0]);
      const r = (await cache.keys()).find((x) => new URL(x.url).pathname.endsWith('/app.wasm'));
      return (await (await cache.match(r)).arrayBuffer()).byteLength;
    });
    expect(kept).toBeGreaterThan(100_000); // what came is kept in place of what was damaged
    await page.goto('about:blank');
  } finally {
    await site.close();
  }
});

test.describe('without a copy', () => {
  test.use({ serviceWorkers: 'block' });

  test('a page does not take a newer version of what it asks for later', { tag: '@fresh' }, async ({ page, guard }) => {
    guard.expect(/^foreign request: http:\/\/127\.0\.0\.1:/);
    guard.expect(/^console: .*integrity/);
    const site = await serveCopy();
    try {
      await page.goto(site.url);
      await page.waitForFunction(() => performance.getEntriesByName('page-settled').length > 0);
      await site.publish('two', { 'store.info': 'of another version' });
      await page.evaluate(() => { location.hash = 'v=2&lab=store'; });
      await expect(page.getByText('store.info: the site has a newer version now; reload the page')).toBeVisible();
      await page.reload();
      await shows(page, 'two');
      await page.goto('about:blank'); // or it asks a server that has ended
    } finally {
      await site.close();
    }
  });
});

test('where the browser has no room, the page says so and works', { tag: '@fresh' }, async ({ page, context, baseURL }) => {
  const devtools = await context.newCDPSession(page);
  await devtools.send('Storage.overrideQuotaForOrigin', { origin: new URL(baseURL).origin, quotaSize: 100_000 });
  await page.goto('./');
  await expect(page.locator('#not-kept')).toHaveText(/No copy is kept .* no room/);
  expect(await caches(page)).toEqual([]);
  await page.reload();
  await live(page);
  await live(page);
});
