// The page inside other pages: on another origin, in a sandbox without an origin,
// and as an engine that draws nothing; and what a hostile page around can do.
import { readFile } from 'node:fs/promises';
import http from 'node:http';
import path from 'node:path';
import { expect, screenshot, test as base } from '../fixture.mjs';

const link = 'v=3&lab=train&model=bert-base&batch=16&times=as-paper&gpu_memory=2&systems=uvm,g10';
const sandboxes = {
  'in a sandbox without an origin': 'allow-scripts allow-popups allow-popups-to-escape-sandbox allow-downloads',
  'on another origin': undefined,
};

// A host is a page of another origin, which holds a frame and writes down what it says.
const test = base.extend({
  host: async ({ page, baseURL, guard }, use) => {
    const server = http.createServer((request, response) => {
      response.writeHead(200, { 'Content-Type': 'text/html' });
      response.end('<!doctype html><html lang="en"><title>A page around</title><body style="margin:0"></body></html>');
    });
    await new Promise((resolve) => { server.listen(0, '127.0.0.1', resolve); });
    const origin = `http://127.0.0.1:${server.address().port}`;
    guard.expect(new RegExp(`^foreign request: ${origin}/`));
    await page.goto(`${origin}/`);
    await page.evaluate(() => {
      window.said = [];
      addEventListener('message', (e) => {
        const frame = document.querySelector('iframe');
        if (e.source !== frame?.contentWindow) return;
        window.said.push({ ...e.data, from: e.origin });
        if (e.data.type === 'resize') frame.height = e.data.height;
      });
      let count = 0;
      // ask says something to the frame and waits for the answer.
      window.ask = (message) => new Promise((resolve) => {
        const id = `q${count += 1}`;
        addEventListener('message', function hear(e) {
          if (e.data?.id !== id) return;
          removeEventListener('message', hear);
          resolve({ ...e.data, from: e.origin });
        });
        document.querySelector('iframe').contentWindow.postMessage({ spillway: 1, id, ...message }, '*');
      });
    });
    await use({
      // open puts a frame into the page and returns it when it can be asked.
      async open(query, sandbox, fragment = link) {
        await page.evaluate(([src, box]) => {
          document.querySelector('iframe')?.remove();
          window.said.length = 0;
          const frame = document.createElement('iframe');
          Object.assign(frame, { width: '100%', height: 300, title: 'A comparison', src });
          frame.style.border = 0;
          if (box !== undefined) frame.setAttribute('sandbox', box);
          document.body.append(frame);
        }, [`${baseURL}?${query}#${fragment}`, sandbox]);
        await expect.poll(() => page.evaluate(() => window.said.some((m) => m.type === 'ready'))).toBe(true);
        return page.frameLocator('iframe');
      },
      ask: (message) => page.evaluate((m) => window.ask(m), message),
      said: () => page.evaluate(() => window.said),
      frame: () => page.frames()[1],
    });
    server.closeAllConnections();
    server.close();
  },
});

for (const [how, sandbox] of Object.entries(sandboxes)) {
  test(`charts and tables, ${how}`, async ({ page, host, baseURL }) => {
    const frame = await host.open('embed=view', sandbox);
    await expect(frame.locator('#headline')).toContainText('G10');
    await expect(frame.locator('.plot-host[data-drawn=true]').first()).toBeVisible();
    for (const gone of ['header', 'aside', 'dialog', '#drop-overlay', 'input', '.foot', '#pin', '#open-settings:visible', '#drawing']) {
      await expect(frame.locator(gone)).toHaveCount(0);
    }
    const open = frame.locator('#open-spillway');
    await expect(open).toHaveAttribute('href', new RegExp(`^${baseURL}#v=\\d.*gpu_memory=2`));
    await expect(open).toHaveAttribute('rel', 'noopener');
    await expect(open).toHaveAttribute('target', '_blank');
    const [popup] = await Promise.all([page.waitForEvent('popup'), open.click()]);
    await popup.waitForURL(/gpu_memory=2/, { waitUntil: 'commit' });
    expect(await popup.evaluate(() => [self.origin, window.opener, document.documentElement.dataset.embed])).toEqual([new URL(baseURL).origin, null, undefined]);
    await popup.close();
    const state = await host.frame().evaluate(() => {
      const can = (f) => { try { return f(); } catch (err) { return err.name; } };
      return {
        origin: self.origin, length: history.length, stored: can(() => Object.keys(localStorage).filter((key) => !['spillway-docked', 'spillway-visited'].includes(key)).length + sessionStorage.length), // the window that was opened has that
        worker: can(() => navigator.serviceWorker.controller),
      };
    });
    if (sandbox) expect(state).toMatchObject({ origin: 'null', stored: 'SecurityError', worker: 'SecurityError' });
    else expect(state).toMatchObject({ stored: 0, worker: null });
    // The frame is as high as what is in it, and stays so.
    const heights = (await host.said()).filter((m) => m.type === 'resize').map((m) => m.height);
    await expect.poll(() => host.frame().evaluate(() => document.documentElement.scrollHeight - innerHeight)).toBe(0);
    expect(heights.at(-1)).toBeGreaterThan(600);
    expect(heights.length).toBeLessThan(25);
    expect((await host.said())[0].from).toBe(sandbox ? 'null' : new URL(baseURL).origin);
    await screenshot(page, `embed-view-${sandbox ? 'sandbox' : 'origin'}`, { fullPage: true });
  });
}

