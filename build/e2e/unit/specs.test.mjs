// specs.json says which changes the browser tests of a file are about: `make quick`
// reads it. A pattern is a folder with all below it (ui/lab/llm/...), a folder's own
// files (ui) or one file; "*" is any change.
import assert from 'node:assert/strict';
import { existsSync, readdirSync, readFileSync, statSync } from 'node:fs';
import path from 'node:path';
import test from 'node:test';

const here = path.resolve(import.meta.dirname, '..');
const root = path.resolve(here, '../..');
const about = JSON.parse(readFileSync(path.join(here, 'specs.json'), 'utf8'));

test('every file of browser tests is about something', () => {
  assert.deepEqual(Object.keys(about).toSorted(), readdirSync(path.join(here, 'tests')).filter((name) => name.endsWith('.spec.mjs')).toSorted());
  for (const [name, patterns] of Object.entries(about)) assert.ok(patterns.length > 0, name);
});

test('every pattern names what there is', () => {
  for (const [name, patterns] of Object.entries(about)) {
    for (const pattern of patterns) {
      const at = path.join(root, pattern.replace(/\/\.\.\.$/, ''));
      assert.ok(pattern === '*' || existsSync(at), `${name}: ${pattern}`);
      if (pattern.endsWith('/...')) assert.ok(statSync(at).isDirectory(), `${name}: ${pattern} is no folder`);
    }
  }
});

// A laboratory that is changed has the tests of all laboratories, and those of its own
// file if it has one.
test('every laboratory is what tests are about', () => {
  for (const lab of readdirSync(path.join(root, 'ui/lab'), { withFileTypes: true }).filter((e) => e.isDirectory() && existsSync(path.join(root, 'ui/lab', e.name, 'lab.go')))) {
    for (const name of ['labs.spec.mjs', 'everyone.spec.mjs', 'same.spec.mjs', `${lab.name}.spec.mjs`]) {
      if (about[name]) assert.ok(about[name].includes(`ui/lab/${lab.name}/...`), `${name}: ui/lab/${lab.name}/...`);
    }
  }
});
