// Finds browsers for the tests: the one that is named, one that is installed, or one
// that apt-get installs when run as root.
import { spawnSync } from 'node:child_process';
import { accessSync, constants, existsSync } from 'node:fs';
import path from 'node:path';

export const say = (text) => process.stderr.write(`${text}\n`);

// run shows what the command says, on stderr, because stdout is the answer.
export const run = (name, args) => spawnSync(name, args, { stdio: ['ignore', 2, 2] }).status === 0;

// works tells a browser from an empty wrapper that only names a shop to get it.
export function works(browser, file) {
  try {
    accessSync(file, constants.X_OK);
  } catch {
    return false;
  }
  const asked = spawnSync(file, ['--version'], { encoding: 'utf8', timeout: 60_000 });
  return asked.status === 0 && browser.says.test(asked.stdout);
}

function installed(browser) {
  const folders = (process.env.PATH ?? '').split(path.delimiter);
  const files = browser.names.flatMap((name) => folders.map((folder) => path.join(folder, name)));
  return [...files, ...browser.places].find((file) => existsSync(file) && works(browser, file));
}

function withApt(browser) {
  if (process.getuid?.() !== 0 || !existsSync('/usr/bin/apt-get')) return undefined;
  say(`No ${browser.title} found; installing it with apt-get.`);
  const apt = (...args) => run('env', ['DEBIAN_FRONTEND=noninteractive', 'apt-get', '-q', ...args]);
  apt('update');
  apt('install', '-y', '--no-install-recommends', ...browser.packages);
  return installed(browser);
}

function named(browser) {
  const file = process.env[browser.variable];
  if (!file) return undefined;
  if (works(browser, file)) return file;
  say(`${browser.variable}=${file} does not start. Name a ${browser.title} that answers --version, or unset it.`);
  process.exit(1);
}

// find returns the path of a browser, or undefined. A browser is {title, variable (of
// the environment), names, places, packages, says (what it calls itself)}.
export const find = (browser) => named(browser) ?? installed(browser) ?? withApt(browser);
