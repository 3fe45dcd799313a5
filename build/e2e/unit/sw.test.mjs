// What the service worker keeps when a new version comes, without a browser.
import assert from 'node:assert/strict';
import { createHash, webcrypto } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { test } from 'node:test';
import vm from 'node:vm';

const source = readFileSync(new URL('../../../public/sw.js', import.meta.url), 'utf8');

// install runs a version's worker over what is kept, on a host that sends a policy or
// none, and may redirect pages: what it asked the host for, and how it answers then.
async function install(stored, version, files, policy, redirects = false) {
  const asked = [];
  const events = {};
  const answer = (name) => Object.defineProperty(
    new Response(name, { headers: policy ? { 'Cross-Origin-Embedder-Policy': policy } : {} }),
    'redirected',
    { value: redirects && name.endsWith('.html') },
  );
  const cache = (name) => stored[name] ??= new Map();
  const self = { location: 'https://example.org/lab/sw.js', addEventListener: (type, does) => { events[type] = does; }, clients: { matchAll: async () => [] } };
  const caches = {
    open: async (name) => ({ put: async (url, response) => { cache(name).set(url, response); } }),
    match: async (url, { cacheName }) => Object.entries(stored).filter(([name]) => !cacheName || name === cacheName).map(([, all]) => all.get(url)).find(Boolean)?.clone(),
    delete: async (name) => delete stored[name],
  };
  const code = source.replace("BUILD = ''", `BUILD = '${version}'`).replace('FILES = {}', `FILES = ${JSON.stringify(files)}`);
  assert.notEqual(code, source);
  const fetch = async (request) => {
    const name = request.url?.slice('https://example.org/lab/'.length) ?? request;
    asked.push(name);
    return answer(name);
  };
  vm.runInNewContext(code, { self, caches, URL, Response, Uint8Array, btoa, crypto: webcrypto, fetch });
  await new Promise((resolve, reject) => { events.install({ waitUntil: (done) => done.then(resolve, reject) }); });
  const get = (name) => new Promise((resolve) => {
    events.fetch({ request: { method: 'GET', url: `https://example.org/lab/${name}`, integrity: '' }, respondWith: resolve });
  });
  return { asked: asked.toSorted(), get, later: () => asked.splice(0) };
}

const one = { './': 'a', 'worker.js': 'b', 'app.wasm': 'c' };
const two = { ...one, './': 'd', 'app.wasm': 'e' };

const policyOf = (response) => response.headers.get('Cross-Origin-Embedder-Policy');

test('a new version loads what is new', async () => {
  for (const policy of ['', 'require-corp']) {
    const stored = {};
    assert.deepEqual((await install(stored, 'one', one, policy)).asked, ['./', 'app.wasm', 'worker.js']);
    assert.deepEqual((await install(stored, 'two', two, policy)).asked, ['./', 'app.wasm']);
    assert.equal(stored['spillway /lab/ two'].size, 3);
  }
});

test('what came under another policy is loaded again, and given to nobody who needs the new one', async () => {
  for (const [before, after] of [['', 'require-corp'], ['require-corp', '']]) {
    const stored = {};
    await install(stored, 'one', one, before);
    const { asked, get } = await install(stored, 'two', two, after);
    assert.deepEqual(asked, ['./', 'app.wasm', 'worker.js']);
    assert.equal(policyOf(await get('worker.js')), after || null);
  }
});

// hash is what a content is kept under: here every file has its name for a content.
const hash = (name) => `sha256-${createHash('sha256').update(name).digest('base64')}`;

test('what is damaged in the cache comes from the network, once', async () => {
  const stored = {};
  const { get, later } = await install(stored, 'one', { './': hash('./'), 'worker.js': hash('worker.js') }, '');
  const kept = stored['spillway /lab/ one'];
  const place = [...kept.keys()].find((url) => url.includes('worker.js'));
  kept.set(place, new Response('worker'));
  later();
  assert.equal(await (await get('worker.js')).text(), 'worker.js');
  assert.deepEqual(later(), ['worker.js']);
  assert.equal(await (await get('worker.js')).text(), 'worker.js');
  assert.deepEqual(later(), []);
});

// Browsers take no redirected answer for a page that was asked for by its own name.
test('documents are kept as they are where a host redirects a.html to a', async () => {
  const stored = {};
  const { get } = await install(stored, 'one', { ...one, 'docs/a.html': hash('docs/a.html') }, 'require-corp', true);
  assert.equal([...stored['spillway /lab/ one'].values()].some((response) => response.redirected), false);
  const page = await get('docs/a.html');
  assert.equal(await page.text(), 'docs/a.html');
  assert.equal(policyOf(page), 'require-corp');
});
