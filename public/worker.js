// A worker of a laboratory. The page posts {module}, the laboratory's compiled
// Go program, and jobs, in any order; the program finds the jobs that came before
// it in self.early, then installs its own onmessage and answers {ready: true}.
'use strict';

importScripts('wasm_exec.js');

self.early = [];
self.onmessage = async ({ data }) => {
  if (!data.module) {
    self.early.push(data);
    return;
  }
  let reason = '';
  const log = console.log;
  console.log = (...said) => { // Go says here why it ends
    if (/^(panic|fatal error):/.test(said[0])) reason = String(said[0]).split('\n')[0];
    log(...said);
  };
  try {
    const go = new Go();
    await go.run(await WebAssembly.instantiate(data.module, go.importObject));
  } catch (err) {
    reason ||= String(err);
  }
  // The Go program never returns by itself: a run that ends has crashed.
  self.postMessage({ stopped: true, reason: reason || 'the program in it ended' });
  self.close();
};
