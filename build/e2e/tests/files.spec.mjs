// Files that are dropped or chosen.
import { readFile } from 'node:fs/promises';
import path from 'node:path';
import { gzipSync } from 'node:zlib';
import { expect, finished, test, tool, visit } from '../fixture.mjs';

const lines = (value) => Array.from({ length: 10 }, (_, i) => `${String(i).padStart(4, '0')} ${value}\n`).join('');

// artifact is a small set of files in the layout of the G10 artifact.
const artifact = {
  'Nets/Tiny.txt': 'Tiny(\n  (conv): Conv2d(3, 2, kernel_size=(2, 2), stride=(2, 2))\n  (fc): Linear(in_features=25088, out_features=5, bias=False)\n)\n',
  'results/Tiny/cudnn2.txt': lines('0.1 ms'),
  'results/Tiny/cudnn2InputPF.txt': lines('0.2 ms'),
  'results/Tiny/cudnn2PF.txt': lines('0.3 ms'),
  'results/Tiny/cudnn2Workspace.txt': lines('0 B'),
  'configs/Tiny/2-sim_prefetch_lru.config': `batch_size 2
input_H 224
input_W 224
nn_model_input_file ../Nets/Tiny.txt
orig_kernel_time_file ../results/Tiny/cudnn2.txt
input_pf_kernel_time_file ../results/Tiny/cudnn2InputPF.txt
pf_kernel_time_file ../results/Tiny/cudnn2PF.txt
workspace_size_file ../results/Tiny/cudnn2Workspace.txt
GPU_memory_size_GB 20
`,
};

// drop gives files to the page as if dragged onto it.
async function drop(page, files) {
  await page.evaluate((list) => {
    const transfer = new DataTransfer();
    for (const [name, text] of Object.entries(list)) transfer.items.add(new File([text], name.split('/').pop()));
    const options = { bubbles: true, cancelable: true, dataTransfer: transfer };
    document.body.dispatchEvent(new DragEvent('dragenter', options));
    window.overlayShown = !document.getElementById('drop-overlay').hidden;
    document.body.dispatchEvent(new DragEvent('drop', options));
  }, files);
  expect(await page.evaluate(() => window.overlayShown)).toBe(true);
  await expect(page.locator('#drop-overlay')).toBeHidden();
}

test.beforeEach(async ({ page }) => {
  await visit(page, './#v=2&lab=train&model=bert-base&batch=16&times=as-paper');
});

test('files of the artifact run, a config sets the hardware', async ({ page }) => {
  await drop(page, artifact);
  const entries = page.locator('.entry');
  await expect(entries).toHaveCount(2);
  await entries.filter({ hasText: 'batch 2' }).first().click();
  await finished(page);
  await expect(page.locator('#context')).toContainText('kernel times measured');
  await expect(page.locator('#facts')).toContainText('10 kernels');
  await page.fill('#search', 'prefetch');
  await expect(entries).toHaveCount(1);
  await entries.click();
  await finished(page);
  await expect(page.locator('#f-gpu_memory')).toHaveValue('20');
  await expect(page.locator('.run.done').first()).toBeVisible();
  await expect(page.locator('.run.failed')).toHaveCount(0);
  await expect(page).toHaveURL(/entry=/);
});

test('a file that is no trace is named, and the page stays as it was', async ({ page }) => {
  const headline = await page.locator('#headline').innerText();
  await drop(page, { 'photo.png': '\x89PNG\r\n\x1a\n' });
  await expect(page.locator('#files-error')).toContainText('photo.png');
  await expect(page.locator('#headline')).toHaveText(headline);
});

test('a damaged file is named with the line', async ({ page }) => {
  await drop(page, { ...artifact, 'results/Tiny/cudnn2.txt': lines('0.1 ms').replace('0004 0.1', '0004 fast') });
  await page.locator('.entry').first().click();
  await finished(page);
  await expect(page.locator('#troubles')).toContainText('cudnn2.txt:5');
});

test('files chosen with the button', async ({ page }) => {
  const list = Object.entries(artifact).map(([name, text]) => ({ name: name.split('/').pop(), mimeType: 'text/plain', buffer: Buffer.from(text) }));
  const [chooser] = await Promise.all([page.waitForEvent('filechooser'), page.click('#pick-files-button')]);
  await chooser.setFiles(list);
  await expect(page.locator('.entry')).toHaveCount(2);
});

