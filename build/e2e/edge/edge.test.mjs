// Runs the optional host (wasm/edge) in workerd over the built site.
import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { readFile } from 'node:fs/promises';
import path from 'node:path';
import test from 'node:test';
import { gzipSync } from 'node:zlib';
import { FIRST, root, start } from './host.mjs';

// host starts workerd for a test.
function host(t, through) {
  const mf = start(through);
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
  assert.equal(post.status, 413);
  assert.match(await post.text(), /^the request has a body of 2097152 bytes; this host reads none, and takes at most 65536\. Files are for the page/, 'the Go program answers in words');
  const small = await get('/', { method: 'POST', body: 'x' });
  assert.equal(small.status, 405);
  assert.equal(await small.text(), 'only GET and HEAD\n');
  const after = await get('/');
  assert.equal(after.status, 200, 'the request after a refused one');
});

test('the README says how large the program is', async () => {
  const program = await readFile(path.join(root, 'build/worker/app.wasm'));
  const [, whole, packed] = /The program is (\S+) MB, (\S+) MB with gzip/.exec(await readFile(path.join(root, 'wasm/edge/README.md'), 'utf8'));
  for (const [said, is] of [[whole, program.length], [packed, gzipSync(program).length]]) {
    assert.ok(Math.abs(said * 1e6 / is - 1) < 0.05, `${said} MB, and it has ${is} bytes`);
  }
});

test('figures for the asking', async (t) => {
  const get = host(t, FIRST);
  const address = '/figure/g10-paper.svg?batch=16&gpu_memory=2&systems=ideal,uvm&chart=throughput';
  const first = await get(address);
  const svg = await first.text();
  assert.equal(first.status, 200, svg);
  assert.equal(first.headers.get('content-type'), 'image/svg+xml; charset=utf-8');
  assert.equal(first.headers.get('access-control-allow-origin'), '*');
  assert.match(first.headers.get('content-security-policy'), /default-src 'none'/);
  assert.equal(first.headers.get('x-spillway-cache'), 'miss');
  const tag = first.headers.get('etag');
  assert.match(tag, /^"[0-9a-f]{32}"$/);

  // The same core: the native command draws the same bytes of the same link.
  const [, link] = /<s:view [^>]* link="([^"]*)"/.exec(svg);
  const version = /<s:view [^>]* version="([^"]*)"/.exec(svg)[1];
  assert.equal(version, /id="version">([^<]+)</.exec(await site('index.html'))[1], 'the version of the site');
  const native = spawnSync('go', ['run', './build/spillway', 'figure', link.replaceAll('&amp;', '&'), '--chart', 'throughput', '--theme', 'auto'], { cwd: root, encoding: 'utf8' });
  assert.equal(native.status, 0, native.stderr);
  // Of another program: its version, and what hangs on it.
  const same = (text) => text.replaceAll(/ version="[^"]*"/g, '').replaceAll(/>Spillway[^<]*</g, '><');
  assert.equal(same(native.stdout), same(svg));

  const again = await get('/figure/g10-paper.svg?gpu_memory=2.0&systems=uvm,ideal&batch=16');
  assert.equal(again.headers.get('x-spillway-cache'), 'hit', 'the same run in other words');
  assert.equal(await again.text(), svg);
  const known = await get(address, { headers: { 'if-none-match': tag } });
  assert.equal(known.status, 304);
  assert.equal((await get(address, { method: 'HEAD' })).headers.get('etag'), tag);

  // Presets of other laboratories.
  for (const [preset, system] of [['mail-server', 'bytefs'], ['llama3-8b', 'ideal']]) {
    const r = await get(`/figure/${preset}.svg?systems=${system}`);
    const text = await r.text();
    assert.equal(r.status, 200, text);
    assert.match(text, /^<svg/);
  }

  for (const [wrong, status, says] of [
    ['/figure/g10-paper.svg?gpu_memory=lots', 400, /GPU memory/],
    ['/figure/store.svg?workload=networks&model=resnet-152&clients=8', 422, /too much work for this host/],
    ['/figure/filesys.svg?workload=varmail&calls=1000000000000&systems=bytefs', 422, /too much work for this host/],
    ['/figure/g10-paper.svg?batch=4097', 422, /too much work for this host/],
    [`/figure/g10-paper.svg?${'a'.repeat(2000)}`, 414, /at most 1000/],
    ['/figure/%3Cscript%3E.svg', 404, /there is no preset/],
  ]) {
    const r = await get(wrong);
    const text = await r.text();
    assert.equal(r.status, status, text);
    assert.match(text, says);
    assert.match(r.headers.get('content-type'), /^text\/plain/);
  }
});

test('a large figure of what the page opens on', async (t) => {
  const get = host(t, FIRST);
  const r = await get('/figure/gpt2-xl-rtx-4090.svg?chart=memory&theme=dark&systems=deepum%2B,g10');
  const svg = await r.text();
  assert.equal(r.status, 200, svg);
  assert.match(svg, /^<svg /);
});

test('a page about a figure and how to embed it', async (t) => {
  const get = host(t, FIRST);
  const page = await get('/f/g10-paper?batch=16&chart=causes');
  const html = await page.text();
  assert.equal(page.status, 200, html);
  assert.match(html, /<meta property="og:title" content="Time beyond ideal, by what it was spent on/);
  assert.match(html, /<meta name="twitter:card" content="summary_large_image">/);
  const [, oembed] = /<link rel="alternate" type="application\/json\+oembed" href="http:\/\/spillway\.test([^"]+)"/.exec(html);
  const answer = await get(oembed.replaceAll('&amp;', '&'));
  const card = await answer.json();
  assert.equal(card.type, 'rich');
  assert.match(card.html, /^<iframe src="http:\/\/spillway\.test\/\?embed=view&amp;only=causes#v=/);
  const picture = await get(new URL(card.thumbnail_url).pathname);
  assert.equal(picture.headers.get('content-type'), 'image/png');
  await picture.arrayBuffer();
  assert.equal((await get('/oembed?url=https%3A%2F%2Felsewhere.test%2F')).status, 404);
  assert.equal((await get('/f/nothing')).status, 404);
});
