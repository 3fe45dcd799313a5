// One run over time: what opens it, the keys, what a link brings back, what is saved.
import { readFile } from 'node:fs/promises';
import { expect, test } from '../fixture.mjs';

const quick = './#v=4-by-hand&lab=train&model=bert-base&batch=16&times=as-paper&gpu_memory=2&host_memory=0&systems=ideal,uvm,g10&focus=uvm';
const over = `${quick}&view=timeline`;

// opened waits until a run is drawn.
async function opened(page) {
  await expect(page.locator('#timeline-canvas')).toBeVisible();
  await expect(page.locator('#timeline-view')).toContainText('In view');
}

// picture is a number for the pixels of the plot, without its texts.
const picture = (page) => page.evaluate(() => {
  const view = window.timeline.view;
  view.draw();
  return view.buffer.reduce((sum, p) => (Math.imul(sum, 31) + p) | 0, 7);
});

// taken is what a button saves.
async function taken(page, kind) {
  const [d] = await Promise.all([page.waitForEvent('download'), page.click(`.tl-saves >> text=${kind}`)]);
  expect(d.suggestedFilename()).toMatch(new RegExp(`^spillway-.*timeline\\.${kind.toLowerCase()}$`));
  return readFile(await d.path());
}

const press = async (page, ...keys) => { for (const key of keys) await page.keyboard.press(key); };

test('the script comes when the view is opened, and the run in focus is drawn', async ({ page }) => {
  const asked = [];
  page.on('request', (r) => asked.push(new URL(r.url()).pathname));
  await page.goto(quick);
  await expect(page.locator('#see-timeline')).toBeVisible();
  expect(asked.filter((at) => at.endsWith('timeline.js'))).toEqual([]);
  await page.click('#see-timeline');
  await opened(page);
  expect(asked.filter((at) => at.endsWith('timeline.js'))).toHaveLength(1);
  expect(asked.filter((at) => at.endsWith('timeline-files.js'))).toEqual([]); // that of numbers and files comes for them
  await expect(page).toHaveURL(/view=timeline/);
  await expect(page.locator('#timeline-title')).toContainText(/^Base UVM: \d+\.\d % of the time is .*; the longest single wait is /);
  expect(await page.evaluate(() => new Set(window.timeline.view.buffer).size)).toBeGreaterThan(4);
  await page.selectOption('#timeline-system', 'g10');
  await expect(page.locator('#timeline-title')).toContainText(/^G10: /);
  await page.click('#view-explore');
  await page.click('#view-timeline');
  await opened(page); // what was drawn is there again
  await expect(page.locator('#timeline-title')).toContainText(/^G10: /);
});

test('by the keyboard alone the longest wait is found, and what it came of', async ({ page }) => {
  await page.goto(over);
  await opened(page);
  await page.focus('#view-timeline');
  for (let n = 0; n < 60 && !await page.evaluate(() => document.activeElement?.id === 'timeline-canvas'); n++) await page.keyboard.press('Tab');
  await expect(page.locator('#timeline-canvas')).toBeFocused();
  await press(page, '}');
  const first = await page.locator('#timeline-waits li').first().locator('b').innerText();
  await expect(page.locator('#timeline-details h3')).toContainText(/fault|read|prefetch|eviction|allocation/);
  await expect(page.locator('#timeline-waits [aria-current=true] b')).toHaveText(first);
  await expect(page.locator('#timeline-details .tl-chain li').first()).toContainText(/^(It waits|Nothing that it needs)/);
  await press(page, '}');
  await expect(page.locator('#timeline-waits [aria-current=true]')).toHaveAttribute('data-wait', '1');
  await press(page, '{', 'ArrowRight', 'ArrowLeft', 'ArrowUp', 'ArrowDown', 'f', '[', ']', 'Escape');
  await expect(page.locator('#timeline-details h3')).toHaveText('Nothing selected');
  await press(page, 'Home', '/');
  await page.keyboard.type('backward');
  await expect(page.locator('.tl-bar')).toContainText('found');
  await press(page, 'Enter');
  await expect(page.locator('#timeline-details')).toContainText(/backward/i);
  await press(page, 'Escape');
  await expect(page.locator('#timeline-canvas')).toBeFocused();
  await expect(page.locator('#live')).toContainText(/backward/i); // what is selected is said
});

