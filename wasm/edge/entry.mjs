// The optional host's entry. The Go program starts anew for every request, which takes longer
// than to answer with a figure: one that was asked for in the same words is answered without it.
import worker from './worker.mjs';

const VERSION = ''; // of the site; the build fills it

// said is where an answer to these words is kept.
const said = (url) => `${url.origin}/figure/said/${encodeURIComponent(`${VERSION} ${url.pathname}${url.search}`)}`;

export default {
  ...worker,
  async fetch(request, env, context) {
    const url = new URL(request.url), kept = globalThis.caches?.default;
    if (!kept || request.method !== 'GET' || !url.pathname.startsWith('/figure/')) return worker.fetch(request, env, context);
    const hit = await kept.match(said(url));
    if (hit) {
      const headers = new Headers(hit.headers), tag = headers.get('etag');
      headers.set('x-spillway-cache', 'hit');
      headers.delete('cf-cache-status');
      const has = (request.headers.get('if-none-match') ?? '').split(',').some((t) => t.trim() === '*' || t.trim().replace(/^W\//, '') === tag);
      return has ? new Response(null, { status: 304, headers }) : new Response(hit.body, { headers });
    }
    const answer = await worker.fetch(request, env, context);
    if (answer.status === 200) context.waitUntil(kept.put(said(url), answer.clone()));
    return answer;
  },
};
