// The view of a run over time: what it reads, its sums, and its pictures pixel by pixel, without
// a browser. ui/columns' tests write the buffer that is read here.
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import test from 'node:test';
import * as timeline from '../../../public/timeline.js';

const root = new URL('../../../', import.meta.url);
const small = () => Uint8Array.from(Buffer.from(readFileSync(new URL('ui/columns/testdata/small.txt', root), 'utf8').replaceAll('\n', ''), 'hex')).buffer;

// random is a generator of numbers below n, the same every time.
function random(seed) {
  let x = seed * 2654435761 % 2 ** 32 || 1;
  return (n) => {
    x ^= x << 13; x >>>= 0; x ^= x >>> 17; x ^= x << 5; x >>>= 0;
    return x % n;
  };
}

test('a buffer is read as Go wrote it', () => {
  const run = timeline.parse(small());
  assert.equal(run.end, 1000);
  assert.deepEqual(run.names.slice(0, 4), ['', 'weight <1>', 'Ω', 'conv']);
  const [state, other, link] = run.tracks;
  assert.deepEqual([...state.begin], [0, 100, 301, 400]);
  assert.deepEqual([...state.end], [100, 300, 400, 900]);
  assert.deepEqual([...state.cat], [0, 1, 1, 0]);
  assert.deepEqual([...state.step], [0, 1, 1, 1]);
  assert.deepEqual(state.used, [0, 1]);
  assert.deepEqual([...other.begin], [50]);
  assert.deepEqual([...link.amount], [2 ** 33, 7]);
  assert.deepEqual([...link.ref].map((o) => run.names[run.objects[o]]), ['Ω', 'weight <1>']);
  assert.deepEqual([...run.counters[0].value], [5, 2 ** 41]);
  assert.equal(run.waits[0].chain[0].text, 'It waits for Ω.');
  assert.ok(Math.abs(run.seconds * 1.2e9 - 1) < 1e-12);
});

test('lives are rectangles as high as what they take, and a strip of them is as the whole', () => {
  const l = { begin: Float64Array.of(0, 20, 60), end: Float64Array.of(100, 60, 61), y: Float64Array.of(0, 50, 50), amount: Float64Array.of(50, 25, 50), cat: Uint8Array.of(0, 1, 2), ref: Int32Array.of(0, 1, 2), high: 100 };
  const to = () => ({ buffer: new Uint32Array(200), width: 10, blank: 9, fill: [1, 2, 3], edge: [4, 5, 6] });
  const whole = to(), parts = to();
  timeline.paintLives(whole, l, 0, 20, 0, 10, 0, 10);
  const column = (x) => Array.from({ length: 20 }, (_, y) => whole.buffer[y * 10 + x]).join('');
  assert.equal(column(9), `${'9'.repeat(10)}4${'1'.repeat(9)}`);
  assert.equal(column(3), `${'9'.repeat(5)}5${'2'.repeat(4)}4${'1'.repeat(9)}`);
  assert.equal(column(6), `6${'3'.repeat(9)}4${'1'.repeat(9)}`); // a tick has a column
  for (const [a, b] of [[0, 3], [3, 4], [4, 10]]) timeline.paintLives(parts, l, 0, 20, 0, 10, a, b);
  assert.deepEqual(parts.buffer, whole.buffer);
});

test('what is no buffer is refused, and nothing else happens', () => {
  const r = random(7);
  const good = new Uint8Array(small());
  for (let n = 0; n < 3000; n++) {
    const bad = good.slice(0, n % 5 === 0 ? r(good.length) : good.length);
    for (let k = 0; k < 1 + r(4) && bad.length > 0; k++) bad[n % 3 === 0 ? r(Math.min(16, bad.length)) : r(bad.length)] = r(256);
    try { timeline.parse(bad.buffer); } catch (err) {
      assert.match(err.message, /^this timeline cannot be read .*; reload the page$/, `${n}: ${err.stack}`);
    }
  }
});

