// What a choice contradicts gives way and is said; what is refused has buttons that help.
import { expect, live, test } from '../fixture.mjs';

test('a choice adapts what depends on it, and a refusal has a way out', async ({ page }) => {
  await page.goto('/#v=3&lab=serve');
  await live(page);
  await page.locator('#given-preset').click();
  await page.locator('#preset-mooncake').click();
  await page.getByRole('button', { name: '4 × H100' }).click();
  await page.locator('#give-gpus-2').click();
  await expect(page.locator('#told')).toContainText('GPUs of a copy: now');
  await expect(page.locator('#blocked')).toHaveCount(0);

  await page.goto('/#v=3&lab=serve&gpus=2&tensor=4');
  await page.locator('#remedy-0').click();
  await expect(page.locator('#remedies')).toHaveCount(0);
  await expect(page.locator('#blocked')).toHaveCount(0);
});
