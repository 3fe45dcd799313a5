// A run over time on a canvas: tracks of slices, counters, the whole run in small, and what is
// in view as sentence and table. It comes when somebody opens the view, and reads the buffer
// that package ui/columns writes. It knows no laboratory.
//
// A pixel column shows the exact share of every category in it: a sum table has the time of each
// before every 16th slice, so a column costs the same however much is in it. Columns are counted
// from the beginning of the run, and what a column shows depends on nothing but itself: moving
// shifts the picture and paints only what comes in.

const BLOCK = 16;
const STATE = 1; // of timeline.Kind

// parse reads a buffer; one that is none throws.
export function parse(buffer) {
  const bytes = new DataView(buffer);
  const fail = (why) => { throw new Error(`this timeline cannot be read (${why}); reload the page`); };
  if (buffer.byteLength < 16 || bytes.getUint32(0, true) !== 0x4c545053) fail('it is none');
  if (bytes.getUint32(4, true) !== 3) fail('it is of another version');
  const length = Number(bytes.getBigUint64(8, true));
  if (!(length <= buffer.byteLength - 16)) fail('it is cut off');
  let run;
  try { run = JSON.parse(new TextDecoder().decode(new Uint8Array(buffer, 16, length))); } catch { fail('its head is damaged'); }
  if (!run || ![run.tracks, run.counters, run.cats, run.groups, run.names, run.waits, run.sides, run.apart, run.lives].every(Array.isArray) || !(run.end >= 0) || !(run.tick?.[1] > 0)) fail('its head is damaged');
  let at = 16 + length;
  const take = (type, n) => {
    at = Math.ceil(at / 8) * 8;
    if (!(Number.isInteger(n) && n >= 0 && at + n * type.BYTES_PER_ELEMENT <= buffer.byteLength)) fail('it is cut off');
    const list = new type(buffer, at, n);
    at += n * type.BYTES_PER_ELEMENT;
    return list;
  };
  run.objects = take(Uint32Array, run.objects);
  run.steps = take(Uint32Array, run.steps);
  for (const x of [...run.tracks, ...run.lives]) if (!Array.isArray(x?.used) || !x.used.every((c) => run.cats[c]) || !run.groups[x.group]) fail('its head is damaged');
  for (const x of run.tracks) {
    x.slot = run.cats.map((_, c) => x.used.indexOf(c));
    if (run.bins) x.bins = take(Float32Array, run.bins * x.used.length);
    const n = x.slices;
    Object.assign(x, { begin: take(Float64Array, n), end: take(Float64Array, n), label: take(Uint32Array, n), ref: take(Int32Array, n), step: take(Int32Array, n), amount: take(Float64Array, n), cat: take(Uint8Array, n), for: take(Uint8Array, x.for) });
    x.sums = summed(x);
    if (run.bins) x.coarse = binned(x, run);
  }
  for (const c of run.counters) Object.assign(c, { at: take(Float64Array, c.values), value: take(Float64Array, c.values) });
  for (const x of run.lives) {
    const n = x.slices;
    Object.assign(x, { begin: take(Float64Array, n), end: take(Float64Array, n), ref: take(Int32Array, n), amount: take(Float64Array, n), y: take(Float64Array, n), cat: take(Uint8Array, n) });
  }
  for (const x of run.sides) Object.assign(x, { own: take(Float64Array, x.steps), at: take(Float64Array, x.steps) });
  run.end ||= 1;
  run.seconds = run.tick[0] / run.tick[1] / 1e12;
  return run;
}

// summed is the time of each category of a track before every 16th slice.
export function summed(x) {
  const k = x.used.length, n = x.begin.length, sums = new Float64Array((Math.ceil(n / BLOCK) + 1) * k), row = new Float64Array(k);
  for (let i = 0; i < n; i++) {
    if (i % BLOCK === 0) sums.set(row, i / BLOCK * k);
    row[x.slot[x.cat[i]]] += x.end[i] - x.begin[i];
  }
  sums.set(row, Math.ceil(n / BLOCK) * k);
  return sums;
}

// binned is the same before every bin.
function binned(x, run) {
  const k = x.used.length, sums = new Float64Array((run.bins + 1) * k);
  for (let i = 0; i < run.bins * k; i++) sums[i + k] = sums[i] + x.bins[i];
  return sums;
}

// past is how many slices have begun at a moment, which are at least from.
export function past(begin, t, from = 0) {
  let low = from, step = 1, high = from;
  while (high < begin.length && begin[high] <= t) {
    low = high + 1;
    high += step;
    step *= 2;
  }
  high = Math.min(high, begin.length);
  while (low < high) {
    const middle = (low + high) >> 1;
    if (begin[middle] <= t) low = middle + 1;
    else high = middle;
  }
  return low;
}

// before adds to into the time of each category of a track before a moment. n is how many of its
// slices have begun then. Of the block of the last that has begun, as that may still last.
export function before(x, t, n, into, sign, o = 0) {
  if (n === 0) return;
  const k = x.used.length, block = (n - 1) >> 4;
  for (let c = 0; c < k; c++) into[o + c] += sign * x.sums[block * k + c];
  for (let i = block * BLOCK; i < n; i++) into[o + x.slot[x.cat[i]]] += sign * (Math.min(x.end[i], t) - x.begin[i]);
}

// fine reports whether all slices of a part of a run are at hand.
const fine = (run, from, to) => !run.bins || (run.from <= Math.max(from, 0) && Math.min(to, run.end) <= run.to);

// within is the time of each category of a track, of those it uses, from a moment to another.
export function within(run, x, from, to) {
  const into = new Float64Array(x.used.length);
  if (fine(run, from, to)) {
    before(x, to, past(x.begin, to), into, 1);
    before(x, from, past(x.begin, from), into, -1);
    return into;
  }
  const k = into.length;
  for (const [t, sign] of [[to, 1], [from, -1]]) {
    const at = Math.min(Math.max(t, 0), run.end), b = Math.min(Math.floor(at / run.width), run.bins - 1), low = b * run.width;
    const part = (at - low) / Math.min(run.width, run.end - low);
    for (let c = 0; c < k; c++) into[c] += sign * (x.coarse[b * k + c] + part * x.bins[b * k + c]);
  }
  return into;
}

// Patterns in place of colours.
const PATTERNS = [() => true, (x, y) => (x + y) & 3, (x, y) => !((x - y) & 3), (x) => x & 2, (x, y) => y & 2, (x, y) => (x & 2) === (y & 2)];

