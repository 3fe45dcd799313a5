// Keeps the whole site in the browser: after the first visit no network is needed.
// build/site fills in the two constants; VERSION is a hash over all files, so a
// changed site is a changed worker, and one cache never mixes two versions.
'use strict';

const VERSION = '';
const FILES = [];

const PREFIX = 'spillway-';
const CACHE = PREFIX + VERSION;

self.addEventListener('install', (event) => {
  event.waitUntil((async () => {
    const cache = await caches.open(CACHE);
    // no-cache: ask the server whether the browser's copy is current.
    await cache.addAll(FILES.map((file) => new Request(file, { cache: 'no-cache' })));
    await self.skipWaiting();
  })());
});

self.addEventListener('activate', (event) => {
  event.waitUntil((async () => {
    for (const name of await caches.keys()) {
      if (name.startsWith(PREFIX) && name !== CACHE) await caches.delete(name);
    }
    await self.clients.claim();
  })());
});

self.addEventListener('fetch', (event) => {
  const url = new URL(event.request.url);
  if (event.request.method !== 'GET' || url.origin !== self.location.origin) return;
  event.respondWith(answer(event.request, url));
});

async function answer(request, url) {
  const scope = new URL('./', self.location);
  const page = url.pathname === scope.pathname || url.pathname === `${scope.pathname}index.html`;
  const cache = await caches.open(CACHE);
  const hit = await cache.match(page ? scope.href : request, { ignoreSearch: true });
  return hit ?? fetch(request);
}
