// Offers another version of Spillway that this site has beside this one: for a link that
// says which version it is of (?version=), and for a dropped bundle. What there is, is in
// versions.json, which build/versions writes; without it nothing is offered. boot.js loads
// this script when there is something to offer it for.
'use strict';

window.versions = (() => {
  const own = document.querySelector('meta[name=version]').content;
  // Of a site with versions the newest is at the top and all are below v/.
  const top = new URL(location.pathname.replace(/\/v\/[^/]+\/(index\.html)?$/, '/'), location.href);

  const list = fetch(new URL('versions.json', top), { cache: 'no-cache' })
    .then((answer) => (answer.ok ? answer.json() : {}))
    .then((all) => (Array.isArray(all.versions) ? all.versions.filter((v) => typeof v?.version === 'string' && /^v\/[\w.-]+\/$/.test(v.path)) : []))
    .catch(() => []);

  // find prefers the same build, and takes one that has the same number.
  async function find(version) {
    const number = (v) => v.replace(/\+.*/, '');
    const all = await list;
    if (version === own) return undefined;
    return all.find((v) => v.version === version) ?? all.find((v) => number(v.version) === number(version) && v.version !== own);
  }

  // offer puts one line above the page; said is what it is about.
  async function offer(said, version, rest) {
    const found = await find(version);
    document.querySelector('.boot-version')?.remove();
    if (!found) return;
    const box = document.createElement('div');
    box.className = 'boot-banner boot-version';
    box.setAttribute('role', 'status');
    const link = document.createElement('a');
    link.textContent = `Open ${rest === undefined ? 'that version' : 'it there'}`;
    link.href = new URL(found.path, top).href + (rest ?? '');
    const close = document.createElement('button');
    close.type = 'button';
    close.textContent = 'Stay here';
    close.addEventListener('click', () => box.remove());
    box.append(`${said} version ${version}; this is ${own}. `, link, ' ', close);
    document.body.prepend(box);
  }

  // What a link says of its version.
  const linked = /[?&]version=([\w.+-]{1,60})/.exec(location.search)?.[1];
  if (linked && linked !== own) offer('This link was made with', linked, `?version=${linked}${location.hash}`);

  // What the page says of a bundle that is checked.
  let written = '';
  new MutationObserver(() => {
    const told = /written by version ([\w.+-]{1,60}?)\.\s/.exec(document.getElementById('check')?.textContent ?? '')?.[1];
    if (!told || told === written) return;
    written = told;
    offer('This bundle was written by', told);
  }).observe(document.body, { childList: true, subtree: true, characterData: true });

  return { find }; // for tests
})();
dispatchEvent(new Event('versions.js'));