// paintTrack paints columns xa to xb of a track into a picture: {buffer, width, blank, fill,
// edge, patterns} with colours by category. px is the length of a column in ticks, first the
// number of the picture's first. What a column has several of waits in scratch until the row
// of the others is copied downwards.
let columns = new Int32Array(4096), shares = new Float64Array(4096 * 8);
export function paintTrack(to, run, x, top, high, first, px, xa, xb) {
  const { buffer, width, blank, fill, edge, patterns } = to, { begin, end, cat, slot, used } = x;
  const n = begin.length, row = top * width, k = used.length, tiny = px * 1e-9;
  if (columns.length < xb - xa) columns = new Int32Array(xb - xa);
  if (shares.length < (xb - xa) * k) shares = new Float64Array((xb - xa) * k);
  const share = shares, seen = columns;
  let mixed = 0, i = past(begin, (first + xa) * px);
  for (let col = xa; col < xb; col++) {
    const t0 = (first + col) * px, t1 = (first + col + 1) * px, o = mixed * k;
    buffer[row + col] = blank;
    if (k === 0) continue;
    share.fill(0, o, o + k);
    if (fine(run, t0, t1)) {
      i = past(begin, t0, i);
      const last = i - 1, lasts = last >= 0 && end[last] > t0;
      if (lasts && end[last] >= t1) {
        if (begin[last] === t0 && end[last] - t0 >= 4 * px) buffer[row + col] = edge[cat[last]];
        else if (!patterns) buffer[row + col] = fill[cat[last]];
        else {
          share[o + slot[cat[last]]] = px;
          seen[mixed++] = col;
        }
        continue;
      }
      if (!lasts && (i >= n || begin[i] >= t1)) continue;
      let next = past(begin, t1, i);
      while (next > i && begin[next - 1] === t1) next--;
      if (next === i + 1 && end[i] - begin[i] >= 4 * px && (!lasts || end[last] - begin[last] >= 4 * px)) {
        buffer[row + col] = edge[cat[i]];
        continue;
      }
      if (next - i > BLOCK) {
        before(x, t1, next, share, 1, o);
        before(x, t0, i, share, -1, o);
      } else {
        if (lasts) share[o + slot[cat[last]]] += end[last] - t0;
        else if (last >= 0 && begin[last] === t0) share[o + slot[cat[last]]] += tiny; // takes no time
        let s = i;
        for (; s < next - 1; s++) share[o + slot[cat[s]]] += end[s] - begin[s] || tiny;
        if (s < next) share[o + slot[cat[s]]] += Math.min(end[s], t1) - begin[s] || tiny;
      }
    } else {
      share.set(within(run, x, t0, t1), o);
    }
    seen[mixed++] = col;
  }
  for (let y = 1; y < high; y++) buffer.copyWithin(row + y * width + xa, row + xa, row + xb);
  // Shares lie one upon the other, the last category at the bottom: each has a row at least, and
  // what is left is blank.
  for (let m = 0; m < mixed; m++) {
    const col = seen[m], o = m * k;
    let total = 0, left = 0, most = 0;
    for (let c = o; c < o + k; c++) {
      if (share[c] > px * 1e-12) {
        total += share[c];
        most = Math.max(most, share[c]);
        left++;
      } else share[c] = 0;
    }
    let rows = most > 0.998 * px ? high : Math.min(Math.max(Math.round(total / px * high), left), high), y = high;
    for (let c = k - 1; c >= 0; c--) {
      const part = share[o + c];
      if (part === 0 || (most > 0.998 * px && part < most)) continue;
      left--;
      const own = left === 0 || part > 0.998 * px ? rows : Math.max(1, Math.min(rows - left, Math.round(rows * part / total))), color = fill[used[c]];
      for (const end = y - own; y > end;) {
        y--;
        buffer[row + y * width + col] = !patterns || PATTERNS[used[c] % 6](first + col, y) ? color : blank;
      }
      rows -= own;
      total -= part;
    }
  }
}

// paintCounter paints columns of a counter: from the least to the most it has in each.
export function paintCounter(to, c, top, high, first, px, xa, xb) {
  const { buffer, width, blank, area, line, limit } = to;
  const scale = Math.max(c.peak, c.limit, 1), rows = (v) => Math.round(Math.max(v, 0) / scale * (high - 1));
  const bound = c.limit > 0 ? high - 1 - rows(c.limit) : -1;
  let i = past(c.at, (first + xa) * px);
  for (let col = xa; col < xb; col++) {
    const t1 = (first + col + 1) * px;
    let least = i > 0 ? c.value[i - 1] : 0, most = least;
    for (; i < c.at.length && c.at[i] < t1; i++) {
      least = Math.min(least, c.value[i]);
      most = Math.max(most, c.value[i]);
    }
    const low = high - 1 - rows(least), peak = high - 1 - rows(most);
    for (let y = 0; y < high; y++) {
      buffer[(top + y) * width + col] = y === bound && (first + col) & 4 ? limit : y < peak ? blank : y <= low ? line : area;
    }
  }
}

// paintLives paints columns of lives: each as high as its amount, with an edge.
export function paintLives(to, l, top, high, first, px, xa, xb) {
  const { buffer, width, blank, fill, edge, patterns } = to, rows = (v) => Math.round(v / l.high * high), n = past(l.begin, (first + xb) * px);
  for (let y = top; y < top + high; y++) buffer.fill(blank, y * width + xa, y * width + xb);
  for (let i = 0; i < n; i++) {
    const from = Math.floor(l.begin[i] / px) - first, a = Math.max(from, xa), b = Math.min(Math.max(Math.ceil(l.end[i] / px) - first, from + 1), xb), y0 = top + high - rows(l.y[i]), y1 = top + high - Math.max(rows(l.y[i] + l.amount[i]), rows(l.y[i]) + 1), c = l.cat[i];
    if (a >= b) continue;
    for (let y = Math.max(y1, top); y < y0; y++) {
      const color = y === y1 && y0 - y1 > 3 ? edge[c] : fill[c];
      if (patterns) for (let x = a; x < b; x++) buffer[y * width + x] = PATTERNS[c % 6](first + x, y) ? color : blank;
      else buffer.fill(color, y * width + a, y * width + b);
      if (a === from && l.end[i] - l.begin[i] > 4 * px) buffer[y * width + a] = edge[c];
    }
  }
}

// step is the distance of a ruler's marks, of 1, 2 and 5 times a power of ten, in seconds: at
// least so many.
export function step(least) {
  const ten = 10 ** Math.floor(Math.log10(least));
  return [1, 2, 5, 10].map((f) => f * ten).find((s) => s >= least * (1 - 1e-9));
}

// moment is a time in seconds, beside others up to most, to as many places as steps of a length
// need.
export function moment(s, by, most = s) {
  const [unit, size] = UNITS.find(([, size]) => most >= size) ?? UNITS.at(-1);
  const places = Math.min(Math.max(0, Math.ceil(-Math.log10(by / size) - 1e-9)), 9);
  return `${(s / size).toFixed(places)} ${unit}`;
}
const UNITS = [['s', 1], ['ms', 1e-3], ['µs', 1e-6], ['ns', 1e-9], ['ps', 1e-12]];

// lasts is a duration with three digits.
export function lasts(s) {
  const [unit, size] = UNITS.find(([, size]) => s >= size * 0.9995) ?? UNITS.at(-1);
  const n = s / size;
  return `${digits(n)} ${unit}`;
}
const digits = (n) => n >= 100 ? Math.round(n) : n >= 10 ? n.toFixed(1) : n.toFixed(2);

// amount is in GB what moves, and in GiB what is held.
export function amount(n, unit, base = 1000) {
  if (unit === 'bytes/s') return `${amount(n, 'bytes')}/s`;
  if (unit !== 'bytes') return `${n.toLocaleString('en')} ${unit.replaceAll('_', ' ')}`;
  let size = 0;
  for (; n >= base; n /= base) size++;
  return size === 0 ? `${n} B` : `${digits(n)} ${' kMGT'[size]}${base === 1024 ? 'i' : ''}B`;
}

export const percent = (share) => share > 0 && share < 0.0005 ? 'under 0.1 %' : `${(100 * share).toFixed(share < 0.1 ? 1 : 0)} %`;

// writeAt and readAt are what is in view and selected as a text: FROM.LENGTH[.TRACK.BEGIN] in
// ticks, base 36.
export const writeAt = (from, length, chosen) => [from, length, ...chosen ?? []].map((n) => Math.round(n).toString(36)).join('.');
export function readAt(text) {
  const list = /^[0-9a-z]+(\.[0-9a-z]+){1}((\.[0-9a-z]+){2})?$/.test(text) ? text.split('.').map((n) => parseInt(n, 36)) : [];
  return list[1] > 0 && list.every(Number.isSafeInteger) ? { from: list[0], length: list[1], chosen: list.length === 4 ? list.slice(2) : null } : null;
}

