// What only the laboratory of the CXL-SSD has: a design of one's own. The rest is in
// labs.spec.mjs.
import { execFile } from 'node:child_process';
import path from 'node:path';
import { promisify } from 'node:util';
import { expect, finished, saved, test, visit } from '../fixture.mjs';

const root = path.resolve(import.meta.dirname, '../../..');
const lab = './#v=4-by-hand&lab=cxlssd';
const setup = 'workload=srad scale=1 device=paper'; // a quick one
const quick = `${lab}&${setup.replaceAll(' ', '&')}`;


// native runs the command and returns its values.
async function native(system, ...args) {
  const { stdout } = await promisify(execFile)(path.join(root, 'build/out/spillway'), ['run', 'lab=cxlssd', `system=${system}`, ...args, '--json']);
  return JSON.parse(stdout)[0].values;
}

// result is what the page has of a system's run.
const result = async (page, system) => JSON.parse((await saved(page, 'results', 'json')).data).runs.find((r) => r.system === system).result;

// like expects that a result has these values.
function like(r, values) {
  expect(r.Time / 1e9).toBeCloseTo(values.time_ms, 9);
  expect(r.UserReads + r.CompactionReads + r.CollectionReads).toBe(values.flash_reads);
  expect(r.EvictionPrograms + r.CompactionPrograms + r.DemotionPrograms + r.CollectionPrograms).toBe(values.flash_programs);
}

test('a design of one\'s own', async ({ page }) => {
  await visit(page, `${quick}&systems=dram-only,base-cssd,skybyte-wp,own-design&focus=own-design`);
  await expect(page.locator('#run-own-design')).toHaveClass(/done/);
  await page.selectOption('#f-own_promote', 'adaptive');
  await page.check('#f-own_log-1');
  await page.check('#f-own_switch-0');
  await finished(page);
  like(await result(page, 'own-design'), await native('skybyte-wp', ...setup.split(' ')));
});
