// What share.js makes, without a browser: hashes, code to embed and citations.
import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { mkdtempSync, readFileSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { test } from 'node:test';
import vm from 'node:vm';

const window = {};
const PAPERS = [{ key: 'flash', short: 'FlashNeuron (FAST 2021)', name: 'FlashNeuron', bibtex: '@misc{flash}' }, { key: 'g10', short: 'G10 (MICRO 2023)', name: 'G10', bibtex: '@inproceedings{g10}' }];
vm.runInNewContext(readFileSync(new URL('../../../public/share.js', import.meta.url), 'utf8').replace('const PAPERS = {};', `const PAPERS = ${JSON.stringify(PAPERS)};`), {
  window, location: { href: 'https://example.org/lab/?embed=edit&theme=dark#old', protocol: 'https:' }, URL, TextEncoder,
});
const { share } = window;

test('hashes are SHA-256', () => {
  for (const text of ['', 'a', 'system,setup\ng10,model=bert-base\n', 'ü'.repeat(40), 'x'.repeat(55), 'x'.repeat(56), 'x'.repeat(63), 'x'.repeat(64), 'x'.repeat(100_000)]) {
    assert.equal(share.sha256(new TextEncoder().encode(text)), createHash('sha256').update(text).digest('hex'), text.slice(0, 20));
  }
});

const shown = { link: 'v=4&lab=train&times=estimated&end=00000', lab: 'Training', about: 'BERT & <co>, "20" GiB', papers: ['not in the report', 'G10 (MICRO 2023)', 'FlashNeuron (FAST 2021), as run in G10 (MICRO 2023)'], entries: [] };
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
  assert.ok(text.endsWith('Systems from: G10 (MICRO 2023); FlashNeuron (FAST 2021).'), text);
  assert.ok(bibtex.endsWith('}\n\n@inproceedings{g10}\n\n@misc{flash}'), bibtex);
  assert.ok(!bibtex.includes('not in the report') && !share.cited({ ...shown, papers: ['not in the report'] }, chart, '', '1', '2026-01-02').text.includes('Systems from'));
  let depth = 0;
  for (const c of bibtex.replaceAll(/\\./g, '')) depth += (c === '{') - (c === '}');
  assert.equal(depth, 0, 'braces match');
  assert.match(share.cited(shown, undefined, '', '1', '2026-01-02').bibtex, /^@software\{spillway-[0-9a-f]{8},/);
});

// nasty has everything that a format could take for its own.
const nasty = '100 % of $x_1^2$ & \\cmd{a} # ~ | <b> *b* [l](u) `c` "q" a -- b, \'\' -1\n"\u202f×→µ–—−…²≤é\u00a0日';
const sample = (...texts) => ({
  title: 'Times', mode: 'kernel times estimated · corrected', link: 'https://example.org/?a=%20#v=3&x=<y>\\\nrm',
  tables: [{ title: 'Times', head: ['System', 'Time, s', nasty], rows: [...texts.map((text) => [`${text} (sub)`, '1.5 (+8 % better)', text]), ['[begins', '*', '']] }],
});
const written = (format, file) => share.tables(format, JSON.stringify(file));

test('tables as Markdown: every row has as many cells as the head, whatever stands in them', () => {
  const file = { title: 'Times', mode: 'corrected', link: 'https://example.org/#v=3', tables: [{ title: 'Times', head: ['System', 'Time, s', 'p | q'], rows: [['a_b <i> *x*', '1.5', '100\n%'], ['c', '–', '']] }] };
  assert.equal(written('md', file), `**Times**

| System | Time, s | p \\| q |
| :-- | --: | --: |
| a\\_b &lt;i\\> \\*x\\* | 1.5 | 100 % |
| c | – |  |

*corrected* · [Spillway](<https://example.org/#v=3>)
`);
  const text = written('md', sample(nasty, '|', '\\|', '\\'));
  for (const line of text.split('\n').filter((l) => l.startsWith('|'))) assert.equal(line.replaceAll('\\\\', '').replaceAll('\\|', '').split('|').length, 5, line);
  assert.equal(text.split('>)').length, 2);
  assert.doesNotMatch(text, /<b>/);
});

