// The whole page without a mouse: the way from a workload to an export, every key
// of the help, the palette, the tour, and that the focus can always be seen.
import { expect, finished, live, screenshot, test } from '../fixture.mjs';
import { turn } from '../labs.mjs';

const quick = './#v=2&lab=train&model=bert-base&batch=16&times=as-paper&gpu_memory=2&host_memory=0&systems=ideal,uvm,g10';

const focused = (page) => page.evaluate(() => document.activeElement?.id ?? '');

// tabTo presses Tab until the element has the focus.
async function tabTo(page, id, key = 'Tab') {
  for (let i = 0; i < 250; i++) {
    if (await focused(page) === id) return;
    await page.keyboard.press(key);
  }
  throw new Error(`${key} never reaches #${id}`);
}

// find opens the palette, types and takes the first that is found.
async function find(page, text) {
  await page.keyboard.press('Control+K');
  await expect(page.locator('#palette-input')).toBeFocused();
  await page.keyboard.type(text);
  await expect(page.locator('#palette-list [aria-selected=true]')).toHaveCount(1);
  await page.keyboard.press('Enter');
  await expect(page.locator('#palette')).toBeHidden();
}

// toView goes to a view: Tab reaches the one that is shown, arrows the others.
async function toView(page, view) {
  await tabTo(page, await page.locator('.top .views [aria-pressed=true]').getAttribute('id'), 'Shift+Tab');
  await page.keyboard.press('Home');
  for (let i = 0; i < 6 && await focused(page) !== `view-${view}`; i++) await page.keyboard.press('ArrowRight');
  await page.keyboard.press('Enter');
}

async function open(page, url = quick) {
  await page.goto(url);
  await live(page);
  await finished(page);
}

test('from a workload to an export without a mouse', async ({ page }) => {
  await open(page, `${quick}&times=estimated`);
  // Choose a workload: the list is reached by Tab, its letters choose.
  await tabTo(page, 'f-model');
  await page.keyboard.type('ResNet-152');
  await expect(page.locator('#context')).toContainText('ResNet-152');
  await page.keyboard.press('Control+Z');
  await expect(page.locator('#context')).toContainText('BERT');
  // Change the SSD's bandwidth: by the drawing, then by its field.
  await tabTo(page, 'draw-ssd-link', 'Shift+Tab');
  await page.keyboard.press('Enter');
  await tabTo(page, 'p-ssd_read');
  await page.keyboard.press('Control+A');
  await page.keyboard.type('1.6');
  await finished(page);
  await expect(page.locator('#draw-ssd-link')).toContainText('1.6 GB/s');
  await tabTo(page, 's-ssd_read'); // what can be dragged can be pressed
  await page.keyboard.press('ArrowRight');
  await expect(page.locator('#p-ssd_read')).not.toHaveValue('1.6');
  await finished(page);
  // Read a chart: by its values, by its table.
  await tabTo(page, 'chart-throughput');
  await expect(page.locator('#chart-throughput .plot-host[data-drawn=true]')).toBeVisible();
  await page.keyboard.press('ArrowDown');
  await expect(page.locator('#reading')).toContainText(/^Ideal, Throughput, normalized 1×? ideal|^Ideal, .*1/);
  await page.keyboard.press('End');
  await expect(page.locator('#reading')).toContainText(/^G10, .*\d/);
  await expect(page.locator('#chart-throughput .tip')).toBeVisible();
  await page.keyboard.press('Escape');
  await expect(page.locator('#chart-throughput .tip')).toBeHidden();
  await tabTo(page, 'numbers-throughput', 'Shift+Tab');
  await page.keyboard.press('Enter');
  await expect(page.locator('#figure-throughput table.numbers')).toContainText('G10');
  await tabTo(page, 'chart-memory');
  await page.keyboard.press('ArrowRight');
  await page.keyboard.press('ArrowRight');
  await expect(page.locator('#reading')).toContainText(/GiB/);
  // Pin, keep, and compare with what is kept.
  await tabTo(page, 'pin', 'Shift+Tab');
  await page.keyboard.press('Enter');
  await expect(page.locator('#pin')).toHaveAttribute('aria-pressed', 'true');
  await tabTo(page, 'keep');
  await page.keyboard.press('Enter');
  await tabTo(page, 'keep-it');
  await page.keyboard.press('Enter');
  await tabTo(page, 'kept');
  await page.keyboard.press('Enter');
  await tabTo(page, 'against-0');
  await page.keyboard.press('Enter');
  await expect(page.locator('#beside')).toContainText('The same settings.');
  // What if: vary a setting.
  await toView(page, 'whatif');
  await tabTo(page, 'ask-more');
  await page.keyboard.press('Enter');
  await tabTo(page, 'f-ask-vary');
  await page.keyboard.type('Host mem');
  for (let i = 0; i < 60 && await page.locator('#ask-run').isEnabled(); i++) { // a slow machine asks first
    if (await focused(page) === 'ask-run') await page.keyboard.press('Enter');
    await page.keyboard.press('Tab');
  }
  await expect(page.locator('#ask-state')).toHaveText(/^(\d+) of \1 runs\.$/);
  await tabTo(page, 'chart-whatif');
  await page.keyboard.press('ArrowRight');
  await expect(page.locator('#reading')).toContainText(/\d/);
  // Reproduce a figure of the paper.
  await toView(page, 'reproduce');
  await tabTo(page, 'figure-entry-g10.3');
  await page.keyboard.press('Enter');
  await expect(page.locator('#paper-title')).toContainText('Figure 3');
  await tabTo(page, 'paper-run');
  await page.keyboard.press('Enter');
  await finished(page, { cancel: '#cancel-g10' });
  await expect(page.locator('#paper-summary')).not.toContainText(' 0 compared');
  // Export everything.
  await find(page, 'explore');
  await finished(page);
  const [file] = await Promise.all([page.waitForEvent('download'), find(page, 'save csv')]);
  expect(file.suggestedFilename()).toMatch(/\.csv$/);
});

