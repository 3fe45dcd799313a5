// The simulated SSD, and what was measured beforehand.
import { expect, finished, screenshot, test, visit } from '../fixture.mjs';

const small = './#v=1&model=bert-base&batch=16&times=as-paper&gpu_memory=2&host_memory=0';

test('a drive is chosen, reported, linked and undone', async ({ page }) => {
  await visit(page, small);
  await expect(page.locator('#drive')).toHaveCount(0);
  const fixed = await page.locator('#numbers').innerText();
  await page.selectOption('#part-ssd', '990-pro');
  await page.click('#ssd-simulate');
  await expect(page).toHaveURL(/ssd=990-pro/);
  await finished(page);
  await expect(page.locator('#drive h3')).toHaveText('SSD: simulated Samsung 990 PRO 2 TB');
  await expect(page.locator('#drive-text')).toContainText('drive writes a day');
  await expect(page.locator('#drive-table tbody tr')).toHaveCount(await page.locator('.run:visible').count());
  await expect(page.locator('#numbers')).toContainText('Write amplification');
  await expect(page.locator('label[for=f-ssd_read]')).toContainText('the simulated SSD decides');
  await expect(page.locator('#ssd-simulate')).toHaveCount(0);
  await screenshot(page, 'device', { fullPage: true });
  await page.reload();
  await finished(page);
  await expect(page.locator('#ssd-model')).toHaveValue('990-pro');
  await page.selectOption('#ssd-model', '');
  await page.selectOption('#part-ssd', 'z-nand');
  await finished(page);
  await expect(page.locator('#drive')).toHaveCount(0);
  expect(await page.locator('#numbers').innerText()).toBe(fixed);
  await page.keyboard.press('Control+Z');
  await page.keyboard.press('Control+Z');
  await expect(page.locator('#ssd-model')).toHaveValue('990-pro');
});

test('settings without effect say so', async ({ page }) => {
  await visit(page, small);
  const label = page.locator('label[for=f-fault_batch]');
  await expect(label).toContainText('no effect as published');
  await page.check('#mode-corrected');
  await expect(label).not.toContainText('no effect');
});

test('the conclusions and the accidents have their tables', async ({ page }) => {
  await visit(page, small);
  await page.click('#times-more');
  await page.click('#show-survive');
  await expect(page.locator('#survive-table tbody tr')).toHaveCount(15);
  await expect(page.locator('#survive-table')).toBeInViewport();
  await expect(page).toHaveURL(/v=1/);
  const published = await page.locator('#survive-table').innerText();
  await page.check('#survive-corrected');
  await expect(page.locator('#survive-table')).not.toHaveText(published);
  await page.click('#quirks');
  await expect(page.locator('.effect').first()).toContainText('Base UVM');
  await page.click('#show-effects');
  const rows = page.locator('#effects-table tbody tr');
  await expect(rows).toHaveCount(await page.locator('.quirks li').count());
  const g10 = await page.locator('#effects-table').innerText();
  await page.selectOption('#effects-system', 'uvm');
  await expect(page.locator('#effects-table')).not.toHaveText(g10);
  await page.locator('#survive').screenshot({ path: '../out/screenshots/survive.png' });
});
