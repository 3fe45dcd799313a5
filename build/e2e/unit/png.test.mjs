// Puts texts into a PNG and reads them again, by the format's description.
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import test from 'node:test';
import vm from 'node:vm';
import { crc32 } from 'node:zlib';
import { texts } from '../png.mjs';

function withTexts() {
  const window = {};
  vm.runInNewContext(readFileSync(new URL('../../../public/charts.js', import.meta.url), 'utf8'), {
    window, addEventListener() {}, Float64Array, Uint8Array, Uint32Array, DataView, TextEncoder, performance,
    document: { createElement: () => ({ getContext: () => ({}) }) },
    IntersectionObserver: class { observe() {} unobserve() {} },
  });
  return window.charts.withTexts;
}

// A PNG of one pixel.
const pixel = Buffer.from('iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==', 'base64');

test('texts are in the file as they were', () => {
  const wanted = [['Title', 'Time · µs → 1'], ['Source', 'https://example.org/#v=3&a=<b>'], ['Spillway-Data', 'system,setup\n"a ""b""",x=1\n'.repeat(5000)], ['Empty', '']];
  const png = Buffer.from(withTexts()(Uint8Array.from(pixel), wanted));
  assert.deepEqual(texts(png), Object.fromEntries(wanted.slice(0, 3)));
  assert.deepEqual(png.subarray(0, pixel.length - 12), pixel.subarray(0, -12));
  assert.deepEqual(png.subarray(-12), pixel.subarray(-12));
  assert.equal(crc32('IEND'), pixel.readUInt32BE(pixel.length - 4)); // the reader's sum is the format's
});