test('zoom, move, and a link that brings all of it back', async ({ page }) => {
  await page.goto(over);
  await opened(page);
  const whole = await picture(page), said = await page.locator('#timeline-view').innerText();
  await page.focus('#timeline-canvas');
  await press(page, 'w', 'w', 'd', 'd', 'Shift+A', 's', '+');
  await expect(page).toHaveURL(/&at=[0-9a-z]+\.[0-9a-z]+&/);
  await press(page, '}');
  await expect(page).toHaveURL(/&at=[0-9a-z]+\.[0-9a-z]+\.[0-9a-z]+\.[0-9a-z]+&/);
  const url = page.url(), details = await page.locator('#timeline-details').innerText(), view = await page.locator('#timeline-view').innerText();
  expect(view).not.toBe(said);
  await page.goto('about:blank');
  await page.goto(url);
  await opened(page);
  await expect(page.locator('#timeline-details')).toHaveText(details, { useInnerText: true });
  await expect(page.locator('#timeline-view')).toHaveText(view);
  expect(page.url()).toBe(url);
  await page.focus('#timeline-canvas');
  await press(page, 'Escape', 'Home');
  await expect(page.locator('#timeline-view')).toHaveText(said);
  expect(await picture(page)).toBe(whole); // drawn again it is the same, to the pixel
});

test('wheel, drag, the run in small and the ruler', async ({ page }) => {
  await page.goto(over);
  await opened(page);
  const canvas = page.locator('#timeline-canvas'), text = () => page.locator('#timeline-view').innerText();
  const box = await canvas.boundingBox(), at = (x, y) => [box.x + box.width * x, box.y + y];
  const before = await text();
  await page.mouse.move(...at(0.6, 100));
  await page.keyboard.down('Control');
  await page.mouse.wheel(0, -400);
  await page.keyboard.up('Control');
  await expect.poll(text).not.toBe(before);
  const zoomed = await text();
  await page.mouse.move(...at(0.6, 100));
  await page.mouse.down();
  await page.mouse.move(...at(0.5, 100), { steps: 4 });
  await page.mouse.up();
  await expect.poll(text).not.toBe(zoomed);
  const moved = await text();
  await page.mouse.click(...at(0.3, 10)); // in small
  await expect.poll(text).not.toBe(moved);
  await page.mouse.move(...at(0.4, 36));
  await page.mouse.down();
  await page.mouse.move(...at(0.7, 36), { steps: 4 });
  await page.mouse.up();
  await expect(page.locator('#timeline-view')).toContainText('Selected');
  await page.mouse.dblclick(...at(0.5, box.height - 2));
  await expect.poll(text).toBe(before);
});

test('the numbers of what is in view, and files of it', async ({ page }) => {
  await page.goto(over);
  await opened(page);
  await page.click('.tl-box summary');
  await expect(page.locator('#timeline-table caption')).toHaveText(['Time in view', 'What it is due to', /longest/, /most of the memory/]);
  await expect(page.locator('#timeline-table')).toContainText('Computes and waits');
  await expect(page.locator('#timeline-table table').nth(1).locator('thead')).toHaveText(/the SSD.*the link.*page faults/);
  const svg = (await taken(page, 'SVG')).toString();
  expect(await page.evaluate((text) => new DOMParser().parseFromString(text, 'image/svg+xml').querySelectorAll('parsererror').length, svg)).toBe(0);
  expect(svg).toContain('Computes and waits');
  const csv = (await taken(page, 'CSV')).toString();
  expect(csv.split('\n')[0]).toMatch(/^Track,compute,/);
  expect((await taken(page, 'PNG')).subarray(1, 4).toString()).toBe('PNG');
});

