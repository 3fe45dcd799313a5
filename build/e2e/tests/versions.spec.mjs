// A site that has older versions beside this one offers them: for a link that says which
// version it is of, and for a bundle.
import { crc32 } from 'node:zlib';
import { drop, expect, finished, live, screenshot, test, visit } from '../fixture.mjs';

const list = (versions) => (route) => route.fulfill({ json: { versions } });
const older = [{ version: '0.10.0+bbbb', path: 'v/0.10.0/' }, { version: '0.8.0+cccc', path: 'v/0.8.0/' }, { version: '9.9.9+evil', path: 'https://evil.example/' }];
const banner = (page) => page.locator('.boot-version');

// The link keeps what it says; whoever stays sees the nearest settings as before.
test('a link of another version is offered there', async ({ page }) => {
  await page.route('**/versions.json', list(older));
  await page.goto('?version=0.8.0+aaaa#v=3&lab=store&clients=2');
  await live(page);
  await expect(banner(page)).toContainText('This link was made with version 0.8.0+aaaa; this is ');
  const at = new URL('./', page.url()).href;
  await expect(banner(page).getByRole('link')).toHaveAttribute('href', `${at}v/0.8.0/?version=0.8.0+aaaa#v=3&lab=store&clients=2`);
  await screenshot(page, 'versions');
  await banner(page).getByRole('button', { name: 'Stay here' }).click();
  await expect(banner(page)).toHaveCount(0);
});

test('nothing is offered that the site does not have', async ({ page, guard }) => {
  const asked = [];
  page.on('request', (request) => { if (/versions\.js/.test(request.url())) asked.push(new URL(request.url()).pathname.split('/').at(-1)); });
  guard.expect(/404/); // a site of one version has no list
  for (const [version, has] of [['0.7.0+aaaa', older], ['9.9.9+evil', older], ['0.7.0', 'nonsense'], ['<b>', older]]) {
    await page.route('**/versions.json', (route) => route.fulfill({ json: { versions: has } }));
    await page.goto(`?version=${version}#v=3&lab=store`);
    await live(page);
    await page.waitForFunction(() => window.versions);
    expect(await page.evaluate(async (v) => (await window.versions.find(v))?.path, version)).toBeUndefined();
    await expect(banner(page)).toHaveCount(0);
    await page.unroute('**/versions.json');
  }
  await page.goto('?version=0.7.0#v=3&lab=store'); // no list at all
  await page.waitForFunction(() => window.versions);
  expect(await page.evaluate(() => window.versions.find('0.7.0'))).toBeUndefined();

  // A link of this version loads nothing for it.
  asked.length = 0;
  const own = await page.locator('meta[name=version]').getAttribute('content');
  await visit(page, `?version=${own}#v=3&lab=store`);
  await finished(page);
  expect(asked).toEqual([]);
});

// zip stores files.
function zip(files) {
  const parts = [];
  const heads = [];
  let at = 0;
  for (const [name, text] of Object.entries(files)) {
    const data = Buffer.from(text);
    const head = Buffer.alloc(26);
    head.writeUInt16LE(20, 0);
    head.writeUInt32LE(crc32?.(data) ?? 0, 10);
    head.writeUInt32LE(data.length, 14);
    head.writeUInt32LE(data.length, 18);
    head.writeUInt16LE(name.length, 22);
    const local = Buffer.concat([Buffer.from('PK\x03\x04', 'latin1'), head, Buffer.from(name), data]);
    const there = Buffer.alloc(14);
    there.writeUInt32LE(at, 10);
    heads.push(Buffer.concat([Buffer.from('PK\x01\x02\x14\x00', 'latin1'), head, there, Buffer.from(name)]));
    parts.push(local);
    at += local.length;
  }
  const list = Buffer.concat(heads);
  const end = Buffer.alloc(18);
  end.writeUInt16LE(heads.length, 4);
  end.writeUInt16LE(heads.length, 6);
  end.writeUInt32LE(list.length, 8);
  end.writeUInt32LE(at, 12);
  return Buffer.concat([...parts, list, Buffer.from('PK\x05\x06', 'latin1'), end]);
}

test('a bundle of another version is offered there', async ({ page }) => {
  await page.route('**/versions.json', list(older));
  await visit(page, '#v=3&lab=store');
  // What the page says of a bundle that it checks, without one.
  await drop(page, { 'x.zip': zip({ 'readme.txt': 'no bundle' }) });
  await page.waitForFunction(() => window.versions);
  await page.evaluate(() => {
    const said = Object.assign(document.createElement('section'), { id: 'check', textContent: 'A bundle of laboratory store, written by version 0.10.0+bbbb. Its results are computed again here.' });
    document.body.append(said);
  });
  await expect(banner(page)).toContainText('This bundle was written by version 0.10.0+bbbb; this is ');
  await expect(banner(page).getByRole('link')).toHaveAttribute('href', new URL('v/0.10.0/', page.url().replace(/[?#].*/, '')).href);
});
