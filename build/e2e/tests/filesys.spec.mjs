// What only the laboratory of file systems has: operations, a power failure, payloads.
// The rest is in labs.spec.mjs.
import { readFile } from 'node:fs/promises';
import path from 'node:path';
import { drop, expect, finished, opened, saved, screenshot, test, visit } from '../fixture.mjs';

const lab = './#v=4-by-hand&lab=filesys';
const setup = 'workload=varmail scale=256 mode=paper'; // a quick one
const quick = `${lab}&${setup.replaceAll(' ', '&')}`;


// result is what the page has of a system's run.
const result = async (page, system) => JSON.parse((await saved(page, 'results', 'json')).data).runs.find((r) => r.system === system).result;

test('one operation in five columns, of the call that is chosen', async ({ page }) => {
  await visit(page, quick);
  const table = (await opened(page, 'operation')).locator('table').first();
  await expect(table.locator('thead th')).toHaveText([/^Structure/, 'ByteFS', 'Ext4', 'F2FS', 'NOVA', 'PMFS']);
  await expect(page.locator('#section-operation')).toContainText('For each create the run moves');
  await page.selectOption('#f-op_call', 'fsync');
  await expect(page.locator('#section-operation')).toContainText('For each fsync the run moves');
  await expect(page).toHaveURL(/op_call=fsync/);
});

test('the power fails where it is told to', async ({ page }) => {
  await visit(page, `${quick}&focus=bytefs&crash=50`);
  const section = page.locator('#section-crash');
  if (await page.locator('#open-crash').getAttribute('aria-expanded') === 'false') await page.click('#open-crash');
  await expect(section).toContainText(/It loses power after/);
  await expect(section).toContainText(/ByteFS keeps its promise: all [\d\s\u202f]+ files that should be durable are as promised\./);
  const first = await section.innerText();
  await page.fill('#f-crash', '80');
  await page.keyboard.press('Enter');
  await expect(page).toHaveURL(/crash=80/);
  await expect.poll(() => section.innerText()).not.toBe(first);
  await expect(section).toContainText(/are as promised\./);
  await screenshot(page, 'filesys-crash');
  // A bug of the firmware breaks promises.
  await page.selectOption('#f-crash_fault', 'mapped');
  await expect(page).toHaveURL(/crash_fault=mapped/);
  await expect(section).toContainText(/With this bug [\d\s\u202f]+ lines are not as/);
  await expect(section).toContainText(/should be durable, [\d\s\u202f]+ files? (is|are) not\./);
});

test('a way of saving is safe or not, and the shortest history says why', async ({ page }) => {
  await visit(page, `${quick}&focus=ext4`);
  const section = await opened(page, 'safe');
  await expect(section).toContainText(/Ext4 keeps every promise in all/);
  await page.selectOption('#f-safe_way', 'sqlite');
  await page.selectOption('#f-safe_fault', 'barrier');
  await expect(page).toHaveURL(/safe_fault=barrier/);
  await expect(section).toContainText(/Not safe on Ext4: what a sync had made durable is older or gone/);
  await expect(section).toContainText('The shortest history that shows it, on Ext4');
  await expect(section.locator('td', { hasText: /^lost$/ }).first()).toBeVisible();
  // The moment stays when the mistake is switched off.
  await page.fill('#f-safe_call', '9');
  await page.keyboard.press('Enter');
  await expect(section).toContainText('when call 9 was the last to begin');
  await page.selectOption('#f-safe_fault', 'none');
  await expect(section).toContainText(/Ext4 keeps every promise/);
  await expect(section).toContainText('when call 9 was the last to begin');
});

test('what programs write decides', async ({ page }) => {
  await visit(page, `${lab}&workload=oltp&scale=256&mode=paper`);
  const zeros = (await result(page, 'bytefs')).SentBlocks; // of the log, which grows
  await visit(page, `${lab}&workload=oltp&scale=256&mode=paper&payload=random`);
  expect((await result(page, 'bytefs')).SentBlocks).toBeGreaterThan(3 * zeros);
  await expect(page.locator('#context')).toContainText('random payload');
});

test('a recording of a device opens on the SSD alone, whatever its format', async ({ page }) => {
  const samples = path.resolve(import.meta.dirname, '../../../traces/fscalls/testdata');
  for (const name of ['iolog2.txt', 'iolog3.txt', 'blkparse.txt', 'msr.csv', 'spc.csv']) {
    await visit(page, `${lab}&workload=stat&scale=256`);
    const text = await readFile(path.join(samples, name), 'latin1');
    await drop(page, { [name]: text.replaceAll('/data/file.', '/dev/sd') }); // a name of fio's is a device's there
    await expect(page).toHaveURL(new RegExp(`entry=${name}`));
    await finished(page);
    await expect(page).toHaveURL(/systems=raw/);
    await expect(page.locator('#headline')).toContainText('The SSD alone');
    await screenshot(page, `filesys-${name}`);
  }
});