// What each key of the help does, by what the help calls it.
const keys = {
  '?': async (page) => {
    await page.keyboard.press('?');
    await expect(page.locator('#help-dialog')).toBeVisible();
    await page.keyboard.press('Escape');
    await page.locator('#f-batch').focus();
    await page.keyboard.press('?'); // a letter like others in a field
    await expect(page.locator('#help-dialog')).toBeHidden();
    await page.keyboard.press('Backspace');
  },
  'Ctrl+K': async (page) => {
    await page.keyboard.press('Control+K');
    await expect(page.locator('#palette')).toBeVisible();
    await page.keyboard.press('Escape');
  },
  'Ctrl+Z': async (page) => {
    await page.fill('#f-batch', '17');
    await page.keyboard.press('Control+Z');
    await expect(page.locator('#f-batch')).toHaveValue('16');
  },
  'Ctrl+Shift+Z': async (page) => {
    await page.keyboard.press('Control+Shift+Z');
    await expect(page.locator('#f-batch')).toHaveValue('17');
    await page.keyboard.press('Control+Z');
    await page.keyboard.press('Control+Y');
    await expect(page.locator('#f-batch')).toHaveValue('17');
    await page.keyboard.press('Control+Z');
    await expect(page.locator('#f-batch')).toHaveValue('16');
  },
  'Ctrl+V': async (page) => {
    await page.evaluate(() => {
      const data = new DataTransfer();
      data.items.add(new File(['nothing of ours'], 'pasted.txt'));
      document.dispatchEvent(new ClipboardEvent('paste', { clipboardData: data, bubbles: true }));
    });
    await expect(page.locator('#files-error')).toContainText('pasted.txt');
  },
  Tab: async (page) => {
    const before = await focused(page);
    await page.keyboard.press('Tab');
    expect(await focused(page)).not.toBe(before);
  },
  '↑ ↓': async (page) => {
    await page.locator('#f-batch').focus();
    await page.keyboard.press('ArrowUp');
    await expect(page.locator('#f-batch')).toHaveValue('17');
    await page.keyboard.press('PageUp');
    await expect(page.locator('#f-batch')).toHaveValue('27');
    await page.keyboard.press('Shift+ArrowDown');
    await page.keyboard.press('ArrowDown');
    await expect(page.locator('#f-batch')).toHaveValue('16');
    await finished(page);
  },
  '← →': async (page) => {
    await page.locator('#link').focus();
    await page.keyboard.press('ArrowRight');
    const next = await focused(page);
    expect(next).not.toBe('link');
    await page.keyboard.press('ArrowLeft');
    expect(await focused(page)).toBe('link');
  },
  '← → ↑ ↓': async (page) => {
    await page.locator('#chart-memory').focus();
    await expect(page.locator('#chart-memory .plot-host[data-drawn=true]')).toBeVisible();
    await page.keyboard.press('ArrowRight');
    await expect(page.locator('#reading')).toContainText('GiB');
    const before = await page.locator('#reading').innerText();
    await page.keyboard.press('End');
    await expect(page.locator('#reading')).not.toHaveText(before);
  },
  '+ - 0': async (page) => {
    await page.locator('#chart-memory').focus();
    const host = page.locator('#chart-memory .plot-host');
    await page.keyboard.press('+');
    await expect(host).toHaveAttribute('data-zoomed', 'true');
    await page.keyboard.press('-');
    await expect(host).toHaveAttribute('data-zoomed', 'false');
    await page.keyboard.press('+');
    await page.keyboard.press('0');
    await expect(host).toHaveAttribute('data-zoomed', 'false');
  },
  'W S A D': async (page) => {
    await page.click('#view-timeline');
    await page.locator('#timeline-canvas').focus();
    const said = page.locator('#timeline-view');
    await expect(said).toContainText('In view');
    for (const key of ['w', 'd', 'a', 's', '}', ']', 'ArrowRight', '/']) {
      const before = await page.evaluate(() => [window.timeline.view.from, window.timeline.view.length, window.timeline.view.chosen?.i, document.activeElement.className].join());
      await page.keyboard.press(key);
      await expect.poll(() => page.evaluate(() => [window.timeline.view.from, window.timeline.view.length, window.timeline.view.chosen?.i, document.activeElement.className].join()), key).not.toBe(before);
    }
    await page.click('#view-explore');
    await finished(page);
  },
  Esc: async (page) => {
    await page.keyboard.press('Control+K');
    await expect(page.locator('#palette')).toBeVisible();
    await page.keyboard.press('Escape');
    await expect(page.locator('#palette')).toBeHidden();
  },
};

