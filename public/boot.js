// Starts the Go program in the page. The module is compiled once and kept in
// window.wasmModule, so that every worker starts from it in milliseconds.
(() => {
  'use strict';

  // banner puts one line with a button above the page. It is built by hand
  // because it must work when the Go program does not.
  function banner(role, text, label, action) {
    const box = document.createElement('div');
    box.className = `boot-banner boot-${role}`;
    box.setAttribute('role', role);
    const line = document.createElement('span');
    line.textContent = text;
    const button = document.createElement('button');
    button.type = 'button';
    button.textContent = label;
    button.addEventListener('click', action);
    box.append(line, ' ', button);
    document.body.prepend(box);
    return box;
  }

  let stopped = false;
  function crashed(text) {
    if (stopped) return;
    stopped = true;
    document.documentElement.dataset.stopped = 'true';
    banner('alert', text, 'Reload', () => location.reload());
  }

  // compile streams the module; hosts that send another type than
  // application/wasm get the slower way.
  async function compile(url) {
    const response = await fetch(url);
    if (!response.ok) throw new Error(`${url}: the server answered ${response.status}`);
    const type = response.headers.get('Content-Type') || '';
    if (WebAssembly.compileStreaming && type.startsWith('application/wasm')) {
      return WebAssembly.compileStreaming(response);
    }
    return WebAssembly.compile(await response.arrayBuffer());
  }

  async function start() {
    if (typeof WebAssembly !== 'object') {
      throw new Error('this browser has no WebAssembly; a current Chrome, Edge, Firefox or Safari has it');
    }
    const module = await compile('app.wasm');
    window.wasmModule = module;
    const go = new Go();
    const instance = await WebAssembly.instantiate(module, go.importObject);
    const ended = go.run(instance);
    whenIdle(offline);
    await ended;
    crashed('Spillway stopped because of an error in it. Reload to continue; the browser console has the details.');
  }

  function whenIdle(f) {
    if ('requestIdleCallback' in window) requestIdleCallback(f, { timeout: 3000 });
    else setTimeout(f, 1000);
  }

  // offline keeps the site in a service worker's cache. A newer version that is
  // already there when the page starts takes over at once; one that arrives
  // later is offered, because a reload would lose what was typed.
  async function offline() {
    if (!('serviceWorker' in navigator) || !window.isSecureContext) return;
    let registration;
    try {
      registration = await navigator.serviceWorker.register('sw.js', { updateViaCache: 'none' });
    } catch (err) {
      console.warn('Spillway works, but not offline:', err);
      return;
    }
    const offer = () => {
      const worker = registration.waiting;
      if (!worker || !navigator.serviceWorker.controller) return;
      banner('status', 'A newer version of Spillway is ready.', 'Reload', () => takeOver(worker));
    };
    offer();
    registration.addEventListener('updatefound', () => {
      const worker = registration.installing;
      worker?.addEventListener('statechange', () => { if (worker.state === 'installed') offer(); });
    });
  }

  function takeOver(worker) {
    navigator.serviceWorker.addEventListener('controllerchange', () => location.reload(), { once: true });
    worker.postMessage('take over');
  }

  // newer tells whether a finished update waits; taking it over before anything
  // has started costs one reload and loses nothing.
  async function newer() {
    if (!navigator.serviceWorker?.controller) return null;
    return (await navigator.serviceWorker.getRegistration())?.waiting ?? null;
  }

  newer().catch(() => null).then((worker) => {
    if (worker) return takeOver(worker);
    return start().catch((err) => {
      console.error(err);
      crashed(`Spillway could not start: ${err?.message ?? err}.`);
    });
  });
})();