test('two systems stand in one picture, linked by kernel or by time, and sentences lead to where they part', async ({ page }) => {
  await page.goto(`${over}&against=g10`);
  await opened(page);
  const sides = () => page.evaluate(() => window.timeline.view.run.sides.map((s) => [s.name, s.steps > 0]));
  expect(await sides()).toEqual([['Base UVM', true], ['G10', true]]);
  await expect(page.locator('#timeline-view')).toContainText(/Base UVM: .*; G10: /);
  // What one side takes and what is blank is the whole.
  const sums = await page.evaluate(() => {
    const { run } = window.timeline.view, states = run.tracks.filter((x) => x.kind === 1), last = run.tracks.at(-1);
    const took = (x) => x.begin.reduce((sum, b, i) => sum + x.end[i] - b, 0);
    const longer = run.cats.map(() => 0);
    last.begin.forEach((b, i) => { longer[last.cat[i]] += last.end[i] - b; });
    return { end: run.end, took: states.map(took), longer: longer.slice(-2) };
  });
  for (const side of [0, 1]) expect((sums.took[side] + sums.longer[1 - side]) / sums.end).toBeCloseTo(1, 3); // but for what still moves at the end
  await expect(page.locator('#timeline-apart li').first()).toHaveText(/^Base UVM takes .*, G10 /);
  const dear = page.locator('#timeline-apart li', { hasText: /^Kernel \d+, .* longer in / });
  await expect(dear).toHaveCount(10);
  await page.locator('#timeline-apart li', { hasText: 'first decide otherwise' }).locator('button').click();
  await expect(page.locator('#timeline-details dl')).toContainText('Base UVM');
  await dear.first().locator('button').focus();
  await page.keyboard.press('Enter');
  await expect(page.locator('#timeline-details dl')).toContainText('longer in');
  await page.click('#timeline-linked');
  await expect(page).toHaveURL(/&against=g10&linked=time&/);
  await expect.poll(sides).toEqual([['Base UVM', false], ['G10', false]]);
  await page.goto('about:blank');
  await page.goto(`${over}&against=g10&linked=time`);
  await opened(page);
  expect(await sides()).toEqual([['Base UVM', false], ['G10', false]]);
  await page.selectOption('#timeline-against', '');
  await expect.poll(sides).toEqual([]);
  await expect(page.locator('#timeline-linked')).toBeHidden();
});

test('two policies of the store stand side by side by operation, and tensors have lives there, too', async ({ page }) => {
  await page.goto('./#v=4-by-hand&lab=store&workload=services&systems=lru,fifo&focus=lru&view=timeline&against=fifo');
  await opened(page);
  expect(await page.evaluate(() => window.timeline.view.run.sides.map((s) => [s.name, s.steps > 0]))).toEqual([['LRU', true], ['FIFO', true]]);
  await expect(page.locator('#timeline-apart')).toContainText('linked by every operation done');
  await expect(page.locator('#timeline-linked')).toBeVisible();
  expect(await page.evaluate(() => window.timeline.view.run.lives.map((l) => l.slices > 0))).toEqual([true, true, true, true]);
});

test('lives of tensors are drawn, said where the pointer is, and counted in the numbers', async ({ page }) => {
  await page.goto(over);
  await opened(page);
  const at = await page.evaluate(() => {
    const { view } = window.timeline, row = view.rows.find((row) => row.lives), l = row.lives;
    const i = l.begin.findIndex((b, i) => l.ref[i] >= 0 && (l.end[i] - b) * view.wide > 20 * view.run.end && l.amount[i] * row.high > 4 * l.high);
    return { x: view.x((l.begin[i] + l.end[i]) / 2), y: row.y + row.high * (1 - (l.y[i] + l.amount[i] / 2) / l.high), name: view.run.names[view.run.objects[l.ref[i]]], colors: new Set(view.buffer).size };
  });
  expect(at.colors).toBeGreaterThan(6);
  await page.locator('#timeline-canvas').scrollIntoViewIfNeeded();
  await page.locator('#timeline-canvas').hover({ position: { x: at.x, y: at.y } });
  await expect(page.locator('.tl-tip')).toContainText(at.name);
  await page.click('.tl-box summary');
  await expect(page.locator('#timeline-table caption').last()).toHaveText('What takes most of the memory, for longest');
});

