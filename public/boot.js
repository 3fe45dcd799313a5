// Starts the page: its Go program (app.wasm), and a first worker with the program of the
// laboratory that the link is about: at the same time where something has to be computed,
// and where the site came with what the page opens on once somebody touches the page. A laboratory's
// program is compiled once and given to all its workers. build/site fills in LABS,
// the laboratories' names, of which the first is shown when the link says nothing,
// and FILES.
'use strict';

window.boot = (() => {
  const LABS = [];
  const FILES = {}; // name to the hash of its content, of what is asked for later

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

  // Where the document has no origin (a frame in a sandbox) or is itself a file
  // that has everything inside (window.held, of the single file), no worker can be
  // made from a file of the site, and the browser keeps nothing. The single file has
  // one program for everything.
  const held = window.held;
  const apart = Boolean(held) || self.origin === 'null';

  // In another page the rest is in embed.js, which says there what is wrong, too.
  const embedded = 'embed' in document.documentElement.dataset;
  const extra = embedded ? new Promise((resolve, reject) => {
    const add = document.createElement('script');
    Object.assign(add, { src: 'embed.js', onload: resolve, onerror: () => reject(new Error('embed.js cannot be loaded')) });
    document.head.append(add);
  }) : undefined;

  // later runs a script of the site that only some need.
  async function later(name) {
    const add = document.createElement('script');
    add.type = 'module';
    if (held) add.textContent = await (await held.get(name)).text();
    else Object.assign(add, FILES[name] ? { src: name, integrity: FILES[name], crossOrigin: 'anonymous' } : { src: name });
    await new Promise((resolve, reject) => {
      addEventListener(name, resolve, { once: true }); // it says so itself
      add.onerror = () => reject(new Error(`${name} cannot be loaded; reload the page`));
      document.head.append(add);
    });
  }

  let stopped = false;
  function crashed(text) {
    if (stopped) return;
    stopped = true;
    document.documentElement.dataset.stopped = 'true';
    // What the document opens on is about another laboratory than the link.
    if ('linked' in document.documentElement.dataset || firstLab() !== LABS[0]) document.querySelector('[data-first]')?.replaceChildren();
    if (window.embed) window.embed.crashed(`Spillway could not start: ${text}.`);
    else banner('alert', `Spillway could not start: ${text}.`, 'Reload', anew);
    again().catch(() => {});
  }

  // anew loads the page past the worker and without what the browser keeps of the site, where the site
  // can be reached: a copy may be damaged.
  async function anew() {
    if (keeps && await fetch('sw.js', { cache: 'no-store' }).then((r) => r.ok, () => false)) {
      const here = new URL('./', location.href);
      const registration = await navigator.serviceWorker.getRegistration();
      await registration?.unregister();
      for (const name of await caches.keys()) if (name.startsWith(`spillway ${here.pathname} `)) await caches.delete(name);
    }
    location.reload();
  }

  // again does so by itself, once in a tab, where a worker has answered.
  async function again() {
    const key = 'spillway loaded anew';
    if (embedded || !keeps || !navigator.serviceWorker.controller || sessionStorage.getItem(key)) return;
    sessionStorage.setItem(key, 'yes');
    await anew();
  }

  // get asks for a file of the site. Once the page stands the site may have a newer
  // version than the page, and so may the service worker; a page takes only its own.
  let late = false;
  async function get(url) {
    if (held) return held.get(url);
    const own = late && FILES[url] ? { integrity: FILES[url] } : undefined;
    const strict = await fetch(url, own).catch((err) => { if (!own) throw err; });
    if (strict?.ok) return strict;
    const response = strict ?? await fetch(url, { cache: 'reload' });
    if (!response.ok) throw new Error(`${url}: the server answered ${response.status}`);
    return fetch(url, own).catch(() => { throw new Error(`${url}: the site has a newer version now; reload the page`); });
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
  // application/wasm get the slower way. worker.js has the same.
  async function compileNow(url) {
    const response = await get(url);
    const type = response.headers.get('Content-Type') || '';
    const module = await (WebAssembly.compileStreaming && type.startsWith('application/wasm')
      ? WebAssembly.compileStreaming(response)
      : WebAssembly.compile(await response.arrayBuffer()));
    performance.mark(`compiled ${url}`);
    return module;
  }

  // The first worker compiles its program itself: this thread is busy with the
  // page's when that is done. It hands it on to the workers that follow.
  const compile = once((url) => (first?.compiles && first.file === url && (first.given || !first.ended) ? first.compiled : compileNow(url)));

  const bytes = once(async (url) => new Uint8Array(await (await get(url)).arrayBuffer()));

  // script makes worker.js an address that a document apart may use, and one that
  // waits for no newer version. From there a worker reaches no other script, so the
  // one it needs is in it.
  const script = once(async () => {
    const parts = await Promise.all(['wasm_exec.js', 'worker.js'].map(bytes));
    return URL.createObjectURL(new Blob(parts.flatMap((part) => [part, '\n;']), { type: 'text/javascript' }));
  });

  // A Made is a worker of a laboratory's program. What it says before somebody
  // hears it is kept.
  class Made {
    constructor(lab, isFirst) {
      this.lab = lab;
      this.file = held ? held.program : `${lab}.wasm`;
      this.said = [];
      this.loaded = new Promise((resolve) => { this.load = resolve; });
      this.compiled = new Promise((resolve, reject) => { this.give = resolve; this.giveUp = reject; });
      this.compiled.catch(() => {}); // others that wait for it say so
      // The name is the program that the worker loads itself.
      this.compiles = isFirst && !held;
      const name = !this.compiles ? '' : apart ? new URL(this.file, document.baseURI).href : this.file;
      const early = []; // what is posted before there is a worker
      this.worker = { postMessage(...args) { early.push(args); }, terminate() {} };
      if (apart || late) {
        script().then((url) => { if (!this.ended) this.make(url, name, early); }).catch((err) => this.stop(err.message));
      } else {
        this.make('worker.js', name, early);
      }
      if (this.compiles) return;
      // Again if the first worker ended before it had compiled it.
      compile(this.file).catch(() => compile(this.file)).then((module) => this.worker.postMessage({ module }), (err) => this.stop(err.message));
    }

    make(url, name, early) {
      try {
        this.worker = new Worker(url, { name });
      } catch (err) {
        this.stop(`the browser refused a Web Worker, in which the simulators run: ${err}`);
        return;
      }
      this.worker.onmessage = ({ data }) => this.take(data);
      this.worker.onmessageerror = () => this.stop('a message of it cannot be read');
      this.worker.onerror = (event) => {
        event.preventDefault();
        this.stop(event.message || 'worker.js cannot be loaded');
      };
      for (const args of early) this.worker.postMessage(...args);
    }

    take(data) {
      if (data.loaded) {
        this.load();
      } else if (data.module) {
        performance.mark(`compiled ${this.file}`, { startTime: data.at - performance.timeOrigin });
        this.given = true;
        this.give(data.module);
      } else if (data.stopped) {
        this.stop(data.reason);
      } else {
        this.say(data);
      }
    }

    say(data) {
      if (this.hear) this.hear(data);
      else this.said.push(data);
    }

    stop(reason) {
      this.ended = true;
      this.load();
      this.giveUp(new Error(reason));
      this.say({ stopped: true, reason });
    }

    listen(hear) {
      this.hear = hear;
      for (const data of this.said.splice(0)) hear(data);
    }

    end() {
      this.ended = true;
      this.giveUp(new Error('the worker was ended'));
      this.worker.onmessage = this.worker.onmessageerror = this.worker.onerror = null;
      this.worker.terminate();
    }
  }

  // firstLab is the laboratory of the link; links that name none are about the
  // first. Mail programs write &amp; for &.
  function firstLab() {
    const link = new URLSearchParams(location.hash.slice(1).replaceAll('&amp;', '&'));
    return LABS.find((name) => name === link.get('lab')) ?? LABS[0];
  }

  // expect compiles a program whose first worker will be asked for in a moment.
  function expect(lab) {
    if (!held) compile(`${lab}.wasm`).catch(() => {}); // a worker of it says so
  }

  // Where the link is about what another laboratory opens on than the one in the document,
  // opens puts its page there, as it will be drawn. The single file has none.
  const shown = document.documentElement.dataset;
  async function opens(lab) {
    const page = new TextDecoder().decode(await bytes(`screen-${lab}.html`));
    while (!document.getElementById('live')) await new Promise(requestAnimationFrame); // it stands behind the page
    const app = document.querySelector('[data-first]');
    if (app) app.innerHTML = page;
  }
  if ('opens' in shown && held) {
    shown.linked = '';
    delete shown.opens;
  } else if ('opens' in shown) {
    opens(shown.opens).catch(() => {}).finally(() => { delete shown.opens; }); // without it the program draws the page a little later
  }

  // What is needed first is asked for now, before the document is read.
  const supported = typeof WebAssembly === 'object' && typeof Worker === 'function';
  let first;
  let waiting; // the same, until the program wants it
  if (supported) {
    const lab = firstLab();
    const asked = [compile(held ? held.program : 'app.wasm'), bytes('labs.info'), bytes(`${lab}.info`)];
    if ('linked' in document.documentElement.dataset) {
      first = waiting = new Made(lab, true);
    } else {
      asked.push(bytes(`first-${lab}.info`));
      for (const touch of ['pointerdown', 'keydown']) addEventListener(touch, () => expect(lab), { once: true, capture: true, passive: true });
    }
    for (const promise of asked) promise.catch(() => {}); // start says so
  }

  async function start() {
    await extra;
    await window.embed?.tidy();
    if (location.protocol === 'file:' && !held) throw new Error('browsers load no programs from a folder. Any web server hands it out (in it: python3 -m http.server); the single file, spillway.html, needs none');
    if (typeof Worker !== 'function') throw new Error('this browser, or a setting of it, has no Web Workers, in which the simulators run');
    if (!supported) throw new Error('this browser has no WebAssembly; a current Chrome, Edge, Firefox or Safari has it');
    const module = await compile(held ? held.program : 'app.wasm');
    // Until this thread knows that the worker's script has run, it would keep
    // back what the program tells the worker.
    if (first) await Promise.race([first.loaded, new Promise((resolve) => { setTimeout(resolve, 1000); })]);
    const go = new Go();
    const instance = await WebAssembly.instantiate(module, go.importObject);
    const ended = go.run(instance);
    drawn().then(() => {
      late = true;
      performance.mark('page-settled');
      if (!embedded) {
        // A link of another version, which the site may have beside this one.
        const version = /[?&]version=([^&]*)/.exec(location.search)?.[1];
        if (version && !held && version !== document.querySelector('meta[name=version]').content) later('versions.js').catch(() => {});
        rested().then(() => {
          window.charts.library(); // so that all can be printed, and drawn at once
          return offline();
        });
      }
    });
    await ended;
    if (stopped) return;
    stopped = true;
    document.documentElement.dataset.stopped = 'true';
    if (embedded) window.embed.crashed('Spillway stopped because of an error in it. Reload this page to continue.');
    else banner('alert', 'Spillway stopped because of an error in it. Reload to continue; the browser console has the details.', 'Reload', () => location.reload());
  }

  // drawn waits until the program has drawn the page, but not for ever.
  function drawn() {
    const begun = performance.now();
    return new Promise((resolve) => {
      const look = () => {
        if (performance.getEntriesByName('page-drawn').length === 0 && performance.now() - begun < 10_000) setTimeout(look, 250);
        else if ('requestIdleCallback' in window) requestIdleCallback(resolve, { timeout: 3000 });
        else setTimeout(resolve, 1000);
      };
      look();
    });
  }

  // rested waits until for five seconds nobody has touched the page and nothing was
  // under way: the copy for offline use is 90 MB, and shall take nothing from what a
  // visitor does.
  function rested() {
    return new Promise((resolve) => {
      const kinds = ['pointerdown', 'keydown', 'input', 'wheel'];
      let since = performance.now();
      const touched = () => { since = performance.now(); };
      for (const kind of kinds) addEventListener(kind, touched, { capture: true, passive: true });
      const look = () => {
        if (window.tools && !window.tools.settled()) touched();
        if (performance.now() - since < 5000) return setTimeout(look, 500);
        for (const kind of kinds) removeEventListener(kind, touched, { capture: true });
        return resolve();
      };
      look();
    });
  }

  // A page always runs the version it was started with. A newer one waits in its
  // service worker until nobody needs the older, or until it is asked for, because a
  // reload by itself would lose what was typed.
  const keeps = !apart && 'serviceWorker' in navigator && window.isSecureContext;
  let swapping = false;

  function offer(registration) {
    banner('status', 'A newer version of Spillway is ready.', 'Reload', () => {
      swapping = true;
      if (registration?.waiting) registration.waiting.postMessage('activate'); // then it takes over
      else location.reload();
    });
  }

  function watch(registration) {
    const { serviceWorker } = navigator;
    if (registration.waiting && serviceWorker.controller) offer(registration);
    registration.addEventListener('updatefound', () => {
      const next = registration.installing;
      next.addEventListener('statechange', () => {
        if (next.state === 'installed' && serviceWorker.controller) offer(registration);
      });
    });
  }

  // listen answers the service worker, and sees when another tab has let a newer one
  // take over.
  function listen() {
    const { serviceWorker } = navigator;
    let controlled = serviceWorker.controller !== null;
    serviceWorker.addEventListener('controllerchange', () => {
      if (swapping) location.reload();
      else if (controlled && !embedded) offer();
      controlled = true;
    });
    serviceWorker.addEventListener('message', ({ data, ports }) => {
      if (data.which) ports[0].postMessage(document.querySelector('meta[name=build]').content);
      else if (data.refused) notKept(data.refused, data.reason);
    });
    serviceWorker.startMessages();
  }

  // notKept says why there is no copy, where it does not come with the next visit.
  function notKept(name, reason) {
    console.warn(`Spillway works, but not offline: ${reason}`);
    const why = { QuotaExceededError: 'has no room for it', SecurityError: 'does not allow it', NotAllowedError: 'does not allow it' }[name];
    const place = document.getElementById('not-kept'); // a frame has none
    if (why && place) place.textContent = `No copy is kept for working offline: the browser ${why}.`;
  }

  // offline keeps the site in a service worker's cache.
  async function offline() {
    if (!keeps) return;
    try {
      const registration = await navigator.serviceWorker.register('sw.js', { updateViaCache: 'none' });
      watch(registration);
      registration.active?.postMessage('sweep');
    } catch (err) {
      notKept(err.name, err.message);
    }
  }

  // Until the program is there, how much has come is said.
  function tell() {
    const root = document.documentElement;
    if (held || stopped || (document.body && !document.querySelector('[data-first]'))) return;
    const here = performance.getEntriesByType('resource').filter((e) => /\.(wasm|js|info)$/.test(e.name) && e.responseEnd > 0);
    const bytes = here.reduce((sum, e) => sum + (e.encodedBodySize || 0), 0);
    const all = bytes < 4e6 ? ', of about 4 MB on a first visit' : ''; // more where the host does not compress
    root.style.setProperty('--loaded', `"(${(bytes / 1e6).toFixed(1)} MB in ${here.length} files are here${all})"`);
    setTimeout(tell, 300);
  }
  setTimeout(tell, 600);

  // Scripts that are deferred have run when the document is ready.
  const ready = new Promise((resolve) => {
    if (document.readyState === 'complete') resolve();
    else document.addEventListener('DOMContentLoaded', resolve);
    addEventListener('load', resolve);
  });
  ready.then(() => {
    if (keeps) listen();
    start().catch((err) => {
      console.error(err);
      crashed(err?.message ?? String(err));
    });
  });

  return {
    crashed,
    compile,
    fetch: bytes,
    later,
    expect,
    // startWorker returns a new Made. hear gets what it says, and {stopped,
    // reason} when it cannot go on.
    startWorker(lab, hear) {
      const made = waiting?.lab === lab ? waiting : new Made(lab, false);
      if (made === waiting) waiting = undefined;
      made.listen(hear);
      return made;
    },
  };
})();
