// The worker in the tab and the native program give the same bytes.
import { readFile } from 'node:fs/promises';
import path from 'node:path';
import { expect, test } from '../fixture.mjs';
import { share } from '../effort.mjs';
import { labs } from '../labs.mjs';
import { RUN, inWorker, natively, published, systems } from '../worker.mjs';

const root = path.resolve(import.meta.dirname, '../../..');

// What runs of each laboratory are compared; a change takes a third of them. The last
// of each are of its paper.
const setups = {
  train: [
    'model=bert-base batch=16 times=as-paper mode=published', 'model=bert-base batch=64 times=as-paper mode=published',
    'model=bert-base batch=64 times=as-paper mode=corrected', 'model=vit-s-32 batch=256 times=estimated mode=corrected',
    'model=resnet-50 batch=64 times=estimated mode=published',
  ].map((setup) => `${setup} gpu_memory=4`),
  compress: ['contents=dl', 'contents=hpc', 'contents=alexnet link=50', 'contents=hpc threshold=10 random=20 cache=16', 'contents=resnet50 max_ratio=2 naive=60'],
  cxlssd: ['workload=radix scale=8 mode=artifact', 'workload=srad scale=4 device=paper', 'workload=bc scale=16 mode=artifact threads=40 log=7 scheduler=cfs'],
  filesys: ['workload=create scale=64 mode=paper', 'workload=varmail scale=128 mode=artifact device=artifact', 'workload=oltp scale=256 payload=random mode=paper', 'workload=ycsb-a scale=256 ssd_dram=64 mode=paper'],
  llm: ['node=teraio model=llama3-8b layers=8 batch=8 gpu_memory=20', 'node=one-4090 model=granite-8b layers=4 batch=2 micro=1 fallback=stretch', 'node=dgx-h100 model=mixtral-8x7b layers=8 batch=16 micro=1 sequence=1024 precision=bf16 zero_cut=data'],
};

// papers are runs of papers as well: all 171 of teraio take minutes in a tab, these are
// the smallest of each model.
const papers = {
  llm: async () => (await published('llm', 'teraio')).filter((j) => /gds=0|(8b batch=32 sequence=2048 micro=4|40b batch=16 sequence=1024 micro=2)( fallback=demand)?$/.test(j.Setup)),
};

for (const { name: lab } of labs) {
  test(`${lab}: native equals wasm`, async ({ page }) => {
    await page.goto('./');
    const all = [];
    for (const setup of setups[lab] ?? ['']) {
      for (const system of await systems(lab)) all.push({ Lab: lab, Kind: RUN, System: system, Setup: setup, Hash: true });
    }
    const paper = await papers[lab]?.() ?? [];
    if (papers[lab]) expect(paper.length).toBeGreaterThan(8);
    const jobs = [...share(all, setups[lab] ? 3 : 1), ...share(paper, 3)].map((j, i) => ({ ...j, ID: i + 1 }));
    const ours = (await natively(jobs)).map((a) => a.Error || a.Hash);
    expect(ours).toHaveLength(jobs.length);
    expect(new Set(ours).size).toBeGreaterThan(jobs.length / 2);
    expect((await inWorker(page, jobs)).map((a) => a.Hash)).toEqual(ours);
  });
}

// The native tests compare with the same file. A change takes a quarter of the runs.
test('train: every published run equals native', async ({ page }) => {
  const golden = (await readFile(path.join(root, 'ui/lab/train/testdata/hashes.golden'), 'utf8')).trim().split('\n');
  expect(golden.length).toBeGreaterThan(350);
  const want = new Map(golden.map((line) => {
    const [, , hash, ...run] = line.split(' ');
    return [run.join(' '), hash];
  }));
  await page.goto('./');
  const all = await published('train', 'g10');
  expect(all.map((j) => j.Name).sort()).toEqual([...want.keys()].sort());
  const jobs = share(all, 4);
  const half = Math.ceil(jobs.length / 2);
  const theirs = (await Promise.all([inWorker(page, jobs.slice(0, half)), inWorker(page, jobs.slice(half))])).flat();
  expect(jobs.filter((j, i) => !theirs[i].Hash.startsWith(want.get(j.Name))).map((j) => j.Name)).toEqual([]);
});

test('jobs given before there is a program wait for it', async ({ page, guard }) => {
  const [job] = await published('train', 'g10');
  await page.goto('./');
  await page.route('**/train.wasm', async (route) => {
    await new Promise((resolve) => { setTimeout(resolve, 1500); });
    await route.continue();
  });
  expect(await inWorker(page, [job])).toHaveLength(1);

  guard.expect(/503/);
  await page.unroute('**/train.wasm');
  await page.route('**/train.wasm', (route) => route.fulfill({ status: 503 }));
  await expect(inWorker(page, [job])).rejects.toThrow(/503/);
});
