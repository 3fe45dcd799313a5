// inWorker does jobs one after another in a worker of the page's own program.
// It returns their last answers, each with how long it took in ms.
export async function inWorker(page, jobs) {
  // boot.js keeps the program here once it is compiled, and marks the document
  // when it could not start it.
  await page.waitForFunction(() => window.wasmModule !== undefined || document.documentElement.dataset.stopped, null, { timeout: 60_000 })
    .catch((err) => { throw new Error(`the page's program is not compiled after a minute (window.wasmModule is not set): ${err.message}`); });
  return page.evaluate((list) => new Promise((resolve, reject) => {
    if (window.wasmModule === undefined) {
      reject(new Error(`the page's program did not start: ${document.querySelector('[role=alert]')?.textContent}`));
      return;
    }
    const worker = new Worker('worker.js');
    const fail = (text) => { worker.terminate(); reject(new Error(text)); };
    const answers = [];
    let start = 0;
    worker.onerror = (e) => fail(`the worker failed: ${e.message}`);
    worker.onmessageerror = () => fail('a message of the worker cannot be read');
    worker.onmessage = ({ data }) => {
      if (data.stopped) {
        fail(`the worker's program ended: ${data.reason}`);
        return;
      }
      if (data.answer) {
        const answer = JSON.parse(data.answer);
        if (!answer.Last) return;
        if (answer.Error) {
          fail(answer.Error);
          return;
        }
        answers.push({ Hash: answer.Hash, took: performance.now() - start });
      } else if (!data.ready) return;
      const next = list[answers.length];
      start = performance.now();
      if (next) worker.postMessage({ job: JSON.stringify(next) });
      else { worker.terminate(); resolve(answers); }
    };
    worker.postMessage({ module: window.wasmModule });
  }), jobs);
}
