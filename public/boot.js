// Starts the Go program in the page. The module is compiled once and kept in
// window.wasmModule, so that every worker starts from it in milliseconds.
(() => {
  'use strict';

  // banner puts one line with a button above the page. It is built by hand
  // because it must work when the Go program does not.
  function banner(role, text, label, action) {
    document.querySelector(`.boot-${role}`)?.remove();
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
    // The first worker loads now: its start needs this thread, which later is
    // busy. Without it the Go program makes its own.
    const worker = new Worker('worker.js');
    const loaded = new Promise((resolve) => {
      worker.onmessage = () => { window.firstWorker = worker; resolve(); };
      worker.onerror = resolve;
      setTimeout(resolve, 2000);
    });
    const module = await compile('app.wasm');
    performance.mark('compiled');
    await loaded;
    window.wasmModule = module;
    window.firstWorker?.postMessage({ module });
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

  // offline keeps the site in a service worker's cache. A page always runs the
  // version it was started with; when a newer one has taken over the cache, a
  // line offers it, because a reload by itself would lose what was typed.
  async function offline() {
    if (!('serviceWorker' in navigator) || !window.isSecureContext) return;
    let controlled = navigator.serviceWorker.controller !== null;
    navigator.serviceWorker.addEventListener('controllerchange', () => {
      if (controlled) banner('status', 'A newer version of Spillway is ready.', 'Reload', () => location.reload());
      controlled = true;
    });
    try {
      await navigator.serviceWorker.register('sw.js', { updateViaCache: 'none' });
    } catch (err) {
      console.warn('Spillway works, but not offline:', err);
    }
  }

  start().catch((err) => {
    console.error(err);
    crashed(`Spillway could not start: ${err?.message ?? err}.`);
  });
})();
