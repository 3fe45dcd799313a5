// The optional host (wasm/edge) in workerd over the built site, for its tests.
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { Miniflare } from 'miniflare';

export const root = path.resolve(path.dirname(fileURLToPath(import.meta.url)), '../../..');
const worker = (name) => path.join(root, 'build/worker', name);

// What wrangler.jsonc lets the program answer first.
export const FIRST = ['/figure/*', '/f/*', '/oembed'];

// start starts workerd; through lists the paths that go through the Go program
// even when a file of that name exists.
export const start = (through) => new Miniflare({
  modulesRoot: worker(''),
  modules: [
    { type: 'ESModule', path: worker('entry.mjs') },
    { type: 'ESModule', path: worker('worker.mjs') },
    { type: 'ESModule', path: worker('wasm_exec.js') },
    { type: 'ESModule', path: worker('runtime.mjs') },
    { type: 'CompiledWasm', path: worker('app.wasm') },
  ],
  compatibilityDate: '2026-04-01',
  cf: false,
  assets: {
    directory: path.join(root, 'dist'),
    binding: 'ASSETS',
    routerConfig: { has_user_worker: true, static_routing: { user_worker: through } },
    assetConfig: { not_found_handling: '404-page' },
  },
});