const LABELS = 150, NARROW = 104, MAP = 26, RULER = 20, TRACK = 20, GAP = 3, HEAD = 22, COUNTER = 34, LIVES = 200;
const FORCED = '(forced-colors: active)';
const escaped = (text) => text.replace(/[&<>"]/g, (c) => `&#${c.charCodeAt(0)};`);
const element = (tag, more, ...inside) => {
  const e = Object.assign(document.createElement(tag), more);
  e.append(...inside);
  return e;
};

class View {
  constructor(box, buffer, options) {
    Object.assign(this, { box, options, run: parse(buffer), folded: new Set(), chosen: null, range: null });
    this.run.groups.forEach((g, i) => { if (g.folded) this.folded.add(i); });
    const wanted = readAt(options.at ?? '');
    this.from = Math.min(wanted?.from ?? 0, this.run.end);
    this.length = Math.min(Math.max(wanted?.length ?? this.run.end, this.#least()), this.run.end);
    this.wanted = wanted?.chosen;
    this.#build();
    this.#colors();
    this.#listen();
    this.#relayout();
    if (!this.#open(options.at ?? '')) this.#choosePlace(this.wanted);
  }

  // open goes where a chart leads: to a step, a moment in picoseconds, the longest wait of a name.
  #open(text) {
    const [, kind, what] = /^([ktw])([0-9a-z]*)$/.exec(text) ?? [], { run } = this, n = parseInt(what, 36);
    if (!kind) return false;
    if (kind === 'w') {
      const of = (w) => [run.for[w.for], run.cats[w.cat].label].some((label) => { const name = label?.toLowerCase().replace(/[^a-z0-9]/g, ''); return name && (name.includes(what) || what.includes(name)); });
      this.#chooseWait(Math.max(run.waits.findIndex(of), 0));
    } else {
      const track = run.tracks.findIndex((x) => x.kind === STATE && (kind === 't' || x.step.includes(n))), x = run.tracks[track];
      const at = x && (kind === 't' ? this.#find(track, n / 1e12 / run.seconds) : { track, i: x.step.indexOf(n) }), t = kind === 't' ? n / 1e12 / run.seconds : x?.begin[at.i];
      if (t >= 0) this.#show(t, t + run.end / 50);
      if (at) this.#choose(at);
    }
    if (!this.chosen) this.#tell();
    return true;
  }

  #least() { return Math.min(20, this.run.end); }

  // build makes what stands around the canvas.
  #build() {
    const button = (text, title, act) => element('button', { type: 'button', className: 'small', title, onclick: act }, text);
    this.canvas = element('canvas', { tabIndex: 0, id: 'timeline-canvas' });
    for (const [name, value] of Object.entries({ role: 'application', 'aria-label': `Timeline of ${this.options.title}`, 'aria-describedby': 'timeline-view timeline-keys' })) this.canvas.setAttribute(name, value);
    this.context = this.canvas.getContext('2d', { alpha: false });
    this.shown = element('span', { className: 'fine tl-shown' });
    this.search = element('input', { type: 'search', className: 'tl-search', placeholder: 'Search names', ariaLabel: 'Search names; Enter: the next' });
    this.found = element('span', { className: 'fine' });
    const wait = (text, title, by) => button(text, title, () => this.#nextWait(by));
    this.bar = element('div', { className: 'tl-bar' },
      button('−', 'Zoom out (S)', () => this.#zoom(2)), button('+', 'Zoom in (W)', () => this.#zoom(0.5)), button('Whole run', 'Show all of it (Home)', () => this.#whole()),
      wait('‹ Wait', 'The wait before this one ([)', -1), wait('Wait ›', 'The next wait (])', 1), this.search, this.found, this.shown,
      element('span', { className: 'tl-saves' }, ...['PNG', 'SVG', 'CSV'].map((kind) => button(kind, 'Save what is in view', () => this.more((files) => files[kind](this))))));
    this.tip = element('div', { className: 'tl-tip', hidden: true, ariaHidden: 'true' });
    this.sentence = element('p', { className: 'fine', id: 'timeline-view' });
    this.said = element('p', { className: 'sr' });
    this.said.dataset.say = '';
    this.key = element('ul', { className: 'tl-key' });
    this.details = element('div', { className: 'tl-details', id: 'timeline-details' });
    this.waits = element('div', { className: 'tl-waits' });
    this.table = element('div', { className: 'scroll', tabIndex: 0, id: 'timeline-table' });
    this.table.setAttribute('role', 'region');
    this.table.setAttribute('aria-label', 'Numbers of what is in view');
    this.numbers = element('details', { ontoggle: () => this.#tabulate() }, element('summary', {}, 'Numbers of what is in view'), this.table);
    const keys = element('p', { className: 'fine', id: 'timeline-keys' }, 'Keys: W S zoom, A D move, ← → slice before and after, ↑ ↓ other track, [ ] wait before and after, { } longer and shorter wait, F fit, Home whole run, / search.');
    this.plot = element('div', { className: 'tl-plot' }, this.canvas, this.tip);
    this.box.replaceChildren(this.bar, element('div', { className: 'tl-body' }, element('div', { className: 'tl-main' }, this.plot, this.key, this.sentence, keys), element('div', { className: 'tl-side' }, this.details, this.waits)), this.numbers, this.said);
    this.#listWaits();
  }

  // side is that of two runs whose a track is.
  #side(track) { return this.run.sides.find((s) => track < s.tracks); }

  // own is a moment of a track in the time of its run; what ends then is in the step before.
  #own(track, t, ends = 0) {
    const { own, at } = this.#side(track) ?? {}, i = at ? past(at, t - ends / 2) - 1 : -1;
    return i < 0 ? t : Math.min(own[i] + t - at[i], own[i + 1] ?? Infinity);
  }

  // took is from when to when a slice lasts in its run, in seconds, and how long.
  #took({ track, i }) {
    const x = this.run.tracks[track], [a, b] = [this.#own(track, x.begin[i]), this.#own(track, x.end[i], 1)].map((t) => t * this.run.seconds);
    return [a, b, Math.max(b - a, 0)];
  }

  // why is a sentence of a list, which leads to a slice.
  #why(list) {
    return (w, n) => `<li>${w.track < 0 ? escaped(w.text) : `<button type="button" class="link" data-${list}="${n}">${escaped(w.text)}</button>`}</li>`;
  }

  #listWaits() {
    const { run } = this;
    const item = (w, i) => {
      const name = w.step >= 0 ? run.names[run.steps[w.step]] : run.tracks[w.track].name, side = this.#side(w.track);
      return `<li><button type="button" class="link" data-wait="${i}"><b>${lasts((w.end - w.begin) * run.seconds)}</b> ${escaped(run.cats[w.cat].label)}${run.for[w.for] ? `, due to ${escaped(run.for[w.for])}` : ''}${w.times ?? ''} <span class="fine">${escaped(side ? `${side.name}: ${name}` : name)}, at ${lasts(this.#own(w.track, w.begin) * run.seconds)}</span></button></li>`;
    };
    this.waits.innerHTML = (run.apart.length ? `<h3>Where the two part</h3><ol id="timeline-apart" class="tl-chain">${run.apart.map(this.#why('apart')).join('')}</ol>` : '') + (run.waits.length === 0 ? '<h3>Nothing waits</h3>' : `<h3>Longest waits</h3><ol id="timeline-waits">${run.waits.map(item).join('')}</ol>`);
  }

  // colors takes the page's.
  #colors() {
    const style = getComputedStyle(this.box), probe = document.createElement('canvas').getContext('2d', { willReadFrequently: true });
    const forced = matchMedia(FORCED).matches;
    const css = (name) => {
      probe.fillStyle = '#000';
      probe.fillStyle = forced ? (name === '--panel' || name === '--grid' ? 'Canvas' : 'CanvasText') : style.getPropertyValue(name).trim();
      probe.fillRect(0, 0, 1, 1);
      return [...probe.getImageData(0, 0, 1, 1).data.slice(0, 3)];
    };
    const packed = ([r, g, b]) => (255 << 24 | b << 16 | g << 8 | r) >>> 0;
    const mix = (a, b, part) => a.map((v, i) => Math.round(v + (b[i] - v) * part));
    const text = (rgb) => `rgb(${rgb.join()})`;
    const panel = css('--panel'), ink = css('--text'), grid = css('--grid');
    let waits = 0, moves = 0, works = 0, held = 0;
    const cats = this.run.cats.map(({ style }) => {
      if (style === 'wait') return css(`--cause-${waits++ % 8}`);
      if (style === 'migration') return [mix(css('--axis'), panel, 0.1), css('--host-in'), css('--ssd-out')][moves++ % 3];
      if (style === 'held') return mix(css(['--compute', '--host-in', '--ssd-out', '--limit', '--axis'][held % 5]), panel, held++ % 2 ? 0.3 : 0.5);
      return style === 'idle' ? mix(grid, panel, 0.4) : mix(css('--compute'), panel, [0.5, 0.25, 0.7][works++ % 3]);
    });
    const light = ([r, g, b]) => [r, g, b].map((v) => (v /= 255) <= 0.03928 ? v / 12.92 : ((v + 0.055) / 1.055) ** 2.4).reduce((sum, v, i) => sum + v * [0.2126, 0.7152, 0.0722][i], 0);
    this.paint = {
      back: packed(panel), blank: packed(mix(grid, panel, 0.5)), fill: cats.map(packed), edge: cats.map((c) => packed(mix(c, ink, 0.45))), patterns: forced || matchMedia('print').matches,
      area: packed(mix(css('--axis'), panel, 0.7)), line: packed(css('--axis')), limit: packed(css('--limit')),
    };
    this.css = { panel: text(panel), ink: text(ink), second: text(css('--text-2')), grid: text(grid), accent: text(css('--accent')), cats: cats.map(text), on: cats.map((c) => forced ? text(ink) : light(c) > 0.18 ? '#000' : '#fff'), font: style.fontFamily, forced };
    this.map = null;
    this.key.innerHTML = this.used().map((c) => `<li><span class="swatch" style="background:${this.css.cats[c]}"></span> ${escaped(this.run.cats[c].label)}</li>`).join('');
  }

  used() { return this.run.cats.map((_, c) => c).filter((c) => [...this.run.tracks, ...this.run.lives].some((x) => x.used.includes(c))); }

  // relayout places the rows.
  #relayout() {
    const { run } = this;
    const wide = Math.max(240, Math.floor(this.plot.clientWidth));
    this.labels = wide < 560 ? NARROW : LABELS;
    this.rows = [];
    let y = MAP + RULER;
    run.groups.forEach((g, i) => {
      this.rows.push({ group: i, y, high: HEAD });
      y += HEAD;
      if (this.folded.has(i)) return;
      run.tracks.forEach((x, track) => { if (x.group === i) { this.rows.push({ track, y, high: TRACK }); y += TRACK + GAP; } });
      run.counters.forEach((x, counter) => { if (x.group === i) { this.rows.push({ counter, y, high: COUNTER }); y += COUNTER + GAP; } });
      run.lives.forEach((lives) => { if (lives.group === i) { this.rows.push({ lives, y, high: LIVES }); y += LIVES + GAP; } });
      y += 4;
    });
    this.wide = wide;
    this.high = y + 4;
    this.sharp = 0; // sizes are to be set
    this.#settle();
  }

  // size gives the canvas so many pixels for one of the page.
  #size(r) {
    if (this.sharp === r) return;
    this.sharp = r;
    this.canvas.width = Math.round(this.wide * r);
    this.canvas.height = Math.round(this.high * r);
    this.canvas.style.width = `${this.wide}px`;
    this.canvas.style.height = `${this.high}px`;
    this.width = Math.max(1, Math.round((this.wide - this.labels) * r));
    this.height = Math.round((this.high - MAP - RULER) * r);
    this.picture = this.context.createImageData(this.width, this.height);
    this.buffer = new Uint32Array(this.picture.data.buffer);
    this.last = null;
    this.map = null;
  }

  // settle clamps what is in view and has it drawn.
  #settle() {
    this.length = Math.min(Math.max(this.length, this.#least()), this.run.end);
    this.from = Math.min(Math.max(this.from, 0), this.run.end - this.length);
    if (!this.due) this.due = requestAnimationFrame(() => { this.due = 0; this.draw(); });
    clearTimeout(this.rest);
    this.rest = setTimeout(() => this.#rested(), 150);
  }

  // rested says what is in view when it has not moved for a while.
  #rested() {
    if (!this.box.isConnected) return;
    this.#say();
    if (this.numbers.open) this.#tabulate();
    if (this.moved) this.options.onAt?.(this.#at());
    this.moved = false;
    const { run } = this;
    if (this.length < run.end / 8 && !fine(run, this.from, this.from + this.length) && !(this.refused < this.length)) {
      this.asked = this.length;
      this.options.onWindow?.(Math.max(0, Math.floor(this.from - this.length / 2)), Math.min(run.end, Math.ceil(this.from + 1.5 * this.length)));
    }
    if (this.sharp && this.sharp !== this.#ratio()) this.#settle();
  }

  #ratio() { return Math.min(globalThis.devicePixelRatio || 1, 2); }

  #at() { return writeAt(this.from, this.length, this.chosen && [this.chosen.track, this.run.tracks[this.chosen.track].begin[this.chosen.i]]); }

  // window takes the slices of a part of a run that has too many.
  window(buffer) {
    const part = parse(buffer), { run } = this;
    if (!(part.to > part.from)) { this.refused = this.asked / 2; return; } // too many still
    for (const key of ['from', 'to', 'names', 'objects', 'steps']) run[key] = part[key];
    run.tracks.forEach((x, i) => {
      for (const key of ['begin', 'end', 'label', 'ref', 'step', 'amount', 'cat']) x[key] = part.tracks[i][key];
      x.sums = summed(x);
    });
    part.waits.forEach(({ chain }, i) => { if (chain.length && run.waits[i]) run.waits[i].chain = chain; });
    this.chosen = null;
    this.last = null;
    this.#choosePlace(this.wanted);
    this.#settle();
  }

  draw() {
    if (!this.box.isConnected) return;
    const start = performance.now();
    if (!this.css) this.#colors();
    this.#size(this.slow && performance.now() - this.slow < 140 ? 1 : this.#ratio());
    const { run, width } = this, r = this.sharp;
    const px = this.length / width, first = Math.round(this.from / px);
    this.px = px;
    this.first = first;
    const to = { ...this.paint, buffer: this.buffer, width };
    const last = this.last, by = last ? last.first - first : 0;
    if (last && last.px === px && Math.abs(by) <= width / 2) {
      if (by > 0) this.buffer.copyWithin(by, 0);
      else if (by < 0) this.buffer.copyWithin(0, -by);
      if (by > 0) this.#strip(to, 0, by);
      else if (by < 0) this.#strip(to, width + by, width);
    } else {
      this.#strip(to, 0, width);
    }
    this.last = { px, first };
    const g = this.context;
    g.setTransform(1, 0, 0, 1, 0, 0);
    g.fillStyle = this.css.panel;
    g.fillRect(0, 0, this.canvas.width, this.canvas.height);
    g.putImageData(this.picture, Math.round(this.labels * r), Math.round((MAP + RULER) * r));
    g.setTransform(r, 0, 0, r, 0, 0);
    this.text(g);
    this.spent = performance.now() - start;
    if (r > 1 && this.spent > 10) this.slow = performance.now();
  }

  // strip paints columns xa to xb.
  #strip(to, xa, xb) {
    const r = this.sharp;
    for (let y = 0; y < this.height; y++) this.buffer.fill(this.paint.back, y * this.width + xa, y * this.width + xb);
    for (const row of this.rows) {
      const top = Math.round((row.y - MAP - RULER) * r), high = Math.max(1, Math.round(row.high * r));
      if (row.track !== undefined) paintTrack(to, this.run, this.run.tracks[row.track], top, high, this.first, this.px, xa, xb);
      if (row.lives) paintLives(to, row.lives, top, high, this.first, this.px, xa, xb);
      if (row.counter !== undefined) paintCounter(to, this.run.counters[row.counter], top, high, this.first, this.px, xa, xb);
    }
  }

  x(t) { return this.labels + (t / this.px - this.first) / this.sharp; }

  time(x) { return this.from + (x - this.labels) / (this.wide - this.labels) * this.length; }

  // text writes what stands upon the picture and around it.
  text(g) {
    const { run, css, wide, high, labels } = this, t1 = this.from + this.length;
    g.textBaseline = 'middle';
    // Ruler.
    const by = step(this.length * run.seconds * 110 / (wide - labels));
    g.font = `11px ${css.font}`;
    g.textAlign = 'center';
    for (let n = Math.ceil(this.from * run.seconds / by - 1e-9); n * by <= t1 * run.seconds * (1 + 1e-12); n++) {
      const x = Math.round(this.x(n * by / run.seconds)) + 0.5;
      g.fillStyle = css.ink;
      g.globalAlpha = 0.1;
      g.fillRect(x - 0.5, MAP + RULER, 1, high);
      g.globalAlpha = 1;
      g.fillStyle = css.second;
      const label = moment(n * by, by, t1 * run.seconds), half = g.measureText(label).width / 2;
      g.fillText(label, Math.min(Math.max(x, labels + half), wide - half), MAP + RULER / 2);
    }
    // Names.
    for (const row of this.rows) {
      const middle = row.y + row.high / 2;
      if (row.group !== undefined) {
        g.font = `600 12px ${css.font}`;
        g.textAlign = 'left';
        g.fillStyle = css.ink;
        g.fillText(`${this.folded.has(row.group) ? '▸' : '▾'} ${run.groups[row.group].name}`, 4, middle);
        continue;
      }
      g.font = `12px ${css.font}`;
      g.textAlign = 'right';
      g.fillStyle = css.second;
      const x = row.lives ?? run.tracks[row.track] ?? run.counters[row.counter];
      g.fillText(this.#cut(g, x.name, labels - 20, 0.4), labels - 8, middle);
      if (row.track !== undefined) this.#label(g, x, row);
      else if (row.lives) this.#outlives(g, row);
      else {
        g.font = `11px ${css.font}`;
        g.fillText(x.unit === 'ticks' ? lasts(x.peak * run.seconds) : amount(Math.max(x.peak, x.limit), x.unit, 1024), wide - 4, row.y + row.high - 8);
      }
    }
    g.textAlign = 'left';
    // What is selected, and what it is about.
    if (this.range) {
      const [a, b] = this.range.map((t) => Math.min(Math.max(this.x(t), labels), wide));
      g.fillStyle = css.accent;
      g.globalAlpha = 0.15;
      g.fillRect(a, MAP, b - a, high);
      g.globalAlpha = 1;
    }
    this.#join(g, this.kin ?? []);
    if (this.chosen) {
      this.#outline(g, this.chosen, []);
      const why = this.wait?.chain.find((w) => w.track >= 0);
      if (why) this.#join(g, [this.#find(this.wait.track, this.wait.begin), this.#find(why.track, why.begin)]);
    }
    this.#minimap(g);
  }

  // join frames slices, and leads from each to the next where they are few.
  #join(g, list) {
    list.map((at) => at && this.#outline(g, at, [3, 2])).reduce((from, to) => {
      if (from && to && list.length < 20) {
        g.beginPath();
        g.moveTo(Math.max(from.a, this.labels), from.y + from.high);
        g.lineTo(Math.max(to.a, this.labels), to.y);
        g.strokeStyle = this.css.ink;
        g.lineWidth = 1.5;
        g.stroke();
      }
      return to;
    }, null);
  }

  // label writes names upon slices that have room for them.
  #label(g, x, row) {
    const { run, css } = this, right = this.from + this.length;
    g.font = `11px ${css.font}`;
    g.textAlign = 'left';
    let i = Math.max(0, past(x.begin, this.from) - 1), written = -1;
    for (let at = this.labels; at < this.wide; at += 13) {
      const t = this.time(at + 13);
      i = past(x.begin, t, i);
      const s = i - 1;
      if (s < 0 || s === written) continue;
      written = s;
      const a = Math.max(this.x(x.begin[s]), this.labels), b = Math.min(this.x(Math.min(x.end[s], right)), this.wide);
      if (b - a < 26) continue;
      const text = this.#cut(g, this.name(x, s), b - a - 7);
      if (!text) continue;
      const c = x.cat[s];
      if (css.forced) {
        g.fillStyle = css.panel;
        g.fillRect(a + 2, row.y + 3, g.measureText(text).width + 4, row.high - 6);
      }
      g.fillStyle = css.on[c];
      g.fillText(text, a + 4, row.y + row.high / 2 + 0.5);
    }
    g.fillStyle = css.second;
    g.textAlign = 'right';
  }

  // outlives frames the lives of what is selected.
  #outlives(g, { lives: l, y, high }) {
    const { track, i } = this.chosen ?? {}, ref = this.run.tracks[track]?.ref[i] ?? -1;
    g.strokeStyle = this.css.ink;
    g.lineWidth = 2;
    for (let n = past(l.begin, this.from + this.length) - 1; ref >= 0 && n >= 0; n--) {
      const a = Math.max(this.x(l.begin[n]), this.labels), b = Math.min(this.x(l.end[n]), this.wide), h = Math.max(l.amount[n] / l.high * high, 2);
      if (l.ref[n] === ref && b > a) g.strokeRect(a, y + high - l.y[n] / l.high * high - h, b - a, h);
    }
  }

  // alive is the life at a place: its lives and number.
  #alive(px, py) {
    const row = this.rows.find((row) => row.lives && py >= row.y && py < row.y + row.high), l = row?.lives, t = this.time(px), v = row && (row.y + row.high - py) / row.high * l.high;
    const i = l && px >= this.labels ? l.begin.findIndex((b, i) => b <= t && t < l.end[i] && l.y[i] <= v && v < l.y[i] + l.amount[i]) : -1;
    return i < 0 ? null : { l, i };
  }

  name(x, s) { return (x.kind === STATE ? '' : this.run.names[x.label[s]]) || this.run.cats[x.cat[s]].label; }

  // cut shortens a text; end is the part of what is left that is its end.
  #cut(g, text, room, end = 0) {
    const w = g.measureText(text).width, n = Math.floor(text.length * room / w) - 1, tail = Math.floor(n * end);
    return w <= room ? text : n < 3 ? '' : `${text.slice(0, n - tail)}…${text.slice(text.length - tail)}`;
  }

  #outline(g, { track, i }, dash) {
    const row = this.rows.find((row) => row.track === track), x = this.run.tracks[track];
    if (!row || !(x.end[i] >= this.from && x.begin[i] <= this.from + this.length)) return null;
    const a = Math.max(this.x(x.begin[i]), this.labels - 4), b = Math.min(this.x(x.end[i]), this.wide + 4);
    g.strokeStyle = this.css.ink;
    g.lineWidth = 2;
    g.setLineDash(dash);
    g.strokeRect(a - 1, row.y - 1, Math.max(b - a, 1) + 2, row.high + 2);
    g.setLineDash([]);
    return { a, y: row.y, high: row.high };
  }

  // minimap has the waits of the whole run; what is in view is framed.
  #minimap(g) {
    const { run, css, labels } = this, wide = this.wide - labels, high = MAP - 4;
    if (!this.map) {
      this.map = document.createElement('canvas');
      this.map.width = Math.max(1, Math.round(wide));
      this.map.height = high;
      const m = this.map.getContext('2d'), n = this.map.width;
      m.fillStyle = css.grid;
      m.fillRect(0, 0, n, high);
      const tracks = run.tracks.filter((x) => x.kind === STATE);
      const sums = new Float64Array(n * run.cats.length);
      for (const x of tracks) {
        for (let col = 0; col < n; col++) {
          const part = within(run, x, run.end * col / n, run.end * (col + 1) / n);
          x.used.forEach((c, k) => { sums[col * run.cats.length + c] += part[k]; });
        }
      }
      for (let col = 0; col < n; col++) {
        let y = high;
        for (let c = run.cats.length - 1; c >= 0; c--) {
          if (run.cats[c].style !== 'wait') continue;
          const h = sums[col * run.cats.length + c] / (run.end / n) / Math.max(tracks.length, 1) * high;
          m.fillStyle = css.cats[c];
          m.fillRect(col, y - h, 1, h);
          y -= h;
        }
      }
    }
    g.drawImage(this.map, labels, 0, wide, high);
    const a = labels + this.from / run.end * wide, b = labels + (this.from + this.length) / run.end * wide;
    g.strokeStyle = css.ink;
    g.lineWidth = 2;
    g.strokeRect(Math.min(a, this.wide - 4) + 1, 1, Math.max(b - a - 2, 2), high - 2);
    g.font = `12px ${css.font}`;
    g.textAlign = 'right';
    g.fillStyle = css.second;
    g.fillText('Waits', labels - 8, high / 2);
    g.textAlign = 'left';
  }

  // say writes what is in view in words.
  #say() {
    const { run } = this, from = this.range?.[0] ?? this.from, to = this.range?.[1] ?? this.from + this.length;
    let first = 0;
    const parts = (run.sides.length ? run.sides : [{ tracks: run.tracks.length }]).map(({ name, tracks }) => {
      const sums = run.cats.map(() => 0);
      for (; first < tracks; first++) {
        const x = run.tracks[first];
        if (x.kind === STATE) within(run, x, from, to).forEach((t, k) => { sums[x.used[k]] += t; });
      }
      const all = sums.reduce((a, b) => a + b, 0);
      return (name ? `${name}: ` : '') + (sums.map((t, c) => [t, c]).filter(([t]) => t > 0).sort((a, b) => b[0] - a[0]).map(([t, c]) => `${run.cats[c].label} ${percent(t / all)}`).join(', ') || 'nothing');
    });
    const fine = (to - from) * run.seconds / 1000, span = `${moment(from * run.seconds, fine, to * run.seconds)} to ${moment(to * run.seconds, fine)}`;
    this.sentence.textContent = `${this.range ? 'Selected' : 'In view'}: ${span}: ${parts.join('; ')}.`;
    this.shown.textContent = `${span} of ${moment(run.end * run.seconds, fine)}`;
  }

  // find is the slice of a track that begins at a moment, or lasts then.
  #find(track, t) {
    const x = this.run.tracks[track];
    if (!x) return null;
    const i = past(x.begin, t) - 1;
    return i >= 0 && (x.begin[i] === t || x.end[i] > t) ? { track, i } : null;
  }

  #choosePlace(place) {
    const at = place && this.#find(...place);
    if (at) this.#choose(at, false);
    else this.#tell();
  }

  // choose selects a slice, and moves so that it is in view.
  #choose(at, told = true, wait = null) {
    this.chosen = at;
    this.range = null;
    this.kin = null;
    this.wait = null;
    if (at) {
      const { run } = this, x = run.tracks[at.track], [a, b] = [x.begin[at.i], x.end[at.i]];
      this.wait = wait ?? run.waits.find((w) => w.track === at.track && w.begin <= a && b <= w.end);
      if (x.ref[at.i] >= 0) this.kin = this.#alike(x.ref[at.i]);
      if (b < this.from || a > this.from + this.length) this.from = (a + b) / 2 - this.length / 2;
    }
    if (told) this.moved = true;
    this.#tell();
    this.#settle();
  }

  // alike are the slices about an object, in order.
  #alike(ref) {
    const list = [];
    this.run.tracks.forEach((x, track) => { for (let i = 0; i < x.ref.length && list.length < 200; i++) if (x.ref[i] === ref) list.push({ track, i }); });
    return list.sort((a, b) => this.run.tracks[a.track].begin[a.i] - this.run.tracks[b.track].begin[b.i]);
  }

  // tell writes the details of what is selected.
  #tell() {
    const { run, chosen } = this;
    for (const b of this.waits.querySelectorAll('[data-wait]')) b.setAttribute('aria-current', String(this.wait === run.waits[b.dataset.wait]));
    if (!chosen) {
      this.details.innerHTML = '<h3>Nothing selected</h3><p class="fine">Press a slice or a wait: here is what it came of.</p>';
      this.said.textContent = '';
      return;
    }
    const x = run.tracks[chosen.track], i = chosen.i, s = run.seconds, cat = run.cats[x.cat[i]].label;
    const [from, to, took] = this.#took(chosen), fine = Math.max(took / 1000, 1e-12), wait = this.wait;
    const step = x.step[i] >= 0 ? run.names[run.steps[x.step[i]]] : '';
    const facts = [['Track', x.name], ['From, to', `${moment(from, fine, to)} to ${moment(to, fine)}`]];
    if (this.#side(chosen.track)) facts.unshift(['Run', this.#side(chosen.track).name]);
    if (run.for[x.for[i]]) facts.push(['Due to', run.for[x.for[i]]]);
    if (step) facts.push(['Step', `${step}, ${x.step[i]} of ${run.steps.length}`]);
    if (x.ref[i] >= 0) facts.push(['About', run.names[run.objects[x.ref[i]]]]);
    if (x.unit && x.amount[i]) facts.push(['Amount', amount(x.amount[i], x.unit)]);
    if (x.unit === 'bytes' && took > 0) facts.push(['Rate', amount(x.amount[i] / took, 'bytes/s')]);
    const name = this.name(x, i), title = `${lasts(took)} ${x.kind === STATE ? cat : name}`;
    this.details.innerHTML = `<h3><span class="swatch" style="background:${this.css?.cats[x.cat[i]] ?? ''}"></span> ${escaped(title)}</h3>`
      + (wait?.chain.length ? `<h4>Why ${lasts((wait.end - wait.begin) * s)} (${escaped(run.cats[wait.cat].label)})</h4><ol class="tl-chain">${wait.chain.map(this.#why('why')).join('')}</ol>` : '')
      + `<dl>${[...name === cat ? [] : [['Kind', cat]], ...facts].map(([k, v]) => `<dt>${k}</dt><dd>${escaped(v)}</dd>`).join('')}</dl>`
      + `<p class="tl-acts"><button type="button" class="small" data-act="fit">Fit</button>${this.kin?.length > 1 ? ' <button type="button" class="small" data-act="earlier">‹ Its move before</button> <button type="button" class="small" data-act="later">Its next move ›</button>' : ''}</p>`;
    this.said.textContent = `${name}${step && step !== name ? `, ${step}` : ''}: ${cat}, ${lasts(took)}, ${facts.find(([k]) => k === 'From, to')[1]}. ${wait?.chain.map((w) => w.text).join(' ') ?? ''}`;
  }

  #zoom(by, x = (this.labels + this.wide) / 2) {
    const t = this.time(x), part = (t - this.from) / this.length;
    this.length = Math.min(Math.max(this.length * by, this.#least()), this.run.end);
    this.from = t - part * this.length;
    this.moved = true;
    this.#settle();
  }

  #pan(part) {
    this.from += part * this.length;
    this.moved = true;
    this.#settle();
  }

  #show(from, to, part = 1) {
    this.length = Math.max((to - from) / part, this.#least());
    this.from = (from + to) / 2 - this.length / 2;
    this.moved = true;
    this.#settle();
  }

  #whole() { this.range = null; this.#show(0, this.run.end); }

  #fit() {
    const x = this.chosen && this.run.tracks[this.chosen.track];
    if (this.range) this.#show(...this.range);
    else if (x) this.#show(x.begin[this.chosen.i], x.end[this.chosen.i], 0.5);
  }

  #chooseWait(n) {
    const w = this.run.waits[n];
    if (!w) return;
    this.wanted = [w.track, w.begin];
    this.#show(w.begin, w.end, 0.3);
    const x = this.run.tracks[w.track];
    let at = this.#find(w.track, w.begin); // of what is joined the longest
    for (let i = at?.i; at && i < x.begin.length && x.begin[i] < w.end; i++) if (x.end[i] - x.begin[i] > x.end[at.i] - x.begin[at.i]) at = { track: w.track, i };
    if (at) this.#choose(at);
  }

  // nextWait goes to the wait before or after, of those that are worth it.
  #nextWait(by) {
    const { run } = this, least = run.end / 2000;
    const now = this.chosen ? run.tracks[this.chosen.track].begin[this.chosen.i] : by > 0 ? this.from - 1 : this.from + this.length;
    let best = null, at = by * Infinity;
    run.tracks.forEach((x, track) => {
      if (x.kind !== STATE) return;
      let i = by > 0 ? past(x.begin, now) : past(x.begin, now) - 1;
      for (; i >= 0 && i < x.begin.length; i += by) {
        if (by * (at - x.begin[i]) <= 0) break;
        if (run.cats[x.cat[i]].style === 'wait' && x.end[i] - x.begin[i] >= least && x.begin[i] !== now) { best = { track, i }; at = x.begin[i]; break; }
      }
    });
    if (best) this.#choose(best);
    else if (run.bins) this.#chooseWait(0);
  }

  #byLength(by) {
    this.#chooseWait(Math.max(this.run.waits.indexOf(this.wait) + by, 0));
  }

  // seek goes to the next slice whose name has what is searched.
  #seek(by) {
    const { run } = this, text = this.search.value.trim().toLowerCase();
    if (!text) { this.found.textContent = ''; return; }
    const is = run.names.map((name) => name !== '' && name.toLowerCase().includes(text));
    const label = run.cats.map((c) => c.label.toLowerCase().includes(text));
    const now = this.chosen ? run.tracks[this.chosen.track].begin[this.chosen.i] : -1, track = this.chosen?.track ?? -1;
    let best = null, first = null, count = 0;
    const later = (a, b) => !b || a.t < b.t || (a.t === b.t && a.track < b.track);
    run.tracks.forEach((x, n) => {
      for (let i = 0; i < x.begin.length; i++) {
        if (!is[x.label[i]] && !(x.kind === STATE && label[x.cat[i]]) && !(x.ref[i] >= 0 && is[run.objects[x.ref[i]]])) continue;
        count++;
        const at = { t: x.begin[i], track: n, i };
        if (later(at, first)) first = at;
        if ((at.t > now || (at.t === now && n > track)) && later(at, best)) best = at;
      }
    });
    this.found.textContent = count === 0 ? 'none' : `${count.toLocaleString('en')} found`;
    if (by && count > 0) this.#choose(best ?? first);
  }

  // arrow goes to another slice of the track, or to another track.
  #arrow(key) {
    const { run } = this, tracks = this.rows.filter((row) => row.track !== undefined && run.tracks[row.track].begin.length > 0).map((row) => row.track);
    if (tracks.length === 0) return;
    if (!this.chosen) {
      const x = run.tracks[tracks[0]];
      this.#choose({ track: tracks[0], i: Math.min(past(x.begin, this.from), x.begin.length - 1) });
      return;
    }
    const { track, i } = this.chosen, x = run.tracks[track];
    if (key === 'ArrowLeft' || key === 'ArrowRight') {
      const next = i + (key === 'ArrowLeft' ? -1 : 1);
      if (next >= 0 && next < x.begin.length) this.#choose({ track, i: next });
      return;
    }
    const other = tracks[tracks.indexOf(track) + (key === 'ArrowUp' ? -1 : 1)];
    if (other === undefined) return;
    const t = (x.begin[i] + x.end[i]) / 2, y = run.tracks[other];
    this.#choose({ track: other, i: Math.min(Math.max(past(y.begin, t) - 1, 0), y.begin.length - 1) });
  }

  // hit is the slice at a place: of several in a column the longest.
  #hit(px, py) {
    const row = this.rows.find((row) => row.track !== undefined && py >= row.y && py < row.y + row.high);
    if (!row || px < this.labels) return null;
    const x = this.run.tracks[row.track], from = this.time(px - 2), to = this.time(px + 2);
    let best = null;
    const end = past(x.begin, to);
    for (let i = Math.max(0, past(x.begin, from) - 1); i < end; i++) {
      if (x.end[i] >= from && (best === null || x.end[i] - x.begin[i] > x.end[best] - x.begin[best])) best = i;
    }
    return best === null ? null : { track: row.track, i: best };
  }

  #listen() {
    const { canvas } = this, place = (e) => { const r = canvas.getBoundingClientRect(); return [e.clientX - r.left, e.clientY - r.top]; };
    const held = new Map();
    let drag = null;
    canvas.addEventListener('pointerdown', (e) => {
      if (e.button > 0) return;
      const [x, y] = place(e);
      held.set(e.pointerId, [x, y]);
      canvas.setPointerCapture(e.pointerId);
      this.tip.hidden = true;
      if (held.size === 2) { drag = { what: 'pinch', apart: this.#apart(held) }; return; }
      drag = { what: x < this.labels ? 'fold' : y < MAP ? 'map' : y < MAP + RULER ? 'range' : 'pan', x, y, from: this.from, far: false };
      if (drag.what === 'map') this.#center(x);
      if (drag.what === 'range') drag.t = this.time(x);
    });
    canvas.addEventListener('pointermove', (e) => {
      const [x, y] = place(e);
      if (!drag || !held.has(e.pointerId)) { this.#hover(x, y, e); return; }
      held.set(e.pointerId, [x, y]);
      if (Math.abs(x - drag.x) > 3 || Math.abs(y - drag.y) > 3) drag.far = true;
      if (drag.what === 'pinch' && held.size === 2) {
        const apart = this.#apart(held), [[a], [b]] = [...held.values()];
        this.#zoom(drag.apart / apart, (a + b) / 2);
        drag.apart = apart;
      } else if (drag.what === 'map') this.#center(x);
      else if (drag.what === 'range' && drag.far) {
        const t = Math.min(Math.max(this.time(x), 0), this.run.end);
        this.range = [Math.min(drag.t, t), Math.max(drag.t, t)];
        this.#settle();
      } else if (drag.what === 'pan' && drag.far) {
        this.from = drag.from - (x - drag.x) / (this.wide - this.labels) * this.length;
        this.moved = true;
        this.#settle();
      }
    });
    const up = (e) => {
      const [x, y] = place(e);
      held.delete(e.pointerId);
      if (drag && !drag.far && e.type === 'pointerup') {
        const row = this.rows.find((row) => row.group !== undefined && y >= row.y && y < row.y + row.high);
        if (row && drag.what !== 'map') {
          if (!this.folded.delete(row.group)) this.folded.add(row.group);
          this.#relayout();
        } else if (drag.what === 'pan') {
          const { l, i } = this.#alive(x, y) ?? {}, t = this.time(x), moves = l?.ref[i] >= 0 ? this.#alike(l.ref[i]) : [];
          this.#choose(moves.findLast((k) => this.run.tracks[k.track].begin[k.i] <= t) ?? moves[0] ?? this.#hit(x, y));
        }
      }
      if (held.size === 0) drag = null;
    };
    canvas.addEventListener('pointerup', up);
    canvas.addEventListener('pointercancel', up);
    canvas.addEventListener('pointerleave', () => { this.tip.hidden = true; });
    canvas.addEventListener('dblclick', (e) => {
      const at = this.#hit(...place(e));
      if (at) { this.#choose(at); this.#fit(); } else this.#whole();
    });
    canvas.addEventListener('wheel', (e) => {
      const aside = Math.abs(e.deltaX) > Math.abs(e.deltaY) ? e.deltaX : e.shiftKey ? e.deltaY : 0;
      if (e.ctrlKey || e.metaKey) this.#zoom(Math.exp(e.deltaY / 500), place(e)[0]);
      else if (aside) this.#pan(aside / (this.wide - this.labels));
      else return;
      e.preventDefault();
    }, { passive: false });
    canvas.addEventListener('keydown', (e) => { if (this.#press(e)) { e.preventDefault(); e.stopPropagation(); } });
    this.search.addEventListener('input', () => this.#seek(0));
    this.search.addEventListener('keydown', (e) => {
      if (e.key === 'Enter') this.#seek(1);
      if (e.key === 'Escape') { this.search.value = ''; this.#seek(0); canvas.focus(); }
      if (e.key === 'Enter' || e.key === 'Escape') { e.preventDefault(); e.stopPropagation(); }
    });
    this.box.addEventListener('click', (e) => {
      const b = e.target instanceof Element && e.target.closest('[data-wait], [data-why], [data-act], [data-apart]');
      if (!b) return;
      if (b.dataset.wait) this.#chooseWait(Number(b.dataset.wait));
      const w = b.dataset.apart ? this.run.apart[b.dataset.apart] : this.wait?.chain[b.dataset.why], at = w && this.#find(w.track, w.begin);
      if (at) {
        const x = this.run.tracks[w.track];
        if (b.dataset.apart) this.#show(x.begin[at.i], x.end[at.i], 0.2);
        else if (x.end[at.i] < this.from || x.begin[at.i] > this.from + this.length) this.from = x.begin[at.i] - this.length / 3;
        this.#choose(at, true, b.dataset.apart ? null : this.wait);
      }
      if (b.dataset.act === 'fit') this.#fit();
      if (b.dataset.act === 'earlier' || b.dataset.act === 'later') {
        const t = (k) => this.run.tracks[k.track].begin[k.i], now = t(this.chosen), later = b.dataset.act === 'later';
        const next = later ? this.kin.find((k) => t(k) > now) : this.kin.findLast((k) => t(k) < now);
        if (next) this.#choose(next);
      }
      this.box.querySelector(b.dataset.act ? `[data-act="${b.dataset.act}"]` : b.dataset.wait ? `[data-wait="${b.dataset.wait}"]` : b.dataset.apart ? `[data-apart="${b.dataset.apart}"]` : '[data-act]')?.focus({ preventScroll: true });
    });
    this.watch = new ResizeObserver(() => { if (Math.floor(this.plot.clientWidth) !== this.wide) this.#relayout(); });
    this.watch.observe(this.plot);
    const recolor = () => { this.css = null; this.last = null; this.#colors(); this.#tell(); this.draw(); };
    this.themes = new MutationObserver(recolor);
    this.themes.observe(document.documentElement, { attributes: true, attributeFilter: ['data-theme'] });
    this.ends = new AbortController();
    for (const media of [FORCED, 'print']) matchMedia(media).addEventListener('change', recolor, { signal: this.ends.signal });
  }

  #apart(held) {
    const [[a, b], [c, d]] = [...held.values()];
    return Math.max(20, Math.hypot(a - c, b - d));
  }

  #center(x) {
    this.from = (x - this.labels) / (this.wide - this.labels) * this.run.end - this.length / 2;
    this.moved = true;
    this.#settle();
  }

  #hover(x, y, e) {
    const at = e.pointerType === 'mouse' ? this.#hit(x, y) : null;
    const life = e.pointerType === 'mouse' && this.#alive(x, y), { run } = this;
    this.tip.hidden = !at && !life;
    this.tip.style.left = `${Math.min(x + 12, this.wide - 180)}px`;
    this.tip.style.top = `${y + 16}px`;
    if (life) {
      const { l, i } = life;
      this.tip.textContent = `${l.ref[i] < 0 ? '' : `${run.names[run.objects[l.ref[i]]]}, `}${run.cats[l.cat[i]].label}, ${amount(l.amount[i], l.unit, 1024)}, ${lasts((l.end[i] - l.begin[i]) * run.seconds)}`;
    }
    if (!at) return;
    const t = this.run.tracks[at.track], name = this.name(t, at.i), cat = this.run.cats[t.cat[at.i]].label;
    this.tip.textContent = `${name === cat ? '' : `${name}, `}${cat}, ${lasts(this.#took(at)[2])}`;
  }

  // press does what a key does, and reports whether it does anything.
  #press(e) {
    if (e.ctrlKey || e.metaKey || e.altKey) return false;
    const far = e.shiftKey ? 0.6 : 0.2;
    const does = {
      w: () => this.#zoom(0.7), s: () => this.#zoom(1 / 0.7), '+': () => this.#zoom(0.5), '-': () => this.#zoom(2),
      a: () => this.#pan(-far), d: () => this.#pan(far), Home: () => this.#whole(), f: () => this.#fit(),
      '[': () => this.#nextWait(-1), ']': () => this.#nextWait(1), '{': () => this.#byLength(-1), '}': () => this.#byLength(1),
      '/': () => this.search.focus(), Escape: (this.chosen || this.range) && (() => this.#choose(null)),
    }[e.key.length === 1 ? e.key.toLowerCase() : e.key] ?? (e.key.startsWith('Arrow') ? () => this.#arrow(e.key) : null);
    does?.();
    return Boolean(does);
  }

  // more does something with the script of numbers and files, which comes when it is first needed.
  async more(act) {
    if (!window.timeline.files) await this.options.load?.('timeline-files.js');
    if (this.box.isConnected) act(window.timeline.files);
  }

  #tabulate() { if (this.numbers.open) this.more((files) => files.tabulate(this)); }

  close() {
    this.watch.disconnect();
    this.themes.disconnect();
    this.ends.abort();
    cancelAnimationFrame(this.due);
    clearTimeout(this.rest);
    this.box.replaceChildren();
  }
}

if (globalThis.document) {
  let view = null;
  window.timeline = {
    show(box, buffer, options) {
      view?.close();
      view = null;
      try { view = new View(box, buffer, options); } catch (err) { box.textContent = err.message; }
    },
    window(buffer) { view?.window(buffer); },
    close() { view?.close(); view = null; },
    get view() { return view; },
    parts: { within, past, lasts, moment, amount, percent, escaped, top: MAP + RULER },
  };
  dispatchEvent(new Event('timeline.js'));
}
