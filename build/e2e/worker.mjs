// inWorker does jobs one after another in a worker of the page's own program.
// It returns their last answers, each with how long it took in ms.
export function inWorker(page, jobs) {
  return page.evaluate((list) => new Promise((resolve, reject) => {
    const worker = new Worker('worker.js');
    const answers = [];
    let start = 0;
    worker.onerror = (e) => reject(new Error(e.message));
    worker.onmessage = ({ data }) => {
      if (data.answer) {
        const answer = JSON.parse(data.answer);
        if (!answer.Last) return;
        if (answer.Error) reject(new Error(answer.Error));
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