test('every key of the help does what it says, and ? can be switched off', async ({ page }) => {
  await open(page);
  await page.keyboard.press('?');
  await expect(page.locator('#help-dialog')).toBeVisible();
  const listed = await page.locator('#help-dialog .keys dt').allInnerTexts();
  await page.keyboard.press('Escape');
  await expect(page.locator('#help-dialog')).toBeHidden();
  expect(listed.map((t) => t.replace(/\s*\+\s*(?=\w)/g, '+').replace(/\s+/g, ' ').trim())).toEqual(Object.keys(keys));
  for (const press of Object.values(keys)) await press(page);
  await page.keyboard.press('Control+K');
  await page.keyboard.type('keys');
  await page.keyboard.press('Enter');
  await expect(page.locator('#help-keys')).toBeFocused();
  await page.locator('#help-one-key').focus();
  await page.keyboard.press('Space');
  await page.keyboard.press('Escape');
  await page.keyboard.press('?');
  await expect(page.locator('#help-dialog')).toBeHidden();
  await page.reload();
  await live(page);
  await page.keyboard.press('?');
  await expect(page.locator('#help-dialog')).toBeHidden();
  await page.locator('#help').click();
  await expect(page.locator('#help-one-key')).not.toBeChecked();
});

test('the palette finds and does', async ({ page }) => {
  await open(page);
  expect(await page.locator('#palette').count()).toBe(0); // nothing before it is asked for
  await page.keyboard.press('Control+K');
  const input = page.locator('#palette-input');
  await expect(input).toHaveAttribute('aria-activedescendant', 'palette-0');
  await page.keyboard.press('ArrowDown');
  await expect(input).toHaveAttribute('aria-activedescendant', 'palette-1');
  await page.keyboard.type('xyzzy');
  await expect(page.locator('#palette-count')).toHaveText('Nothing is found.');
  await expect(input).not.toHaveAttribute('aria-activedescendant', /./);
  await screenshot(page, 'palette-none');
  await page.keyboard.press('Escape');
  await find(page, 'ssd read');
  await expect(page.locator('#f-ssd_read')).toBeFocused();
  await find(page, 'chart memory');
  await expect(page.locator('#chart-memory')).toBeFocused();
  await find(page, 'flashneuron');
  await expect(page).toHaveURL(/flashneuron/);
  await find(page, 'resnet-50');
  await finished(page);
  await expect(page.locator('#context')).toContainText('ResNet');
  await find(page, 'write amplification');
  await expect(page.locator('[data-term="Write amplification"]')).toBeFocused();
  await page.keyboard.press('Escape');
  await find(page, 'reproduce');
  await expect(page.locator('#paper-title')).toBeVisible();
  await find(page, 'open files'); // not on this view
  await expect(page.locator('#notice')).toContainText('is not on this view');
  await find(page, 'host_memory');
  await expect(page.locator('#f-host_memory')).toBeFocused();
  await find(page, 'object store');
  await expect(page).toHaveTitle(/^Object store/);
  // From the help, too.
  await page.locator('#help').click();
  await page.keyboard.press('Tab');
  await page.locator('#help-find').press('Enter');
  await expect(input).toBeFocused();
  await page.keyboard.type('tour');
  await screenshot(page, 'palette');
});

