// Work for a laboratory's program without the page's: jobs as in ui/exec, by the
// names of their fields. build/e2e/jobs translates.
import { execFile } from 'node:child_process';
import path from 'node:path';

const root = path.resolve(import.meta.dirname, '../..');

// Kinds of job, as in ui/exec.
export const RUN = 0;

// tool runs build/e2e/jobs and returns the lines it prints.
function tool(args, lines = []) {
  return new Promise((resolve, reject) => {
    const done = (err, out) => (err ? reject(err) : resolve(out.trim().split('\n')));
    const child = execFile(path.join(root, 'build/out/jobs'), args, { maxBuffer: 2 ** 30 }, done);
    child.stdin.on('error', () => {}); // it has ended, and says why
    child.stdin.end(lines.map((line) => `${line}\n`).join(''));
  });
}

const parse = (lines) => lines.map((line) => JSON.parse(line));
const write = (jobs) => jobs.map((job) => JSON.stringify(job));

// published returns a job for each of a paper's runs.
export const published = async (lab, paper) => parse(await tool(['published', lab, paper]));

// systems returns the stable names of a laboratory's systems.
export const systems = (lab) => tool(['systems', lab]);

// natively does jobs with the native program and returns their answers.
export const natively = async (jobs) => parse(await tool(['native'], write(jobs)));

// checked reads what a worker said.
async function checked(said) {
  const answers = parse(await tool(['decode'], said));
  const failed = answers.find((a) => a.Error || a.Problems?.length > 0);
  if (failed) throw new Error(`job ${failed.ID}: ${failed.Error || failed.Problems.join('; ')}`);
  return answers;
}

// inPage does jobs of one laboratory one after another in a worker as the page itself
// makes them. The page is Playwright's or Puppeteer's.
export async function inPage(page, jobs) {
  const texts = await tool(['encode'], write(jobs));
  return checked(await page.evaluate(([lab, list]) => new Promise((resolve, reject) => {
    const answers = [];
    const made = window.boot.startWorker(lab, (data) => {
      if (data.stopped) reject(new Error(`the worker's program ended: ${data.reason}`));
      if (!data.answer || !data.last) return;
      let text = '';
      for (let i = 0; i < data.answer.length; i += 0x8000) text += String.fromCharCode(...data.answer.subarray(i, i + 0x8000));
      answers.push(btoa(text));
      next();
    });
    function next() {
      if (answers.length === list.length) {
        made.end();
        resolve(answers);
        return;
      }
      made.worker.postMessage({ id: answers.length + 1, job: Uint8Array.from(atob(list[answers.length]), (c) => c.charCodeAt(0)) });
    }
    next();
  }), [jobs[0].Lab, texts]));
}

// some returns a few jobs of a laboratory that end soon: every system once.
export async function some(lab, setup) {
  return (await systems(lab)).map((system, i) => ({ ID: i + 1, Lab: lab, Kind: RUN, System: system, Setup: setup, Hash: true }));
}

// inWorker does jobs of one laboratory one after another in a worker of its
// program. It returns their last answers, each with how long it took in ms.
export async function inWorker(page, jobs) {
  const texts = await tool(['encode'], write(jobs));
  const said = await page.evaluate(([file, list]) => new Promise((resolve, reject) => {
    const worker = new Worker('worker.js', { name: file });
    const fail = (text) => { worker.terminate(); reject(new Error(text)); };
    const answers = [];
    let begun = 0;
    const next = () => {
      begun = performance.now();
      const id = answers.length;
      if (id === list.length) {
        worker.terminate();
        resolve(answers);
        return;
      }
      worker.postMessage({ id: id + 1, job: Uint8Array.from(atob(list[id]), (c) => c.charCodeAt(0)) });
    };
    worker.onerror = (e) => fail(`the worker failed: ${e.message}`);
    worker.onmessageerror = () => fail('a message of the worker cannot be read');
    worker.onmessage = ({ data }) => {
      if (data.stopped) fail(`the worker's program ended: ${data.reason}`);
      if (!data.answer || !data.last) return;
      const took = performance.now() - begun;
      let text = '';
      for (let i = 0; i < data.answer.length; i += 0x8000) text += String.fromCharCode(...data.answer.subarray(i, i + 0x8000));
      answers.push({ took, text: btoa(text) });
      next();
    };
    next(); // the program finds it when it is there
  }), [`${jobs[0].Lab}.wasm`, texts]);
  const answers = await checked(said.map((s) => s.text));
  return answers.map((a, i) => ({ ...a, took: said[i].took }));
}
