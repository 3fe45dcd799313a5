// How a frame takes messages apart: public/embed.js, without a browser.
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import test from 'node:test';
import vm from 'node:vm';

// frame is as much of a browser as embed.js needs; it returns what that offers,
// a function that says something to it as somebody, and what it has said.
function frame(mode = 'engine') {
  const said = [];
  const parent = { postMessage: (message, origin) => said.push([message, origin]) };
  const listeners = {};
  const window = { parent };
  const scope = {
    window, URLSearchParams, self: { origin: 'https://site.example' }, location: { search: `?embed=${mode}&only=a,b`, href: `https://site.example/x/?embed=${mode}#v=3`, hash: '#v=3' },
    document: { documentElement: { dataset: { embed: mode }, getBoundingClientRect: () => ({ height: 10 }) }, querySelector: () => ({ content: '1234' }), body: {} },
    addEventListener(name, f) { listeners[name] = f; },
  };
  vm.runInNewContext(readFileSync(new URL('../../../public/embed.js', import.meta.url), 'utf8'), scope);
  return { embed: window.embed, said, say: (data, source = parent, origin = 'https://around.example') => listeners.message({ data, source, origin }) };
}

// plain makes what another realm has made comparable.
const plain = (x) => JSON.parse(JSON.stringify(x));
const last = (f) => plain(f.said.at(-1)[0]);

// started is a frame whose program writes down what it is asked.
function started() {
  const f = frame();
  f.asked = [];
  f.embed.start({ ask: (q) => f.asked.push(plain(q)), bye: () => f.asked.push('bye'), theme: (t) => { f.theme = t; } });
  return f;
}

test('only the window around is heard, and answered at its origin', () => {
  const f = started();
  assert.deepEqual(plain(f.said), [[{ spillway: 1, type: 'ready', version: '1234', mode: 'engine' }, '*']]);
  f.say({ spillway: 1, type: 'run' }, {});
  assert.deepEqual([f.asked.length, f.said.length], [0, 1]);
  f.say({ spillway: 1, type: 'run', id: 'a', only: ['x'], values: { b: 'c' }, link: 'd' });
  assert.deepEqual(f.asked, [{ type: 'run', values: [['b', 'c']], only: ['x'], fields: [], link: 'd', theme: '', serial: 1 }]);
  f.embed.answer(1, { type: 'result' });
  assert.deepEqual(plain(f.said.at(-1)), [{ spillway: 1, type: 'result', id: 'a' }, 'https://around.example']);
  f.say({ spillway: 1, type: 'hello', id: 7 }, null, 'null');
  assert.equal(f.said.length, 2);
  f.embed.answer(1, { type: 'result' }); // twice is once
  assert.equal(f.said.length, 2);
});

test('questions that come early wait, but not too many', () => {
  const f = frame();
  for (let i = 0; i < 70; i++) f.say({ spillway: 1, type: 'get', id: i });
  assert.equal(f.said.length, 6);
  assert.equal(last(f).code, 'busy');
  const asked = [];
  f.embed.start({ ask: (q) => asked.push(q.serial), bye() {}, theme() {} });
  assert.equal(asked.length, 64);
});

test('when the program ends, all who wait are told', () => {
  const f = started();
  f.say({ spillway: 1, type: 'run', id: 1 });
  f.embed.crashed('It stopped.');
  assert.deepEqual(plain(f.said.slice(1).map(([m]) => [m.code, m.id, m.message])), [['start', undefined, 'It stopped.'], ['start', 1, 'It stopped.']].map((x) => plain(x)));
  f.say({ spillway: 1, type: 'hello', id: 2 });
  assert.equal(last(f).code, 'start');
});

const long = 'x'.repeat(100_000);
const polluting = JSON.parse('{"spillway":1,"type":"set","__proto__":{"link":"polluted"},"values":{"__proto__":"x","constructor":"y"}}');
for (const [what, message, code] of [
  ['another version', { spillway: 2, type: 'run' }, 'version'],
  ['no type', { spillway: 1 }, 'type'],
  ['an unknown type', { spillway: 1, type: 'save' }, 'type'],
  ['a type of prototypes', { spillway: 1, type: 'constructor' }, 'type'],
  ['a list as type', { spillway: 1, type: ['run'] }, 'type'],
  ['a number as link', { spillway: 1, type: 'set', link: 7 }, 'type'],
  ['a giant link', { spillway: 1, type: 'set', link: long }, 'limit'],
  ['no values', { spillway: 1, type: 'set', values: null }, 'type'],
  ['a list of values', { spillway: 1, type: 'set', values: ['x'] }, 'type'],
  ['a giant value', { spillway: 1, type: 'set', values: { a: long } }, 'limit'],
  ['a giant key', { spillway: 1, type: 'set', values: { [long]: 'a' } }, 'limit'],
  ['many values', { spillway: 1, type: 'set', values: Object.fromEntries(Array.from({ length: 65 }, (_, i) => [`k${i}`, ''])) }, 'limit'],
  ['objects as charts', { spillway: 1, type: 'run', only: [{}] }, 'type'],
  ['a hollow list', { spillway: 1, type: 'run', only: new Array(3) }, 'type'],
  ['many charts', { spillway: 1, type: 'run', only: Array(33).fill('x') }, 'limit'],
  ['many fields', { spillway: 1, type: 'get', fields: Array(257).fill('x') }, 'limit'],
  ['a strange theme', { spillway: 1, type: 'theme', theme: 'url(x)' }, 'type'],
]) {
  test(`${what}: ${code}`, () => {
    const f = started();
    f.say({ ...message, id: 'q' });
    const answer = last(f);
    assert.deepEqual([answer.type, answer.code, answer.id], ['error', code, 'q']);
    assert.ok(answer.message.length < 200);
    assert.equal(f.asked.length, 0);
  });
}

test('what is none of ours is left alone', () => {
  const f = started();
  for (const data of [null, undefined, 0, 'x', long, [], new Map([['spillway', 1]]), new Date(), { type: 'run' }, Object.create({ spillway: 1, type: 'run' })]) f.say(data);
  assert.deepEqual([f.asked.length, f.said.length], [0, 1]);
});

test('names of prototypes are names like others', () => {
  const f = started();
  f.say(polluting);
  assert.deepEqual(f.asked, [{ type: 'set', values: [['__proto__', 'x'], ['constructor', 'y']], only: [], fields: [], theme: '', serial: 1 }]);
  assert.equal({}.link, undefined);
});

test('themes, and an end', () => {
  const f = started();
  f.say({ spillway: 1, type: 'theme', theme: 'dark' });
  assert.equal(f.theme, 'dark');
  f.say({ spillway: 1, type: 'run' });
  f.say({ spillway: 1, type: 'run', theme: 'auto' });
  assert.deepEqual(f.asked.map((q) => q.theme), ['dark', '']);
  f.say({ spillway: 1, type: 'bye' });
  f.embed.answer(1, { type: 'result' });
  assert.deepEqual([f.asked.at(-1), f.said.length], ['bye', 1]);
});
