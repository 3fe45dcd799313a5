// <spill-figure> where others write documents: in React and Vue, which set properties
// where an element has them, and in reveal.js and documentation sites, which listen to
// keys and have letters of their own size. The libraries are the real ones, as
// build/package.json names them.
import { readFileSync } from 'node:fs';
import http from 'node:http';
import path from 'node:path';
import { expect, screenshot, test as base } from '../fixture.mjs';

const root = path.resolve(import.meta.dirname, '../../..');
const modules = path.join(root, 'build/node_modules');
const mock = readFileSync(path.join(import.meta.dirname, '../mock-engine.html'), 'utf8');
const picture = (color) => `data:image/svg+xml,${encodeURIComponent(`<svg xmlns="http://www.w3.org/2000/svg" width="760" height="300"><rect width="760" height="300" fill="${color}"/></svg>`)}`;

// The attributes that the documentation lists.
const documented = [...readFileSync(path.join(root, 'public/FIGURE.md'), 'utf8').matchAll(/^\| (`.*?) \|/gm)].flatMap(([, names]) => [...names.matchAll(/`(\w+)`/g)].map((m) => m[1]));

// React comes as CommonJS modules, which browsers do not read.
function commonJS(names) {
  const files = Object.entries(names).map(([name, file]) => `${JSON.stringify(name)}(module, exports, require) {\n${readFileSync(path.join(modules, file), 'utf8')}\n}`);
  return `const all = { ${files.join(',\n')} }; const made = {};
const require = (name) => { if (!made[name]) { made[name] = { exports: {} }; all[name](made[name], made[name].exports, require); } return made[name].exports; };`;
}

// How a page of each framework draws an element with the given properties.
const frameworks = {
  React: () => `${commonJS({
    react: 'react/cjs/react.production.js', scheduler: 'scheduler/cjs/scheduler.production.js',
    'react-dom': 'react-dom/cjs/react-dom.production.js', 'react-dom/client': 'react-dom/cjs/react-dom-client.production.js',
  })}
const { createElement } = require('react');
const top = require('react-dom/client').createRoot(document.querySelector('main'));
window.render = (props) => top.render(createElement('spill-figure', props, createElement('span', { slot: 'caption' }, 'A caption')));
window.version = require('react').version;`,
  Vue: () => `${readFileSync(path.join(modules, 'vue/dist/vue.runtime.global.prod.js'), 'utf8')}
const given = Vue.shallowRef({});
Vue.createApp({ render: () => Vue.h('spill-figure', given.value, [Vue.h('span', { slot: 'caption' }, 'A caption')]) }).mount('main');
window.render = (props) => { given.value = props; };
window.version = Vue.version;`,
};

const test = base.extend({
  // open shows a writer's page, on another origin than the site's, and notes the keys
  // that reach it, as documentation tools hear them.
  writer: async ({ page, baseURL, guard }, use) => {
    let shown = {};
    const server = http.createServer((request, response) => {
      const { pathname } = new URL(request.url, 'http://writer');
      const send = (type, body) => response.writeHead(200, { 'Content-Type': `${type}; charset=utf-8` }).end(body);
      if (pathname === '/mock/') send('text/html', mock);
      else if (pathname === '/script.js') send('text/javascript', `(() => {${shown.script}\n})();`);
      else if (pathname === '/') send('text/html', `<!doctype html><html lang="en"><head><title>A writer's page</title><link rel="icon" href="data:,">${shown.component ? `<script src="${baseURL}spill-figure.js"></script>` : ''}${shown.head}</head><body>${shown.body}<script src="script.js"></script></body></html>`);
      else send(pathname.endsWith('.css') ? 'text/css' : 'text/javascript', readFileSync(path.join(modules, path.normalize(pathname))));
    });
    await new Promise((resolve) => { server.listen(0, '127.0.0.1', resolve); });
    const origin = `http://127.0.0.1:${server.address().port}/`;
    guard.expect(new RegExp(`^foreign request: ${origin}`));
    await use({
      src: `${origin}mock/#v=3`,
      async open(what) {
        shown = { script: '', head: '', body: '<main></main>', component: true, ...what };
        await page.goto(origin);
        await page.evaluate(() => {
          window.heard = [];
          for (const kind of ['keydown', 'keypress', 'keyup']) addEventListener(kind, (e) => window.heard.push(e.key));
        });
      },
    });
    server.closeAllConnections();
    server.close();
  },
});

