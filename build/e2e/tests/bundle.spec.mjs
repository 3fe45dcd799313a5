// Reproducibility bundles: saved here and checked by the command, written by the
// command and checked here.
import { execFile } from 'node:child_process';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { promisify } from 'node:util';
import { drop, expect, finished, live, screenshot, test, visit } from '../fixture.mjs';

const root = path.resolve(import.meta.dirname, '../../..');
const spillway = path.join(root, 'build/out/spillway');
const golden = (name) => path.join(root, 'build/spillway/testdata', `${name}.spillway.zip`);
const train = './#v=3&lab=train&model=bert-base&batch=16&times=as-paper&systems=ideal,g10';

let folder;
test.beforeAll(async () => { folder = await mkdtemp(path.join(tmpdir(), 'spillway-')); });
test.afterAll(() => rm(folder, { recursive: true }));

// native runs the command; it fails unless its exit code is 0.
const native = async (...args) => (await promisify(execFile)(spillway, args)).stdout;

// says waits for the conclusion.
const says = (page, text) => expect(page.locator('#check-says')).toContainText(text);

async function save(page) {
  const [download] = await Promise.all([page.waitForEvent('download'), (await page.click('#save-results'), page.click('#bundle-results'))]);
  const file = path.join(folder, download.suggestedFilename());
  await download.saveAs(file);
  return file;
}

test('what the page saves the command replays, and the page too', async ({ page }) => {
  await visit(page, train);
  const file = await save(page);
  expect(file).toMatch(/\.spillway\.zip$/);
  expect(await native('check', file)).toContain('replayed: 4 of 4 parts replayed');
  await drop(page, { 'mine.zip': await readFile(file) });
  await says(page, 'Replayed. 3 of 3 replayed. Not checked here: figures/ (');
});

test('what the command writes the page replays, in whatever laboratory', async ({ page }) => {
  await visit(page, train);
  const file = path.join(folder, 'store.zip');
  await native('bundle', 'lab=store', 'workload=networks', 'clients=1', 'system=lru,oracle', '-o', file);
  await drop(page, { 'store.zip': await readFile(file) });
  await says(page, 'Replayed. 3 of 3 replayed. Not checked here: figures/ (');
  await expect(page.locator('#lab-train')).toHaveAttribute('aria-current', 'true'); // checking moves nothing
  await expect(page.locator('#check-table tbody tr')).toHaveCount(3);
  await screenshot(page, 'bundle-replayed');
  const [certificate] = await Promise.all([page.waitForEvent('download'), page.click('#check-certificate')]);
  expect(certificate.suggestedFilename()).toBe('store.zip-check.html');
  expect(await readFile(await certificate.path(), 'utf8')).toMatch(/Verdict: replayed\. 3 of 3 replayed\. Not checked here: figures\/[^]*[0-9a-f]{64}[^]*js\/wasm[^]*\d{4}-\d\d-\d\dT/);
  await page.click('#check-open');
  await expect(page.locator('#lab-store')).toHaveAttribute('aria-current', 'true');
  await finished(page);
  await expect(page.locator('#f-clients')).toHaveValue('1');
  await expect(page.locator('.run:visible')).toHaveCount(2);
  await page.click('#check-close');
  await expect(page.locator('#check')).toHaveCount(0);
});

test('a bundle brings its workload', async ({ page }) => {
  await visit(page, './#v=3&lab=store&workload=networks&clients=1&systems=lru');
  await drop(page, { 'file.zip': await readFile(golden('file')) });
  await says(page, '3 of 3 replayed');
  await page.click('#check-open');
  await expect(page.locator('#context')).toContainText('Two layers, batch 32');
  await finished(page);
  await expect(page.locator('.run.failed')).toHaveCount(0);
  await expect(page).toHaveURL(/entry=/);
  // From it another can be made, and checked natively.
  expect(await native('check', await save(page))).toContain('replayed: 4 of 4 parts replayed');
});