// track is a handmade track: [begin, end, category] each.
function track(slices, used = [...new Set(slices.map((s) => s[2]))].sort()) {
  const column = (type, f) => type.from(slices, f);
  const x = { begin: column(Float64Array, (s) => s[0]), end: column(Float64Array, (s) => s[1]), cat: column(Uint8Array, (s) => s[2]), used, slot: [0, 1, 2, 3].map((c) => used.indexOf(c)) };
  x.sums = timeline.summed(x);
  return x;
}

function drawn(seed, n, gaps = true) {
  const r = random(seed), slices = [];
  let at = 0;
  for (let i = 0; i < n; i++) {
    at += gaps && r(2) ? r(100) : 0;
    const end = at + 1 + r(r(20) ? 100 : 5000);
    slices.push([at, end, r(4)]);
    at = end;
  }
  return { run: { end: at + 10 }, x: track(slices, [0, 1, 2, 3]), slices };
}

const naive = (slices, from, to) => {
  const sums = [0, 0, 0, 0];
  for (const [a, b, c] of slices) sums[c] += Math.max(0, Math.min(b, to) - Math.max(a, from));
  return sums;
};

test('times in a window are those of its slices, to the tick', () => {
  for (const n of [0, 1, 63, 64, 65, 127, 128, 129, 500]) {
    const { run, x, slices } = drawn(n + 1, n);
    const moments = [0, 1, run.end, ...slices.flatMap(([a, b]) => [a, a + 1, b, b - 1, (a + b) >> 1])];
    for (const t of moments) assert.deepEqual([...timeline.within(run, x, 0, t)], naive(slices, 0, t), `${n} slices before ${t}`);
    const r = random(n + 9);
    for (let k = 0; k < 100; k++) {
      const [from, to] = [r(run.end), r(run.end)].sort((a, b) => a - b);
      assert.deepEqual([...timeline.within(run, x, from, to)], naive(slices, from, to));
    }
  }
});

const FILL = [11, 22, 33, 44], EDGE = [111, 122, 133, 144], BLANK = 9;
const picture = (width, height) => ({ buffer: new Uint32Array(width * height).fill(1), width, blank: BLANK, fill: FILL, edge: EDGE, patterns: false, area: 5, line: 6, limit: 7 });
const LETTERS = { 9: '.', 11: 'a', 22: 'b', 33: 'c', 44: 'd', 111: 'A', 122: 'B', 133: 'C', 144: 'D', 1: '!', 5: '-', 6: '#', 7: '=' };
const lines = (p, height) => Array.from({ length: height }, (_, y) => [...p.buffer.slice(y * p.width, (y + 1) * p.width)].map((c) => LETTERS[c]).join(''));

test('slices as pixels', () => {
  // Ten ticks a column: a long slice with its edge, a gap, a short one, halves, one tick.
  const x = track([[0, 60, 0], [60, 100, 1], [120, 130, 2], [130, 135, 0], [135, 140, 3], [151, 152, 3], [170, 200, 1]]);
  const p = picture(20, 6);
  timeline.paintTrack(p, { end: 200 }, x, 1, 4, 0, 10, 0, 20);
  assert.deepEqual(lines(p, 6), [
    '!!!!!!!!!!!!!!!!!!!!',
    'AaaaaaBbbb..ca...bbb',
    'AaaaaaBbbb..ca...bbb',
    'AaaaaaBbbb..cd...bbb',
    'AaaaaaBbbb..cd.d.bbb',
    '!!!!!!!!!!!!!!!!!!!!',
  ]);
});

test('a slice of a tick in 10⁹ is seen, and slices that touch leave no gap', () => {
  const p = picture(100, 5);
  timeline.paintTrack(p, { end: 1e9 }, track([[123_456_789, 123_456_790, 2]]), 0, 5, 0, 1e7, 0, 100);
  assert.equal(p.buffer.filter((c) => c === 33).length, 1);
  const { run, x, slices } = drawn(3, 4000, false);
  const q = picture(300, 8);
  timeline.paintTrack(q, run, x, 0, 8, 0, slices.at(-1)[1] / 300, 0, 300);
  assert.ok(!q.buffer.includes(BLANK), 'where slices touch nothing is blank');
});

