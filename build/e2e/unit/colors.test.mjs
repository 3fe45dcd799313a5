// The colours of public/style.css: contrast of letters and marks in both themes,
// and how far apart the colours of one chart are for people who see some colours
// alike. What is close must differ in its pattern, dashes or marks.
import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import path from 'node:path';
import { test } from 'node:test';

const css = await readFile(path.resolve(import.meta.dirname, '../../../public/style.css'), 'utf8');

// colors reads the variables of a block.
function colors(selector) {
  const at = css.indexOf(`${selector} {`);
  const block = css.slice(at, css.indexOf('\n}', at));
  return Object.fromEntries([...block.matchAll(/--([\w-]+): (#[0-9a-f]{3,6})\b/g)].map(([, name, hex]) => [name, hex.length === 4 ? `#${[...hex.slice(1)].map((d) => d + d).join('')}` : hex]));
}
const light = colors(':root');
const themes = { light, dark: { ...light, ...colors(':root[data-theme="dark"]') } };

const rgb = (hex) => [1, 3, 5].map((i) => parseInt(hex.slice(i, i + 2), 16) / 255);
const linear = (c) => (c <= 0.04045 ? c / 12.92 : ((c + 0.055) / 1.055) ** 2.4);
const luminance = (hex) => { const [r, g, b] = rgb(hex).map(linear); return 0.2126 * r + 0.7152 * g + 0.0722 * b; };
function contrast(a, b) {
  const [low, high] = [luminance(a), luminance(b)].sort((x, y) => x - y);
  return (high + 0.05) / (low + 0.05);
}

// What people see who lack one kind of cone: Machado, Oliveira and Fernandes, "A
// physiologically-based model for simulation of color vision deficiency", 2009,
// severity 1, on linear light.
const sights = {
  everybody: [[1, 0, 0], [0, 1, 0], [0, 0, 1]],
  protanopia: [[0.152286, 1.052583, -0.204868], [0.114503, 0.786281, 0.099216], [-0.003882, -0.048116, 1.051998]],
  deuteranopia: [[0.367322, 0.860646, -0.227968], [0.280085, 0.672501, 0.047413], [-0.011820, 0.042940, 0.968881]],
  tritanopia: [[1.255528, -0.076749, -0.178779], [-0.078411, 0.930809, 0.147602], [0.004733, 0.691367, 0.303900]],
};

// lab is a color in Oklab (Ottosson, 2020), where distances are as far as they look;
// black and white are 1 apart.
function lab(hex, sight) {
  const light = rgb(hex).map(linear);
  const [r, g, b] = sight.map((row) => Math.min(1, Math.max(0, row[0] * light[0] + row[1] * light[1] + row[2] * light[2])));
  const [l, m, s] = [
    0.4122214708 * r + 0.5363325363 * g + 0.0514459929 * b,
    0.2119034982 * r + 0.6806995451 * g + 0.1073969566 * b,
    0.0883024619 * r + 0.2817188376 * g + 0.6299787005 * b,
  ].map(Math.cbrt);
  return [0.2104542553 * l + 0.7936177850 * m - 0.0040720468 * s, 1.9779984951 * l - 2.4285922050 * m + 0.4505937099 * s, 0.0259040371 * l + 0.7827717662 * m - 0.8086757660 * s];
}
const distance = (a, b, sight) => Math.hypot(...lab(a, sight).map((x, i) => x - lab(b, sight)[i]));

const named = (prefix, n) => Array.from({ length: n }, (_, i) => `${prefix}-${i}`);

// Colours that stand in one chart, and how many other looks they go through in
// turn: lines of systems have four marks, parts of sums three patterns (ui/chart).
const palettes = {
  systems: [named('system', 10), 4],
  parts: [named('part', 8), 3],
  causes: [named('cause', 8), 3],
  activities: [['compute', 'overlap', 'stall'], 3],
  traffic: [['ssd-in', 'ssd-out', 'host-in', 'host-out'], 3],
};
const apart = 0.05; // what is just seen is some 0.02

for (const [theme, c] of Object.entries(themes)) {
  test(`letters can be read, ${theme}`, () => {
    const low = [];
    for (const ink of ['text', 'text-2', 'accent', 'error', 'warn', 'good']) {
      for (const ground of ['bg', 'panel', 'raised', 'accent-weak']) {
        if (contrast(c[ink], c[ground]) < 4.5) low.push(`${ink} on ${ground}: ${contrast(c[ink], c[ground]).toFixed(2)}`);
      }
    }
    for (const [ink, ground] of [['error', 'error-weak'], ['text', 'error-weak'], ['warn', 'warn-weak'], ['panel', 'accent']]) {
      if (contrast(c[ink], c[ground]) < 4.5) low.push(`${ink} on ${ground}: ${contrast(c[ink], c[ground]).toFixed(2)}`);
    }
    assert.deepEqual(low, []);
  });

  test(`marks stand out, ${theme}`, () => {
    const low = [];
    for (const name of [...Object.values(palettes).flatMap(([list]) => list), 'limit', 'accent']) {
      if (contrast(c[name], c.panel) < 3) low.push(`${name}: ${contrast(c[name], c.panel).toFixed(2)}`);
    }
    for (const ground of ['bg', 'panel']) if (contrast(c.axis, c[ground]) < 3) low.push(`axis (borders of fields) on ${ground}: ${contrast(c.axis, c[ground]).toFixed(2)}`);
    assert.deepEqual(low, []);
  });

  test(`levels can be told and put in order by everybody, ${theme}`, () => {
    const levels = named('level', 5);
    const light = levels.map((name) => luminance(c[name]));
    assert.deepEqual(light.toSorted((a, b) => (theme === 'light' ? b - a : a - b)), light, 'from like the ground to unlike it');
    assert.ok(contrast(c[levels[4]], c.panel) >= 7 && contrast(c[levels[4]], c[levels[0]]) >= 7, 'the ends are far apart');
    for (const [sight, matrix] of Object.entries(sights)) {
      for (let i = 0; i < levels.length; i++) {
        for (let k = i + 1; k < levels.length; k++) {
          const d = distance(c[levels[i]], c[levels[k]], matrix);
          assert.ok(d >= 0.1, `${sight}: ${levels[i]} and ${levels[k]} are ${d.toFixed(3)} apart`);
          const step = Math.abs(lab(c[levels[i]], matrix)[0] - lab(c[levels[k]], matrix)[0]);
          assert.ok(step >= 0.07, `${sight}: ${levels[i]} and ${levels[k]} are ${step.toFixed(3)} apart in lightness`);
        }
      }
    }
  });

  test(`who sees all colours needs no pattern, ${theme}`, () => {
    for (const [name, [list]] of Object.entries(palettes)) {
      list.forEach((a, i) => list.slice(i + 1).forEach((b) => assert.ok(distance(c[a], c[b], sights.everybody) >= apart, `${name}: ${a} and ${b}`)));
    }
  });

  for (const [sight, matrix] of Object.entries(sights)) {
    test(`colours of one chart are apart, ${theme}, ${sight}`, () => {
      const close = [];
      for (const [name, [list, looks]] of Object.entries(palettes)) {
        for (let i = 0; i < list.length; i++) {
          for (let k = i + looks; k < list.length; k += looks) { // those between look otherwise
            const d = distance(c[list[i]], c[list[k]], matrix);
            if (d < apart) close.push(`${name}: ${list[i]} and ${list[k]} ${d.toFixed(3)}`);
          }
        }
      }
      assert.deepEqual(close, []);
    });
  }
}
