// Holds what the page does for a visit and a change by counts; and measures it in Chromium, which
// only `make bench` does.
import { expect, finished, live, resident, test, visit } from '../fixture.mjs';
import { RUN, inWorker, published } from '../worker.mjs';

const bench = process.env.BENCH ? test : test.skip; // make bench runs these

// counting counts workers, what they are told, and what changes in the page.
const counting = (page) => page.addInitScript(() => {
  window.counts = { workers: 0, posts: 0, same: 0, changes: 0 };
  const Plain = window.Worker;
  window.Worker = class extends Plain {
    constructor(...args) { super(...args); window.counts.workers++; }
    postMessage(...args) { window.counts.posts++; return super.postMessage(...args); }
  };
  new MutationObserver((list) => {
    for (const m of list) {
      window.counts.changes++;
      if (m.type === 'attributes' && m.oldValue === m.target.getAttribute(m.attributeName)) window.counts.same++;
    }
  }).observe(document, { subtree: true, childList: true, attributes: true, attributeOldValue: true, characterData: true });
});

// What a laboratory opens on came with the site.
for (const lab of ['train', 'store', 'compress', 'cxlssd', 'filesys', 'llm', 'serve']) {
  test(`${lab} opens without a worker, a chart's library, or a run for its cards`, { tag: '@fresh' }, async ({ page }) => {
    await counting(page);
    await page.setViewportSize({ width: 1280, height: 720 });
    await page.addInitScript(() => { try { localStorage.setItem('spillway-docked', 'no'); } catch { /* a document without storage */ } });
    const asked = [];
    page.on('request', (r) => asked.push(new URL(r.url()).pathname.split('/').pop()));
    await page.goto(`./#lab=${lab}`);
    await live(page);
    await finished(page);
    expect(await page.evaluate(() => window.counts.workers)).toBe(0);
    expect(asked.filter((name) => /^(cards|papers)-|^timeline\.js$|^(train|store|compress|cxlssd|filesys|llm|serve|files)\.wasm$|^echarts\.js$/.test(name))).toEqual([]);
  });
}

const runs = [
  'g10 BERT/256-sim_prefetch_lru.config', 'uvm BERT/256-sim_lru.config',
  'g10 ResNet152/512-sim_prefetch_lru.config', 'g10 SENet154/512-sim_prefetch_lru.config',
];
const times = 40; // the browser compiles better while the first ones run

// The middle one.
const median = (list) => list.toSorted((a, b) => a - b)[Math.floor(list.length / 2)];

bench('the first screen on a first visit', { tag: '@alone' }, async ({ browser, baseURL }) => {
  const visits = [];
  for (let i = 0; i < 5; i++) {
    const context = await browser.newContext({ viewport: { width: 1440, height: 900 } }); // an empty cache
    const page = await context.newPage();
    await page.goto(baseURL);
    await live(page);
    visits.push(await page.evaluate(() => Object.fromEntries(performance.getEntriesByType('mark').map((m) => [m.name, m.startTime]))));
    await context.close();
  }
  for (const name of Object.keys(visits[0])) console.log(`${name}: median ${Math.round(median(visits.map((v) => v[name])))} ms of ${visits.map((v) => Math.round(v[name])).join(', ')}`);
});

bench('the first figure over a slow line', { tag: '@alone' }, async ({ browser, baseURL }) => {
  const visits = [];
  for (let i = 0; i < 5; i++) {
    const context = await browser.newContext({ viewport: { width: 1440, height: 900 } });
    const page = await context.newPage();
    const session = await context.newCDPSession(page);
    await session.send('Network.enable');
    await session.send('Network.emulateNetworkConditions', { offline: false, latency: 150, downloadThroughput: 200_000, uploadThroughput: 100_000 });
    await page.goto(baseURL, { waitUntil: 'commit' });
    await page.waitForFunction(() => document.querySelector('svg.static')?.getBoundingClientRect().height > 0 && performance.getEntriesByName('first-contentful-paint').length > 0);
    visits.push(await page.evaluate(() => performance.getEntriesByName('first-contentful-paint')[0].startTime));
    await context.close();
  }
  console.log(`1.6 Mbit/s, 150 ms: the first figure after ${Math.round(median(visits))} ms, of ${visits.map(Math.round).join(', ')}`);
});