// toured walks a tour by Enter and returns what its steps said.
async function toured(page) {
  await page.locator('#help').click();
  await page.locator('#help-tour').press('Enter');
  await expect(page.locator('#tour')).toBeFocused();
  await tabTo(page, 'tour-next');
  const said = [];
  for (;;) {
    if (await page.locator('#cancel').count() > 0) await finished(page);
    await expect(page.locator('#tour-says')).not.toContainText('…');
    await expect(page.locator('#tour-says')).not.toContainText('no longer');
    said.push(await page.locator('#tour-says').innerText());
    const title = await page.locator('#tour-title').innerText();
    if (await page.locator('#tour-next').innerText() === 'Finish') break;
    await page.keyboard.press('Enter');
    await expect(page.locator('#tour-title')).not.toHaveText(title);
    await expect(page.locator('#tour-next')).toBeFocused();
  }
  return said;
}

for (const [lab, link, system] of [['train', quick, 'uvm'], ['store', './#v=2&lab=store&workload=pairs&pairs=50', 'fifo'], ['compress', './#v=4-by-hand&lab=compress&contents=resnet50', 'naive'], ['cxlssd', './#v=4-by-hand&lab=cxlssd&workload=srad&scale=4&mode=artifact', 'base-cssd'], ['filesys', './#v=4-by-hand&lab=filesys&workload=varmail&scale=256&mode=paper', 'ext4'], ['llm', './#v=4-by-hand&lab=llm&node=one-4090&model=llama3-8b&layers=3&batch=2&micro=1&sequence=1024&buffer_size=540', 'ideal']].filter(([lab]) => turn.some(({ name }) => name === lab))) {
  test(`the tour of ${lab} says what is shown, and Undo leads back`, async ({ page }) => {
    await open(page, link);
    const before = await page.locator('#context').innerText();
    const said = await toured(page);
    expect(said.length).toBeGreaterThan(6);
    expect(said.join(' ')).not.toMatch(/[{}]|undefined|NaN/);
    await screenshot(page, `tour-${lab}`);
    await page.keyboard.press('Enter');
    await expect(page.locator('#tour')).toBeHidden();
    await page.keyboard.press('Control+Z');
    await find(page, 'explore');
    await expect(page.locator('#context')).toHaveText(before);
    // Each step is a link; other settings than a step's are said to be so.
    await page.locator('#help').click();
    await expect(page.locator('#help-stops a')).toHaveCount(said.length);
    await page.locator('#help-stops a').nth(3).click();
    await finished(page);
    await expect(page.locator('#context')).not.toHaveText(before);
    await find(page, 'tour');
    await page.locator(`#on-${system}`).evaluate((e) => e.click());
    await expect(page.locator('#tour-says')).toContainText('no longer');
    await page.locator('#tour-again').press('Enter');
    await expect(page.locator('#tour-says')).not.toContainText('no longer');
    await page.locator('#tour-end').press('Enter');
    await expect(page.locator('#told')).toContainText('Undo');
    await expect(page.locator('#main')).toBeFocused();
  });
}

