// Prints the path of a Chromium for the browser tests: one that browser.mjs finds,
// or the one Playwright downloads.
import path from 'node:path';
import { find, run, say, works } from './browser.mjs';

const chromium = {
  title: 'Chromium or Chrome',
  variable: 'CHROMIUM',
  names: ['chromium', 'chromium-browser', 'google-chrome', 'google-chrome-stable', 'chrome', 'microsoft-edge'],
  places: ['/Applications/Google Chrome.app/Contents/MacOS/Google Chrome', '/Applications/Chromium.app/Contents/MacOS/Chromium'],
  packages: ['chromium', 'fonts-liberation'],
  says: /chrom|edge/i,
};

async function withPlaywright() {
  say('No Chromium found; Playwright downloads one.');
  const cli = path.join(import.meta.dirname, 'node_modules/playwright/cli.js');
  if (!run(process.execPath, [cli, 'install', 'chromium'])) return undefined;
  const playwright = await import('@playwright/test');
  const file = playwright.chromium.executablePath();
  return works(chromium, file) ? file : undefined;
}

const file = find(chromium) ?? await withPlaywright();
if (!file) {
  say('The browser tests need Chromium or Chrome: install one, or set CHROMIUM to its path.');
  process.exit(1);
}
console.log(file);
