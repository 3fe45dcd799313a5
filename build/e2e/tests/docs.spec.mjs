// Documents: the pages that build/site makes of Markdown, and the help that leads to them.
import axe from 'axe-core';
import { expect, live, screenshot, test } from '../fixture.mjs';

test('the help leads to the documents, in a tab of their own', async ({ page, context }) => {
  await page.goto('./');
  await live(page);
  await page.keyboard.press('?');
  const [document] = await Promise.all([context.waitForEvent('page'), page.getByRole('link', { name: 'Validation' }).click()]);
  await expect(document.locator('h1')).toHaveText('Is it right?');
  await document.close();
  await expect(page.locator('#help-dialog')).toBeVisible();
});

test('every document fits on a phone, and all can read it, in light and dark', async ({ page }) => {
  await page.setViewportSize({ width: 320, height: 640 });
  await page.goto('./docs/index.html');
  const addresses = await page.locator('main a').evaluateAll((all) => all.map((a) => a.href));
  expect(addresses.length).toBeGreaterThan(8);
  for (const address of addresses) {
    await page.goto(address);
    expect(await page.evaluate(() => document.documentElement.scrollWidth), address).toBeLessThanOrEqual(320);
  }
  for (const name of ['seams', 'validation']) {
    for (const colorScheme of ['light', 'dark']) {
      await page.emulateMedia({ colorScheme });
      await page.goto(`./docs/${name}.html`);
      await page.evaluate(axe.source);
      const { violations } = await page.evaluate(() => window.axe.run(document, { resultTypes: ['violations'] }));
      expect(violations.map((v) => `${name}, ${colorScheme}: ${v.id}: ${v.nodes[0].html}`)).toEqual([]);
    }
  }
  await screenshot(page, 'document');
});