// parsed checks what LaTeX would stumble over: groups and environments close in their order, and
// every line of a tabular has its columns.
function parsed(text) {
  const bare = text.replace(/^% .*$|%$/gm, '').replace(/\\[\\{}&%$#_]/g, (s) => (s === '\\\\' ? s : 'x'));
  const open = [];
  let columns = 0;
  for (const line of bare.split('\n')) {
    for (const [all, way, what, forms] of line.matchAll(/\\(begin|end)\{(\w+)\}(?:\{([lr]+)\})?|[{}]/g)) {
      if (all === '{') open.push('{');
      else if (way === 'begin') { open.push(what); columns = forms?.length ?? 0; }
      else assert.equal(open.pop(), all === '}' ? '{' : what, text);
    }
    if (line.endsWith('\\\\')) assert.equal(line.split('&').length, columns, line);
  }
  assert.deepEqual(open, [], text);
  assert.equal(bare.split('$').length % 2, 1, text);
}

test('tables as LaTeX: numbers to the right, one label, the mode once, wide ones made narrow', () => {
  const x = { title: 'Times with prefetch.', head: ['System', 'Time', 'Verdict'], rows: [['G10', '12\u202f345 ms', 'yes'], ['UVM', '−3.9 %', 'no, 4 GiB short'], ['Ideal', '–', '–']] };
  const text = written('tex', { title: x.title, mode: 'with prefetch.', link: '', tables: [x] });
  for (const part of ['{lrl}', '\\label{tab:times-with-prefetch}', '\\toprule', '12\\,345 ms', '$-$3.9 \\%']) assert.ok(text.includes(part), `${part} in ${text}`);
  assert.equal(text.split('with prefetch.').length, 2, text);
  assert.ok(!text.includes('resizebox'));
  parsed(text);
  const two = written('tex', { title: 'Times', mode: '', link: '', tables: [x, { ...x, head: ['long '.repeat(20), ...x.head.slice(1)] }] });
  for (const part of ['\\label{tab:times-1}', '\\label{tab:times-2}', '\\resizebox{\\linewidth}{!}{%']) assert.equal(two.split(part).length, 2, two);
  parsed(two);
});

test('nothing in a table is a command of LaTeX', () => {
  for (const [text, want] of [
    ['50 % & $5_a#', '50 \\% \\& \\$5\\_a\\#'], ['\\input{x}', '\\textbackslash{}input\\{x\\}'], ['a^b~c<d>e|f', 'a\\^{}b\\~{}c$<$d$>$e$|$f'],
    ['12\u202f345 µs × 2 → −1 – 3', '12\\,345 $\\mu$s $\\times$ 2 $\\to$ $-$1 -- 3'], ["a--b---c ''x", "a-{}-b-{}-{}-c '{}'x"], ['é ñ ß', 'é ñ ß'], ['日', '{}[U+65E5]'], ['a\n\nb\tc\x00\x7f', 'a b c'],
  ]) assert.ok(written('tex', { title: 't', mode: '', link: '', tables: [{ title: 't', head: ['a', 'b'], rows: [['x', text]] }] }).includes(`x & ${want} \\\\`), text);
  const text = written('tex', sample(nasty, '', '[', '*', '\\end{document}'));
  assert.ok(text.startsWith('% \\usepackage{booktabs,graphicx}\n% https://example.org/?a=%20#v=3&x=<y>\\ rm\n\\begin{table}'), text);
  assert.ok(text.includes('\\caption{Times. kernel times estimated $\\cdot$ corrected.}') && text.includes('{}[begins & {}* &  \\\\'), text);
  parsed(text);
});

test('a zip has its files, for any reader of zips', () => {
  const files = [['é.md', new TextEncoder().encode('# é')], ['tables/a.csv', new TextEncoder().encode('x'.repeat(1000))]];
  const data = share.zip(files);
  assert.deepEqual(share.zip(files), data, 'the same files have the same bytes');
  const file = path.join(mkdtempSync(path.join(tmpdir(), 'zip-')), 'x.zip');
  writeFileSync(file, data);
  const read = execFileSync('python3', ['-c', 'import sys, zipfile, json\nz = zipfile.ZipFile(sys.argv[1])\nassert z.testzip() is None\nprint(json.dumps([[n, z.read(n).decode()] for n in z.namelist()]))', file]);
  assert.deepEqual(JSON.parse(read), [['é.md', '# é'], ['tables/a.csv', 'x'.repeat(1000)]]);
});
