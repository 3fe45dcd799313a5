// What other projects install: the components of the npm package, drawn by a server and
// taken over in the browser, and the widget of spillway.py, with a stand-in of what
// anywidget gives it.
import { cpSync, mkdirSync, readFileSync, rmSync } from 'node:fs';
import http from 'node:http';
import path from 'node:path';
import { pathToFileURL } from 'node:url';
import { expect, screenshot, test as base } from '../fixture.mjs';

const root = path.resolve(import.meta.dirname, '../../..');
const modules = path.join(root, 'build/node_modules');
const mock = readFileSync(path.join(import.meta.dirname, '../mock-engine.html'), 'utf8');
const made = path.join(root, 'build/out', `npm-browser-${process.pid}`);
const load = (file) => import(pathToFileURL(file).href);
const module = (name) => readFileSync(path.join(modules, name), 'utf8');

const test = base.extend({
  // A page of somebody else: HTML, a module, and what the import map names.
  other: async ({ page, guard }, use) => {
    let shown;
    const server = http.createServer((request, response) => {
      const { pathname } = new URL(request.url, 'http://other');
      const send = (type, body) => response.writeHead(200, { 'Content-Type': `${type}; charset=utf-8` }).end(body);
      if (pathname === '/mock/') send('text/html', mock);
      else if (pathname === '/') send('text/html', `<!doctype html><html lang="en"><head><title>Another page</title><link rel="icon" href="data:,"><script type="importmap">{"imports":{"vue":"/library/vue.js","react":"/library/react.js","react-dom/client":"/library/react-dom.js"}}</script></head><body><main>${shown.html}</main><script>${shown.before ?? ''}</script><script type="module">${shown.script}</script></body></html>`);
      else if (pathname === '/library/vue.js') send('text/javascript', module('vue/dist/vue.runtime.esm-browser.prod.js'));
      else if (pathname === '/library/react.js') send('text/javascript', 'export const { createElement, forwardRef } = window.need("react");');
      else if (pathname === '/library/react-dom.js') send('text/javascript', 'export const { hydrateRoot } = window.need("react-dom/client");');
      else send('text/javascript', readFileSync(path.join(made, path.normalize(pathname))));
    });
    await new Promise((resolve) => { server.listen(0, '127.0.0.1', resolve); });
    const origin = `http://127.0.0.1:${server.address().port}/`;
    guard.expect(new RegExp(`^foreign request: ${origin}`));
    await use({
      src: `${origin}mock/#v=3`,
      open: (what) => { shown = what; return page.goto(origin); },
    });
    server.closeAllConnections();
    server.close();
  },
});
test.beforeAll(() => {
  mkdirSync(made, { recursive: true });
  cpSync(path.join(root, 'build/npm'), made, { recursive: true });
  cpSync(path.join(root, 'public/spill-figure.js'), path.join(made, 'spill-figure.js'));
});
test.afterAll(() => rmSync(made, { recursive: true, force: true }));

const live = (figure) => expect(figure.getByRole('figure')).toHaveAttribute('data-state', 'live');

// works runs a figure that came from a server, and turns one of its settings.
async function works(page, other) {
  const figure = page.locator('spill-figure');
  await expect(figure).toHaveCount(1);
  await expect(figure).toHaveAttribute('src', other.src);
  await expect(figure).toHaveAttribute('controls', 'gpu_memory');
  await expect(page.getByAltText('as printed')).toBeVisible();
  await expect(page.getByText('Figure 1')).toBeVisible();
  await figure.getByRole('button', { name: 'Run here' }).click();
  await live(figure);
  await figure.getByLabel(/^GPU memory/).fill('20');
  await page.keyboard.press('Enter');
  await expect(figure.getByRole('status')).toHaveText('G10 at 20 GiB, for throughput.');
  await page.evaluate(() => window.change());
  await expect(figure).toHaveAttribute('theme', 'dark');
  await expect(figure).not.toHaveAttribute('alt');
}

const picture = `data:image/svg+xml,${encodeURIComponent('<svg xmlns="http://www.w3.org/2000/svg" width="760" height="300"><rect width="760" height="300" fill="teal"/></svg>')}`;
const given = (src) => ({ src, only: 'throughput', controls: 'gpu_memory', alt: 'G10' });

test('a figure of React, from the server to the browser', async ({ page, other }) => {
  const { SpillFigure } = await load(path.join(made, 'react.js'));
  const { createElement } = (await load(path.join(modules, 'react/index.js'))).default;
  const { renderToString } = (await load(path.join(modules, 'react-dom/server.node.js'))).default;
  const html = renderToString(createElement(SpillFigure, { ...given(other.src), caption: 'Figure 1' }, createElement('img', { src: picture, alt: 'as printed' })));
  const files = { react: 'react/cjs/react.production.js', scheduler: 'scheduler/cjs/scheduler.production.js', 'react-dom': 'react-dom/cjs/react-dom.production.js', 'react-dom/client': 'react-dom/cjs/react-dom-client.production.js' };
  await other.open({
    html,
    before: `const all = { ${Object.entries(files).map(([name, file]) => `${JSON.stringify(name)}(module, exports, require) {\n${module(file)}\n}`).join(',\n')} }; const made = {};
window.need = (name) => { if (!made[name]) { made[name] = { exports: {} }; all[name](made[name], made[name].exports, window.need); } return made[name].exports; };`,
    script: `import { createElement } from 'react';
import { hydrateRoot } from 'react-dom/client';
import { SpillFigure } from './react.js';
const figure = (more) => createElement(SpillFigure, { ...${JSON.stringify(given(other.src))}, caption: 'Figure 1', ...more }, createElement('img', { src: ${JSON.stringify(picture)}, alt: 'as printed' }));
const top = hydrateRoot(document.querySelector('main'), figure(), { onRecoverableError: (err) => console.error(err) });
window.change = () => top.render(figure({ theme: 'dark', alt: undefined }));`,
  });
  await works(page, other);
});