test('an engine, in a sandbox without an origin', async ({ page, host, baseURL }) => {
  const asked = [];
  page.on('request', (request) => asked.push(new URL(request.url()).pathname));
  await host.open('embed=engine', sandboxes['in a sandbox without an origin'], '');
  const result = await host.ask({ type: 'run', link: `${baseURL}#${link}`, only: ['throughput'] });
  expect(result).toMatchObject({ spillway: 1, type: 'result', problems: [], from: 'null' });
  expect(result.systems.map((s) => s.name)).toEqual(['uvm', 'g10']);
  expect(result.figures.map((f) => f.id)).toEqual(['throughput']);
  expect(result.figures[0].table.rows.length).toBe(2);
  expect(result.figures[0].alt).toContain('G10');
  const more = await host.ask({ type: 'run', values: { gpu_memory: '24' }, only: ['throughput'] });
  expect(more.figures[0].table.rows).not.toEqual(result.figures[0].table.rows);
  expect(more.link).toContain('gpu_memory=24');
  const store = await host.ask({ type: 'get', link: 'v=3&lab=store', fields: ['systems'] });
  expect(store.fields[0].choices.length).toBeGreaterThan(3);
  expect(asked.filter((name) => /echarts|charts|page|vugu|first/.test(name))).toEqual([]);
  expect(await host.frame().evaluate(() => document.body.childElementCount)).toBe(0);
});

test('settings in a drawer, in a narrow dark frame', async ({ page, host }) => {
  await page.setViewportSize({ width: 320, height: 1400 });
  const frame = await host.open('embed=edit&theme=dark&hide=sections,notes,picture,tables', sandboxes['in a sandbox without an origin']);
  await expect(frame.locator('#headline')).toContainText('G10');
  await expect(frame.locator('html')).toHaveAttribute('data-theme', 'dark');
  await expect(frame.locator('#numbers')).toHaveCount(0);
  await expect(frame.locator('#f-batch')).toBeHidden();
  await frame.locator('#open-settings').click();
  await frame.locator('#f-batch').fill('24');
  await expect(frame.locator('#context')).toContainText('batch 24');
  await expect(frame.locator('#open-spillway')).toHaveAttribute('href', /batch=24/);
  await screenshot(page, 'embed-edit-narrow-dark');
  await frame.locator('#f-batch').press('Escape');
  await expect(frame.locator('#f-batch')).toBeHidden();
  await expect(frame.locator('#open-settings')).toBeFocused();
  // No single keys, no files from outside, no way to the side.
  await page.keyboard.press('?');
  const state = await host.frame().evaluate(() => {
    const drop = new DragEvent('dragover', { bubbles: true, cancelable: true, dataTransfer: new DataTransfer() });
    drop.dataTransfer.items.add(new File(['x'], 'x.json'));
    document.body.dispatchEvent(drop);
    return { taken: drop.defaultPrevented, dialogs: document.querySelectorAll('dialog').length, wide: document.documentElement.scrollWidth > innerWidth };
  });
  expect(state).toEqual({ taken: false, dialogs: 0, wide: false });
  await page.evaluate(() => document.querySelector('iframe').contentWindow.postMessage({ spillway: 1, type: 'theme', theme: 'light' }, '*'));
  await expect(frame.locator('html')).toHaveAttribute('data-theme', 'light');
  // What the page around sets is what the frame shows.
  const set = await host.ask({ type: 'set', values: { batch: '32', systems: 'g10' } });
  expect(set).toMatchObject({ type: 'state', problems: [] });
  await expect(frame.locator('#context')).toContainText('batch 32');
});

