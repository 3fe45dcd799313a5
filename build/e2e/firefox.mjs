// Prints the path of a Firefox for the tests that need one. Where there is none and
// none can be installed it prints nothing, and the tests are skipped; in CI that is an
// error.
import { find, say } from './browser.mjs';

const file = find({
  title: 'Firefox',
  variable: 'FIREFOX',
  names: ['firefox-esr', 'firefox'],
  places: ['/Applications/Firefox.app/Contents/MacOS/firefox'],
  packages: ['firefox-esr'],
  says: /firefox/i,
});
if (!file && (process.env.CI || process.getuid?.() === 0)) {
  say('The tests in Firefox need one: install it, or set FIREFOX to its path.');
  process.exit(1);
}
if (!file) say('There is no Firefox: what is tested in it is skipped. Install one, or set FIREFOX to its path.');
console.log(file ?? '');
