// What only the laboratory of LLM training has: 70B models, a model of the reader's own,
// a timeline that adds up. The rest is in labs.spec.mjs.
import { readFile } from 'node:fs/promises';
import path from 'node:path';
import { charts, drop, expect, finished, live, saved, screenshot, test, tool, visit } from '../fixture.mjs';

const root = path.resolve(import.meta.dirname, '../../..');
const lab = './#v=4-by-hand&lab=llm';
const setup = 'node=one-4090 model=llama3-8b layers=3 batch=2 micro=1 sequence=1024 buffer_size=540'; // a quick one
const quick = `${lab}&${setup.replaceAll(' ', '&')}`;


// result is what the page has of a system's run.
const result = async (page, system) => JSON.parse((await saved(page, 'results', 'json')).data).runs.find((r) => r.system === system).result;

const sample = (name) => readFile(path.join(root, 'traces/hf/testdata', name), 'utf8');

test('a 70B model on two GPUs: which system, what it costs, how long drives live', async ({ page }) => {
  const start = Date.now();
  await visit(page, `${lab}&preset=llama3-70b`);
  console.log(`  70B at batch 8: ${Date.now() - start} ms`);
  await expect(page.locator('#lead')).toContainText(/Llama-3 70B with batch 8 needs .* GiB on the fullest GPU/);
  await expect(page.locator('#headline')).toHaveText(/^Yes: [\d.]+ tokens\/s, a billion tokens in [\d.]+ days for \$[\d,]+; it takes [\d\s.]+ of [\d\s]+ GiB of host memory\.$/);
  await expect(page.locator('#why')).toHaveText(/^\S+ (is fastest|and .* are level), .*Its drives live [\d.]+ days if it never stops( \(.*\))?\./);
  await expect(page.locator('.run.failed')).toHaveCount(0);
  const shown = await page.locator('.plot:visible').count();
  expect(shown).toBeGreaterThan(6);
  await charts(page, shown);
  await expect(page.locator('#drawing li')).toHaveCount(5);
  await screenshot(page, 'llm', { fullPage: true });
});

test('what fits on what one has: yes or no first, and a ranking of recipes whose rows open', async ({ page }) => {
  await visit(page, `${lab}&preset=lora-4090`);
  await expect(page.locator('#headline')).toHaveText(/^Yes: [\d\s]+ tokens\/s ± 30 %, a billion tokens in [\d.]+ days for \$\d+; it needs [\d.]+ of 24 GiB\.$/);
  await expect(page.locator('#caveat')).toContainText('± 30 %');
  await expect(page.locator('#caveat')).not.toContainText('± 12 %'); // one band, said once
  await page.click('#open-recipes');
  await expect(page.locator('#section-recipes .answer').first()).toContainText('LoRA is fastest on 1 × GeForce RTX 4090');
  await page.locator('#section-recipes a', { hasText: 'QLoRA' }).first().click();
  await finished(page);
  await expect(page.locator('#context')).toContainText('QLoRA');
  await expect(page.locator('#headline')).toHaveText(/^Yes: /);
  await visit(page, `${lab}&preset=lora-4090&gpu=rtx-3060&systems=single`);
  await expect(page.locator('#headline')).toHaveText('No, 5.4 GiB short; the smallest change that makes it fit: QLoRA.');
});

test('the largest: 70B at batch 32, with progress and cancel', async ({ page }) => {
  const start = Date.now();
  await page.goto(`${lab}&model=llama3-70b&batch=32&systems=ideal,teraio-mixed`);
  await live(page);
  await expect(page.locator('#cancel')).toBeVisible();
  await page.click('#cancel');
  await finished(page);
  console.log(`  cancelled after ${Date.now() - start} ms`);
  await page.reload();
  const again = Date.now();
  await expect(page.locator('#cancel')).toBeVisible();
  await finished(page);
  console.log(`  70B at batch 32: ${Date.now() - again} ms`);
  await expect(page.locator('.run.failed')).toHaveCount(0);
  await expect(page.locator('#headline')).toContainText('tokens/s');
});

test('a config.json is dropped and trains', async ({ page }) => {
  await visit(page, quick);
  await drop(page, { 'config.json': await sample('mistral-7b.json') });
  await expect(page.locator('#context')).toContainText(/config\.json|[Mm]istral/);
  await finished(page);
  await expect(page.locator('.run.failed')).toHaveCount(0);
  await expect(page).toHaveURL(/entry=/);
  await expect(page.locator('#facts')).toContainText('7.24 billion');
  await expect(page.locator('#f-batch')).toBeVisible(); // it is trained as the bundled ones are
  const numbers = await page.locator('#numbers').innerText();

  // What is wrong is said, and the page stays as it was.
  for (const [name, text, says] of [
    ['letter.txt', 'Dear all,\nhere it is.\n', 'letter.txt'],
    ['config.json', '{"model_type": "unheard-of"}', 'llama'],
  ]) {
    await drop(page, { [name]: text });
    await expect(page.locator('#files-error')).toContainText(says);
  }
  await finished(page);
  expect(await page.locator('#numbers').innerText()).toBe(numbers);

  // An index is nothing alone; it is read with the config that is open, and Undo leads back.
  await drop(page, { 'model.safetensors.index.json': await sample('llama-3-8b.index.json') });
  await expect(page.locator('#told')).toHaveText('config.json and model.safetensors.index.json are read together. Undo leads back.');
  await finished(page);
  expect(await page.locator('#numbers').innerText()).toBe(numbers);
  await tool(page, 'undo');
  await finished(page);
  expect(await page.locator('#numbers').innerText()).toBe(numbers);

  await page.click('#bundled');
  await finished(page);
  await expect(page.locator('#context')).toContainText('Llama-3 8B');
  await expect(page.locator('#lead')).not.toContainText('mistral');
  await expect(page.locator('.run.failed')).toHaveCount(0);
});

test('a timeline for Perfetto adds up to the iteration, as the ledger does', async ({ page }) => {
  await visit(page, `${quick}&focus=teraio-mixed`);
  const { time_ps: time, gpus } = await result(page, 'teraio-mixed');
  for (const g of gpus) expect(g.ledger_ps.reduce((a, b) => a + b, 0)).toBe(time);
  const file = JSON.parse((await saved(page, 'results', 'timeline')).data);
  const spells = file.traceEvents.filter((e) => e.ph === 'X' && e.args.ticks > 0); // of what is a ledger
  expect(spells.reduce((sum, e) => sum + e.args.ticks, 0)).toBe(time * gpus.length);
  expect(file.otherData.iteration_ps).toBe(String(time));
});