for (const [mode, width, theme] of [['view', 320, 'dark'], ['edit', 700, 'light']]) {
  test(`as wide as its frame: ${mode}, ${width} px, ${theme}`, async ({ page, host }) => {
    await page.setViewportSize({ width, height: 2400 });
    const frame = await host.open(`embed=${mode}&theme=${theme}`, undefined);
    await expect(frame.locator('#headline')).toContainText('G10');
    await expect(frame.locator('.plot-host[data-drawn=true]').nth(2)).toBeVisible();
    await screenshot(page, `embed-${mode}-${width}-${theme}`);
    if (mode === 'edit') {
      await frame.locator('#open-settings').click();
      await expect(frame.locator('#f-batch')).toBeVisible();
      await screenshot(page, `embed-drawer-${width}-${theme}`);
    }
    expect(await host.frame().evaluate(() => document.documentElement.scrollWidth)).toBeLessThanOrEqual(width);
  });
}

test('a wrong link or a chart that there is not says so', async ({ host }) => {
  const box = sandboxes['in a sandbox without an origin'];
  for (const [query, fragment, says] of [
    ['embed=view', 'v=3&lab=tr', '"tr"'], ['embed=view', '%', 'names no version'], ['embed=view&only=time', 'v=3&lab=store&work', 'damaged'],
    ['embed=view', 'v=99&lab=train', 'newer'], ['embed=view&only=nothing', link, 'no chart "nothing"'], ['embed=<b>', `${link}&entry=gone`, 'about a file'],
  ]) {
    const frame = await host.open(query, box, fragment);
    await expect(frame.locator('.notice:not([hidden])').first()).toContainText(says);
    await expect(frame.locator('#open-spillway')).toBeVisible();
    await expect.poll(async () => (await host.said()).some((m) => m.type === 'resize' && m.height > 100)).toBe(true);
  }
});

test('where the host of the site forbids the sandbox to read, the frame says what to do', async ({ page, host, guard }) => {
  const server = http.createServer(async (request, response) => {
    try {
      const name = new URL(request.url, 'http://x').pathname.slice(1) || 'index.html';
      const data = await readFile(path.join(import.meta.dirname, '../../../dist', path.basename(name)));
      response.writeHead(200, { 'Content-Type': { '.html': 'text/html', '.js': 'text/javascript', '.css': 'text/css', '.wasm': 'application/wasm' }[path.extname(name)] ?? 'text/plain' });
      response.end(data);
    } catch {
      response.writeHead(404);
      response.end();
    }
  });
  await new Promise((resolve) => { server.listen(0, '127.0.0.1', resolve); });
  guard.expect(/./);
  for (const mode of ['view', 'engine']) {
    await page.evaluate(([src]) => {
      document.querySelector('iframe')?.remove();
      const frame = Object.assign(document.createElement('iframe'), { src, width: 500, height: 300, title: 'A comparison' });
      frame.setAttribute('sandbox', 'allow-scripts');
      document.body.append(frame);
    }, [`http://127.0.0.1:${server.address().port}/?embed=${mode}#${link}`]);
    await expect.poll(async () => (await host.said()).find((m) => m.type === 'error')?.message).toContain('Access-Control-Allow-Origin: *');
    if (mode === 'view') {
      await expect(page.frameLocator('iframe').getByRole('alert')).toContainText('Access-Control-Allow-Origin: *');
      await screenshot(page, 'embed-forbidden');
    }
    await page.evaluate(() => { window.said.length = 0; });
  }
  server.closeAllConnections();
  server.close();
});

