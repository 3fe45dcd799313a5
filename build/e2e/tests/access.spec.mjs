// Everybody can use the page: keyboard, screen reader, dark, narrow.
import { charts, expect, screenshot, test, tool, visit as open } from '../fixture.mjs';

const quick = './#v=2&lab=train&model=bert-base&batch=16&times=as-paper';

async function visit(page) {
  await open(page, quick);
  await charts(page, 6);
}

test('dark follows the system and the button', async ({ page }) => {
  await page.emulateMedia({ colorScheme: 'dark' });
  await visit(page);
  const background = () => page.evaluate(() => getComputedStyle(document.documentElement).backgroundColor);
  const dark = await background();
  await screenshot(page, 'dark');
  await tool(page, 'theme');
  expect(await background()).not.toBe(dark);
  await page.reload();
  await expect(page.locator('html')).toHaveAttribute('data-theme', 'light');
  await tool(page, 'theme'); // as the system again, and with it from now on
  await expect(page.locator('html')).toHaveAttribute('data-theme', 'dark');
  await page.emulateMedia({ colorScheme: 'light' });
  await expect(page.locator('html')).toHaveAttribute('data-theme', 'light');
});

test('a narrow window needs no sideways scrolling', async ({ page }) => {
  await page.setViewportSize({ width: 360, height: 740 });
  await visit(page);
  expect(await page.evaluate(() => document.documentElement.scrollWidth)).toBeLessThanOrEqual(360);
  await expect(page.locator('#f-gpu_memory')).toBeHidden();
  await page.click('#open-survive');
  await page.click('#open-effects');
  await page.click('#open-settings');
  await page.selectOption('#f-ssd', 'z-nand');
  await expect(page.locator('#f-gpu_memory')).toBeVisible();
  expect(await page.evaluate(() => document.documentElement.scrollWidth)).toBeLessThanOrEqual(360);
  await screenshot(page, 'narrow-settings');
  await page.click('#close-settings');
  await screenshot(page, 'narrow', { fullPage: true });
});

test('everything by keyboard', async ({ page }) => {
  await visit(page);
  const tabTo = async (id) => {
    for (let i = 0; i < 200; i++) {
      if (await page.evaluate((want) => document.activeElement?.id === want, id)) return;
      await page.keyboard.press('Tab');
    }
    throw new Error(`Tab never reaches #${id}`);
  };
  await tabTo('f-batch');
  await page.keyboard.press('Control+A');
  await page.keyboard.type('17');
  await expect(page.locator('#context')).toContainText('batch 17');
  await tabTo('f-gpu_memory');
  const ring = await page.evaluate(() => getComputedStyle(document.activeElement).outlineStyle);
  expect(ring).toBe('solid');
  await page.keyboard.press('Control+A');
  await page.keyboard.type('24');
  await tabTo('reset-gpu_memory');
  await page.keyboard.press('Enter');
  await expect(page.locator('#f-gpu_memory')).toHaveValue('40');
  await tabTo('f-mode-published');
  await page.keyboard.press('ArrowRight');
  await expect(page.locator('#f-mode-corrected')).toBeChecked();
  await tabTo('axis-kernel-memory');
  await page.keyboard.press('Enter');
  await expect(page).toHaveURL(/by-memory=kernel/);
  await page.keyboard.press('?');
  await expect(page.locator('#help-dialog')).toBeVisible();
  await page.keyboard.press('Escape');
  await expect(page.locator('#help-dialog')).toBeHidden();
});

test('every chart has words and numbers', async ({ page }) => {
  await visit(page);
  const plots = page.locator('.plot');
  for (let i = 0; i < await plots.count(); i++) {
    await expect(plots.nth(i)).toHaveAttribute('role', 'img');
    await expect(plots.nth(i)).toHaveAttribute('aria-label', /^\S[^.]{15,}\. \S.*\S \S.*\.$/); // what it shows, and what is to be seen
  }
  await page.click('#numbers-memory');
  await expect(page.locator('#figure-memory table')).toContainText('Highest, GiB');
});
