// A policy of one's own: the field that it is written in, and what a link brings.
import { expect, finished, test, visit } from '../fixture.mjs';

const store = './#v=2&lab=store&workload=table-and-blocks&systems=lru';

test('a policy is written, is wrong at a place, and runs', async ({ page }) => {
  await visit(page, store);
  const field = page.locator('#f-policy');
  await expect(page.locator('#policy-start [data-write]').first()).toBeVisible();
  await field.fill('# Mine\nevict = lost # a comment\nfetch = last');
  await expect(page.locator('#err-policy')).toHaveText('Line 2, column 9: lost is unknown; do you mean last?');
  await expect(field).toHaveAttribute('aria-invalid', 'true');
  await page.click('#policy-go');
  expect(await field.evaluate((e) => [document.activeElement === e, e.value.slice(e.selectionStart, e.selectionEnd)])).toEqual([true, 'lost']);
  await page.keyboard.type('-last');
  await finished(page);
  await expect(page.locator('#err-policy')).toBeEmpty();
  await expect(field).toHaveValue('# Mine\nevict = -last # a comment\nfetch = last');
  await expect(page.locator('#run-own')).toHaveClass(/done/);
  await expect(page).toHaveURL(/policy=%23Mine@evict=-last@fetch=last/);
  await page.keyboard.press('Tab');
  expect(await field.evaluate((e) => document.activeElement === e)).toBe(false);
});

test('what a policy may say is written by a press, and taken back', async ({ page }) => {
  await visit(page, store);
  const field = page.locator('#f-policy');
  await page.locator('#policy-start').getByRole('button', { name: 'GDSF' }).click();
  await expect(field).toHaveValue(/^# GDSF\nkeep L = 0/);
  await finished(page);
  await expect(page.locator('#run-own')).toHaveClass(/done/);
  await field.press('ControlOrMeta+z');
  await expect(field).toHaveValue('');
  await page.click('#policy-more');
  await page.locator('#policy-words').getByRole('button', { name: 'evict', exact: true }).click();
  await page.locator('#policy-words').getByRole('button', { name: 'size', exact: true }).click();
  await expect(field).toHaveValue('evict = size');
  await finished(page);
  await expect(page).toHaveURL(/policy=evict=size/);
});

test('a link with a policy shows its text', async ({ page }) => {
  await visit(page, './#v=2&lab=store&workload=table-and-blocks&systems=lru,own&policy=%23Mine@evict=size*p1');
  const brought = page.locator('#brought');
  await expect(brought).toContainText(/The policy: Mine · [0-9a-f]{8}, 2 lines/);
  await brought.locator('summary').click();
  await expect(brought.locator('pre')).toHaveText('# Mine\nevict = size * p1');
  await expect(page.locator('#why')).toContainText(/Mine is \d+ % below LRU, the best of the others, in time\./);
});

test('a table says byte or block, and its cells are buttons', async ({ page }) => {
  await visit(page, './#v=2&lab=filesys&workload=create&scale=256&systems=bytefs,ext4');
  const cell = page.getByRole('button', { name: 'Names, create: byte' });
  await expect(cell).toHaveAttribute('aria-pressed', 'false');
  await cell.focus();
  await page.keyboard.press('Space');
  await expect(page.getByRole('button', { name: 'Names, create: block' })).toHaveAttribute('aria-pressed', 'true');
  await expect(page.getByRole('button', { name: 'Names, create: block' })).toBeFocused();
  await finished(page);
  await expect(page.locator('#run-own')).toHaveClass(/done/);
  await expect(page).toHaveURL(/by_block=inode\.lookup,dentry\.lookup,dentry\.create/);
  await page.click('#f-by_block-blocks');
  await expect(page).toHaveURL(/by_block=blocks/);
  await finished(page);
  await expect(page.locator('#why')).toContainText('the best of the others');
});

test('a challenge opens on its question and says a score', async ({ page }) => {
  await visit(page, './#v=2&lab=store&workload=pairs');
  await page.click('#given-preset');
  await page.click('#preset-challenge-store');
  await expect(page.locator('#ask-says')).toContainText('Score of Yours: 1.1198');
});
