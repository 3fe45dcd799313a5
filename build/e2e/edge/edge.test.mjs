// Runs the optional host (wasm/edge) in workerd over the built site.
import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import path from 'node:path';
import test from 'node:test';
import { fileURLToPath } from 'node:url';
import { Miniflare } from 'miniflare';

const root = path.resolve(path.dirname(fileURLToPath(import.meta.url)), '../../..');
const worker = (name) => path.join(root, 'build/worker', name);

// host starts workerd; through lists the paths that go through the Go program
// even when a file of that name exists.
function host(t, through) {
  const mf = new Miniflare({
    modulesRoot: worker(''),
    modules: [
      { type: 'ESModule', path: worker('worker.mjs') },
      { type: 'ESModule', path: worker('wasm_exec.js') },
      { type: 'ESModule', path: worker('runtime.mjs') },
      { type: 'CompiledWasm', path: worker('app.wasm') },
    ],
    compatibilityDate: '2026-04-01',
    cf: false,
    assets: {
      directory: path.join(root, 'dist'),
      binding: 'ASSETS',
      routerConfig: { has_user_worker: true, static_routing: { user_worker: through } },
      assetConfig: { not_found_handling: '404-page' },
    },
  });
  t.after(() => mf.dispose());
  return (file, init) => mf.dispatchFetch(`http://spillway.test${file}`, init);
}

const site = (name) => readFile(path.join(root, 'dist', name));

test('the files of the site, answered by the platform', async (t) => {
  const get = host(t, []);
  const page = await get('/');
  assert.equal(page.status, 200);
  assert.match(page.headers.get('content-type'), /^text\/html/);
  assert.match(page.headers.get('content-security-policy') ?? '', /script-src 'self' 'wasm-unsafe-eval'/);
  assert.equal(await page.text(), String(await site('index.html')));
  const program = await get('/app.wasm');
  assert.equal(program.headers.get('content-type'), 'application/wasm');
  assert.deepEqual(Buffer.from(await program.arrayBuffer()), await site('app.wasm'));
});

test('the same files, passed on by the Go program', async (t) => {
  const get = host(t, ['/*']);
  for (const [url, name, type] of [
    ['/', 'index.html', /^text\/html/],
    ['/boot.js', 'boot.js', /javascript/],
    ['/app.wasm', 'app.wasm', /^application\/wasm/],
  ]) {
    const r = await get(url);
    assert.equal(r.status, 200, url);
    assert.match(r.headers.get('content-type'), type, url);
    assert.deepEqual(Buffer.from(await r.arrayBuffer()), await site(name), url);
  }
  const head = await get('/boot.js', { method: 'HEAD' });
  assert.equal(head.status, 200);
  assert.equal(await head.text(), '');
  const moved = await get('/index.html', { redirect: 'manual' });
  assert.equal(moved.headers.get('location'), '/');
});

test('a wrong address and a wrong method', async (t) => {
  const get = host(t, ['/*']);
  const missing = await get('/no/such/page?x=1');
  assert.equal(missing.status, 404);
  assert.equal(await missing.text(), String(await site('404.html')));
  const post = await get('/', { method: 'POST', body: 'x'.repeat(2 << 20) });
  assert.equal(post.status, 405);
  assert.equal(await post.text(), 'only GET and HEAD\n', 'the Go program answers');
  const after = await get('/');
  assert.equal(after.status, 200, 'the request after a refused one');
});
