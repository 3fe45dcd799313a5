// What is saved, read again by others: JSON Schema by ajv, profiles by speedscope
// itself, pictures by the format's description; and the menu by keyboard.
import { execFile } from 'node:child_process';
import { readFile } from 'node:fs/promises';
import path from 'node:path';
import { promisify } from 'node:util';
import Ajv from 'ajv';
import Ajv2020 from 'ajv/dist/2020.js';
import { texts } from '../png.mjs';
import { expect, saved, screenshot, test, visit } from '../fixture.mjs';

const moving = '/#v=3&lab=train&model=bert-base&batch=16&times=as-paper&gpu_memory=1&mode=corrected&systems=ideal,uvm,g10&focus=g10';
const root = path.resolve(import.meta.dirname, '../../..');
const speedscope = path.join(import.meta.dirname, '../node_modules/speedscope/dist/release');

// valid checks a document against a schema.
function valid(ajv, schema, doc) {
  const check = ajv.compile(schema);
  expect(check(doc) || check.errors).toBe(true);
}

test('the menu of formats is one stop, opens and closes by keyboard', async ({ page }) => {
  await visit(page, moving);
  const menu = page.locator('#save-throughput');
  await expect(menu).toHaveAccessibleName('Save Throughput, normalized to a GPU that holds everything');
  await menu.focus();
  await page.keyboard.press('Enter');
  await expect(menu).toHaveAttribute('aria-expanded', 'true');
  await expect(page.locator('#formats-throughput button')).toHaveText(['PNG', 'SVG', 'CSV', 'Markdown', 'LaTeX']);
  await page.keyboard.press('Tab');
  await expect(page.locator('#png-throughput')).toBeFocused();
  await page.keyboard.press('Escape');
  await expect(menu).toHaveAttribute('aria-expanded', 'false');
  await expect(menu).toBeFocused();
  await menu.click();
  await expect(page.locator('#formats-throughput')).toBeVisible();
  await screenshot(page, 'save-menu');
  await page.click('#title-throughput');
  await expect(page.locator('#formats-throughput')).toHaveCount(0);
});

test('files are what others read', async ({ browser, page, baseURL }) => {
  await visit(page, moving);
  const png = texts((await saved(page, 'throughput', 'png')).data);
  expect(png.Title).toBe(await page.locator('#title-throughput').innerText());
  expect(png.Source).toContain(`${baseURL}#v=`);
  expect(png.Software).toMatch(/^Spillway \S+$/);
  expect(png['Spillway-Mode']).toMatch(/corrected/);
  expect(png['Spillway-Data']).toBe((await saved(page, 'throughput', 'csv')).data.toString());

  const tex = (await saved(page, 'results', 'tex')).data.toString();
  expect(tex.split('\n')[1]).toBe(`% ${png.Source}`);
  expect(tex).toMatch(/\\begin\{tabular\}\{l[lr]{3}\}[\s\S]*\\end\{tabular\}/);
  expect((await saved(page, 'results', 'md')).data.toString()).toMatch(/\| Quantity \| Ideal \| Base UVM \| G10 \|/);

  const results = JSON.parse((await saved(page, 'results', 'json')).data);
  expect(results.$schema).toBe(`${baseURL}schema/results-3.json`);
  valid(new Ajv2020(), await (await page.request.get(results.$schema)).json(), results);

  // The command says the same of each run, under the same keys.
  const { stdout } = await promisify(execFile)(path.join(root, 'build/out/spillway'), ['run', `lab=${results.lab}`, `system=${results.runs.map((r) => r.system)}`, '--setup', results.setup, '--json']);
  const ours = JSON.parse(stdout);
  expect(ours.map((r) => r.system)).toEqual(results.runs.map((r) => r.system));
  for (const [k, there] of ours.entries()) {
    const here = Object.fromEntries(Object.keys(there).map((key) => [key, results.runs[k][key]]));
    expect({ ...here, program: '' }).toEqual({ ...there, program: '' });
    expect(results.runs[k].program).toMatch(/^spillway \S+ go\S+ js\/wasm$/);
  }

  const trace = await saved(page, 'results', 'timeline');
  expect(trace.name).toMatch(/-g10-timeline\.trace\.json$/);
  const { otherData, traceEvents } = JSON.parse(trace.data);
  expect(tex).toContain(`% ${otherData.link}\n`);
  const g10 = results.runs.find((r) => r.system === 'g10').result;
  const moved = traceEvents.filter((e) => e.cat === 'migration').reduce((n, e) => n + e.args.bytes, 0);
  const traffic = Object.values(g10.iterations[g10.reported].traffic_bytes).reduce((n, x) => n + x, 0);
  expect(moved).toBe(traffic);
  expect(moved).toBeGreaterThan(0);

  const graph = (await saved(page, 'results', 'chakra')).data;
  let [at, messages] = [0, 0];
  for (; at < graph.length; messages++) { // each behind its length
    let [size, shift, byte] = [0, 0, 0];
    do { byte = graph[at++]; size |= (byte & 127) << shift; shift += 7; } while (byte > 127);
    at += size;
  }
  expect(at).toBe(graph.length);
  expect(messages).toBeGreaterThan(g10.kernels.length);

  // speedscope's own program opens the profile.
  const stalls = (await saved(page, 'results', 'stalls')).data;
  valid(new Ajv({ strict: false }), JSON.parse(await readFile(path.join(speedscope, 'file-format-schema.json'))), JSON.parse(stalls));
  const states = (await saved(page, 'results', 'states')).data;
  valid(new Ajv({ strict: false }), JSON.parse(await readFile(path.join(speedscope, 'file-format-schema.json'))), JSON.parse(states));
  const other = await browser.newContext({ baseURL, serviceWorkers: 'block' });
  const reader = await other.newPage();
  await reader.route('**/speedscope/*', (route) => {
    const name = path.basename(new URL(route.request().url()).pathname);
    return name === 'stalls.json' ? route.fulfill({ body: stalls, contentType: 'application/json' }) : route.fulfill({ path: path.join(speedscope, name) });
  });
  await reader.goto('/speedscope/index.html#profileURL=stalls.json');
  await expect(reader).toHaveTitle(/G10, BERT-base/);
  await screenshot(reader, 'speedscope');
  await other.close();
});
