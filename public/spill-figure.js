// <spill-figure src="LINK">: a figure of Spillway in any page, first a static
// picture, on demand live. How to use it: FIGURE.md; what is said: EMBED.md.
//
// All figures of a page share one hidden frame of a site, which may only run
// scripts. Nothing that it says is trusted: text becomes text, pictures become
// images, addresses are made here.
(() => {
  'use strict';
  const NAME = 'spill-figure';
  if (!globalThis.customElements || customElements.get(NAME)) return; // the first on a page counts

  // What is believed of a frame's message.
  const text = (x, most = 2000) => (typeof x === 'string' ? x.slice(0, most) : '');
  const list = (x, most) => (Array.isArray(x) ? x.slice(0, most) : []);
  const object = (x) => (typeof x === 'object' && x !== null ? x : {});
  const number = (x) => (x !== '' && x !== null && Number.isFinite(Number(x)) ? String(Number(x)) : '');

  // h makes an element.
  function h(tag, props, ...children) {
    const element = Object.assign(document.createElement(tag), props);
    element.append(...children);
    return element;
  }

  // A Wire is a frame, and what it and this page say.
  class Wire {
    constructor(src, sandbox, hear) {
      this.frame = h('iframe', { src, referrerPolicy: 'no-referrer' });
      this.frame.setAttribute('sandbox', sandbox);
      this.frame.addEventListener('load', () => this.say('hello'));
      this.listen = (e) => {
        // The origin of a sandboxed frame is opaque, so it has no name.
        if (!e.source || e.source !== this.frame.contentWindow || e.origin !== 'null') return;
        const m = object(e.data);
        if (m.spillway === 1) hear(m);
      };
      addEventListener('message', this.listen);
      // A page whose policy forbids the frame would wait for ever.
      this.forbidden = (e) => {
        if (!/^(frame|child|default)-src/.test(e.effectiveDirective) || !e.blockedURI || !this.frame.src.startsWith(e.blockedURI)) return;
        hear({ type: 'error', code: 'start', message: `this page's policy (frame-src) does not allow ${e.blockedURI}` });
      };
      document.addEventListener('securitypolicyviolation', this.forbidden);
    }

    say(type, more) {
      this.frame.contentWindow?.postMessage({ spillway: 1, type, ...more }, '*');
    }

    end() {
      removeEventListener('message', this.listen);
      document.removeEventListener('securitypolicyviolation', this.forbidden);
      this.frame.remove();
    }
  }

  // An Engine computes for the figures of one site: jobs, one after the other.
  class Engine {
    users = new Set();
    jobs = [];
    last = 0; // number of the last question

    constructor(site) {
      this.site = site;
    }

    // add takes a job instead of those that the figure has waiting; the answer of
    // one that runs is not wanted any more.
    add(job) {
      this.users.add(job.figure);
      this.jobs = this.jobs.filter((other, i) => (i === 0 && this.ready) || other.figure !== job.figure);
      if (this.jobs[0]?.figure === job.figure) this.jobs[0].stale = true;
      this.jobs.push(job);
      if (this.jobs.length === 1) this.next();
    }

    // leave forgets a figure. What runs for it can only be ended with the frame.
    leave(figure) {
      this.users.delete(figure);
      const runs = this.jobs[0]?.figure === figure;
      this.jobs = this.jobs.filter((job) => job.figure !== figure);
      if (runs || this.users.size === 0) this.close();
      if (runs) this.next();
    }

    close() {
      clearTimeout(this.timer);
      this.wire?.end();
      this.wire = this.ready = undefined;
    }

    next() {
      clearTimeout(this.timer);
      const job = this.jobs[0];
      if (!job) return;
      if (!this.wire) {
        this.wire = new Wire(`${this.site}?embed=engine`, 'allow-scripts', (m) => this.hear(m));
        this.wire.frame.hidden = true;
        this.wire.frame.style.setProperty('display', 'none', 'important'); // some pages say that all frames are shown
        document.documentElement.append(this.wire.frame);
      }
      this.timer = setTimeout(() => {
        this.close();
        this.done(`no answer from ${this.site} within ${job.patience} s`);
      }, job.patience * 1000);
      if (this.ready) this.question(job);
    }

    question({ figure, link, values, theme, only, keys, stale }) {
      this.asked = keys.length > 0 ? ++this.last : 0;
      this.wanted = ++this.last;
      this.fields = undefined;
      if (!stale) figure.tell('Computing …');
      const set = { link, values };
      if (this.asked) this.wire.say('get', { id: this.asked, fields: keys, ...set });
      this.wire.say('run', { id: this.wanted, theme, ...set, ...(only.length > 0 && { only }) });
    }

    hear(m) {
      const waits = this.ready && this.jobs.length > 0;
      if (m.type === 'ready' && !this.ready) {
        this.ready = true;
        this.next();
      } else if (m.type === 'state' && waits && m.id === this.asked) {
        this.fields = list(m.fields, 12);
      } else if (m.type === 'result' && waits && m.id === this.wanted) {
        this.done('', m);
      } else if (m.type === 'error' && this.jobs.length > 0 && (m.code === 'start' || (waits && (m.id === this.asked || m.id === this.wanted)))) {
        if (m.code === 'start') this.close(); // it cannot go on
        this.done(text(m.message, 300) || 'it does not say why');
      }
    }

    done(problem, result) {
      const { figure, stale } = this.jobs.shift();
      try {
        if (problem && !stale) figure.fail(problem);
        else if (!stale) figure.show(result, this.fields);
      } catch {
        figure.fail('its answer cannot be read');
      }
      this.next();
    }
  }

  const engines = new Map();
  const engine = (site) => engines.get(site) ?? engines.set(site, new Engine(site)).get(site);

  // Pictures are measured in px: slides have letters of any size.
  const sheet = new CSSStyleSheet(); // which no policy of a page forbids
  sheet.replaceSync(`
:host{display:block;margin:1em 0}
:host([hidden]),[hidden]{display:none!important}
:host([theme=light]){color:#1b1b1b;background:#fff}
:host([theme=dark]){color:#e8e8e8;background:#1b1b1b}
figure{margin:0;position:relative;transition:color 1ms}
img,::slotted(img){width:100%;max-width:960px;min-width:544px;height:auto}
.static,.live{overflow-x:auto}
iframe{width:100%;height:480px;border:0}
.wait iframe{position:absolute;height:1px!important;visibility:hidden}
figcaption,.tools,form{margin:.4em 0}
.tools,form{display:flex;flex-wrap:wrap;gap:.4em 1em;align-items:center}
label{display:inline-flex;flex-wrap:wrap;gap:.2em .5em;align-items:center;max-width:100%}
button,input,select{font:inherit;color:inherit;background:transparent;border:1px solid;border-radius:4px;min-height:1.8em;padding:.1em .6em;max-width:100%}
option{color:CanvasText;background:Canvas}
a{color:inherit}
.scroll{overflow:auto;max-height:384px}
table{border-collapse:collapse;font-size:.85em}
th,td{border:1px solid;padding:.2em .6em;text-align:start;font-variant-numeric:tabular-nums}
@media print{:host([theme]){color:#1b1b1b;background:#fff}figure{color-scheme:light!important}.tools,form,details,.has .status,.has .live{display:none}.has .static{display:block!important}}`);

  // A Figure is what an element shows and does.
  class Figure {
    values = {};
    state = '';

    constructor(host) {
      this.host = host;
      const slot = h('slot');
      this.picture = h('img', { part: 'picture' });
      this.still = h('div', { className: 'static' }, slot, this.picture);
      this.live = h('div', { className: 'live' });
      this.form = h('form');
      this.heading = h('slot', { name: 'caption' });
      this.caption = h('div', { id: 'caption' }, this.heading);
      this.status = h('div', { className: 'status', role: 'status' });
      this.button = h('button', { type: 'button' });
      this.button.setAttribute('aria-describedby', 'caption');
      this.link = h('a', { target: '_blank', rel: 'noopener', textContent: 'Open in Spillway' });
      this.tools = h('div', { className: 'tools' }, this.button, this.link);
      this.figure = h('figure', { part: 'figure' }, this.still, this.live,
        h('figcaption', { part: 'caption' }, this.caption, this.status), this.form, this.tools);
      this.root = host.attachShadow({ mode: 'open' });
      this.root.adoptedStyleSheets = [sheet];
      this.root.append(this.figure);

      // In a narrow window pictures stay readable and can be scrolled, with keys too.
      this.sizes = new ResizeObserver(() => {
        const { still } = this;
        if (still.scrollWidth > still.clientWidth) still.tabIndex = 0;
        else still.removeAttribute('tabindex');
      });
      slot.addEventListener('slotchange', () => {
        this.held = slot.assignedElements().length > 0;
        this.draw();
      });
      this.button.addEventListener('click', () => {
        if (this.state === 'static' || this.state === 'error') this.run();
        else this.reset();
      });
      this.form.addEventListener('submit', (e) => e.preventDefault());
      this.form.addEventListener('change', ({ target }) => {
        if (!target.reportValidity()) return;
        this.values[target.name] = target.value.slice(0, 200);
        this.run();
      });
      // A key that a field, a button or a table takes is none of the page's, which sees
      // the element pressed and would turn to the next slide or chapter.
      for (const part of [this.form, this.live, this.tools]) {
        for (const kind of ['keydown', 'keypress', 'keyup']) {
          part.addEventListener(kind, (e) => {
            if (/^(Enter| )$/.test(e.key) || e.target.closest('form,.scroll')) e.stopPropagation();
          });
        }
      }
      // The page's text has another color now: its theme may have changed.
      this.figure.addEventListener('transitionend', (e) => {
        if (e.target === this.figure) this.follow();
      });
    }

    enter() {
      this.media = matchMedia('(prefers-color-scheme: dark)');
      this.media.onchange = () => this.follow();
      this.follow();
      this.reset();
      this.sizes.observe(this.still);
      if (this.host.run !== 'view' || navigator.connection?.saveData) return;
      this.seen = new IntersectionObserver((all) => {
        if (!all.some((e) => e.isIntersecting)) return;
        this.seen.disconnect();
        if (this.state === 'static') this.run();
      });
      this.seen.observe(this.host);
    }

    exit() {
      this.media.onchange = null;
      this.seen?.disconnect();
      this.sizes.disconnect();
      this.leave();
    }

    change(name) {
      if (name === 'theme') this.follow();
      else if (name === 'src' || this.state === 'static') this.reset();
      else if (name === 'alt' || name === 'picture') this.draw();
      else if (name !== 'run' && name !== 'timeout') this.run();
    }

    // words is a list in an attribute.
    words(name) {
      return this.host[name].split(',').map((s) => s.trim()).filter(Boolean).slice(0, 12);
    }

    // address is where the site is, and what of it.
    address() {
      const url = new URL(this.host.src || '#', this.host.baseURI);
      if (!/^https?:$/.test(url.protocol)) throw new Error('src is no address of a Spillway');
      const link = url.hash.slice(1);
      url.search = url.hash = '';
      return { site: url.href, link };
    }

    theme() {
      const own = this.host.theme;
      if (own === 'light' || own === 'dark') return own;
      const [r, g, b] = /^rgba?\((\d+), (\d+), (\d+)/.exec(getComputedStyle(this.host).color)?.slice(1) ?? [];
      const dark = b === undefined ? this.media.matches : 2 * r + 5 * g + +b > 8 * 128;
      return dark ? 'dark' : 'light';
    }

    // follow takes over the page's theme.
    follow() {
      const theme = this.theme();
      if (this.shown === theme) return;
      this.shown = this.figure.style.colorScheme = theme;
      if (this.frame) this.frame.say('theme', { theme });
      else if (this.state === 'live' || this.state === 'loading') this.run();
    }

    // turn changes what is shown: static, loading, live or error.
    turn(state) {
      this.state = state;
      this.draw();
    }

    draw() {
      const src = this.host.picture;
      if (src && this.picture.getAttribute('src') !== src) this.picture.src = src;
      this.picture.alt = this.host.alt;
      this.picture.hidden = !src || this.held;
      this.figure.className = src || this.held ? 'has' : '';
      this.figure.dataset.state = this.state;
      this.figure.setAttribute('aria-busy', this.state === 'loading');
      const waits = this.state === 'loading' && !!this.frame;
      this.live.classList.toggle('wait', waits);
      this.still.hidden = !!this.live.firstChild && !waits;
      this.form.hidden = this.state === 'static' || !this.form.firstChild;
      this.button.textContent = { static: 'Run here', loading: 'Cancel', live: 'Reset', error: 'Try again' }[this.state];
      if (this.state === 'static') this.point();
    }

    // point sets where "Open in Spillway" goes.
    point(link) {
      try {
        const at = this.address();
        this.link.href = `${at.site}#${link ?? at.link}`;
      } catch {
        this.link.removeAttribute('href');
      }
    }

    tell(says) {
      this.status.textContent = says;
    }

    leave() {
      this.engine?.leave(this);
      this.engine = undefined;
      this.close();
    }

    close() {
      clearTimeout(this.timer);
      this.frame?.end();
      this.frame = undefined;
    }

    reset() {
      this.leave();
      this.values = {};
      for (const e of [this.live, this.form, this.heading]) e.replaceChildren();
      this.tell('');
      this.turn('static');
    }

    fail(problem) {
      this.close();
      this.live.replaceChildren();
      this.tell(`This figure could not be run: ${problem.replace(/\.$/, '')}.`);
      this.turn('error');
    }

    // run makes the figure live.
    run() {
      try {
        const { site, link } = this.address();
        const patience = Math.min(Math.max(Number(this.host.timeout) || 120, 1), 600);
        const mode = this.host.getAttribute('frame');
        this.tell('Loading the simulator, some megabytes once for all figures …');
        if (this.engine?.site !== site || mode !== null) this.leave();
        this.shown = this.figure.style.colorScheme = this.theme();
        if (mode !== null) {
          this.open(site, link, mode === 'edit' ? mode : 'view', patience);
          return;
        }
        this.turn('loading');
        this.engine = engine(site);
        this.engine.add({ figure: this, link, values: this.values, theme: this.shown, only: this.words('only'), keys: this.words('controls'), patience });
      } catch (e) {
        this.fail(e.message);
      }
    }

    // open shows the page itself in a frame.
    open(site, link, mode, patience) {
      const query = new URLSearchParams({ embed: mode, theme: this.shown });
      for (const name of ['only', 'hide']) if (this.host[name]) query.set(name, this.host[name]);
      this.frame = new Wire(`${site}?${query}#${link}`, 'allow-scripts allow-popups allow-popups-to-escape-sandbox allow-downloads', (m) => {
        if (m.type === 'ready' && this.state === 'loading') {
          clearTimeout(this.timer);
          this.tell('');
          this.turn('live');
        } else if (m.type === 'resize' && Number.isFinite(m.height)) {
          this.frame.frame.style.height = `${Math.round(Math.min(Math.max(m.height, 50), 20000))}px`;
        } else if (m.type === 'error' && this.state === 'loading') {
          this.fail(text(m.message, 300));
        }
      });
      this.frame.frame.title = this.host.alt || 'Spillway';
      this.live.replaceChildren(this.frame.frame);
      this.timer = setTimeout(() => this.fail(`no answer from ${site} within ${patience} s`), patience * 1000);
      this.turn('loading');
    }

    // show draws what the engine answered.
    show(result, fields) {
      const open = [...this.live.querySelectorAll('details')].map((d) => d.open);
      const figures = list(result.figures, 12).map(object);
      const problems = list(result.problems, 5).map((p) => text(p, 300)).filter(Boolean);
      this.live.replaceChildren(...figures.flatMap((f, i) => this.drawn(f, open[i])));
      if (!this.heading.assignedElements().length) this.heading.textContent = figures.length === 1 ? text(figures[0].title, 300) : text(result.title, 300);
      if (fields) this.offer(fields.map(object));
      const link = text(result.link, 8000);
      if (link) this.point(link.slice(link.indexOf('#') + 1));
      this.tell([...problems, text(figures.length === 1 ? figures[0].text : '') || text(result.says)].join(' '));
      this.turn('live');
      if (figures.length === 0) this.fail(problems.join(' ') || 'there is no such chart');
    }

    // drawn is one picture and its table.
    drawn(f, open) {
      const parts = [];
      const svg = typeof f.svg === 'string' && f.svg.length < 3e6 && /^\s*<(svg|\?xml)/.test(f.svg) ? f.svg.toWellFormed?.() ?? f.svg : '';
      if (svg) {
        const img = h('img', { part: 'picture', alt: text(f.alt) || text(f.text) || text(f.title), src: `data:image/svg+xml,${encodeURIComponent(svg)}` });
        img.onerror = () => img.replaceWith(h('p', { textContent: 'The picture is not shown: this page may not allow pictures from data: addresses (img-src).' }));
        parts.push(img);
      }
      const table = object(f.table);
      const row = (cells, tag) => h('tr', {}, ...list(cells, 40).map((x, i) => h(i === 0 && tag === 'td' ? 'th' : tag, { textContent: text(x, 200), scope: tag === 'th' ? 'col' : i === 0 ? 'row' : '' })));
      const rows = list(table.rows, 400).map((r) => row(r, 'td'));
      if (rows.length === 0) return parts;
      const scroll = h('div', { className: 'scroll', tabIndex: 0, role: 'region', ariaLabel: text(f.title, 300) },
        h('table', {}, h('thead', {}, row(table.head, 'th')), h('tbody', {}, ...rows)));
      return [...parts, h('details', { open: !!open }, h('summary', { textContent: 'Numbers' }), scroll)];
    }

    // offer draws the settings that may be turned, and keeps the focus.
    offer(fields) {
      for (const key of this.words('controls')) {
        const f = fields.find((x) => x.key === key);
        if (!f) continue;
        let input = [...this.form.elements].find((e) => e.name === key);
        if (!input) {
          const choices = list(f.choices, 200).map(object);
          input = choices.length > 0
            ? h('select', { name: key }, ...choices.map((c) => h('option', { value: text(c.key, 200), textContent: text(c.label, 200) })))
            : h('input', { name: key, type: f.kind === 'number' ? 'number' : 'text', step: 'any', min: number(f.min), max: number(f.max), maxLength: 200 });
          const bounds = input.min && input.max ? ` (${input.min} to ${input.max})` : '';
          const unit = text(f.unit, 40);
          this.form.append(h('label', {}, `${text(f.label, 100) || key}${unit && `, ${unit}`}${bounds}`, input));
        }
        if (input !== this.root.activeElement) input.value = text(f.text, 200);
      }
    }
  }

  // What an author says of a figure. Frameworks set properties where an element has such,
  // so each attribute is one as well, and the element has nothing else.
  const ATTRIBUTES = ['src', 'only', 'controls', 'run', 'picture', 'alt', 'theme', 'frame', 'hide', 'timeout'];

  class SpillFigure extends HTMLElement {
    static observedAttributes = ATTRIBUTES;
    #figure = new Figure(this);

    connectedCallback() {
      for (const name of ATTRIBUTES) {
        if (!Object.hasOwn(this, name)) continue;
        const value = this[name]; // set before this script came
        delete this[name];
        this[name] = value;
      }
      this.#figure.enter();
    }

    disconnectedCallback() {
      this.#figure.exit();
    }

    attributeChangedCallback(name, was, is) {
      if (was !== is && this.isConnected && this.#figure.state) this.#figure.change(name);
    }
  }

  for (const name of ATTRIBUTES) {
    Object.defineProperty(SpillFigure.prototype, name, {
      configurable: true,
      enumerable: true,
      get() {
        return this.getAttribute(name) ?? '';
      },
      set(value) {
        if (value === false || value === null || value === undefined) this.removeAttribute(name);
        else this.setAttribute(name, value);
      },
    });
  }

  customElements.define(NAME, SpillFigure);
})();
