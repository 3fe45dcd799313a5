// A worker of a laboratory. The page posts jobs and {module}, the laboratory's
// compiled Go program, in any order; the program finds the jobs that came before
// it in self.early, then installs its own onmessage and answers {ready: true}.
// The first worker's name is its program's address: it compiles that itself, while
// the page is busy, and posts {module, at} for the workers that follow. (A fragment
// would not do: scripts that a service worker answers have none.) Where the page
// cannot make workers of files, boot.js makes a Blob of wasm_exec.js and this.
'use strict';

self.early = [];
self.onmessage = ({ data }) => {
  if (data.module) run(data.module);
  else self.early.push(data);
};

// compile is that of boot.js.
async function compile(url) {
  const response = await fetch(url);
  if (!response.ok) throw new Error(`${url}: the server answered ${response.status}`);
  const type = response.headers.get('Content-Type') || '';
  const module = await (WebAssembly.compileStreaming && type.startsWith('application/wasm')
    ? WebAssembly.compileStreaming(response)
    : WebAssembly.compile(await response.arrayBuffer()));
  self.postMessage({ module, at: performance.timeOrigin + performance.now() });
  return module;
}

// readSlice reads a part of a file into an array and returns how many bytes it got.
// The Go program would hold every buffer that it sees until its collector runs.
self.readSlice = (file, from, to, into) => {
  const bytes = new Uint8Array(new FileReaderSync().readAsArrayBuffer(file.slice(from, to)));
  into.set(bytes);
  return bytes.length;
};

// readPieces does the same with pieces of the same size, one behind the other: asking
// for each by itself takes longer than reading it.
self.readPieces = (file, places, size, into) => {
  const pieces = places.map((from) => file.slice(from, from + size));
  const bytes = new Uint8Array(new FileReaderSync().readAsArrayBuffer(new Blob(pieces)));
  into.set(bytes);
  return bytes.length;
};

function stop(reason) {
  self.postMessage({ stopped: true, reason });
  self.close();
}

async function run(module) {
  let reason = '';
  const log = console.log;
  console.log = (...said) => { // Go says here why it ends
    if (/^(panic|fatal error):/.test(said[0])) reason = String(said[0]).split('\n')[0];
    log(...said);
  };
  try {
    const go = new Go();
    await go.run(await WebAssembly.instantiate(module, go.importObject));
  } catch (err) {
    reason ||= String(err);
  }
  // The Go program never returns by itself: a run that ends has crashed.
  stop(reason || 'the program in it ended');
}

const program = self.name;
if (program) compile(program).then(run, (err) => stop(err.message));

if (!self.Go) importScripts('wasm_exec.js');

// Not at once: until the page knows that this script has run, it keeps messages back.
setTimeout(() => self.postMessage({ loaded: true }), 0);
