// A simulation worker: the page posts {module}, the compiled Go program, which
// then installs its own onmessage and answers {ready: true}.
'use strict';

importScripts('wasm_exec.js');

self.onmessage = async (event) => {
  self.onmessage = null;
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