// One change of a setting: until everything in sight is drawn, what of that the
// page's thread works, and how far things jump.
for (const [what, link] of [['BERT-256, seven systems', '#v=1&model=bert-base&batch=256&times=as-paper'], ['the opening', '']]) {
  bench(`a change of a setting: ${what}`, { tag: '@alone' }, async ({ page }) => {
    await page.addInitScript(() => {
      window.shift = 0;
      new PerformanceObserver((list) => { for (const e of list.getEntries()) window.shift += e.value; }).observe({ type: 'layout-shift', buffered: true });
    });
    await visit(page, `./${link}`);
    await page.evaluate(() => { document.querySelector('#fold-hardware[aria-expanded="false"]')?.click(); });
    await page.waitForTimeout(2000);
    const session = await page.context().newCDPSession(page);
    await session.send('Performance.enable');
    const busy = async () => (await session.send('Performance.getMetrics')).metrics.find((m) => m.name === 'TaskDuration').value * 1000;
    const before = Number(await page.inputValue('#f-gpu_memory'));
    const [took, worked, shifts] = [[], [], []];
    for (let i = 1; i <= 9; i++) {
      const at = await busy();
      const begun = await page.evaluate(([value]) => {
        window.shift = 0;
        const field = document.getElementById('f-gpu_memory');
        field.value = value;
        const now = performance.now();
        field.dispatchEvent(new Event('input', { bubbles: true }));
        return now;
      }, [String(before - i * 0.25)]);
      await page.waitForTimeout(1800);
      took.push(await page.evaluate((t) => window.lastChart - t, begun));
      worked.push(await busy() - at);
      shifts.push(await page.evaluate(() => window.shift));
    }
    console.log(`${what}: charts complete after ${Math.round(median(took))} ms of ${took.map(Math.round).join(', ')}; `
      + `the page's thread works ${Math.round(median(worked))} ms of ${worked.map(Math.round).join(', ')}; layout shift ${Math.max(...shifts).toFixed(4)}`);
  });
}

bench('runs in a worker', { tag: '@alone' }, async ({ page }) => {
  await visit(page, './#v=1&model=bert-base&batch=16&times=as-paper');
  const all = await published('train', 'g10');
  for (const run of runs) {
    const { Hash, ...job } = all.find((j) => j.Name === run);
    const took = (await inWorker(page, Array.from({ length: times }, (_, i) => ({ ...job, ID: i + 1 })))).map((a) => a.took);
    console.log(`${run}: median ${median(took).toFixed(1)} ms, least ${Math.min(...took).toFixed(1)} ms`);
  }
});

// Each setup with other seeds, so that nothing was run before; what is asked of each system is its run
// and its knee of twelve loads.
for (const [what, set, systems] of [
  ['10 000 requests, one system', 'requests=10000', ['hbm']],
  ['10 000 requests with shared beginnings, one system', 'requests=10000 groups=100 shared=512', ['hbm']],
  ['12 rates of four systems, shared beginnings', 'requests=2000 groups=100 shared=512', ['no-prefix', 'hbm', 'host', 'host-ssd']],
  ['12 rates of four systems, conversations', 'requests=2000 turns=5', ['no-prefix', 'hbm', 'host', 'host-ssd']],
]) {
  bench(`serving: ${what}`, { tag: '@alone' }, async ({ page }) => {
    await visit(page, './#lab=serve');
    const took = [];
    const jobs = Array.from({ length: 7 }, (_, i) => systems.map((System, k) => ({ ID: i * systems.length + k + 1, Lab: 'serve', Kind: RUN, System, Setup: `workload=made model=llama3-8b weights=fp8 kv=fp8 rate=4 ${set} seed=${i + 1}` }))).flat();
    const each = await inWorker(page, jobs);
    for (let i = 0; i < each.length; i += systems.length) took.push(each.slice(i, i + systems.length).reduce((sum, a) => sum + a.took, 0));
    console.log(`${what}: median ${Math.round(median(took.slice(1)))} ms of ${took.map(Math.round).join(', ')}`);
  });
}

bench('every bundled model in Explore', { tag: '@alone' }, async ({ page }) => {
  await visit(page, './');
  const models = await page.locator('#f-model option').evaluateAll((all) => all.map((o) => o.value));
  for (const model of models) {
    await page.selectOption('#f-model', model);
    await finished(page);
  }
  console.log(`Explore after ${models.length} models: the renderer took at most ${Math.round(resident())} MiB`);
});

bench('everything is reproduced', { tag: '@alone' }, async ({ page }) => {
  await page.goto('./#v=1&model=bert-base&batch=16&times=as-paper&view=reproduce');
  await finished(page, { cancel: '#cancel-g10' });
  const start = Date.now();
  await page.click('#reproduce-g10');
  await finished(page, { cancel: '#cancel-g10' });
  console.log(`Reproduce everything: ${((Date.now() - start) / 1000).toFixed(1)} s, the renderer took at most ${Math.round(resident())} MiB`);
});
