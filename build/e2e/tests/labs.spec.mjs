// What every laboratory has: charts that say what the command says, sections with
// something in them, files of the reader's own, questions, figures of papers. What only
// one of them has is in its own file.
import { execFile } from 'node:child_process';
import path from 'node:path';
import { promisify } from 'node:util';
import { charts, drop, expect, finished, opened, saved, screenshot, seen, test, visit } from '../fixture.mjs';
import { every, labs } from '../labs.mjs';

const root = path.resolve(import.meta.dirname, '../../..');

// native runs the command and returns what it prints.
async function native(...args) {
  const { stdout } = await promisify(execFile)(path.join(root, 'build/out/spillway'), [...args, '--json'], { maxBuffer: 2 ** 28 });
  return JSON.parse(stdout);
}

// table reads CSV: a list of rows by their columns' names.
function table(text) {
  const lines = text.trim().split('\n').map((line) => [...line.matchAll(/("(?:[^"]|"")*"|[^,]*)(?:,|$)/g)].map(([, cell]) => cell.replace(/^"|"$/g, '').replaceAll('""', '"')));
  return lines.slice(1).map((cells) => Object.fromEntries(lines[0].map((name, i) => [name, cells[i]])));
}


for (const lab of labs) {
  test.describe(lab.name, () => {
    test(`${lab.name}: it opens, and charts say what the command says`, async ({ page }) => {
      if (lab.headline) {
        await visit(page, lab.link);
        await expect(page.locator('#headline')).toHaveText(lab.headline);
        await expect(page.locator('.run.failed')).toHaveCount(0);
        await screenshot(page, lab.name);
      }
      await visit(page, lab.quick);
      await expect(page.locator('.run.failed')).toHaveCount(0);
      const shown = await page.locator('.plot:visible').count();
      expect(shown).toBeGreaterThanOrEqual(lab.charts);
      await charts(page, shown - await page.locator('.plot + .empty:visible').count()); // what has nothing to show says so
      const numbers = await page.locator('#numbers').innerText();
      expect(numbers).not.toMatch(/NaN|Inf\b|undefined/);
      const here = table((await saved(page, 'results', 'csv')).data.toString());
      expect(here.length).toBeGreaterThan(1);
      const there = await native('run', `lab=${lab.name}`, `system=${here.map((r) => r.system).join(',')}`, ...(lab.setup ?? '').split(' ').filter(Boolean));
      for (const [i, run] of here.entries()) {
        expect(run.system).toBe(there[i].system);
        const values = Object.entries(there[i].values).filter(([key]) => run[key]);
        expect(values.length, run.system).toBeGreaterThan(there[i].fits ? 4 : -1);
        for (const [key, value] of values) expect(Math.abs(Number(run[key]) - value), `${run.system} ${key}: ${run[key]}`).toBeLessThanOrEqual(1e-6 * Math.abs(value));
        if (lab.shown && there[i].fits) expect(numbers).toContain(lab.shown(there[i].values));
      }
      // A timeline, where there is one, has spells and is of this program.
      await page.click('#save-results');
      if (await page.locator('#timeline-results').count() > 0) {
        await page.keyboard.press('Escape');
        const { traceEvents } = JSON.parse((await saved(page, 'results', 'timeline')).data);
        expect(traceEvents.filter((e) => e.ph === 'X').length).toBeGreaterThan(0);
      }
    });

    test(`${lab.name}: every section opens with something in it`, async ({ page }) => {
      await visit(page, lab.looked);
      const keys = await page.locator('[id^=section-]:visible').evaluateAll((all) => all.map((e) => e.id.slice(8)));
      if (lab.sections) expect(keys.toSorted()).toEqual(lab.sections);
      for (const key of keys) {
        const section = page.locator(`#section-${key}`);
        await opened(page, key);
        const content = section.locator('table, .plot, .answer').first();
        await expect(content, key).toBeVisible();
        await content.scrollIntoViewIfNeeded();
        await expect(section.locator('table, .plot-host[data-drawn=true], .answer').first(), key).toBeVisible();
        const text = await section.innerText();
        expect(text.length, key).toBeGreaterThan(lab.sections ? 200 : 60);
        expect(text, key).not.toMatch(/NaN|Inf\b|undefined/);
      }
      await finished(page);
      await screenshot(page, `${lab.name}-sections`, { fullPage: true });
    });

    if (lab.files) {
      test(`${lab.name}: a recording is dropped and runs`, async ({ page }) => {
        const { own, holds, section, wrong, more, bundled } = lab.files;
        await visit(page, lab.quick);
        await drop(page, { 'mine.txt': own });
        await expect(page.locator('#context')).toContainText('mine.txt');
        await finished(page);
        await expect(page.locator('.run.failed')).toHaveCount(0);
        await expect(page.locator('.run.done').first()).toBeVisible();
        await expect(page).toHaveURL(/entry=mine\.txt/);
        const { result } = JSON.parse((await saved(page, 'results', 'json')).data).runs.find((r) => r.system === lab.files.of);
        for (const [what, want] of holds(result)) expect(what).toBe(want);
        if (section) {
          await opened(page, section[0]);
          await expect(page.locator(`#section-${section[0]}`)).toContainText(section[1]);
        }
        const numbers = await page.locator('#numbers').innerText();
        const headline = await page.locator('#headline').innerText();

        // What is wrong is said, and the page stays as it was.
        for (const [name, text, says] of wrong) {
          await drop(page, { [name]: text });
          await expect(page.locator('#files-error')).toContainText(says);
        }
        await finished(page);
        expect(await page.locator('#numbers').innerText()).toBe(numbers);
        expect(await page.locator('#headline').innerText()).toBe(headline);
        await expect(page.locator('#context')).toContainText('mine.txt');

        await drop(page, { [more.name]: more.text() });
        await expect(page.locator('#context')).toContainText(more.name);
        await finished(page);
        await expect(page.locator('.run.failed')).toHaveCount(0);
        await expect(page.locator('#facts')).toContainText(more.facts);
        expect(await page.locator('#numbers').innerText()).not.toMatch(/NaN|Inf\b/);
        await page.click('#bundled');
        await finished(page);
        await expect(page.locator('#context')).toContainText(bundled);
        await expect(page.locator('.run.failed')).toHaveCount(0);
      });
    }

    test(`${lab.name}: what if a setting were another`, async ({ page }) => {
      const { ask, of, answers, vary } = lab.sweep;
      const at = of ? [lab.link, ...of.split(' ')].join('&') : lab.looked;
      await page.goto(`${at}&view=whatif${ask}`);
      const run = page.locator('#ask-run');
      await expect(page.locator('#ask-more')).toBeVisible();
      if (!ask) await page.click('#ask-more'); // nothing is asked before somebody does
      await finished(page, { cancel: '#ask-cancel' });
      if (/^Run/.test(await run.innerText()) && await run.isEnabled()) await run.click({ timeout: 3000 }).catch(() => {}); // a slow machine asks first; others may have begun meanwhile
      await expect(page.locator('#ask-state')).toHaveText(/^(\d+) of \1 runs\.$/);
      await seen(page, 'whatif');
      if (await page.locator('#ask-more').getAttribute('aria-expanded') === 'false') await page.click('#ask-more');
      if (vary) await expect(page.locator('#f-ask-vary')).toHaveValue(vary);
      if (answers) await expect(page.locator('#ask-table tbody tr')).toHaveCount(answers);
      else expect(await page.locator('#ask-table tbody tr').count()).toBeGreaterThan(1);
      await expect(page.locator('#ask-says')).not.toContainText('changes nothing');
      await screenshot(page, `${lab.name}-whatif`);
    });

    if (lab.figure !== null) {
      test(`${lab.name}: a figure of its paper, published and ours`, async ({ page }) => {
        await page.goto(`${lab.link}&view=reproduce${lab.figure ? `&figure=${lab.figure.id}` : ''}`);
        await expect(page.locator('#paper-title')).toContainText(lab.figure?.title ?? /\w/);
        const id = lab.figure?.id ?? (await page.locator('[id^="figure-entry-"][aria-current=true], [id^="figure-entry-"]').first().getAttribute('id')).slice('figure-entry-'.length);
        if (lab.figure?.published) await expect(page.locator('#paper-summary')).toContainText(`${lab.figure.published} published numbers`);
        await page.click('#paper-run');
        await expect(page.locator(`[id="verdict-${id}"]`)).toContainText(/within|off|compared|hold|differ/);
        await finished(page, { cancel: `#cancel-${id.split('.')[0]}` });
        await expect(page.locator('#paper-claims')).not.toContainText(/\bnot run\b/);
        const rows = page.locator('#paper-rows');
        if (await rows.isVisible() && await rows.getAttribute('aria-expanded') === 'false') await rows.click();
        await expect(page.locator('.paper-rows').first()).not.toContainText(/NaN|not run/);
        const ours = (await saved(page, 'paper', 'csv')).data.toString();
        const there = (await native('verify', '--figures', id, '--all')).points.filter((p) => p.ours !== null);
        expect(there.length).toBeGreaterThan(0);
        for (const p of there) expect(ours, `${p.of} ${p.system}`).toContain(`,${p.ours},`);
        await screenshot(page, `${lab.name}-figure`);
      });
    }

    // The README's pictures.
    if (lab.picture !== undefined) {
      test(`${lab.name}: the picture`, async ({ page }) => {
        test.skip(!process.env.SCREENSHOTS, 'SCREENSHOTS=1 makes the pictures of the README');
        await page.setViewportSize({ width: 1280, height: 900 });
        await page.emulateMedia({ colorScheme: 'light' });
        await page.addInitScript(() => localStorage.setItem('spillway-docked', 'no')); // as on a first visit
        await visit(page, lab.name === 'train' ? './' : `${lab.link}${lab.picture}`);
        await page.screenshot({ path: path.join(root, `public/screenshot${lab.name === 'train' ? '' : `-${lab.name}`}.png`), animations: 'disabled' });
      });
    }
  });
}

// The bar: all laboratories and tools at every width, in menus where there is no room.
test('the bar at twelve widths', async ({ page }) => {
  await visit(page, every.at(-1).quick);
  for (const width of [1920, 1520, 1440, 1280, 1161, 1160, 941, 841, 840, 768, 360, 320]) {
    await page.setViewportSize({ width, height: 800 });
    await expect.poll(() => page.evaluate(() => document.documentElement.scrollWidth), `${width} px`).toBeLessThanOrEqual(width); // charts follow the window
    await page.click('#labs');
    for (const lab of every) await expect(page.locator(`#lab-${lab.name}`), `${lab.name} at ${width} px`).toBeInViewport({ ratio: 1 });
    await page.keyboard.press('Escape');
    if (await page.locator('#more').isVisible()) await page.click('#more');
    for (const id of ['#labs', '#view-reproduce', '#help']) await expect(page.locator(id), `${id} at ${width} px`).toBeInViewport({ ratio: 1 });
    await page.keyboard.press('Escape');
    // What sticks below it begins where it ends.
    const [bar, says] = await page.evaluate(() => [document.querySelector('.top').offsetHeight, parseFloat(getComputedStyle(document.documentElement).getPropertyValue('--bar'))]);
    if (says > 0) expect(bar, `${width} px`).toBe(says);
  }
  // A dialog that a tool of the menu opens takes the focus, which closes the menu.
  for (const [tool, dialog] of [['link', '#share-dialog'], ['help', '#help-dialog'], ['find', '#palette']]) {
    await page.click('#more');
    await page.click(`#${tool}`);
    await expect(page.locator(dialog)).toBeVisible();
    await page.keyboard.press('Escape');
    await expect(page.locator(`#${tool}`)).toBeHidden();
  }
});
