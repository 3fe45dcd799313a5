// Numbers and pictures to keep of the view that timeline.js draws. It comes when somebody first
// opens the numbers or saves something.

const { within, past, lasts, moment, amount, percent, escaped, top } = window.timeline.parts;

// numbersOf are the rows of the tables of what is in view.
function numbersOf(view) {
  const { run } = view, from = view.range?.[0] ?? view.from, to = view.range?.[1] ?? view.from + view.length, s = run.seconds;
  const cats = view.used();
  const totals = run.tracks.map((x) => {
    const part = within(run, x, from, to);
    return [x.name, ...cats.map((c) => { const k = x.used.indexOf(c); return k < 0 || !part[k] ? '' : `${lasts(part[k] * s)} (${percent(part[k] / (to - from))})`; })];
  });
  const due = run.tracks.filter((x) => x.for.length > 0).map((x) => {
    const sums = run.for.map(() => 0), end = past(x.begin, to);
    for (let i = Math.max(0, past(x.begin, from) - 1); i < end; i++) sums[x.for[i]] += Math.max(Math.min(x.end[i], to) - Math.max(x.begin[i], from), 0);
    return [x.name, ...sums.slice(1).map((t) => t ? `${lasts(t * s)} (${percent(t / (to - from))})` : '')];
  });
  let list = [], least = 0;
  run.tracks.forEach((x, track) => {
    const end = past(x.begin, to);
    for (let i = Math.max(0, past(x.begin, from) - 1); i < end; i++) {
      const d = x.end[i] - x.begin[i];
      if (x.end[i] < from || d < least) continue;
      list.push([d, track, i]);
      if (list.length > 4000) {
        list = list.sort((a, b) => b[0] - a[0]).slice(0, 200);
        least = list.at(-1)[0];
      }
    }
  });
  list = list.sort((a, b) => b[0] - a[0] || a[1] - b[1] || a[2] - b[2]).slice(0, 200);
  const fine = Math.max((to - from) * s / 1e4, 1e-12);
  const slices = list.map(([d, track, i]) => {
    const x = run.tracks[track];
    return [moment(x.begin[i] * s, fine, to * s), lasts(d * s), x.name, run.cats[x.cat[i]].label, x.step[i] >= 0 ? run.names[run.steps[x.step[i]]] : view.name(x, i), x.ref[i] >= 0 ? run.names[run.objects[x.ref[i]]] : '', x.unit && x.amount[i] ? amount(x.amount[i], x.unit) : ''];
  });
  const held = run.lives.flatMap((l) => [...l.begin.keys()].filter((i) => l.begin[i] < to && l.end[i] > from).sort((a, b) => l.amount[b] * (l.end[b] - l.begin[b]) - l.amount[a] * (l.end[a] - l.begin[a])).slice(0, 100)
    .map((i) => [l.ref[i] < 0 ? run.cats[l.cat[i]].label : run.names[run.objects[l.ref[i]]], run.cats[l.cat[i]].label, amount(l.amount[i], l.unit, 1024), moment(l.begin[i] * s, fine, to * s), lasts((l.end[i] - l.begin[i]) * s), run.groups[l.group].name]));
  return [[['Track', ...cats.map((c) => run.cats[c].label)], ...totals], [['Begins', 'Takes', 'Track', 'Kind', 'Name', 'About', 'Amount'], ...slices], held.length > 0 && [['Holds', 'Kind', 'Amount', 'From', 'For', 'Where'], ...held], due.length > 0 && [['Track', ...run.for.slice(1)], ...due]];
}

function tabulate(view) {
  const table = ([head, ...rows], caption) => `<table class="numbers"><caption>${caption}</caption><thead><tr>${head.map((h) => `<th scope="col">${escaped(h)}</th>`).join('')}</tr></thead><tbody>${rows.map((row) => `<tr>${row.map((v, i) => i === 0 ? `<th scope="row">${escaped(v)}</th>` : `<td>${escaped(v)}</td>`).join('')}</tr>`).join('')}</tbody></table>`;
  const [totals, slices, held, due] = numbersOf(view);
  view.table.innerHTML = table(totals, 'Time in view') + (due ? table(due, 'What it is due to') : '') + table(slices, slices.length > 200 ? 'The 200 longest in view' : 'What is in view, the longest first') + (held ? table(held, 'What takes most of the memory, for longest') : '');
}