test('damage and other values are said with their place', async ({ page }) => {
  await page.goto(train);
  await live(page);
  const data = await readFile(golden('store'));
  const at = data.indexOf('results/lru.json') + 3000;
  data[at] ^= 1;
  await drop(page, { 'damaged.zip': data });
  await says(page, 'Damaged.');
  await expect(page.locator('#check .check-list')).toContainText('results/lru.json');
  await expect(page.locator('#check-table')).toContainText('✗ damaged');
  await drop(page, { 'forged.zip': await readFile(golden('forged')) });
  await says(page, 'Differs. 1 of 3 replayed');
  await expect(page.locator('#check-table')).toContainText('(time_s)');
  await expect(page.locator('#check-table')).toContainText('≠ differs');
  await screenshot(page, 'bundle-differs');
  await page.setViewportSize({ width: 320, height: 700 });
  expect((await page.locator('#check').boundingBox()).width).toBeLessThanOrEqual(320);
  await screenshot(page, 'bundle-narrow');
});

test('a paper is checked run by run, and reported', async ({ page }) => {
  await page.goto('./#v=3&lab=store&view=reproduce');
  await live(page);
  await drop(page, { 'paper.zip': await readFile(golden('paper')) });
  await says(page, /14 of 14 replayed\.|13 of 14 replayed, 1 of 14 agrees\./); // its texts may be in another version's words
  await expect(page.locator('#check-table')).toContainText('claims');
  await page.click('#reproduce-ravenstore');
  await expect(page.locator('#state-ravenstore')).toContainText('12 of 12 runs'); // the report has what was computed here
  const [download] = await Promise.all([page.waitForEvent('download'), page.click('#report-ravenstore')]);
  const file = path.join(folder, 'report.html');
  await download.saveAs(file);
  // The same with every figure, table and what is left, as one zip.
  const [all] = await Promise.all([page.waitForEvent('download'), page.click('#zip-ravenstore')]);
  expect(all.suggestedFilename()).toBe('spillway-ravenstore.zip');
  const zip = path.join(folder, 'all.zip');
  await all.saveAs(zip);
  const { stdout } = await promisify(execFile)('python3', ['-c', 'import sys, zipfile\nz = zipfile.ZipFile(sys.argv[1])\nassert z.testzip() is None\nprint("\\n".join(z.namelist()))\nprint(z.read("README.md").decode())', zip]);
  for (const part of ['report.html', 'tables/claims.csv', 'tables/T1.csv', 'ravenstore.spillway.zip', 'references.bib', 'To check it: spillway check ravenstore.spillway.zip.', '12 of 12 runs are done', 'What is left:\n\n- Nothing.']) expect(stdout).toContain(part);
  // The bundle in it is checked as the page's own runs were, and what the command writes is the same
  // but for where it ran.
  await promisify(execFile)('python3', ['-c', 'import sys, zipfile\nzipfile.ZipFile(sys.argv[1]).extractall(sys.argv[2])', zip, path.join(folder, 'all')]);
  await native('check', path.join(folder, 'all', 'ravenstore.spillway.zip'));
  await native('reproduce', 'ravenstore', '-o', path.join(folder, 'reproduced'));
  for (const part of ['references.bib', 'tables/claims.csv', 'tables/T1.csv', 'tables/T2.csv']) {
    expect(await readFile(path.join(folder, 'all', part), 'utf8'), part).toBe(await readFile(path.join(folder, 'reproduced', part), 'utf8'));
  }
  const mine = path.join(folder, 'native.html');
  await native('report', '--paper', 'ravenstore', '-o', mine);
  const hash = /SHA-256 of all numbers of ravenstore[^.]*: ([0-9a-f]{64})/;
  const text = await readFile(file, 'utf8');
  expect(hash.exec(text)[1]).toBe(hash.exec(await readFile(mine, 'utf8'))[1]);
  await page.goto('about:blank'); // the report forbids everything, also what this site wants
  await page.setContent(text);
  await expect(page.locator('h1')).toContainText('Ravenstore');
  await expect(page.locator('table').nth(1)).toContainText('holds');
});
