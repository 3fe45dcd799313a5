// Where there is no site to ask, or none that may be asked as usual: a frame
// without an origin.
import { createServer } from 'node:http';
import { expect, test } from '../fixture.mjs';

// elsewhere serves one document on an origin of its own.
async function elsewhere(html) {
  const server = createServer((_, response) => {
    response.setHeader('Content-Type', 'text/html; charset=utf-8');
    response.end(html);
  });
  await new Promise((resolve) => { server.listen(0, '127.0.0.1', resolve); });
  return { url: `http://127.0.0.1:${server.address().port}/`, close: () => server.close() };
}

test('it works in a frame on another origin that has none itself', async ({ page, guard, baseURL }) => {
  guard.expect(/^foreign request: http:\/\/127\.0\.0\.1:/); // the document around it
  const around = await elsewhere(`<!doctype html><title>x</title><iframe sandbox="allow-scripts" width="1200" height="800" src="${baseURL}#v=3&model=bert-base&batch=64"></iframe>`);
  try {
    await page.goto(around.url);
    const frame = page.frameLocator('iframe');
    await expect(frame.locator('[data-first]')).toHaveCount(0, { timeout: 30_000 });
    await expect(frame.locator('#headline')).not.toHaveText(/^Computing/, { timeout: 30_000 });
    await expect(frame.locator('#cancel')).toBeHidden({ timeout: 30_000 });
    expect(await page.frames()[1].evaluate(() => self.origin)).toBe('null');
  } finally {
    around.close();
  }
});