const live = (figure) => expect(figure.getByRole('figure')).toHaveAttribute('data-state', 'live');

// type turns a setting as people do, and none of it is the page's.
async function type(page, figure, text) {
  await page.evaluate(() => { window.heard.length = 0; });
  const memory = figure.getByLabel(/^GPU memory/);
  await memory.click();
  await page.keyboard.press('ControlOrMeta+a');
  await page.keyboard.type(text);
  await expect(memory).toHaveValue(text);
  await page.keyboard.press('Enter');
  await expect(figure.getByRole('status')).toHaveText(`G10 at ${text} GiB, for throughput.`);
  expect((await page.evaluate(() => window.heard)).filter((key) => !/Control|Meta|^a$/.test(key))).toEqual([]);
}

test('the documentation lists attributes', () => {
  expect(documented).toEqual(expect.arrayContaining(['src', 'only', 'alt', 'hide', 'timeout']));
});

for (const [name, script] of Object.entries(frameworks)) {
  test(`every attribute can be set as a property: ${name}`, async ({ page, writer }) => {
    await writer.open({ script: script() });
    const pinned = JSON.parse(readFileSync(path.join(root, 'build/package.json'), 'utf8')).devDependencies[name.toLowerCase()];
    expect(await page.evaluate(() => window.version)).toBe(pinned);
    const values = {
      src: writer.src, only: 'throughput', controls: 'gpu_memory,mode', run: 'click', picture: picture('red'), alt: 'as printed',
      theme: 'dark', frame: 'view', hide: 'head', timeout: 30,
    };
    expect(Object.keys(values).toSorted()).toEqual(documented.toSorted());
    const render = (props) => page.evaluate((p) => window.render(p), props);
    await render(values);
    const figure = page.locator('spill-figure');
    await expect(figure).toHaveCount(1);
    for (const [key, value] of Object.entries(values)) {
      await expect(figure).toHaveAttribute(key, String(value));
      expect(await figure.evaluate((f, k) => [k in f, f[k]], key)).toEqual([true, String(value)]);
    }
    await expect(figure.getByAltText('as printed')).toBeVisible();
    await figure.getByRole('button', { name: 'Run here' }).click();
    await live(figure);
    await expect(figure.locator('iframe')).toHaveAttribute('src', writer.src.replace('#', '?embed=view&theme=dark&only=throughput&hide=head#'));

    // What is no longer said goes, and what is said anew is shown.
    const { src, only, controls } = values;
    await render({ src, only, controls, run: null, theme: 'light', picture: picture('blue'), alt: 'as drawn' });
    for (const gone of ['run', 'frame', 'hide', 'timeout']) await expect(figure).not.toHaveAttribute(gone);
    await live(figure);
    await expect(page.locator('html > iframe')).toHaveCount(1);
    await expect.poll(() => figure.locator('.live img').getAttribute('src')).toContain(encodeURIComponent('<title>light<'));
    await type(page, figure, '3.5');
    await figure.getByRole('button', { name: 'Reset' }).click();
    await expect(figure.getByAltText('as drawn')).toHaveAttribute('src', picture('blue'));
  });
}

test('properties that were set before the script came are kept', async ({ page, baseURL, writer }) => {
  await writer.open({ component: false });
  await page.evaluate(([src, script]) => {
    const figure = document.querySelector('main').appendChild(document.createElement('spill-figure'));
    Object.assign(figure, { src, only: 'throughput', theme: 'dark' });
    document.head.append(Object.assign(document.createElement('script'), { src: script }));
  }, [writer.src, `${baseURL}spill-figure.js`]);
  const figure = page.locator('spill-figure');
  await expect(figure).toHaveAttribute('theme', 'dark');
  await figure.getByRole('button', { name: 'Run here' }).click();
  await live(figure);
  await expect(figure.getByRole('status')).toHaveText('G10 at 10 GiB, for throughput.');
});

