// Prints the path of a Chromium for the browser tests: the one named by CHROMIUM,
// one that is installed, one that apt-get installs when run as root, or the one
// Playwright downloads.
import { spawnSync } from 'node:child_process';
import { accessSync, constants, existsSync } from 'node:fs';
import path from 'node:path';

const NAMES = ['chromium', 'chromium-browser', 'google-chrome', 'google-chrome-stable', 'chrome', 'microsoft-edge'];
const PLACES = ['/Applications/Google Chrome.app/Contents/MacOS/Google Chrome', '/Applications/Chromium.app/Contents/MacOS/Chromium'];

const say = (text) => process.stderr.write(`${text}\n`);

// works tells a browser from an empty wrapper that only names a shop to get it.
function works(file) {
  try {
    accessSync(file, constants.X_OK);
  } catch {
    return false;
  }
  const run = spawnSync(file, ['--version'], { encoding: 'utf8', timeout: 60_000 });
  return run.status === 0 && /chrom|edge/i.test(run.stdout);
}

function installed() {
  const folders = (process.env.PATH ?? '').split(path.delimiter);
  const files = NAMES.flatMap((name) => folders.map((folder) => path.join(folder, name)));
  return [...files, ...PLACES].find((file) => existsSync(file) && works(file));
}

// run shows what the command says, on stderr, because stdout is the answer.
const run = (name, args) => spawnSync(name, args, { stdio: ['ignore', 2, 2] }).status === 0;

function withApt() {
  if (process.getuid?.() !== 0 || !existsSync('/usr/bin/apt-get')) return undefined;
  say('No Chromium found; installing it with apt-get.');
  const apt = (...args) => run('env', ['DEBIAN_FRONTEND=noninteractive', 'apt-get', '-q', ...args]);
  apt('update');
  apt('install', '-y', '--no-install-recommends', 'chromium', 'fonts-liberation');
  return installed();
}

async function withPlaywright() {
  say('No Chromium found; Playwright downloads one.');
  const cli = path.join(import.meta.dirname, 'node_modules/playwright/cli.js');
  if (!run(process.execPath, [cli, 'install', 'chromium'])) return undefined;
  const { chromium } = await import('@playwright/test');
  return works(chromium.executablePath()) ? chromium.executablePath() : undefined;
}

function named() {
  const file = process.env.CHROMIUM;
  if (!file) return undefined;
  if (works(file)) return file;
  say(`CHROMIUM=${file} does not start. Name a Chromium or Chrome that answers --version, or unset it.`);
  process.exit(1);
}

const file = named() ?? installed() ?? withApt() ?? await withPlaywright();
if (!file) {
  say('The browser tests need Chromium or Chrome: install one, or set CHROMIUM to its path.');
  process.exit(1);
}
console.log(file);