// hiddenFocus walks by Tab and lists what has the focus and cannot be seen.
async function hiddenFocus(page, most) {
  const bad = [];
  for (let i = 0; i < most; i++) {
    await page.keyboard.press('Tab');
    const found = await page.evaluate(() => {
      const e = document.activeElement;
      if (!e || e === document.body) return '';
      const box = e.getBoundingClientRect();
      const name = `${e.tagName}#${e.id}.${e.className}`;
      const [x0, x1, y0, y1] = [Math.max(box.left, 0), Math.min(box.right, innerWidth), Math.max(box.top, 0), Math.min(box.bottom, innerHeight)];
      for (const [fx, fy] of [[0.5, 0.5], [0.1, 0.1], [0.9, 0.1], [0.1, 0.9], [0.9, 0.9]]) {
        const at = document.elementFromPoint(x0 + (x1 - x0) * fx, y0 + (y1 - y0) * fy);
        if (at && (e.contains(at) || at.contains(e) && !at.matches('.tour, .top, .side, .main, html, body') || at.closest('label')?.contains(e))) return '';
      }
      return name;
    });
    if (found && !bad.includes(found)) bad.push(found);
  }
  return bad;
}

test('the focus is never hidden, at any size', async ({ page }) => {
  await open(page);
  await page.evaluate(() => document.querySelectorAll('.fold[aria-expanded=false]').forEach((e) => e.click()));
  expect(await hiddenFocus(page, 110)).toEqual([]);
  // With the tour's bar, and in a window as small as at 400 % zoom.
  await find(page, 'tour');
  await expect(page.locator('#tour')).toBeVisible();
  await page.locator('.skip').first().focus();
  expect(await hiddenFocus(page, 70)).toEqual([]);
  await page.setViewportSize({ width: 320, height: 256 });
  await page.locator('.skip').first().focus();
  expect(await hiddenFocus(page, 70)).toEqual([]);
  await screenshot(page, 'small');
});

test('what has changed is said once, when it has settled', async ({ page }) => {
  await open(page);
  await expect(page.locator('#live')).not.toBeEmpty();
  await page.evaluate(() => {
    window.said = [];
    new MutationObserver(() => window.said.push(document.getElementById('live').textContent)).observe(document.getElementById('live'), { childList: true, characterData: true, subtree: true });
  });
  await page.locator('#draw-ssd-link').press('Enter');
  const slider = page.locator('#s-ssd_read');
  await slider.focus();
  const steps = 25;
  for (let i = 0; i < steps; i++) await page.keyboard.press('ArrowLeft');
  await finished(page);
  const verdict = `${await page.locator('#headline').innerText()} ${await page.locator('#why').innerText()}`;
  await expect(page.locator('#live')).toHaveText(verdict);
  expect((await page.evaluate(() => window.said)).length).toBeLessThan(steps / 4);
  expect(await page.locator('#live').getAttribute('role')).toBe('status');
});