for (const mode of ['engine', 'edit']) {
  test(`a hostile page around: ${mode}`, async ({ page, host }) => {
    const trouble = [];
    page.on('download', (file) => trouble.push(`download of ${file.suggestedFilename()}`));
    page.on('dialog', (dialog) => { trouble.push(`dialog: ${dialog.message()}`); dialog.dismiss(); });
    page.on('popup', (other) => trouble.push(`window ${other.url()}`));
    await host.open(`embed=${mode}&only=throughput`, undefined);
    const address = host.frame().url();
    const before = await host.ask({ type: 'get' });
    await page.evaluate(async (good) => {
      const codes = new Set();
      window.codes = codes;
      const frame = document.querySelector('iframe').contentWindow;
      const say = (message) => { try { frame.postMessage(message, '*'); } catch { /* cannot be sent at all */ } };
      addEventListener('message', (e) => { if (e.data?.type === 'error') codes.add(e.data.code); });
      const giant = 'x'.repeat(8 << 20);
      const script = '"><img src=x onerror="parent.postMessage({run: 1}, \'*\')"><script>alert(1)</scr' + 'ipt>';
      const cycle = { spillway: 1, type: 'set' };
      cycle.values = cycle;
      let deep = 'x';
      for (let i = 0; i < 5000; i++) deep = [deep];
      const polluting = JSON.parse('{"spillway":1,"type":"set","__proto__":{"polluted":1},"constructor":{"prototype":{"polluted":1}},"values":{"__proto__":"polluted","constructor":"x"}}');
      for (const message of [
        null, undefined, 0, '', giant, [], [1], new Map([['spillway', 1]]), new Blob(['x']), new ArrayBuffer(8), new Date(), /x/, NaN,
        { spillway: 2, type: 'run' }, { spillway: '1', type: 'run' }, { spillway: 1 }, { spillway: 1, type: giant }, { spillway: 1, type: 'save', link: good },
        { spillway: 1, type: 'constructor' }, { spillway: 1, type: '__proto__' }, { spillway: 1, type: ['run'] }, { spillway: 1, type: { toString: 1 } },
        { spillway: 1, type: 'set', link: giant }, { spillway: 1, type: 'set', link: 7 }, { spillway: 1, type: 'set', link: 'javascript:alert(1)//#'.repeat(2000) },
        { spillway: 1, type: 'set', values: giant }, { spillway: 1, type: 'set', values: [] }, { spillway: 1, type: 'set', values: null },
        { spillway: 1, type: 'set', values: { batch: giant } }, { spillway: 1, type: 'set', values: { batch: 7 } }, { spillway: 1, type: 'set', values: { [giant]: 'x' } },
        { spillway: 1, type: 'set', values: { batch: script } }, { spillway: 1, type: 'set', values: { [script.slice(0, 60)]: script } }, { spillway: 1, type: 'set', values: { entry: '../../etc' , batch: '-1' } },
        { spillway: 1, type: 'set', values: Object.fromEntries(Array.from({ length: 5000 }, (_, i) => [`k${i}`, 'x'])) },
        { spillway: 1, type: 'run', only: giant }, { spillway: 1, type: 'run', only: Array(1000).fill('x') }, { spillway: 1, type: 'run', only: [{}] }, { spillway: 1, type: 'run', only: [script.slice(0, 60)] },
        { spillway: 1, type: 'get', fields: [script.slice(0, 60)] }, { spillway: 1, type: 'get', fields: ['__proto__'] }, { spillway: 1, type: 'get', fields: deep },
        { spillway: 1, type: 'theme', theme: script }, { spillway: 1, type: 'theme' }, { spillway: 1, type: 'hello', id: { a: 1 } }, { spillway: 1, type: 'hello', id: giant },
        cycle, polluting, Object.assign(Object.create(null), { spillway: 1, type: 'bye' }),
      ]) say(message);
      for (let i = 0; i < 100; i++) say({ spillway: 1, type: 'run', values: { batch: String(17 + i) } }); // more than it lets wait
      for (let i = 0; i < 3000; i++) say({ spillway: 1, type: ['get', 'hello', 'nothing', 'theme'][i % 4], theme: 'dark', values: { batch: String(i) }, fields: ['batch'], id: i });
      // Somebody else in the same page is not heard at all.
      const other = document.createElement('iframe');
      other.setAttribute('sandbox', 'allow-scripts');
      other.srcdoc = '<script>addEventListener("message", () => parent.postMessage("answered", "*"));' +
        'for (const type of ["hello", "get", "bye"]) parent.frames[0].postMessage({ spillway: 1, type, id: 1 }, "*"); setTimeout(() => parent.postMessage("asked", "*"), 500)</scr' + 'ipt>';
      const heard = new Promise((resolve) => { addEventListener('message', (e) => { if (e.source === other.contentWindow) resolve(e.data); }); });
      document.body.append(other);
      codes.add(await heard);
      other.remove();
    }, link);
    await expect.poll(() => page.evaluate(() => [...window.codes].sort())).toEqual(expect.arrayContaining(['asked', 'busy', 'limit', 'type', 'value', 'version']));
    expect(await page.evaluate(() => window.codes.has('answered'))).toBe(false);
    await page.evaluate(() => document.querySelector('iframe').contentWindow.postMessage({ spillway: 1, type: 'bye' }, '*'));
    // It lives, is what and where it was, and still computes.
    const after = await host.ask({ type: 'set', link: before.link });
    expect(after).toMatchObject({ type: 'state', link: before.link });
    expect(await host.ask({ type: 'run', only: ['throughput'] })).toMatchObject({ type: 'result', problems: [] });
    expect(await host.ask({ type: 'hello' })).toMatchObject({ type: 'ready', mode });
    expect(host.frame().url()).toBe(address);
    expect(await host.frame().evaluate(() => ({ polluted: {}.polluted ?? Object.prototype.polluted, kept: localStorage.length + sessionStorage.length, images: document.images.length }))).toEqual({ polluted: undefined, kept: 0, images: 0 });
    expect(await page.evaluate(() => window.said.some((m) => m.run))).toBe(false);
    expect(trouble).toEqual([]);
  });
}
