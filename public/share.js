// The share dialog: the link, code that embeds a chart elsewhere, and how to cite
// it. Everything is made here, of what the Go program says is shown; opening and
// copying ask nothing of any network.
'use strict';

window.share = (() => {
  // Some programs that pass links on cut what is longer.
  const LONG = 2000;
  // Files up to here are read for their hash; larger ones take too long.
  const CHEAP = 32 << 20;

  // A picture that is longer is not put into code.
  const MOST = 150_000;

  const $ = (id) => document.getElementById(id);
  const quoted = (text) => String(text).replace(/[&<>"]/g, (c) => ({ '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;' })[c]);

  // sha256 is here because browsers have none for pages without https.
  const K = [];
  const START = [];
  for (let n = 2; K.length < 64; n++) {
    let prime = true;
    for (let d = 2; d * d <= n; d++) if (n % d === 0) prime = false;
    if (!prime) continue;
    const bits = (x) => ((x - Math.floor(x)) * 2 ** 32) | 0;
    if (START.length < 8) START.push(bits(Math.sqrt(n)));
    K.push(bits(Math.cbrt(n)));
  }
  const turn = (x, n) => (x >>> n) | (x << (32 - n));

  function sha256(bytes) {
    const padded = new Uint8Array(((bytes.length + 8) >> 6 << 6) + 64);
    padded.set(bytes);
    padded[bytes.length] = 0x80;
    const view = new DataView(padded.buffer);
    view.setUint32(padded.length - 8, Math.floor(bytes.length / 2 ** 29));
    view.setUint32(padded.length - 4, bytes.length << 3);
    const h = [...START];
    const w = new Int32Array(64);
    for (let at = 0; at < padded.length; at += 64) {
      for (let i = 0; i < 16; i++) w[i] = view.getInt32(at + 4 * i);
      for (let i = 16; i < 64; i++) {
        const [x, y] = [w[i - 15], w[i - 2]];
        w[i] = w[i - 16] + w[i - 7] + (turn(x, 7) ^ turn(x, 18) ^ (x >>> 3)) + (turn(y, 17) ^ turn(y, 19) ^ (y >>> 10));
      }
      let [a, b, c, d, e, f, g, p] = h;
      for (let i = 0; i < 64; i++) {
        const one = (p + (turn(e, 6) ^ turn(e, 11) ^ turn(e, 25)) + ((e & f) ^ (~e & g)) + K[i] + w[i]) | 0;
        const two = ((turn(a, 2) ^ turn(a, 13) ^ turn(a, 22)) + ((a & b) ^ (a & c) ^ (b & c))) | 0;
        [p, g, f, e, d, c, b, a] = [g, f, e, (d + one) | 0, c, b, a, (one + two) | 0];
      }
      for (const [i, x] of [a, b, c, d, e, f, g, p].entries()) h[i] = (h[i] + x) | 0;
    }
    return h.map((x) => (x >>> 0).toString(16).padStart(8, '0')).join('');
  }

  // site is the address of the page without what this visit adds to it.
  function site() {
    const url = new URL(location.href);
    url.hash = '';
    url.search = '';
    return url.href;
  }

  // versioned is a link's address that says which version it is of, so that another may offer this one.
  function versioned() {
    const version = $('version').textContent;
    return location.protocol === 'file:' || !/^[\w.+-]+$/.test(version) ? site() : `${site()}?version=${version}`;
  }

  // tall is how high a frame of 700 px is that shows a chart, or all: as high as these
  // parts of the page would be, which are measured where nobody sees them.
  const AROUND = 60; // the margin and the line at the foot of a frame
  function tall(id) {
    const one = id && document.querySelector(`[id="figure-${id}"], [id="values-${id}"]`);
    const box = document.createElement('div');
    box.style.cssText = 'position:absolute;visibility:hidden;width:676px';
    box.append(...(one ? [...document.querySelectorAll('#main .said, #main .summary, #main .caveat'), one] : [...$('main').children]).map((e) => e.cloneNode(true)));
    for (const e of box.querySelectorAll('.hello, .given, .picture, .baseline, .accounts')) e.remove();
    for (const e of box.querySelectorAll('.context')) e.hidden = false; // a frame has no menus of what is given
    for (const e of box.querySelectorAll('.told, .caveat')) e.style.minHeight = '0';
    for (const [part, size] of [['.headline', 20], ['.why', 14]]) { // as style.css has them in a window of 700 px
      for (const e of box.querySelectorAll(part)) e.style.fontSize = `${size}px`;
    }
    for (const e of box.querySelectorAll('.figures')) e.style.gridTemplateColumns = 'minmax(0, 1fr)';
    document.body.append(box);
    const height = box.offsetHeight;
    box.remove();
    return height + AROUND;
  }

  // In other widths a frame says how high it is.
  const FOLLOWS = `<script>{ const frame = document.currentScript.previousElementSibling; addEventListener('message', ({ source, data }) => { if (source === frame.contentWindow && data?.spillway === 1 && data.type === 'resize') frame.height = data.height; }); }</script>`;

  // embed is the code that shows a chart in another page. What stands inside the
  // element is there without scripts, too: the picture, if it is not too large.
  function embed(as, s, chart, picture, height) {
    const link = `${site()}#${s.link}`;
    const title = [chart?.title, s.about].filter(Boolean).join(': ');
    const only = chart ? ` only="${quoted(chart.id)}"` : '';
    if (as === 'figure') {
      const script = new URL('spill-figure.js', site()).href;
      const svg = chart && picture ? picture(chart.id, link) : '';
      const text = svg && svg.length <= MOST ? 'Open in Spillway' : [title, chart?.text].filter(Boolean).join('. ');
      return `<script async src="${quoted(script)}"></script>\n<spill-figure src="${quoted(link)}"${only}>\n${svg && svg.length <= MOST ? `  ${svg}\n` : ''}  <a href="${quoted(link)}">${quoted(text)}</a>\n</spill-figure>`;
    }
    const query = chart ? `?embed=view&only=${encodeURIComponent(chart.id)}` : '?embed=view';
    return `<iframe src="${quoted(`${site()}${query}#${s.link}`)}" title="${quoted(`${title} (Spillway)`)}" width="100%" height="${height}" style="border:0" loading="lazy" sandbox="allow-scripts allow-popups allow-popups-to-escape-sandbox allow-downloads"></iframe>\n${FOLLOWS}`;
  }

  // Papers of systems, as {key, short, name, bibtex}; the build fills it.
  const PAPERS = {};

  // published are the papers that texts of systems name. Remarks name none.
  const published = (texts) => (Array.isArray(PAPERS) ? PAPERS : []).map((paper) => ({ paper, at: texts.join('\n').indexOf(paper.name) }))
    .filter(({ at }) => at >= 0).sort((a, b) => a.at - b.at).map(({ paper }) => paper);

  // tex makes text safe in a BibTeX field.
  const tex = (text) => text.replace(/[\\{}&%$#_^~]/g, (c) => ({ '\\': '\\textbackslash{}', '^': '\\textasciicircum{}', '~': '\\textasciitilde{}' })[c] ?? `\\${c}`);

  // cited is how a chart is cited, as text and as BibTeX. hash is that of its
  // numbers, empty if it has none.
  function cited(s, chart, hash, version, date) {
    const link = `${location.protocol === 'file:' ? '' : site()}#${s.link}`; // nobody's folders
    const about = [chart ? `“${chart.title}”` : '', s.lab, chart?.note || s.about].filter(Boolean).join(', ');
    const trust = chart?.mode && !(chart.note || s.about).includes(chart.mode) ? ` (${chart.mode})` : '';
    const from = published(s.papers);
    const papers = from.length > 0 ? `Systems from: ${from.map(({ short }) => short).join('; ')}.` : '';
    const text = `The Spillway authors, Spillway: memory and storage simulators in the browser, version ${version}. ${chart ? 'Figure ' : ''}${about}${trust}. ${link} (accessed ${date}${hash ? `; content hash sha256:${hash}` : ''}). ${papers}`.trim();
    const key = `spillway-${(hash || sha256(new TextEncoder().encode(s.link))).slice(0, 8)}`;
    const fields = [
      ['author', '{The Spillway authors}'],
      ['title', `{Spillway}: memory and storage simulators in the browser`],
      ['version', tex(version)],
      ['year', date.slice(0, 4)],
      ['url', link],
      ['urldate', date],
      ['note', tex([`${chart ? 'Figure ' : ''}${about}${trust}.`, hash ? `Content hash sha256:${hash}.` : '', papers].filter(Boolean).join(' '))],
    ];
    const width = Math.max(...fields.map(([name]) => name.length));
    const own = `@software{${key},\n${fields.map(([name, value]) => `  ${name.padEnd(width)} = {${value}}`).join(',\n')}\n}`;
    return { text, bibtex: [own, ...from.map(({ bibtex }) => bibtex)].join('\n\n') };
  }

  // oneLine has no line ends and no other blanks than one.
  const oneLine = (text) => text.split(/[ \n\r\t\v\f\u2028\u2029\u0085]+/u).filter(Boolean).join(' ');

  // plain is text that Markdown shows as it is, on one line.
  const plain = (text) => oneLine(text).replace(/[\0-\x1f\x7f]/g, '').replace(/[\\`*_{}[\]>#|~$<&]/g, (c) => ({ '<': '&lt;', '&': '&amp;' })[c] ?? `\\${c}`);

  // markdown writes tables as GitHub does: the first column to the left, the others to the
  // right. Title, mode and link stand around each.
  function markdown({ mode, link, tables }) {
    const all = tables.map(({ title, head, rows }) => {
      const line = (texts) => `${texts.map((text) => `| ${plain(text)} `).join('')}|\n`;
      return `${title ? `**${plain(title)}**\n\n` : ''}${line(head)}| :-- ${'| --: '.repeat(head.length - 1)}|\n${rows.map(line).join('')}`;
    });
    const last = [];
    if (mode) last.push(`*${plain(mode)}*`);
    if (link) last.push(`[Spillway](<${link.replace(/[<>\\\n\r]/g, (c) => ({ '<': '%3C', '>': '%3E', '\\': '%5C' })[c] ?? '')}>)`);
    return all.join('\n') + (last.length > 0 ? `\n${last.join(' · ')}\n` : '');
  }

  // What LaTeX has other names for.
  const SIGNS = {
    '\\': '\\textbackslash{}', '{': '\\{', '}': '\\}', $: '\\$', '&': '\\&', '#': '\\#', _: '\\_', '%': '\\%',
    '^': '\\^{}', '~': '\\~{}', '<': '$<$', '>': '$>$', '|': '$|$', '"': "''", '`': '\\`{}',
    '–': '--', '—': '---', '−': '$-$', '…': '\\ldots{}', '×': '$\\times$', '÷': '$\\div$', '·': '$\\cdot$', '±': '$\\pm$',
    '→': '$\\to$', '←': '$\\leftarrow$', '≤': '$\\leq$', '≥': '$\\geq$', '≠': '$\\neq$', '≈': '$\\approx$', '∞': '$\\infty$',
    µ: '$\\mu$', μ: '$\\mu$', Σ: '$\\Sigma$', Δ: '$\\Delta$', '°': '$^{\\circ}$', '²': '$^{2}$', '³': '$^{3}$', '⁰': '$^{0}$', '⁴': '$^{4}$', '⁹': '$^{9}$',
    '“': '``', '”': "''", '‘': '`', '’': "'", '„': ',,', '\u00a0': '~', '\u202f': '\\,', '\u2009': '\\,', '§': '\\S{}', '†': '\\dag{}', '‡': '\\ddag{}', '✓': '$\\surd$', '●': '$\\bullet$', '•': '$\\bullet$',
  };

  // latexText is text as LaTeX sets it: with nothing that it would take for a command. Letters
  // of Latin alphabets stay, which LaTeX has read as UTF-8 since 2018; of what else it has no
  // letter for the number is written.
  function latexText(text) {
    let out = '', last = '';
    for (const c of oneLine(text)) {
      const n = c.codePointAt(0);
      if (c === last && "-',".includes(c)) out += '{}'; // two of them would be one sign
      last = c;
      if (Object.hasOwn(SIGNS, c)) out += SIGNS[c];
      else if (n < 0x20 || n === 0x7f) continue;
      else out += n < 0x7f || (n >= 0xc0 && n <= 0x17f) ? c : `[U+${n.toString(16).toUpperCase().padStart(4, '0')}]`;
    }
    return out;
  }

  // sentence ends with a point.
  const sentence = (text) => oneLine(text).replace(/([^.!?])$/, '$1.');

  // A page of the standard class is about so many characters wide.
  const TEXT_WIDTH = 80;

  // latex writes each table as a float with rules of booktabs and a label; signs are
  // mathematics. The caption has title and mode; the link is a comment above it, because it
  // would not fit on a line, as is what the preamble needs. Columns of numbers stand to the
  // right. What is wider than a page is made as wide as the text.
  function latex({ title: all, mode, link, tables }) {
    const comment = (text) => text.replace(/[\0-\x1f\x7f\u0085\u2028\u2029]/g, ' ');
    const name = `tab:${(all.toLowerCase().match(/[a-z0-9]+/g) ?? ['table']).join('-')}`;
    // A cell that begins with a bracket or an asterisk must not be taken for an argument of the line end before it.
    const line = (texts) => `${texts.map((text) => latexText(text).replace(/^[[*]/, '{}$&')).join(' & ')} \\\\\n`;
    const number = (text) => text === '' || /^([–·]$|[−+\-$<]?[\s$]*\d)/u.test(text);
    return `% \\usepackage{booktabs,graphicx}\n${link ? `% ${comment(link)}\n` : ''}${tables.map(({ title, head, rows }, i) => {
      const forms = head.map((_, k) => (k > 0 && rows.every((row) => number(row[k])) ? 'r' : 'l')).join('');
      const width = head.reduce((sum, text, k) => sum + 2 + Math.max(text.length, ...rows.map((row) => row[k].length)), 0);
      const says = sentence(mode);
      const caption = [sentence(title), says && title.includes(says.slice(0, -1)) ? '' : says].filter(Boolean).join(' ');
      const [begin, end] = width > TEXT_WIDTH ? ['\\resizebox{\\linewidth}{!}{%\n', '}'] : ['', ''];
      return `\\begin{table}\n\\centering\n\\caption{${latexText(caption)}}\n\\label{${name}${tables.length > 1 ? `-${i + 1}` : ''}}\n${begin}\\begin{tabular}{${forms}}\n\\toprule\n${line(head)}\\midrule\n${rows.map(line).join('')}\\bottomrule\n\\end{tabular}${end}\n\\end{table}\n`;
    }).join('')}`;
  }

  // tables writes tables, which are JSON, in a format.
  const tables = (format, json) => (format === 'tex' ? latex : markdown)(JSON.parse(json));

  // zip is an archive of files, as [name, bytes]; nothing in it is packed, and nothing says when,
  // so that the same files have the same bytes.
  function zip(files) {
    const table = Uint32Array.from({ length: 256 }, (_, n) => {
      let c = n;
      for (let k = 0; k < 8; k++) c = c & 1 ? 0xedb88320 ^ (c >>> 1) : c >>> 1;
      return c;
    });
    const crc = (bytes) => {
      let c = -1;
      for (const b of bytes) c = table[(c ^ b) & 255] ^ (c >>> 8);
      return ~c >>> 0;
    };
    const parts = [], entries = [];
    let at = 0;
    for (const [file, data] of files) {
      const name = new TextEncoder().encode(file);
      // Version, UTF-8 names, stored, 1 January 1980, sum, sizes, length of the name.
      const about = [20, 0, 0, 8, 0, 0, 0, 0, 33, 0];
      const head = new DataView(new ArrayBuffer(30)), entry = new DataView(new ArrayBuffer(46));
      for (const [view, mark, from] of [[head, 0x04034b50, 4], [entry, 0x02014b50, 6]]) {
        view.setUint32(0, mark, true);
        about.forEach((b, i) => view.setUint8(from + i, b));
        view.setUint32(from + 10, crc(data), true);
        view.setUint32(from + 14, data.length, true);
        view.setUint32(from + 18, data.length, true);
        view.setUint16(from + 22, name.length, true);
      }
      entry.setUint16(4, 20, true);
      entry.setUint32(42, at, true);
      parts.push(new Uint8Array(head.buffer), name, data);
      entries.push(new Uint8Array(entry.buffer), name);
      at += 30 + name.length + data.length;
    }
    const length = (list) => list.reduce((sum, bytes) => sum + bytes.length, 0);
    const end = new DataView(new ArrayBuffer(22));
    end.setUint32(0, 0x06054b50, true);
    end.setUint16(8, files.length, true);
    end.setUint16(10, files.length, true);
    end.setUint32(12, length(entries), true);
    end.setUint32(16, at, true);
    const out = new Uint8Array(at + length(entries) + 22);
    let to = 0;
    for (const bytes of [...parts, ...entries, new Uint8Array(end.buffer)]) {
      out.set(bytes, to);
      to += bytes.length;
    }
    return out;
  }

  const size = (n) => (n < 1024 ? `${n} bytes` : n < 2 ** 20 ? `${(n / 1024).toFixed(1)} KiB` : `${(n / 2 ** 20).toFixed(1)} MiB`);

  // described says what a file is, so that others can see whether they have it.
  async function described({ name, file }) {
    const text = `${name}, ${size(file.size)}`;
    if (file.size > CHEAP) return text;
    try {
      return `${text}, SHA-256 ${sha256(new Uint8Array(await file.arrayBuffer()))}`;
    } catch {
      return text; // it is no longer there
    }
  }

  // warn says what a link cannot do.
  async function warn(s, length) {
    const warnings = [];
    if (length > LONG) warnings.push(`This link has ${length} characters. Some programs cut off what is longer than ${LONG}; Spillway says so when it opens such a link. Fewer kept runs side by side make it shorter.`);
    if (location.protocol === 'file:') warnings.push('This page is a file on your computer, so the link works only where the same file is. The part from # on works behind the address of any Spillway.');
    const say = (list) => $('share-warnings').replaceChildren(...list.map((text) => Object.assign(document.createElement('p'), { textContent: text })));
    say(warnings);
    const mine = ++asked; // what is still read for an earlier link is not said
    if (s.entries.length === 0) return;
    const files = (text) => `What is shown needs opened files, which no link carries: ${s.entries.join(', ')}. Whoever opens it must drop ${text || 'the same files'} on the page.`;
    const most = 8;
    const list = [...(s.files ?? [])];
    const more = list.length > most ? ` and ${list.length - most} more` : '';
    say([...warnings, files(list.map(({ name }) => name).slice(0, most).join(', ') + more)]);
    const told = [];
    for (const f of list.slice(0, most)) told.push(await described(f));
    if (mine === asked && told.length > 0) say([...warnings, files(`${told.join('; ')}${more}`)]);
  }
  let asked = 0;

  // open shows the dialog.
  let shown;
  function open(s) {
    shown = s;
    const link = `${versioned()}#${s.link}`;
    history.replaceState(null, '', location.protocol === 'file:' ? `#${s.link}` : link); // the address bar has the same
    $('share-link').value = link;
    $('share-length').textContent = `${link.length} characters, ${s.link.length} of them behind #`;
    warn(s, link.length);
    const charts = s.charts.filter((c) => c.csv);
    const before = $('share-chart').value;
    $('share-chart').replaceChildren(...charts.map((c) => new Option(c.title, c.id)), new Option('all that is shown', ''));
    $('share-chart').value = charts.some((c) => c.id === before) ? before : charts[0]?.id ?? '';
    fill();
    const dialog = $('share-dialog');
    if (!dialog.open) dialog.showModal();
    const at = $(window.tools.shareAt ?? '') ?? $('share-link');
    window.tools.shareAt = undefined;
    at.focus();
    at.scrollIntoView({ block: at === $('share-link') ? 'nearest' : 'start' });
    if (at === $('share-link')) at.select();
  }

  // fill makes what depends on the chosen chart.
  function fill() {
    const chart = shown.charts.find((c) => c.csv && c.id === $('share-chart').value);
    $('share-embed').value = window.held
      ? 'This page is a single file, which other pages cannot embed. Open what follows # behind the address of a Spillway, and take the code there.'
      : embed($('share-as').value, shown, chart, window.tools.picture, tall(chart?.id));
    const hash = chart ? sha256(new TextEncoder().encode(chart.csv)) : '';
    const { text, bibtex } = cited(shown, chart, hash, $('version').textContent, new Date().toISOString().slice(0, 10));
    for (const button of document.querySelectorAll('[data-saves]')) button.disabled = !chart && button.dataset.saves !== 'bib';
    $('share-text').value = text;
    $('share-bibtex').value = bibtex;
  }

  // keep saves the chosen chart as a picture or a table, or how it is cited; each says where it is from.
  function keep(format) {
    const chart = shown.charts.find((c) => c.csv && c.id === $('share-chart').value);
    const name = `spillway-${[shown.lab, chart?.title].filter(Boolean).join(' ').toLowerCase().replace(/[^a-z0-9]+/g, '-').slice(0, 60)}`;
    const link = `${location.protocol === 'file:' ? '' : site()}#${shown.link}`;
    const [mime, text] = format === 'bib' ? ['application/x-bibtex', `${$('share-bibtex').value}\n`]
      : format === 'svg' ? ['image/svg+xml', window.tools.picture(chart.id, link, Number($('share-width').value))]
      : format === 'csv' ? ['text/csv', chart.csv]
      : [format === 'tex' ? 'application/x-tex' : 'text/markdown', tables(format, chart.table)];
    window.tools.save(`${name}.${format}`, mime, text);
  }

  async function copy(button) {
    const box = $(button.dataset.copies);
    const label = button.textContent;
    try {
      await navigator.clipboard.writeText(box.value);
      button.textContent = 'Copied';
    } catch {
      box.focus();
      box.select();
      button.textContent = 'Selected: press Ctrl+C';
    }
    button.dataset.label ??= label;
    clearTimeout(button.back);
    button.back = setTimeout(() => { button.textContent = button.dataset.label; }, 2000);
  }

  function start() {
    const dialog = $('share-dialog');
    window.tools.closesOutside(dialog);
    dialog.addEventListener('click', (e) => {
      const button = e.target.closest('[data-copies]');
      if (button) copy(button);
      const save = e.target.closest('[data-saves]');
      if (save) keep(save.dataset.saves);
    });
    $('share-close').addEventListener('click', () => dialog.close());
    for (const id of ['share-chart', 'share-as']) $(id).addEventListener('change', fill);
    for (const id of ['cite', 'help-share']) {
      $(id).addEventListener('click', () => {
        $('help-dialog').close();
        window.tools.shareAt = 'share-cite';
        window.tools.onShare?.();
      });
    }
    window.tools.share = open;
  }
  if (globalThis.document) start();

  return { sha256, embed, cited, tables, zip };
})();
