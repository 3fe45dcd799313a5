// A simulation worker: the page posts {module}, the compiled Go program, which
// then installs its own onmessage and answers {ready: true}. The message may
// already hold the first job; the program finds it in self.first.
'use strict';

importScripts('wasm_exec.js');

self.onmessage = async (event) => {
  self.onmessage = null;
  self.first = event.data;
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
