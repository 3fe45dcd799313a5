// Starts the single file: unpacks what is inside the document, gives it to boot.js
// as window.held, and lets the page's scripts run. build/site fills in what there
// is; single.go says how it is packed.
'use strict';

(async () => {
  const FILES = {}; // name to [offset, length] in the pack
  const SCRIPTS = []; // in the order they run

  // decode makes bytes of the text of the pack.
  function decode(text) {
    const table = new Uint8Array(0x2200); // the characters of windows-1252
    [...new TextDecoder('windows-1252').decode(bytesInOrder())].forEach((c, i) => { table[c.charCodeAt(0)] = i; });
    const out = new Uint8Array(text.length);
    let n = 0;
    for (let i = 0; i < text.length; i++) {
      const c = text.charCodeAt(i);
      out[n++] = c === 0x3d ? table[text.charCodeAt(++i)] ^ 0x40 : table[c];
    }
    return out.subarray(0, n);
  }

  function bytesInOrder() {
    return Uint8Array.from({ length: 256 }, (_, i) => i);
  }

  // pack returns the bytes inside the document. Where a server said that the file is
  // in another character set they did not survive, and are asked for again.
  async function pack() {
    const element = document.getElementById('pack');
    let text = element.textContent;
    element.remove();
    if (document.characterSet !== 'windows-1252') {
      const whole = new TextDecoder('windows-1252').decode(await (await fetch(location.href)).arrayBuffer());
      const begin = 'id="pack">';
      const at = whole.indexOf(begin) + begin.length;
      text = whole.slice(at, whole.indexOf('<', at));
    }
    const bytes = decode(text);
    // It begins with all bytes there are.
    if (!bytesInOrder().every((b, i) => bytes[i] === b)) throw new Error('this copy of the file is damaged; get it again');
    return bytes.subarray(256);
  }

  if (document.readyState === 'loading') await new Promise((resolve) => { document.addEventListener('DOMContentLoaded', resolve); });
  const bytes = await pack();

  // get is boot.js's fetch.
  async function get(name) {
    if (!FILES[name]) throw new Error(`${name} is not in this file`);
    const [at, length] = FILES[name];
    const stream = new Blob([bytes.subarray(at, at + length)]).stream().pipeThrough(new DecompressionStream('gzip'));
    return new Response(stream, { headers: { 'Content-Type': name.endsWith('.wasm') ? 'application/wasm' : 'application/octet-stream' } });
  }
  window.held = { get, program: 'spillway.wasm' };

  // Links to texts of the site, and to files of it that are for download, lead to what
  // is inside.
  document.addEventListener('click', async (event) => {
    const link = event.target instanceof Element ? event.target.closest('a[data-held], a[download]') : null;
    const [name, place] = (link?.dataset.held ?? link?.getAttribute('href') ?? '').split('#');
    if (!FILES[name]) return;
    event.preventDefault();
    const text = await (await get(name)).blob();
    const url = URL.createObjectURL(new Blob([text], { type: `text/${name.endsWith('.html') ? 'html' : 'plain'};charset=utf-8` }));
    if (link.dataset.held) open(place ? `${url}#${place}` : url);
    else Object.assign(document.createElement('a'), { href: url, download: name }).click();
  });

  const texts = await Promise.all(SCRIPTS.map(async (name) => (await get(name)).text()));
  for (const text of texts) {
    const script = document.createElement('script');
    script.textContent = text;
    document.head.append(script);
  }
  // To them the document is ready only now.
  document.dispatchEvent(new Event('DOMContentLoaded'));
})().catch((err) => {
  console.error(err);
  const line = document.createElement('div');
  line.className = 'boot-banner boot-alert';
  line.setAttribute('role', 'alert');
  line.textContent = typeof DecompressionStream === 'function'
    ? `Spillway could not start: ${err.message}.`
    : 'Spillway could not start: this browser cannot unpack the file; Chrome or Edge 103, Firefox 113, Safari 16.4 or a newer one can.';
  document.body.prepend(line);
});
