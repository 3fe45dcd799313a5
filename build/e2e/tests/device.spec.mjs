// The simulated SSD, and what was measured beforehand.
import { expect, finished, screenshot, test, unfold, visit } from '../fixture.mjs';

const small = './#v=2&lab=train&model=bert-base&batch=16&times=as-paper&gpu_memory=2&host_memory=0';

test('a drive is chosen, reported, linked and undone', async ({ page }) => {
  await visit(page, small);
  await expect(page.locator('#values-drive')).toBeHidden();
  const fixed = await page.locator('#numbers').innerText();
  await page.selectOption('#f-ssd', '990-pro');
  await expect(page).toHaveURL(/ssd=990-pro/);
  await finished(page);
  const drive = page.locator('#values-drive');
  await expect(drive.locator('h3')).toHaveText('What the simulated SSD delivered');
  await expect(drive).toContainText('simulated SSD Samsung 990 PRO 2 TB');
  await expect(drive.locator('thead')).toContainText('Drive writes per day');
  await expect(drive.locator('tbody tr')).toHaveCount(await page.locator('.run:visible').count());
  await expect(page.locator('#numbers')).toContainText('Write amplification');
  await expect(page.locator('label[for=f-ssd_read]')).toContainText('set by the simulated drive');
  await screenshot(page, 'device', { fullPage: true });
  await page.reload();
  await finished(page);
  await unfold(page);
  await expect(page.locator('#f-ssd')).toHaveValue('990-pro');
  await page.selectOption('#f-ssd', 'fixed');
  await finished(page);
  await expect(drive).toBeHidden();
  expect(await page.locator('#numbers').innerText()).toBe(fixed);
  await page.keyboard.press('Control+Z');
  await expect(page.locator('#f-ssd')).toHaveValue('990-pro');
});

test('settings without effect say so', async ({ page }) => {
  await visit(page, small);
  const label = page.locator('label[for=f-fault_batch]');
  await expect(label).toContainText('no effect');
  await page.check('#f-mode-corrected');
  await expect(label).not.toContainText('no effect');
});

test('the conclusions and the accidents have their tables', async ({ page }) => {
  await visit(page, small);
  const survive = page.locator('#section-survive table').first();
  await expect(survive).toHaveCount(0);
  await page.click('#open-survive');
  await expect(survive.locator('tbody tr')).toHaveCount(15);
  const published = await survive.innerText();
  await page.check('#f-survive_mode-corrected');
  await expect(survive).not.toHaveText(published);
  await expect(page).toHaveURL(/survive_mode=corrected/);
  await page.click('#list-mode');
  await expect(page.locator('.effect').first()).toContainText('Base UVM');
  await page.click('#open-effects');
  const effects = page.locator('#section-effects table');
  await expect(effects.locator('tbody tr')).toHaveCount(await page.locator('.quirks li').count());
  const g10 = await effects.innerText();
  await page.selectOption('#f-effects_system', 'uvm');
  await expect(effects).not.toHaveText(g10);
  await page.locator('#section-survive').screenshot({ path: '../out/screenshots/survive.png' });
});
