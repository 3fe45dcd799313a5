// Keeps the whole site in the browser: after the first visit no network is needed.
// build/site fills in the two constants: which build the page is of, and what it has.
//
// A page keeps its version until it is reloaded. So a new worker waits until no page
// needs the old one, or until somebody presses Reload; and each content has its place
// in a cache under its hash, so that a page of another version, which asks with the
// hash it knows, gets its own.
'use strict';

const BUILD = '';
const FILES = {}; // name below this folder to the hash of its content

const SCOPE = new URL('./', self.location);
const PREFIX = `spillway ${SCOPE.pathname} `; // an origin may have several Spillways
const CACHE = PREFIX + BUILD;

const place = (name, hash) => new URL(`${name}?${encodeURIComponent(hash)}`, SCOPE).href;
// find prefers what this version keeps: what others keep may have come under another policy.
const find = async (name, hash) => await caches.match(place(name, hash), { ignoreVary: true, cacheName: CACHE }) ?? caches.match(place(name, hash), { ignoreVary: true });
const isPage = (url) => url.pathname === SCOPE.pathname || url.pathname === `${SCOPE.pathname}index.html`;

// keep fills this version's cache. What an older version has it need not load, if the
// host sends the page under the same policy as then: a browser refuses a page the
// workers that came under a laxer one. A site that changes meanwhile fails the hashes.
async function keep() {
  const cache = await caches.open(CACHE);
  const page = await load('./', FILES['./']);
  for (const [name, hash] of Object.entries(FILES)) { // one at a time: all together are 90 MB in memory
    const old = await find(name, hash);
    const same = old && policy(old) === policy(page);
    await cache.put(place(name, hash), same ? old : name === './' ? page : await load(name, hash));
  }
}

const policy = (response) => response.headers.get('Cross-Origin-Embedder-Policy');

async function load(name, hash) {
  // no-cache: ask the server whether the browser's copy is current.
  const response = await fetch(name, { cache: 'no-cache', integrity: hash });
  if (!response.ok) throw new Error(`${name}: the server answered ${response.status}`);
  // Some hosts redirect a.html to a; as an answer for a.html browsers refuse that.
  return response.redirected ? new Response(response.body, response) : response;
}

// refuse leaves nothing half behind and tells the pages.
async function refuse(err) {
  await caches.delete(CACHE).catch(() => {});
  for (const page of await self.clients.matchAll({ includeUncontrolled: true })) {
    page.postMessage({ refused: err.name, reason: err.message });
  }
}

self.addEventListener('install', (event) => {
  event.waitUntil(keep().catch(async (err) => {
    await refuse(err);
    throw err;
  }));
});

self.addEventListener('activate', (event) => event.waitUntil(self.clients.claim()));

self.addEventListener('message', (event) => {
  if (event.data === 'activate') self.skipWaiting();
  if (event.data === 'sweep') event.waitUntil(sweep());
});

// sweep removes what no page needs: not while another version is on its way, nor when
// a page does not say which it is.
async function sweep() {
  if (self.registration.installing || self.registration.waiting) return;
  const old = (await caches.keys()).filter((name) => name !== CACHE && (name.startsWith(PREFIX) || /^spillway-[0-9a-f]{16}$/.test(name)));
  if (old.length === 0) return;
  const all = await self.clients.matchAll({ type: 'window', includeUncontrolled: true });
  const builds = await Promise.all(all.filter((page) => isPage(new URL(page.url))).map(buildOf));
  if (builds.includes(undefined)) return;
  for (const name of old) {
    if (!builds.includes(name.slice(PREFIX.length))) await caches.delete(name);
  }
}

// buildOf asks a page.
function buildOf(page) {
  return new Promise((resolve) => {
    const { port1, port2 } = new MessageChannel();
    port1.onmessage = ({ data }) => resolve(data);
    setTimeout(resolve, 60_000); // a tab behind others may be slow
    page.postMessage({ which: true }, [port2]);
  });
}

self.addEventListener('fetch', (event) => {
  const url = new URL(event.request.url);
  if (event.request.method !== 'GET' || url.origin !== SCOPE.origin || !url.pathname.startsWith(SCOPE.pathname)) return;
  const below = url.pathname.slice(SCOPE.pathname.length);
  const name = isPage(url) ? './' : below;
  if (name in FILES) event.respondWith(answer(event.request, name));
});

async function answer(request, name) {
  const hash = request.integrity || FILES[name];
  const kept = await find(name, hash).then((hit) => hit && whole(hit, hash)).catch(() => {});
  // Where there is no storage any more, or what it has is damaged, there may be a network.
  return kept ?? mend(request, name, hash);
}

// whole is a kept answer if it has the content that its hash is of: nothing else checks that.
async function whole(response, hash) {
  const body = await response.arrayBuffer();
  const [kind, want] = [hash.slice(0, 6), hash.slice(7)];
  const sum = new Uint8Array(await crypto.subtle.digest(kind.replace('sha', 'SHA-'), body));
  if (btoa(String.fromCharCode(...sum)) !== want) return undefined;
  const { status, statusText, headers } = response;
  return new Response(body, { status, statusText, headers });
}

// mend asks the network, and keeps the answer in place of what is damaged.
async function mend(request, name, hash) {
  const response = await fetch(request);
  if (!response.ok || hash !== FILES[name]) return response;
  const good = await whole(response.clone(), hash).catch(() => {});
  if (good) await caches.open(CACHE).then((cache) => cache.put(place(name, hash), good)).catch(() => {});
  return response;
}
