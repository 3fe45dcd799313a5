// The npm package as build/release packs it: what a server renders with React and Vue,
// and that names, types and documentation say the same.
import assert from 'node:assert/strict';
import { cpSync, existsSync, mkdirSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import path from 'node:path';
import test, { after } from 'node:test';
import { pathToFileURL } from 'node:url';

const root = path.resolve(import.meta.dirname, '../../..');
const from = path.join(root, 'build/npm');
const skip = existsSync(path.join(root, 'build/node_modules/react-dom')) ? false : 'make harness fetches React and Vue';

// A copy with the element's script, below build/ so that React and Vue are found.
const made = path.join(root, 'build/out', `npm-${process.pid}`);
mkdirSync(made, { recursive: true });
cpSync(from, made, { recursive: true });
cpSync(path.join(root, 'public/spill-figure.js'), path.join(made, 'spill-figure.js'));
after(() => rmSync(made, { recursive: true }));

const load = (name) => import(pathToFileURL(path.join(made, name)).href);
const need = (name) => import(pathToFileURL(path.join(root, 'build/node_modules', name)).href);
const given = { src: 'https://example.org/#v=4&lab=train', only: 'a"b', controls: 'gpu_memory', timeout: 30, theme: undefined };

test('what a server renders with React', { skip }, async () => {
  const { SpillFigure } = await load('react.js');
  const { createElement } = (await need('react/index.js')).default;
  const { renderToString } = (await need('react-dom/server.node.js')).default;
  const html = renderToString(createElement(SpillFigure, { ...given, className: 'wide', id: 'f', caption: 'Figure <1>' }, createElement('img', { src: 'x.svg', alt: 'as printed' })));
  assert.match(html, /<spill-figure /);
  for (const part of ['src="https://example.org/#v=4&amp;lab=train"', 'only="a&quot;b"', 'controls="gpu_memory"', 'timeout="30"', 'class="wide"', 'id="f"', '<img src="x.svg" alt="as printed"/>', '<span slot="caption">Figure &lt;1&gt;</span></spill-figure>']) {
    assert.ok(html.includes(part), `${part} in ${html}`);
  }
  assert.doesNotMatch(html, /theme|caption="|undefined/);
});

test('what a server renders with Vue', { skip }, async () => {
  const { SpillFigure, plugin } = await load('vue.js');
  const { createSSRApp, h, resolveComponent } = (await need('vue/index.js')).default;
  const { renderToString } = (await need('@vue/server-renderer/index.js')).default;
  const html = await renderToString(createSSRApp({ render: () => h(SpillFigure, { ...given, class: 'wide' }, { default: () => h('img', { src: 'x.svg', alt: 'as printed' }), caption: () => 'Figure <1>' }) }));
  for (const part of ['<spill-figure ', 'src="https://example.org/#v=4&amp;lab=train"', 'only="a&quot;b"', 'Controls="gpu_memory"', 'timeout="30"', 'class="wide"', '<img src="x.svg" alt="as printed">', '<span slot="caption">', 'Figure &lt;1&gt;']) {
    assert.ok(html.includes(part), `${part} in ${html}`);
  }
  assert.doesNotMatch(html, /theme|undefined/);
  const known = await renderToString(createSSRApp({ render: () => h(resolveComponent('SpillFigure'), given) }).use(plugin));
  assert.match(known, /<spill-figure src="/);
});

test('names are those of the element, of the types and of the documentation', async () => {
  const { attributes } = await load('index.js');
  const listed = JSON.parse(/const ATTRIBUTES = (\[.*\]);/.exec(readFileSync(path.join(root, 'public/spill-figure.js'), 'utf8'))[1].replaceAll("'", '"'));
  assert.deepEqual([...attributes], listed);
  const types = readFileSync(path.join(from, 'index.d.ts'), 'utf8');
  const typed = [.../interface SpillFigureAttributes \{([^}]*)\}/.exec(types)[1].matchAll(/^ {2}(\w+)\??:/gm)].map((m) => m[1]);
  assert.deepEqual(typed, listed);
  assert.deepEqual([...types.matchAll(/^ {2}get (\w+)\(/gm)].map((m) => m[1]), listed);
});

test('the package has what it says', () => {
  const { files, exports, version } = JSON.parse(readFileSync(path.join(from, 'package.json'), 'utf8'));
  assert.equal(version, '0.0.0'); // build/release puts the real one in
  assert.deepEqual(files.filter((name) => name !== 'LICENSE').toSorted(), readdirSync(made).filter((name) => name !== 'package.json').toSorted());
  const said = Object.values(exports).flatMap((e) => (typeof e === 'string' ? [e] : Object.values(e)));
  for (const name of said) assert.ok(existsSync(path.join(made, name)), name);
});
