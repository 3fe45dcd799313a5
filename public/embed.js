// The page inside another page: what its address asks for (the start script of
// index.html has noted that it does), and what it says to the page around it.
// EMBED.md is the contract. boot.js loads this file in frames only.
'use strict';

window.embed = (() => {
  const root = document.documentElement;
  const mode = root.dataset.embed;
  const query = new URLSearchParams(location.search);
  const site = location.href.split(/[?#]/)[0];
  const version = document.querySelector('meta[name=version]')?.content ?? '';
  const framed = window.parent !== window;
  const most = { link: 16384, text: 1024, key: 64, values: 64, only: 32, fields: 256, early: 64 };

  // Reading a message. Only members of its own are looked at, each is of the kind
  // that it must be, and no name of a stranger becomes a name here.

  class Refused extends Error {
    constructor(code, message) {
      super(message);
      this.code = code;
    }
  }
  const own = (data, name) => (Object.hasOwn(data, name) ? data[name] : undefined);

  function text(value, name, longest) {
    if (typeof value !== 'string') throw new Refused('type', `${name} must be a text`);
    if (value.length > longest) throw new Refused('limit', `${name} has ${value.length} characters, more than ${longest}`);
    return value;
  }

  function texts(value, name, many, longest) {
    if (value === undefined) return [];
    if (!Array.isArray(value)) throw new Refused('type', `${name} must be a list of texts`);
    if (value.length > many) throw new Refused('limit', `${name} has ${value.length} entries, more than ${many}`);
    return Array.from(value, (item) => text(item, name, longest));
  }

  function pairs(value) {
    if (value === undefined) return [];
    if (typeof value !== 'object' || value === null || Array.isArray(value)) throw new Refused('type', 'values must be an object of texts');
    const keys = Object.keys(value);
    if (keys.length > most.values) throw new Refused('limit', `there are ${keys.length} values, more than ${most.values}`);
    return keys.map((key) => [text(key, 'a key', most.key), text(value[key], 'a value', most.text)]);
  }

  // identity is what an answer repeats: a short text or a number.
  function identity(data) {
    const id = own(data, 'id');
    return Number.isFinite(id) || (typeof id === 'string' && id.length <= 64) ? id : undefined;
  }

  const TYPES = ['hello', 'set', 'run', 'get', 'theme', 'bye'];
  const THEMES = ['light', 'dark', 'auto'];

  // read takes a message apart; undefined if it is none of ours.
  function read(data) {
    if (typeof data !== 'object' || data === null || !Object.hasOwn(data, 'spillway')) return undefined;
    if (data.spillway !== 1) throw new Refused('version', 'this frame speaks spillway: 1');
    const type = own(data, 'type');
    if (!TYPES.includes(type)) throw new Refused('type', 'there are no messages of this type');
    const theme = own(data, 'theme');
    if (theme !== undefined && !THEMES.includes(theme) || theme === undefined && type === 'theme') throw new Refused('type', 'theme must be light, dark or auto');
    const message = { type, theme, values: pairs(own(data, 'values')), only: texts(own(data, 'only'), 'only', most.only, most.key), fields: texts(own(data, 'fields'), 'fields', most.fields, most.key) };
    const link = own(data, 'link');
    if (link !== undefined) message.link = text(link, 'link', most.link);
    return message;
  }

  // Speaking. Only to the window around this one.

  let heard; // the origin of the page around, when it has asked something
  let over = ''; // why no more answers come, empty while they do
  let program; // what the Go program does: {ask, bye, theme}
  let serial = 0;
  const asked = new Map(); // by serial: {id, origin}
  const early = []; // questions that came before the program

  function say(message, origin) {
    if (framed) window.parent.postMessage({ spillway: 1, ...message }, !origin || origin === 'null' ? '*' : origin);
  }

  function answer(to, message) {
    say(to.id === undefined ? message : { ...message, id: to.id }, to.origin);
  }

  function ask(message, to) {
    const theme = message.theme === 'auto' ? '' : message.theme ?? wanted;
    serial += 1;
    asked.set(serial, to);
    program.ask({ ...message, theme, serial });
  }

  function act(message, to) {
    switch (message.type) {
      case 'hello':
        if (over) answer(to, { type: 'error', code: 'start', message: over });
        else if (program) answer(to, { type: 'ready', version, mode });
        else if (to.id !== undefined && early.length < most.early) early.push([message, to]);
        return; // without an id it is said anyway when it is so
      case 'theme':
        dress(message.theme);
        return;
      case 'bye':
        asked.clear();
        early.length = 0;
        program?.bye();
        return;
    }
    if (over) answer(to, { type: 'error', code: 'start', message: over });
    else if (program) ask(message, to);
    else if (early.length < most.early) early.push([message, to]);
    else answer(to, { type: 'error', code: 'busy', message: `${early.length} questions wait already` });
  }

  function listen(event) {
    if (!framed || event.source !== window.parent) return;
    const to = { origin: event.origin };
    try {
      const message = read(event.data);
      if (!message) return;
      to.id = identity(event.data);
      heard = event.origin;
      act(message, to);
    } catch (err) {
      if (!(err instanceof Refused)) throw err;
      to.id = identity(event.data);
      answer(to, { type: 'error', code: err.code, message: err.message });
    }
  }
  addEventListener('message', listen);

  // Theme: what the page around says, else what the system does.
  let wanted = root.dataset.wanted || '';
  function dress(theme) {
    wanted = theme === 'auto' ? '' : theme;
    root.dataset.wanted = wanted;
    window.tools.applyTheme?.();
    program?.theme(wanted);
  }

  // Height. What it depends on is the width alone, so telling it does not change
  // it; but a bar to scroll may come and go with it and change the width. So of two
  // heights that follow each other in turns the larger stays.
  const told = [0, 0];
  let turns = 0;
  let when = 0;
  function measure() {
    if (document.querySelector('.starting')) return; // the page around keeps the height that it has
    const height = Math.ceil(root.getBoundingClientRect().height);
    if (height === told[0]) return;
    const now = performance.now(); // people are slower than bars
    turns = height === told[1] && now - when < 300 ? turns + 1 : 0;
    when = now;
    if (turns > 4 && height < told[0]) return;
    told.unshift(height);
    told.length = 2;
    say({ type: 'resize', height }, heard);
  }

  // Trouble: readable text, never an empty box.
  function crashed(reason) {
    const blocked = self.origin === 'null' && /fetch|network|load failed/i.test(reason);
    over = blocked
      ? `${reason} This frame is in a sandbox, so the host of ${site} must send the header "Access-Control-Allow-Origin: *" with every file; or the frame gets sandbox="allow-scripts allow-same-origin".`
      : reason;
    say({ type: 'error', code: 'start', message: over }, heard);
    for (const to of [...asked.values(), ...early.map((e) => e[1])]) {
      if (to.id !== undefined) answer(to, { type: 'error', code: 'start', message: over });
    }
    asked.clear();
    early.length = 0;
    if (mode === 'engine') return;
    tidy();
    document.querySelector('.starting')?.remove();
    const box = document.createElement('div');
    box.className = 'boot-banner boot-alert';
    box.setAttribute('role', 'alert');
    const link = document.createElement('a');
    Object.assign(link, { href: site + location.hash, target: '_blank', rel: 'noopener', textContent: 'Open in Spillway' });
    box.append(`${over} `, link);
    document.body.prepend(box);
  }

  // tidy takes away what a frame does not have, once: all but the place that the
  // program draws in. It is done when this file's style is there.
  let tidied;
  function tidy() {
    tidied ??= new Promise((resolve) => {
      if (mode === 'engine') {
        document.body ?? root.append(document.createElement('body'));
        resolve();
        return;
      }
      const app = document.getElementById('app'); // which access.js listens to
      for (const name of app.getAttributeNames()) if (name !== 'id') app.removeAttribute(name);
      const wait = document.createElement('p');
      Object.assign(wait, { className: 'starting', textContent: 'Starting…' });
      wait.setAttribute('role', 'status');
      app.replaceChildren(wait);
      for (const other of [...document.body.children]) if (!['app', 'live', 'reading'].includes(other.id)) other.remove();
      if (framed) new ResizeObserver(measure).observe(document.body);
      const style = document.createElement('link');
      Object.assign(style, { rel: 'stylesheet', href: 'embed.css', onload: resolve, onerror: resolve });
      document.head.append(style);
    });
    return tidied;
  }

  // An engine has no page.js; the program wants to know what is kept.
  window.tools ??= { stored: () => '', store: () => false };

  return {
    mode, site, only: query.get('only') ?? '', hide: query.get('hide') ?? '',
    read, // for tests
    tidy,
    crashed,
    // start is called by the program when it can be asked.
    start(does) {
      program = does;
      program.theme(wanted);
      say({ type: 'ready', version, mode }, heard);
      for (const [message, to] of early.splice(0)) act(message, to);
    },
    // answer takes what the program answers.
    answer(number, message) {
      const to = asked.get(number);
      asked.delete(number);
      if (to) answer(to, message);
    },
  };
})();
