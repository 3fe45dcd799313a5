// The site where it has no host of its own: the zip on the plainest of servers, and
// the single file. make offline writes both.
import { readFile, readdir } from 'node:fs/promises';
import { createServer } from 'node:http';
import path from 'node:path';
import { pathToFileURL } from 'node:url';
import { inflateRawSync } from 'node:zlib';

export const out = path.resolve(import.meta.dirname, '../out');

// single is the address of the single file.
export const single = pathToFileURL(path.join(out, 'spillway.html')).href;

// unzip returns the files of an archive by name.
function unzip(data) {
  const files = new Map();
  const end = data.lastIndexOf(Buffer.from('PK\x05\x06', 'latin1'));
  let at = data.readUInt32LE(end + 16);
  for (let left = data.readUInt16LE(end + 10); left > 0; left--) {
    const [packed, local] = [data.readUInt32LE(at + 20), data.readUInt32LE(at + 42)];
    const [name, extra, comment] = [28, 30, 32].map((i) => data.readUInt16LE(at + i));
    const begin = local + 30 + data.readUInt16LE(local + 26) + data.readUInt16LE(local + 28);
    files.set(data.toString('utf8', at + 46, at + 46 + name), inflateRawSync(data.subarray(begin, begin + packed)));
    at += 46 + name + extra + comment;
  }
  return files;
}

// A server that knows the types of a web page's files and nothing else: no headers, no
// compression, wasm is just bytes.
const types = { '.html': 'text/html', '.js': 'text/javascript', '.css': 'text/css', '.svg': 'image/svg+xml', '.png': 'image/png' };

// serveZip serves what is in the zip, in a folder at some depth. close ends it, with
// all connections.
export async function serveZip() {
  const [name] = (await readdir(out)).filter((file) => /^spillway-site-.*\.zip$/.test(file));
  const files = unzip(await readFile(path.join(out, name)));
  const server = createServer((request, response) => {
    const asked = decodeURI(new URL(request.url, 'http://x').pathname).replace(/^\/some\/folder\//, '').replace(/\/$/, '/index.html');
    const data = files.get(asked);
    response.writeHead(data ? 200 : 404, { 'Content-Type': types[path.extname(asked)] ?? 'application/octet-stream' });
    response.end(data);
  });
  await new Promise((resolve) => { server.listen(0, '127.0.0.1', resolve); });
  const [folder] = [...files.keys()][0].split('/');
  return {
    url: `http://127.0.0.1:${server.address().port}/some/folder/${folder}/`,
    close: () => new Promise((resolve) => {
      server.close(resolve);
      server.closeAllConnections();
    }),
  };
}
