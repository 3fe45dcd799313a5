// What share.js makes, without a browser: hashes, code to embed and citations.
import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { test } from 'node:test';
import vm from 'node:vm';

const window = {};
vm.runInNewContext(readFileSync(new URL('../../../public/share.js', import.meta.url), 'utf8'), {
  window, location: { href: 'https://example.org/lab/?embed=edit&theme=dark#old', protocol: 'https:' }, URL, TextEncoder,
});
const { share } = window;

test('hashes are SHA-256', () => {
  for (const text of ['', 'a', 'system,setup\ng10,model=bert-base\n', 'ü'.repeat(40), 'x'.repeat(55), 'x'.repeat(56), 'x'.repeat(63), 'x'.repeat(64), 'x'.repeat(100_000)]) {
    assert.equal(share.sha256(new TextEncoder().encode(text)), createHash('sha256').update(text).digest('hex'), text.slice(0, 20));
  }
});

const shown = { link: 'v=4&lab=train&times=estimated&end=00000', lab: 'Training', about: 'BERT & <co>, "20" GiB', papers: ['G10 (MICRO 2023)'], entries: [] };
const chart = { id: 'memory', title: 'Memory', text: 'G10 uses <most>.', note: 'BERT_base, 5 %', mode: 'corrected', height: 300 };

test('code to embed says what it must, and nothing in it ends early', () => {
  const frame = share.embed('frame', shown, chart, undefined, 613);
  assert.match(frame, /^<iframe src="https:\/\/example\.org\/lab\/\?embed=view&amp;only=memory#v=4&amp;lab=train&amp;times=estimated&amp;end=00000" title="Memory: BERT &amp; &lt;co&gt;, &quot;20&quot; GiB \(Spillway\)" /);
  assert.match(frame, / height="613" .* sandbox="allow-scripts allow-popups allow-popups-to-escape-sandbox allow-downloads"><\/iframe>\n<script>[^<]*'resize'[^<]*<\/script>$/);
  const figure = share.embed('figure', shown, chart);
  assert.match(figure, /<script async src="https:\/\/example\.org\/lab\/spill-figure\.js"><\/script>\n<spill-figure src="https:\/\/example\.org\/lab\/#v=4&amp;/);
  assert.match(figure, / only="memory">\n {2}<a href="[^"]*">Memory: BERT &amp; &lt;co&gt;, &quot;20&quot; GiB\. G10 uses &lt;most&gt;\.<\/a>\n<\/spill-figure>$/);
  const drawn = share.embed('figure', shown, chart, (id, link) => `<svg id="${id}"><desc>${link.length}</desc></svg>`);
  assert.match(drawn, / only="memory">\n {2}<svg id="memory"><desc>\d+<\/desc><\/svg>\n {2}<a href="[^"]*">Open in Spillway<\/a>\n<\/spill-figure>$/);
  assert.doesNotMatch(share.embed('figure', shown, chart, () => '<svg>'.repeat(40_000)), /svg/);
  assert.doesNotMatch(share.embed('frame', shown, undefined), /only/);
});

test('a citation has version, link, date, hash and papers', () => {
  const { text, bibtex } = share.cited(shown, chart, 'ab'.repeat(32), '0.9.0+12345678', '2026-01-02');
  for (const part of ['version 0.9.0+12345678', '“Memory”', 'https://example.org/lab/#v=4&lab=train', 'accessed 2026-01-02', `sha256:${'ab'.repeat(32)}`, 'G10 (MICRO 2023)']) {
    assert.ok(text.includes(part), `${part} in ${text}`);
  }
  assert.match(bibtex, /^@software\{spillway-abababab,\n {2}author {2}= \{\{The Spillway authors\}\},/);
  assert.ok(bibtex.includes('BERT\\_base, 5 \\%'), bibtex);
  assert.ok(bibtex.includes('url     = {https://example.org/lab/#v=4&lab=train&times=estimated&end=00000}'), bibtex);
  let depth = 0;
  for (const c of bibtex.replaceAll(/\\./g, '')) depth += (c === '{') - (c === '}');
  assert.equal(depth, 0, 'braces match');
  assert.match(share.cited(shown, undefined, '', '1', '2026-01-02').bibtex, /^@software\{spillway-[0-9a-f]{8},/);
});
