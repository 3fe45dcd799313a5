// Starts the page: its Go program (app.wasm), and at the same time the program
// of the laboratory that the link is about, in a first worker. A laboratory's
// program is compiled once and given to all its workers. build/site fills in LABS,
// the laboratories' names; the first is shown when the link says nothing.
'use strict';

window.boot = (() => {
  const LABS = [];

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
    banner('alert', `Spillway could not start: ${text}.`, 'Reload', () => location.reload());
  }

  // get asks for a file of the site.
  async function get(url) {
    const response = await fetch(url);
    if (!response.ok) throw new Error(`${url}: the server answered ${response.status}`);
    return response;
  }

  // once does f once for each name, and again only if it failed.
  function once(f) {
    const all = new Map();
    return (name) => {
      if (!all.has(name)) {
        const promise = f(name);
        all.set(name, promise);
        promise.catch(() => all.delete(name));
      }
      return all.get(name);
    };
  }

  // compile streams a program; hosts that send another type than
  // application/wasm get the slower way.
  const compile = once(async (url) => {
    const response = await get(url);
    const type = response.headers.get('Content-Type') || '';
    const module = await (WebAssembly.compileStreaming && type.startsWith('application/wasm')
      ? WebAssembly.compileStreaming(response)
      : WebAssembly.compile(await response.arrayBuffer()));
    performance.mark(`compiled ${url}`);
    return module;
  });

  const bytes = once(async (url) => new Uint8Array(await (await get(url)).arrayBuffer()));

  // makeWorker makes a worker of a laboratory's program. What it says before
  // somebody hears it is kept.
  function makeWorker(program) {
    const said = [];
    let hear = (data) => said.push(data);
    let worker;
    const end = (reason) => hear({ stopped: true, reason });
    try {
      worker = new Worker('worker.js');
    } catch (err) {
      worker = { postMessage() {}, terminate() {} };
      end(String(err));
    }
    worker.onmessage = ({ data }) => hear(data);
    worker.onmessageerror = () => end('a message of it cannot be read');
    worker.onerror = (event) => {
      event.preventDefault();
      end(event.message || 'worker.js cannot be loaded');
    };
    compile(`${program}.wasm`).then((module) => worker.postMessage({ module }), (err) => end(err.message));
    return {
      program,
      worker,
      listen(f) {
        hear = f;
        for (const data of said.splice(0)) f(data);
      },
    };
  }

  // firstLab is the laboratory of the link. Links of format 1 named none, there
  // was only train.
  function firstLab() {
    const link = new URLSearchParams(location.hash.slice(1));
    const name = link.get('lab') ?? (link.get('v') ? 'train' : LABS[0]);
    return LABS.includes(name) ? name : LABS[0];
  }

  // What is needed first is asked for now, before the document is read.
  const supported = typeof WebAssembly === 'object' && typeof Worker === 'function';
  let first;
  if (supported) {
    const lab = firstLab();
    for (const promise of [compile('app.wasm'), bytes('labs.info'), bytes(`${lab}.info`)]) promise.catch(() => {}); // start says so
    first = makeWorker(lab);
  }

  async function start() {
    if (!supported) throw new Error('this browser has no WebAssembly; a current Chrome, Edge, Firefox or Safari has it');
    const module = await compile('app.wasm');
    const go = new Go();
    const instance = await WebAssembly.instantiate(module, go.importObject);
    const ended = go.run(instance);
    drawn().then(offline);
    await ended;
    if (stopped) return;
    stopped = true;
    document.documentElement.dataset.stopped = 'true';
    banner('alert', 'Spillway stopped because of an error in it. Reload to continue; the browser console has the details.', 'Reload', () => location.reload());
  }

  // drawn waits for the first chart, but not for ever: then nothing competes
  // with what the service worker fetches.
  function drawn() {
    const begun = performance.now();
    return new Promise((resolve) => {
      const look = () => {
        if (!window.firstChart && performance.now() - begun < 10_000) setTimeout(look, 250);
        else if ('requestIdleCallback' in window) requestIdleCallback(resolve, { timeout: 3000 });
        else setTimeout(resolve, 1000);
      };
      look();
    });
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

  document.addEventListener('DOMContentLoaded', () => {
    start().catch((err) => {
      console.error(err);
      crashed(err?.message ?? String(err));
    });
  });

  return {
    crashed,
    compile,
    fetch: bytes,
    // startWorker returns a worker of a laboratory's program. hear gets what it
    // says, and {stopped, reason} when it cannot go on.
    startWorker(program, hear) {
      const made = first?.program === program ? first : makeWorker(program);
      if (made === first) first = undefined;
      made.listen(hear);
      return made.worker;
    },
    endWorker(worker) {
      worker.onmessage = worker.onmessageerror = worker.onerror = null;
      worker.terminate();
    },
  };
})();