test('rows of a column are its shares', () => {
  const high = 40, { run, x, slices } = drawn(11, 3000);
  const px = run.end / 50, p = picture(50, high);
  timeline.paintTrack(p, run, x, 0, high, 0, px, 0, 50);
  for (let col = 0; col < 50; col++) {
    const share = naive(slices, col * px, (col + 1) * px).map((t) => t / px);
    FILL.forEach((color, c) => {
      let rows = 0;
      for (let y = 0; y < high; y++) if (p.buffer[y * 50 + col] === color) rows++;
      assert.ok(Math.abs(rows - share[c] * high) <= 2, `column ${col}, category ${c}: ${rows} rows for ${share[c] * high}`);
    });
  }
});

// What a column shows depends on nothing else: a picture that was moved is one drawn whole.
test('moved pictures are those that are drawn whole', () => {
  const r = random(5), width = 120, high = 12;
  for (let n = 0; n < 200; n++) {
    const { run, x } = drawn(n + 100, 1 + r(3000));
    const counter = { at: x.begin, value: Float64Array.from(x.end, (t) => t % 97), peak: 97, limit: n % 2 ? 80 : 0 };
    const px = run.end / width / (1 + r(40)), first = r(Math.max(1, Math.floor(run.end / px) - width));
    const by = r(width) - width / 2;
    const paint = (p, at, a, b) => {
      timeline.paintTrack(p, run, x, 0, high, at, px, a, b);
      timeline.paintCounter(p, counter, high, high, at, px, a, b);
    };
    const moved = { ...picture(width, 2 * high), patterns: n % 3 === 0 }, whole = { ...picture(width, 2 * high), patterns: n % 3 === 0 };
    paint(moved, first, 0, width);
    if (by > 0) moved.buffer.copyWithin(by, 0);
    else moved.buffer.copyWithin(0, -by);
    if (by > 0) paint(moved, first - by, 0, by);
    else paint(moved, first - by, width + by, width);
    paint(whole, first - by, 0, width);
    assert.deepEqual(lines(moved, 2 * high), lines(whole, 2 * high), `${n}: moved by ${by}`);
  }
});

test('a counter has its least and most in each column, and its limit', () => {
  const p = picture(8, 6);
  timeline.paintCounter(p, { at: Float64Array.of(0, 25, 27, 50), value: Float64Array.of(10, 40, 20, 0), peak: 40, limit: 50 }, 0, 6, 0, 10, 0, 8);
  assert.deepEqual(lines(p, 6), ['....====', '..#.....', '..#.....', '..####..', '###--#..', '-----###']);
});

test('texts of times, amounts and places', () => {
  assert.deepEqual([0.013, 0.2, 1, 1.01, 37].map(timeline.step), [0.02, 0.2, 1, 2, 50]);
  assert.equal(timeline.moment(6.35, 0.05), '6.35 s');
  assert.equal(timeline.moment(0.00125, 0.00005), '1.25 ms');
  assert.deepEqual([0, 0.5, 1].map((s) => timeline.moment(s, 0.5, 1.2)), ['0.0 s', '0.5 s', '1.0 s']);
  assert.deepEqual([13.54, 0.0871, 2.5e-9, 0].map(timeline.lasts), ['13.5 s', '87.1 ms', '2.50 ns', '0.00 ps']);
  assert.deepEqual([[4.069e9, 'bytes'], [12, 'bytes'], [1234, 'ideal_cycles']].map((a) => timeline.amount(...a)), ['4.07 GB', '12 B', '1,234 ideal cycles']);
  assert.deepEqual([0, 0.0001, 0.053, 0.89].map(timeline.percent), ['0.0 %', 'under 0.1 %', '5.3 %', '89 %']);
  const text = timeline.writeAt(1_234_567, 890, [3, 1_234_600]);
  assert.deepEqual(timeline.readAt(text), { from: 1_234_567, length: 890, chosen: [3, 1_234_600] });
  assert.deepEqual(timeline.readAt('a.b'), { from: 10, length: 11, chosen: null });
  for (const bad of ['', 'a', 'a.b.c', 'a.0', 'a.b.c.d.e', 'A.B', '-1.5', `a.${'z'.repeat(30)}`]) assert.equal(timeline.readAt(bad), null, bad);
});