function saveCSV(view) {
  const cell = (v) => /[",\n]/.test(v) ? `"${v.replaceAll('"', '""')}"` : v;
  view.options.save?.('csv', 'text/csv', numbersOf(view).filter(Boolean).map((rows) => rows.map((row) => row.map(cell).join(',')).join('\n')).join('\n\n') + '\n');
}

function savePNG(view) { view.canvas.toBlob((blob) => view.options.save?.('png', 'image/png', blob)); }

// saveSVG writes rows of the picture that are alike as one, a path a colour; what would be
// large is a picture inside. Texts are texts.
function saveSVG(view) {
  const { width, height, buffer, sharp } = view, paths = new Map(), { back } = view.paint;
  const same = (a, b) => { for (let x = 0; x < width; x++) if (buffer[a + x] !== buffer[b + x]) return false; return true; };
  for (let y = 0; y < height;) {
    let n = 1;
    while (y + n < height && same(y * width, (y + n) * width)) n++;
    for (let x = 0; x < width;) {
      const color = buffer[y * width + x];
      let w = 1;
      while (x + w < width && buffer[y * width + x + w] === color) w++;
      if (color !== back) paths.set(color, `${paths.get(color) ?? ''}M${x} ${y}h${w}v${n}h-${w}z`);
      x += w;
    }
    y += n;
  }
  const hex = (c) => `#${[c & 255, c >> 8 & 255, c >> 16 & 255].map((v) => v.toString(16).padStart(2, '0')).join('')}`;
  let plot = [...paths].map(([color, d]) => `<path fill="${hex(color)}" d="${d}"/>`).join('');
  if (plot.length > 300_000) {
    const inside = document.createElement('canvas');
    Object.assign(inside, { width, height });
    inside.getContext('2d').putImageData(view.picture, 0, 0);
    plot = `<image width="${width}" height="${height}" href="${inside.toDataURL()}"/>`;
  }
  // Texts as they are written on the canvas.
  let texts = '';
  const pen = {
    globalAlpha: 1, setLineDash() {}, beginPath() {}, moveTo() {}, lineTo() {}, stroke() {}, drawImage() {}, fillRect() {}, measureText: (text) => { view.context.font = pen.font; return view.context.measureText(text); },
    strokeRect: (x, y, w, h) => { texts += `<rect x="${x}" y="${y}" width="${w}" height="${h}" fill="none" stroke="${pen.strokeStyle}" stroke-width="2"/>`; },
    fillText: (text, x, y) => { texts += `<text x="${x.toFixed(1)}" y="${(y + 4).toFixed(1)}" style="font:${escaped(pen.font)}" fill="${pen.fillStyle}" text-anchor="${{ left: 'start', center: 'middle', right: 'end' }[pen.textAlign]}">${escaped(text)}</text>`; },
  };
  view.text(pen);
  const map = `<image x="${view.labels}" y="0" width="${view.wide - view.labels}" height="${view.map.height}" preserveAspectRatio="none" href="${view.map.toDataURL()}"/>`;
  view.options.save?.('svg', 'image/svg+xml', `<svg xmlns="http://www.w3.org/2000/svg" width="${view.wide}" height="${view.high}" viewBox="0 0 ${view.wide} ${view.high}"><title>${escaped(`Timeline of ${view.options.title}`)}</title><desc>${escaped(view.sentence.textContent)}</desc><rect width="100%" height="100%" fill="${view.css.panel}"/>${map}<g transform="translate(${view.labels} ${top}) scale(${1 / sharp})" shape-rendering="crispEdges">${plot}</g>${texts}</svg>\n`);
}

window.timeline.files = { tabulate, PNG: savePNG, SVG: saveSVG, CSV: saveCSV };
dispatchEvent(new Event('timeline-files.js'));