test('keys for fields, buttons and tables do not turn the page, others do', async ({ page, writer }) => {
  await writer.open({ body: `<main><spill-figure src="${writer.src}" only="throughput" controls="gpu_memory,mode"></spill-figure></main>` });
  const figure = page.locator('spill-figure');
  const heard = () => page.evaluate(() => window.heard.splice(0));
  await figure.getByRole('button').focus();
  await page.keyboard.press('Space');
  await live(figure);
  await page.keyboard.press('ArrowRight');
  expect(await heard()).toEqual(['ArrowRight', 'ArrowRight']);
  await type(page, figure, '2.5');
  await figure.getByLabel('Mode').focus();
  await page.keyboard.press('s');
  await figure.getByText('Numbers').focus();
  await page.keyboard.press('Enter');
  await figure.getByRole('region').focus();
  await page.keyboard.press('ArrowDown');
  expect(await heard()).toEqual([]);
});

test('in slides the whole picture is seen, and numbers can be typed', async ({ page, writer }) => {
  const dist = 'reveal.js/dist';
  await writer.open({
    head: ['reset', 'reveal', 'theme/white'].map((name) => `<link rel="stylesheet" href="${dist}/${name}.css">`).join(''),
    body: `<div class="reveal"><div class="slides"><section><h1>First</h1></section>
<section><spill-figure src="${writer.src}" only="throughput" controls="gpu_memory" timeout="30"><img src='${picture('green')}' alt="as printed" width="760" height="300"></spill-figure></section>
<section><h1>Last</h1></section></div></div>`,
    script: `${readFileSync(path.join(modules, dist, 'reveal.js'), 'utf8')}
window.ready = Reveal.initialize({ transition: 'none' });`,
  });
  await page.evaluate(() => window.ready);
  await page.keyboard.press('ArrowRight');
  const figure = page.locator('spill-figure');
  // Of the box that pictures stand in, how much they take: all, and no more.
  const share = (img) => img.evaluate((e) => {
    const box = e.closest('spill-figure') ?? e.closest('.live');
    return e.getBoundingClientRect().width / box.getBoundingClientRect().width;
  });
  const fits = async (img) => {
    await expect(img).toBeVisible();
    expect(await share(img)).toBeGreaterThan(0.9);
    expect(await share(img)).toBeLessThanOrEqual(1);
  };
  await fits(page.getByAltText('as printed'));
  await figure.getByRole('button', { name: 'Run here' }).press('Enter');
  await live(figure);
  await fits(figure.locator('.live img'));
  await type(page, figure, '3.5');
  const talk = () => page.evaluate(() => ({ slide: Reveal.getIndices().h, paused: Reveal.isPaused() }));
  expect(await talk()).toEqual({ slide: 1, paused: false });
  await screenshot(page, 'figure-slides');
  await figure.getByRole('button', { name: 'Reset' }).focus();
  await page.keyboard.press('ArrowRight'); // no button's
  expect((await talk()).slide).toBe(2);
});

test('the frame that computes is not seen where a page shows all frames', async ({ page, writer }) => {
  await writer.open({ head: '<style>iframe{display:block}</style>', body: `<main><spill-figure src="${writer.src}"></spill-figure></main>` });
  const figure = page.locator('spill-figure');
  await figure.getByRole('button', { name: 'Run here' }).click();
  await live(figure);
  await expect(page.locator('html > iframe')).toBeHidden();
});

test('a figure of a dark page prints light', async ({ page, writer }) => {
  await writer.open({
    head: '<style>body{color:#eee;background:#111}</style>',
    body: `<main><spill-figure src="${writer.src}" alt="as printed" picture="${picture('red')}"></spill-figure></main>`,
  });
  const scheme = () => page.getByRole('img').evaluate((e) => getComputedStyle(e).colorScheme);
  await expect.poll(scheme).toBe('dark');
  await page.emulateMedia({ media: 'print' });
  expect(await scheme()).toBe('light');
});