test('files chosen before the program is there wait for it', async ({ page }) => {
  await page.addInitScript((files) => addEventListener('DOMContentLoaded', () => {
    const transfer = new DataTransfer();
    for (const [name, text] of Object.entries(files)) transfer.items.add(new File([text], name.split('/').pop()));
    window.early = document.querySelector('[data-first]') !== null;
    const input = document.getElementById('pick-files');
    input.files = transfer.files;
    input.dispatchEvent(new Event('change', { bubbles: true }));
  }, true), artifact); // before the document's own, which start the program
  await page.reload();
  await expect(page.locator('.entry')).toHaveCount(2); // two programs compile
  expect(await page.evaluate(() => window.early)).toBe(true);
});

test('a Spillway trace, also gzipped, is shown at once', async ({ page }) => {
  const text = await readFile(path.resolve(import.meta.dirname, '../../../traces/spillway/testdata/tiny.json'));
  for (const [name, buffer] of [['tiny.json', text], ['tiny.json.gz', gzipSync(text)]]) {
    await page.setInputFiles('#pick-files', { name, mimeType: 'application/octet-stream', buffer });
    await expect(page.locator('#context')).toContainText(/Two layers, batch 32( \(2\))?\s+· kernel times estimated/); // the second joins the first
    await finished(page);
    await expect(page.locator('.run.failed')).toHaveCount(0);
    await page.click('#bundled');
    await expect(page.locator('#context')).toContainText('BERT');
  }
});

test('a later file joins those that are open, and Undo leads back', async ({ page }) => {
  const text = (await readFile(path.resolve(import.meta.dirname, '../../../traces/spillway/testdata/tiny.json'))).toString();
  await drop(page, { 'first.json': text });
  await expect(page.locator('#context')).toContainText('Two layers');
  await finished(page);
  await drop(page, { 'second.json': text.replace('Two layers', 'Other layers') });
  await expect(page.locator('#context')).toContainText('Other layers');
  await expect(page.locator('#told')).toContainText('second.json: added to first.json, with 2 workloads to choose from now. Undo leads back.');
  await finished(page);
  await expect(page.locator('.entry')).toHaveCount(2);
  await tool(page, 'undo');
  await expect(page.locator('#context')).toContainText('Two layers');
  await finished(page);
  await expect(page.locator('.run.failed')).toHaveCount(0);
  await tool(page, 'redo');
  await expect(page.locator('#context')).toContainText('Other layers');
  await finished(page);
  await expect(page.locator('.run.failed')).toHaveCount(0);
});

test('a config.json becomes a network to train, which the link carries', async ({ page }) => {
  await visit(page, '#v=4-by-hand&lab=train&model=bert-base&batch=16&times=as-paper&gpu_memory=8&systems=ideal,uvm');
  const config = { _name_or_path: 'Qwen/Qwen2.5-0.5B', model_type: 'qwen2', hidden_size: 896, intermediate_size: 4864, num_attention_heads: 14, num_hidden_layers: 24, num_key_value_heads: 2, tie_word_embeddings: true, vocab_size: 151936 };
  await drop(page, { 'config.json': JSON.stringify(config) });
  await expect(page.locator('#context')).toContainText('Qwen2.5-0.5B');
  await finished(page);
  await expect(page.locator('.run.failed')).toHaveCount(0);
  await expect(page.locator('#facts')).toContainText('494 million parameters');
  await expect(page).toHaveURL(/network=Qwen2\.5-0\.5B/);
  await expect(page).not.toHaveURL(/entry=/);
  await expect(page.locator('#open-in-llm')).toBeVisible(); // LLM training takes it, too
  await page.reload(); // without the file
  await expect(page.locator('#context')).toContainText('Qwen2.5-0.5B');
  await finished(page);
  await expect(page.locator('#facts')).toContainText('494 million parameters');
});

test('a link to a file asks for it', async ({ page }) => {
  await page.evaluate(() => { location.hash = 'v=2&lab=train&entry=Tiny%2C+batch+2'; });
  await expect(page.locator('#blocked')).toContainText('Drop the file');
  await drop(page, artifact);
  await finished(page);
  await expect(page.locator('#blocked')).toHaveCount(0);
  await expect(page.locator('#context')).toContainText('Tiny, batch 2');
});
