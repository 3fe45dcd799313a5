// A simulation worker: the page posts {module}, the compiled Go program, which
// then installs its own onmessage and answers {ready: true}. That message may
// already hold a job, and others may come before the program is there; it finds
// them all in self.early.
'use strict';

importScripts('wasm_exec.js');

self.onmessage = async (event) => {
  self.early = [event.data];
  self.onmessage = (other) => self.early.push(other.data);
  const go = new Go();
  const instance = await WebAssembly.instantiate(event.data.module, go.importObject);
  let reason = '';
  try {
    await go.run(instance);
  } catch (err) {
    reason = String(err);
  }
  // The Go program never returns by itself: a run that ends has crashed.
  self.postMessage({ stopped: true, reason });
  self.close();
};

// Not at once: until the page knows that this script has run, it keeps messages back.
setTimeout(() => self.postMessage({ loaded: true }), 0);
