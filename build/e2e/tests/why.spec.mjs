// Why one system is faster than another: the section, its waterfalls, what its links open, what is
// saved of it, and that nobody pays for it who does not look.
import { expect, finished, saved, test, tool, visit } from '../fixture.mjs';

const create = './#v=4-by-hand&lab=filesys&workload=create&scale=256&systems=bytefs,ext4,nova&focus=bytefs';
const store = './#v=4-by-hand&lab=store&workload=services&systems=lru,size-aware&focus=size-aware';

// asked opens the section and waits for all of its answer.
async function asked(page) {
  const section = page.locator('#section-why');
  await expect(section.locator('#open-why')).toHaveText('Show');
  await section.locator('#open-why').click();
  await expect(section.locator('table').first()).toBeVisible();
  return section;
}

test('what makes it wait stands beside where it waits, and adds up', async ({ page }) => {
  await visit(page, create);
  const section = await asked(page);
  await expect(section.locator('h3').first()).toHaveText('Why is ByteFS faster than Ext4?');
  await expect(section.locator('.answer').nth(1)).toContainText(/^What costs Ext4 most is flash: .*(of the difference|more than the whole difference)\.$/);
  await expect(section.locator('.figure h3')).toHaveText(['What makes it wait', 'Where it waits']);
  // Every step stands in the picture's own words, from one total to the other.
  const alt = await section.locator('.plot').first().getAttribute('aria-label');
  expect(alt).toMatch(/Ext4 [\d.]+ ms, Flash −[\d.]+ ms, .*ByteFS [\d.]+ ms\.$/);
  const sum = await page.evaluate(() => {
    const plot = document.querySelector('#section-why .plot');
    plot.scrollIntoView();
    return plot.id;
  });
  await expect(page.locator(`#${sum} .plot-host`)).toHaveAttribute('data-drawn', 'true');
  const drawn = await page.evaluate((id) => {
    const series = window.echarts.getInstanceByDom(document.querySelector(`#${id} .plot-host`)).getOption().series;
    const of = (name) => series.find((s) => s.id === name).data.map((x) => x.value ?? x);
    return { from: of('from'), long: of('part-0') };
  }, sum);
  for (let i = 0; i + 1 < drawn.from.length; i++) { // each begins where the one before ends
    const ends = [drawn.from[i], drawn.from[i] + drawn.long[i]];
    const begins = [drawn.from[i + 1], drawn.from[i + 1] + drawn.long[i + 1]];
    expect(Math.min(...ends.flatMap((a) => begins.map((b) => Math.abs(a - b))))).toBeLessThan(1e-9);
  }
});

test('a step leads to the settings without that cause, and undo back', async ({ page }) => {
  await visit(page, create);
  const section = await asked(page);
  await section.locator('tbody a', { hasText: 'Flash' }).first().click();
  await expect(page).toHaveURL(/read_latency=0/);
  await finished(page);
  await tool(page, 'undo');
  await expect(page).not.toHaveURL(/read_latency=0/);
});

test('a step opens its longest wait, a press or Enter, and a row that names a wait leads there', async ({ page }) => {
  await visit(page, create);
  let section = await asked(page);
  await expect(section.locator('.answer').last()).toHaveText(/^Wait by wait, what Ext4 waits for most is flash: [\d.]+ ms, \d+ % of its time\.$/);
  await expect(section.locator('thead').first()).toContainText('Ext4 waits for it');
  const plot = section.locator('.plot').first();
  await plot.scrollIntoViewIfNeeded();
  await expect(plot.locator('.plot-host')).toHaveAttribute('data-drawn', 'true');
  await plot.focus();
  for (const key of ['Home', 'ArrowDown', 'Enter']) await page.keyboard.press(key); // flash, which costs Ext4
  await expect(page.locator('#timeline-canvas')).toBeVisible();
  await expect(page.locator('#timeline-title')).toContainText(/^Ext4: /);
  await expect(page.locator('#timeline-details dl')).toContainText('Due to');
  await expect(page.locator('#timeline-details dl')).toContainText('flash');
  await page.goto('about:blank');
  await visit(page, create);
  section = await asked(page);
  const row = section.locator('table', { hasText: 'Longest waits of ByteFS' }).locator('tbody tr').first(), took = await row.locator('td').first().innerText();
  await row.locator('a').click();
  await expect(page).toHaveURL(/&view=timeline&at=[0-9a-z.]+&/);
  await expect(page.locator('#timeline-canvas')).toBeVisible();
  await expect(page.locator('#timeline-details h3')).toContainText(Number.parseFloat(took) >= 1 ? took.slice(0, 3) : 'µs');
});

test('another system, the baseline, and the link that brings it back', async ({ page }) => {
  await visit(page, store.replace('lru,', 'lru,fifo,latency-aware,latency-logical,')); // a list: up to three are buttons
  const section = await asked(page);
  await expect(section.locator('h3').first()).toHaveText(/^Why is Size-aware faster than LRU\?$/);
  await section.locator('#f-why').selectOption('fifo');
  await expect(section.locator('h3').first()).toHaveText(/Size-aware .* FIFO\?$/);
  await expect(page).toHaveURL(/why=fifo/);
  await expect(page.locator('#against')).toHaveValue('fifo'); // where the time goes has the same side
  await expect(section.locator('#f-why option[value=baseline]')).toHaveCount(0);
  await page.click('#pin');
  await expect(section.locator('#f-why option[value=baseline]')).toHaveCount(1);
});

test('a waterfall is saved as drawing, and as numbers', async ({ page }) => {
  await visit(page, store);
  await asked(page);
  const { data: svg } = await saved(page, 'section-why-causes', 'svg');
  expect(svg.toString()).toContain('What makes it wait');
  expect(svg.toString()).toContain('Evicting');
  const csv = (await saved(page, 'section-why-causes', 'csv')).data.toString();
  expect(csv.split('\n')[0]).toBe('step,name,total,value,unit');
  const rows = csv.trim().split('\n').slice(1).map((line) => line.split(','));
  let at = 0;
  for (const [, name, total, value] of rows) {
    if (total === 'true' && at !== 0) expect(Number(value) / at, name).toBeCloseTo(1, 9);
    at = total === 'true' ? Number(value) : at + Number(value);
  }
});

test('who does not look has nothing run for it, and who stops it waits for nothing', async ({ page }) => {
  await visit(page, create);
  await finished(page);
  await expect(page.locator('#section-why')).toBeVisible();
  await expect(page.locator('#section-why .plot')).toHaveCount(0);
  await page.locator('#open-why').click();
  await page.locator('#open-why').click();
  await expect(page.locator('#open-why')).toHaveText('Show');
  await expect(page.locator('#section-why .section-body')).toHaveCount(0);
});
