// Maps in sections: what lies where in a file that this test writes, and a cell of it
// picked to look into.
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { expect, finished, opened, saved, screenshot, test, tool, visit } from '../fixture.mjs';
import { chance, contents, safetensors } from '../tensors.mjs';

const lab = './#v=4-by-hand&lab=compress&focus=per-allocation-16x';

let folder;
test.beforeAll(async () => { folder = await mkdtemp(path.join(tmpdir(), 'spillway-')); });
test.afterAll(() => rm(folder, { recursive: true, force: true }));

test('a file is drawn entry by entry, and a cell of it is looked into', async ({ page }) => {
  const random = chance(7);
  // 32 pages: of every two the first is noise and the second zeros.
  const stripes = Buffer.concat(Array.from({ length: 32 }, (_, k) => (k % 2 ? Buffer.alloc(8192) : Buffer.from(contents.noise(2048, random)))));
  const tensors = [
    { name: 'layers.0.stripes', dtype: 'I32', shape: [32, 2048], data: stripes },
    { name: 'layers.1.stripes', dtype: 'I32', shape: [32, 2048], data: stripes },
    { name: 'zeros', dtype: 'F32', shape: [2048], data: Buffer.alloc(8192) },
  ];
  const file = path.join(folder, 'stripes.safetensors');
  await writeFile(file, safetensors(tensors));
  await visit(page, lab);
  await expect(await opened(page, 'heat')).toContainText('Made-up data');
  await page.setInputFiles('#pick-files', file);
  await expect(page.locator('#context')).toContainText('stripes.safetensors');
  await finished(page);

  const heat = page.locator('#section-heat');
  await expect(heat).toContainText('layers.0.stripes, int32, 256 KiB: of its 2048 entries 50.0 % are zeros and 50.0 % take all 4 sectors.');
  await expect(heat).not.toContainText('Made-up');
  await heat.scrollIntoViewIfNeeded();
  await page.selectOption('select#f-heat_of', 'layers.1.stripes');
  await expect(heat.locator('h3').last()).toHaveText('Sectors by entry: layers.1.stripes');
  await expect(page).toHaveURL(/heat_of=layers\.1\.stripes/);

  const plot = heat.locator('.plot');
  await expect(plot.locator('.plot-host')).toHaveAttribute('data-drawn', 'true');
  await expect(plot).toHaveAttribute('aria-label', /2048 cells: zeros 50 % and 4 sectors 50 %/);
  const at = await plot.evaluate((e) => {
    const p = window.echarts.getInstanceByDom(e.querySelector('.plot-host')).convertToPixel({ gridIndex: 0 }, [10, 3]);
    const b = e.getBoundingClientRect();
    return [b.x + p[0], b.y + p[1]];
  });
  await page.mouse.move(...at);
  await expect(plot.locator('.tip')).toContainText('page 3, entry of the page 10');
  await expect(plot.locator('.tip')).toContainText('zeros');
  await page.mouse.click(...at);
  const inside = page.locator('#section-inside');
  await expect(inside).toContainText('Entry 202 of 2048 of layers.1.stripes, int32: 10 bits of 1024; as all of it is zero, nothing is stored.');
  await expect(page).toHaveURL(/inside_of=layers\.1\.stripes&inside_entry=202/);
  await page.fill('#f-inside_entry', '128');
  await page.locator('#f-inside_entry').press('Tab');
  await expect(inside).toContainText('Entry 128 of 2048 of layers.1.stripes, int32:');
  await expect(inside).toContainText('kept as it is, in 4 sectors');
  await expect(inside.locator('table', { hasText: 'in hexadecimal and as int32' }).locator('td').first()).toHaveText(stripes.readUInt32LE(128 * 128).toString(16).padStart(8, '0'));
  await tool(page, 'undo');
  await tool(page, 'undo');
  await expect(page).not.toHaveURL(/inside_entry/);
  await tool(page, 'redo');

  // By the keyboard: the first row on top, cell by cell.
  await plot.focus();
  await page.keyboard.press('Home');
  await expect(page.locator('#reading')).toContainText('page 0, entry of the page 0, 4 sectors');
  await page.keyboard.press('ArrowDown');
  await expect(page.locator('#reading')).toContainText('page 1, entry of the page 0, zeros');

  // As files, and for everybody.
  const csv = (await saved(page, 'section-heat-map', 'csv')).data.toString().split('\n');
  expect(csv.length).toBe(34);
  expect(csv[1].split(',').slice(0, 3)).toEqual(['0', '4 sectors', '4 sectors']);
  expect(csv[2].split(',').at(-1)).toBe('zeros');
  expect((await saved(page, 'section-heat-map', 'svg')).data.toString()).toContain('<path d="M');
  expect((await saved(page, 'section-heat-map', 'png')).data.length).toBeGreaterThan(5000);
  await page.click('#numbers-section-heat-map');
  await expect(heat.locator('table.numbers')).toContainText('4 sectors');
  await screenshot(page, 'compress-heat');

  // Groups: names that differ in a number are one row.
  const groups = await opened(page, 'allocations');
  await expect(groups.locator('tbody tr')).toHaveCount(2);
  await expect(groups.locator('tbody tr').first()).toContainText('layers.*.stripes × 2');
  await page.click('#f-allocations_by-single');
  await expect(groups.locator('tbody tr')).toHaveCount(3);
});