test('a place of a chart leads to that place of the run, by the pointer and by the keyboard', async ({ page }) => {
  await page.goto(quick);
  await expect(page.locator('#see-timeline')).toBeVisible();
  await page.locator('#chart-causes').scrollIntoViewIfNeeded();
  await expect(page.locator('#chart-causes canvas')).toBeVisible();
  await page.locator('#chart-causes').focus();
  await press(page, 'End', 'Enter'); // the last system's largest cause
  await opened(page);
  await expect(page.locator('#timeline-waits [aria-current=true]')).toHaveCount(1);
  await expect(page.locator('#timeline-title')).not.toContainText('Ideal');
  await page.click('#view-explore');
  await page.locator('#chart-memory').scrollIntoViewIfNeeded();
  await expect(page.locator('#chart-memory canvas')).toBeVisible();
  await expect.poll(() => page.evaluate(() => window.charts.settled())).toBe(true);
  const box = await page.locator('#chart-memory canvas').boundingBox();
  await page.mouse.click(box.x + box.width * 0.75, box.y + box.height * 0.6);
  await opened(page);
  await expect(page.locator('#timeline-details h3')).not.toHaveText('Nothing selected');
  await expect(page).toHaveURL(/&at=[0-9a-z]+\.[0-9a-z]+\./);
});

test('waits of every laboratory say what they came of', async ({ page }) => {
  for (const [link, says] of [['lab=store', /has left for host memory|comes from host memory|Meanwhile/], ['lab=filesys&focus=ext4&scale=256', /is part of/], ['lab=llm&focus=teraio-ssd', /waits|Meanwhile/]]) {
    await page.goto('about:blank');
    await page.goto(`./#v=4-by-hand&${link}&view=timeline`);
    await opened(page);
    await page.focus('#timeline-canvas');
    await page.keyboard.press('}');
    await expect(page.locator('#timeline-details .tl-chain li').first()).toHaveText(says);
  }
});

test('in forced colours and in print categories are patterns', async ({ page }) => {
  await page.goto(over);
  await opened(page);
  const before = await picture(page), patterns = () => page.evaluate(() => window.timeline.view.paint.patterns);
  expect(await patterns()).toBe(false);
  await page.emulateMedia({ media: 'print' });
  await expect.poll(patterns).toBe(true);
  await expect(page.locator('.tl-bar')).toBeHidden();
  await page.emulateMedia({ media: 'screen', forcedColors: 'active' });
  await expect.poll(patterns).toBe(true);
  expect(await picture(page)).not.toBe(before);
  await page.emulateMedia({ media: 'screen', forcedColors: 'none' });
  await expect.poll(patterns).toBe(false);
  expect(await picture(page)).toBe(before);
});

test('where nothing happens over time, and where a system cannot run, a sentence says so', async ({ page }) => {
  await page.goto('./#v=4-by-hand&lab=compress&view=timeline');
  await expect(page.locator('#timeline-empty')).toContainText('Nothing happens over time');
  await page.goto('./#v=4-by-hand&lab=train&model=bert-base&batch=512&gpu_memory=1&systems=flashneuron,uvm&focus=flashneuron&view=timeline');
  await expect(page.locator('#timeline-empty')).toContainText('cannot run it');
  await expect(page.locator('#timeline-canvas')).toHaveCount(0);
});
