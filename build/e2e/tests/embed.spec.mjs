// The page inside other pages: on another origin, in a sandbox without an origin,
// and as an engine that draws nothing; and what a hostile page around can do.
import http from 'node:http';
import AxeBuilder from '@axe-core/playwright';
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
        await expect.poll(() => page.evaluate(() => window.said.some((m) => m.type === 'ready')), { timeout: 30_000 }).toBe(true);
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
    await expect(frame.locator('#headline')).toContainText('G10', { timeout: 30_000 });
    await expect(frame.locator('.plot-host[data-drawn=true]').first()).toBeVisible();
    for (const gone of ['header', 'aside', 'dialog', '#drop-overlay', 'input', '.foot', '#pin', '#open-settings:visible', '#drawing']) {
      await expect(frame.locator(gone)).toHaveCount(0);
    }
    const open = frame.locator('#open-spillway');
    await expect(open).toHaveAttribute('href', new RegExp(`^${baseURL}#v=\\d.*gpu_memory=2`));
    await expect(open).toHaveAttribute('rel', 'noopener');
    await expect(open).toHaveAttribute('target', '_blank');
    const state = await host.frame().evaluate(() => {
      const can = (f) => { try { return f(); } catch (err) { return err.name; } };
      return {
        origin: self.origin, length: history.length, stored: can(() => localStorage.length + sessionStorage.length),
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

  test(`an engine, ${how}`, async ({ page, host, baseURL }) => {
    const asked = [];
    page.on('request', (request) => asked.push(new URL(request.url()).pathname));
    await host.open('embed=engine', sandbox, '');
    const result = await host.ask({ type: 'run', link: `${baseURL}#${link}`, only: ['throughput'] });
    expect(result).toMatchObject({ spillway: 1, type: 'result', problems: [], from: sandbox ? 'null' : new URL(baseURL).origin });
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
}
