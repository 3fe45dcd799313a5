// The site as such: it starts, keeps to its policy, works offline, and says so
// when it cannot.
import { expect, finished, live, screenshot, test, unfold } from '../fixture.mjs';

// started waits until the Go program shows the page.
async function started(page) {
  await live(page);
  await expect(page.getByRole('main')).toBeVisible();
}

test('the page starts', async ({ page }) => {
  await page.goto('./');
  await started(page);
  await expect(page).toHaveTitle(/Spillway/);
  await screenshot(page, 'start');
});

test('the guard sees when the page asks for something outside the site', async ({ page, guard }) => {
  guard.expect(/example\.com/);
  await page.goto('./');
  await page.evaluate(() => fetch('https://example.com/').catch(() => {}));
  await expect.poll(() => guard.all().join('\n')).toMatch(/^security policy: connect-src blocked https:\/\/example\.com/m);
});

test('the policy lets no inline script run', async ({ page, guard }) => {
  guard.expect(/^(security policy|console): /);
  await page.goto('./');
  await started(page);
  // A script element runs under the page's policy; page.evaluate would not.
  const blocked = page.waitForFunction(() => window.violated);
  await page.evaluate(() => {
    addEventListener('securitypolicyviolation', (e) => { window.violated = e.violatedDirective; }, { once: true });
    const script = document.createElement('script');
    script.textContent = 'window.ran = true';
    document.body.append(script);
  });
  expect(await (await blocked).jsonValue()).toMatch(/^script-src/);
  expect(await page.evaluate(() => window.ran)).toBeUndefined();
});

test('after the first visit no network is needed', { tag: '@fresh' }, async ({ page, context }) => {
  await page.goto('./');
  await started(page);
  await page.waitForFunction(() => navigator.serviceWorker.controller);
  await context.setOffline(true);
  await page.goto('./?anything=1');
  await started(page);
  const scripts = await page.evaluate(async () => {
    const names = ['worker.js', 'wasm_exec.js', 'echarts.js', 'store.wasm', 'store.info'];
    return Promise.all(names.map(async (name) => (await fetch(name)).ok));
  });
  expect(scripts).toEqual([true, true, true, true, true]);
  await context.setOffline(false);
});

test('a program that cannot load says what happened', async ({ page, guard }) => {
  guard.expect(/503|integrity/); // an empty answer has another digest
  await page.route('**/app.wasm', (route) => route.fulfill({ status: 503 }));
  await page.goto('./');
  const alert = page.getByRole('alert').filter({ hasText: 'could not start' });
  await expect(alert).toContainText('app.wasm: the server answered 503');
  await page.unroute('**/app.wasm');
  await alert.getByRole('button', { name: 'Reload' }).click();
  await started(page);
});

// The site may be in any folder of a host, and a missing page at any depth below.
for (const folder of ['/', '/some/folder/']) {
  for (const missing of ['missing', 'no/such/page/?a=b#c']) {
    test(`an address that does not exist: ${missing} in ${folder}`, async ({ page, guard }) => {
      guard.expect(/404/);
      if (folder !== '/') {
        await page.route(`**${folder}**`, async (route) => {
          const url = new URL(route.request().url());
          url.pathname = url.pathname.slice(folder.length - 1);
          await route.fulfill({ response: await route.fetch({ url: url.href }) });
        });
      }
      const answer = await page.goto(folder + missing);
      expect(answer.status()).toBe(404);
      expect(answer.headers()['content-security-policy']).toContain("default-src 'self'");
      await expect(page.getByRole('heading')).toHaveText('There is nothing at this address');
      await page.getByRole('link').click();
      await started(page);
      expect(new URL(page.url()).pathname).toBe(folder);
      await page.unrouteAll({ behavior: 'ignoreErrors' }); // workers still load
    });
  }
}

test.describe('laboratories', () => {
  // asked lists the laboratories' files that were asked for.
  function asked(page) {
    const list = [];
    page.on('request', (request) => {
      const name = new URL(request.url()).pathname.slice(1);
      if (/^(?!app).*\.(wasm|info)$/.test(name)) list.push(name);
    });
    return () => list.toSorted();
  }

  test('only what is looked at is loaded, once', async ({ page }) => {
    const files = asked(page);
    await page.goto('./');
    await live(page);
    expect(files()).toEqual(['first-train.info', 'labs.info', 'train.info']); // nothing is to be computed
    await page.evaluate(() => { location.hash = 'lab=store'; });
    await expect(page).toHaveTitle(/^(?!Training).* · Spillway$/);
    await expect.poll(files).toEqual(['first-store.info', 'first-train.info', 'labs.info', 'store.info', 'train.info']);
    await page.goBack();
    await expect(page).toHaveTitle(/^Training/);
    expect(files()).toHaveLength(5);
    await live(page);
    await unfold(page);
    await page.fill('#f-gpu_memory', '20');
    await finished(page);
    expect(files()).toContain('train.wasm');
    expect(files()).toHaveLength(6);
  });

  // A link of an old format means what it meant: that need not be what is opened on today.
  for (const [link, lab, opening] of [['#v=2&lab=store', 'store'], ['#v=4-by-hand&lab=store', 'store', true], ['#v=1&model=bert-base&batch=16', 'train'], ['#v=2&lab=nothing', 'train', true], ['#%', 'train', true]]) {
    test(`the link ${link} loads ${lab}`, async ({ page }) => {
      const files = asked(page);
      await page.goto(`./${link}`);
      await started(page);
      await expect.poll(files).toEqual([...opening ? [`first-${lab}.info`] : [], 'labs.info', `${lab}.info`, `${lab}.wasm`].toSorted());
    });
  }

  test('a laboratory that cannot load says what happened', async ({ page, guard }) => {
    guard.expect(/503|integrity/); // once the page stands it takes only its own version
    await page.route('**/store.info', (route) => route.fulfill({ status: 503 }));
    await page.goto('./');
    await started(page);
    await page.evaluate(() => { location.hash = 'v=2&lab=store'; });
    await expect(page.getByText('store.info: the server answered 503')).toBeVisible();
    await page.unroute('**/store.info');
    await page.evaluate(() => { location.hash = 'v=2&lab=store&view=explore'; });
    await expect(page).toHaveTitle(/^(?!Training).* · Spillway$/);
  });

  test('a program that cannot load says what happened', async ({ page, guard }) => {
    guard.expect(/503|integrity/); // an empty answer has another digest
    await page.route('**/train.wasm', (route) => route.fulfill({ status: 503 }));
    await page.goto('./#v=2&lab=train&batch=128');
    await started(page);
    await expect(page.getByText('train.wasm: the server answered 503').first()).toBeVisible();
  });
});
