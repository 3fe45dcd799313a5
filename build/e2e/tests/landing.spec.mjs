// The pages of presets, f/PRESET/: what is drawn there runs when it is asked to.
import { expect, test } from '../fixture.mjs';

test('a figure of every laboratory runs on its preset\'s page', async ({ page }) => {
  await page.goto('./');
  const labs = await page.locator('[id^=lab-] b').allTextContents();
  await page.goto('./f/');
  const presets = await page.locator('dt').evaluateAll((all) => all.map((e) => [/\(([^()]*)\)$/.exec(e.textContent)[1], e.firstChild.href]));
  const first = new Map(presets.toReversed());
  expect([...first.keys()].toSorted()).toEqual(labs.toSorted());
  for (const [lab, address] of first) {
    await test.step(lab, async () => {
      await page.goto(address);
      const section = page.locator('section').first();
      const figure = section.locator('spill-figure');
      await figure.getByRole('button', { name: 'Run here' }).click();
      await expect(figure.getByRole('figure')).toHaveAttribute('data-state', 'live');
      // It is the chart that the section is about, and what was computed for the page.
      await expect(figure.locator('.live img')).toHaveCount(1);
      await expect(figure.getByRole('status')).toContainText(await section.locator('h2 + p').innerText());
    });
  }
});
