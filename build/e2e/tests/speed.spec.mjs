// Measures the page's program in Chromium; only `make bench` runs this.
import { readFileSync, readdirSync } from 'node:fs';
import { expect, finished, test, visit } from '../fixture.mjs';
import { inWorker } from '../worker.mjs';

test.skip(!process.env.BENCH, 'make bench runs this');

const runs = [
  ['bert-base', 256, 'g10 BERT/256-sim_prefetch_lru.config'],
  ['bert-base', 256, 'uvm BERT/256-sim_lru.config'],
  ['resnet-152', 512, 'g10 ResNet152/512-sim_prefetch_lru.config'],
  ['senet-154', 512, 'g10 SENet154/512-sim_prefetch_lru.config'],
];
const times = 40; // the browser compiles better while the first ones run

test('runs in a worker', async ({ page }) => {
  test.setTimeout(120_000);
  await visit(page, './#v=1&model=bert-base&batch=16&times=as-paper');
  for (const [model, batch, run] of runs) {
    const job = { Source: { Model: model, Batch: batch, Times: 'as-paper' }, Study: run };
    const answers = await inWorker(page, Array.from({ length: times }, (_, i) => ({ ID: i + 1, ...job })));
    const took = answers.map((a) => a.took);
    took.sort((a, b) => a - b);
    console.log(`${run}: median ${took[times / 2].toFixed(1)} ms, least ${took[0].toFixed(1)} ms`);
  }
});

// resident returns the largest renderer's resident set in MiB; 0 where there is no /proc.
function resident() {
  let most = 0;
  try {
    for (const pid of readdirSync('/proc').filter((name) => /^\d+$/.test(name))) {
      try {
        if (!readFileSync(`/proc/${pid}/cmdline`, 'utf8').includes('--type=renderer')) continue;
        most = Math.max(most, Number(/VmHWM:\s+(\d+)/.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))[1]) / 1024);
      } catch { /* it has ended */ }
    }
  } catch { /* not Linux */ }
  return most;
}

test('everything is reproduced', async ({ page }) => {
  test.setTimeout(400_000);
  await page.goto('./#v=1&model=bert-base&batch=16&times=as-paper&view=reproduce');
  await finished(page, { cancel: '#reproduce-cancel' });
  const start = Date.now();
  await page.click('#reproduce-all');
  await finished(page, { cancel: '#reproduce-cancel', timeout: 380_000 });
  console.log(`Reproduce everything: ${((Date.now() - start) / 1000).toFixed(1)} s, the renderer took at most ${Math.round(resident())} MiB`);
});