test('a figure of Vue, from the server to the browser', async ({ page, other }) => {
  const { SpillFigure } = await load(path.join(made, 'vue.js'));
  const { createSSRApp, h } = (await load(path.join(modules, 'vue/index.js'))).default;
  const { renderToString } = (await load(path.join(modules, '@vue/server-renderer/index.js'))).default;
  const slots = { default: () => h('img', { src: picture, alt: 'as printed' }), caption: () => 'Figure 1' };
  const html = await renderToString(createSSRApp({ render: () => h(SpillFigure, given(other.src), slots) }));
  await other.open({
    html,
    script: `import { createSSRApp, h, shallowRef } from 'vue';
import { SpillFigure } from './vue.js';
const more = shallowRef({});
const slots = { default: () => h('img', { src: ${JSON.stringify(picture)}, alt: 'as printed' }), caption: () => 'Figure 1' };
createSSRApp({ render: () => h(SpillFigure, { ...${JSON.stringify(given(other.src))}, ...more.value }, slots) }).mount('main');
window.change = () => { more.value = { theme: 'dark', alt: undefined }; };`,
  });
  await works(page, other);
});

// Model is as much of anywidget's as its documentation promises: get, set, save_changes, on, off.
const model = `class Model {
  constructor(state) { this.state = state; this.changed = new Set(); this.heard = new Map(); this.saved = []; }
  get(key) { return this.state[key]; }
  set(key, value) { this.state[key] = value; this.changed.add(key); this.say(key); }
  save_changes() { this.saved.push(Object.fromEntries([...this.changed].map((k) => [k, this.state[k]]))); this.changed.clear(); }
  on(name, f) { this.heard.set(name, [...(this.heard.get(name) ?? []), f]); }
  off(name, f) { this.heard.set(name, (this.heard.get(name) ?? []).filter((g) => g !== f)); }
  say(key) { for (const f of this.heard.get('change:' + key) ?? []) f(); }
}`;

test('the knobs of the widget turn', async ({ page, other }) => {
  const esm = /^_ESM = """\n([\s\S]*?)"""/m.exec(readFileSync(path.join(root, 'public/spillway.py'), 'utf8'))[1];
  const svg = (fill) => `<svg xmlns="http://www.w3.org/2000/svg" width="760" height="200"><rect width="760" height="200" fill="${fill}"/></svg>`;
  await other.open({
    html: '<div id="out"></div>',
    before: 'window.heard = []; for (const kind of ["keydown", "keypress", "keyup"]) addEventListener(kind, (e) => window.heard.push(e.key));',
    script: `${model}
const code = new Blob([${JSON.stringify(esm)}], { type: 'text/javascript' });
const { default: widget } = await import(URL.createObjectURL(code));
window.model = new Model({ svg: ${JSON.stringify(svg('teal'))}, text: 'G10 is best.', problem: '', done: 0, values: {}, fields: [
  { key: 'gpu_memory', label: 'GPU memory', unit: 'GiB', kind: 'number', min: 1, max: 64, choices: [], value: '40' },
  { key: 'part-ssd', label: 'SSD', unit: '', kind: 'one', min: null, max: null, choices: [['a', 'Slow'], ['b', 'Fast']], value: 'a' },
] });
window.end = widget.render({ model: window.model, el: document.getElementById('out') });`,
  });
  const memory = page.getByLabel('GPU memory, GiB');
  await expect(memory).toHaveValue('40');
  await expect(page.getByAltText('G10 is best.')).toBeVisible();
  await memory.fill('');
  await memory.pressSequentially('3.5');
  await memory.press('Enter');
  await expect(page.getByRole('status')).toHaveText('Computing …');
  expect(await page.evaluate(() => [window.model.saved, window.heard])).toEqual([[{ values: { gpu_memory: '3.5' } }], []]);

  // The kernel answers, or says why it cannot.
  await page.evaluate((drawn) => { for (const [key, value] of Object.entries({ svg: drawn, text: 'UVM is best.', problem: '', done: 1 })) window.model.set(key, value); }, svg('navy'));
  await expect(page.getByAltText('UVM is best.')).toHaveAttribute('src', /navy/);
  await expect(page.getByRole('status')).toBeEmpty();
  await page.getByLabel('SSD').selectOption('Fast');
  expect(await page.evaluate(() => window.model.saved.at(-1).values)).toEqual({ gpu_memory: '3.5', 'part-ssd': 'b' });
  await page.evaluate(() => { window.model.set('problem', 'This does not fit.'); window.model.set('done', 2); });
  await expect(page.getByRole('status')).toHaveText('This does not fit.');
  await memory.fill('100');
  await memory.press('Enter'); // more than it may be: nothing is asked
  expect(await page.evaluate(() => window.model.saved.length)).toBe(2);

  // Another view of the same widget turned a knob.
  await page.evaluate(() => { document.activeElement.blur(); window.model.set('values', { gpu_memory: '8' }); });
  await expect(memory).toHaveValue('8');
  await screenshot(page, 'widget');
  await page.evaluate(() => { window.end(); window.model.set('text', 'Nobody looks.'); window.model.set('done', 3); });
  await expect(page.getByAltText('UVM is best.')).toBeVisible();
});
