// Browser tests over the built site in dist/; `make test-browser` runs them, side by
// side. What measures time comes last, one after the other.
import { createServer } from 'node:net';
import path from 'node:path';
import { defineConfig } from '@playwright/test';

// The port is chosen once, by the first process that reads this file; the
// others inherit it.
async function freePort() {
  const server = createServer();
  await new Promise((resolve, reject) => server.once('error', reject).listen(0, '127.0.0.1', resolve));
  const { port } = server.address();
  await new Promise((resolve) => server.close(resolve));
  return String(port);
}
process.env.SPILLWAY_PORT ??= await freePort();

const root = path.resolve(import.meta.dirname, '../..');
const origin = `http://127.0.0.1:${process.env.SPILLWAY_PORT}`;

export default defineConfig({
  testDir: 'tests',
  // Files that somebody else runs, as build/suites says.
  testIgnore: process.env.SPILLWAY_WITHOUT?.split(',').map((name) => `**/${name}`) ?? [],
  timeout: 60_000, // of a browser that does nothing: fixture.mjs goes on while it does something
  expect: { timeout: 3_600_000 }, // a test's own end comes first
  retries: process.env.CI ? 1 : 0, // what passes only then is named
  workers: 2,
  fullyParallel: true,
  forbidOnly: !!process.env.CI,
  // build/suites names a file for the results.
  reporter: [['list'], ['./again.mjs'], ...(process.env.SPILLWAY_JUNIT ? [['junit', { outputFile: process.env.SPILLWAY_JUNIT, stripANSIControlSequences: true }]] : [])],
  outputDir: path.join(root, 'build/out/failures'),
  projects: [
    { name: 'page', grepInvert: /@fresh|@alone/, use: { reuseContext: true, serviceWorkers: 'block' } },
    { name: 'fresh', grep: /@fresh/, grepInvert: /@alone/ },
    { name: 'alone', grep: /@alone/, workers: 1 },
  ],
  use: {
    browserName: 'chromium',
    baseURL: `${origin}/`,
    viewport: { width: 1440, height: 900 },
    trace: 'off',
    // What moves for ever is drawn by the processor here; tests about motion ask for it.
    contextOptions: { reducedMotion: 'reduce' },
    screenshot: 'only-on-failure',
    launchOptions: {
      executablePath: process.env.CHROMIUM || undefined,
      // Nothing that talks to the network by itself; no sandbox, as root has none.
      args: ['--no-sandbox', '--disable-gpu', '--disable-dev-shm-usage', '--disable-quic', '--no-first-run',
        '--disable-background-networking', '--disable-component-update', '--disable-sync'],
    },
  },
  webServer: {
    command: `exec build/out/serve -addr 127.0.0.1:${process.env.SPILLWAY_PORT}`,
    cwd: root,
    url: origin,
    reuseExistingServer: false,
  },
});
