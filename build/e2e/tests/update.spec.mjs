// A new version of the site reaches people who have the old one offline, and
// never takes away what they are doing.
import { spawn } from 'node:child_process';
import { cp, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { expect, test } from '../fixture.mjs';

const root = path.resolve(import.meta.dirname, '../../..');

// serveCopy serves a copy of the site that publish changes into a new version.
async function serveCopy() {
  const dir = await mkdtemp(path.join(tmpdir(), 'spillway-'));
  await cp(path.join(root, 'dist'), dir, { recursive: true, filter: (file) => !/\.(br|gz)$/.test(file) });
  const server = spawn(path.join(root, 'build/out/serve'), ['-dir', dir, '-addr', '127.0.0.1:0']);
  const url = await new Promise((resolve, reject) => {
    server.once('exit', () => reject(new Error('build/out/serve ended at once')));
    server.stdout.on('data', (data) => {
      const found = /http:\S+/.exec(String(data));
      if (found) resolve(found[0]);
    });
  });
  const edit = async (name, from, to) => {
    const file = path.join(dir, name);
    const text = await readFile(file, 'utf8');
    expect(text).toMatch(from);
    await writeFile(file, text.replace(from, to));
  };
  return {
    url,
    async publish(version) {
      await edit('index.html', /(?<=<meta name="description" content=")[^"]*/, version);
      await edit('sw.js', /const VERSION = '[^']*'/, `const VERSION = '${version}'`);
    },
    async close() {
      server.removeAllListeners('exit');
      server.kill();
      await rm(dir, { recursive: true });
    },
  };
}

test('a newer version is offered, and there with the next reload', async ({ page, guard }) => {
  const site = await serveCopy();
  guard.expect(/^foreign request: http:\/\/127\.0\.0\.1:/); // the copy's own port
  const description = page.locator('meta[name=description]');
  const offer = page.getByRole('status').filter({ hasText: 'A newer version' });
  try {
    await site.publish('one');
    await page.goto(site.url);
    await page.waitForFunction(() => navigator.serviceWorker.controller);
    await expect(offer).toHaveCount(0);

    for (const [before, after] of [['one', 'two'], ['two', 'three']]) {
      await site.publish(after);
      await page.reload();
      await expect(description).toHaveAttribute('content', before);
      await offer.getByRole('button', { name: 'Reload' }).click();
      await expect(description).toHaveAttribute('content', after);
      await expect(offer).toHaveCount(0);
    }
    expect(await page.evaluate(() => window.caches.keys())).toEqual(['spillway-three']);
  } finally {
    await site.close();
  }
});
