// Draws the figures. Go says what is in them (ui/chart.Figure, as JSON, and its
// numbers in one array); this file alone knows the chart library. It makes the
// library's options, with the page's colors, tooltips, marks that can be picked,
// and the downloads.
'use strict';

window.charts = (() => {
  const figures = new Map(); // id to {element, ask, host, chart, last, shape, hidden}; ask returns {figure, data, title, note, results}
  const zooms = new Map(); // ids to [start, end], in percent: what the link says is zoomed into
  const pending = new Set(); // ids to draw, one a frame so that typing stays fluid
  let frame = 0;

  const DASHES = ['solid', 'dashed', 'dotted', [8, 3, 2, 3]];
  const MARKS = ['circle', 'rect', 'triangle', 'diamond'];
  const ENDS = 'ends'; // id of the series that carries the texts at the ends of bars
  const FADED = 0.35;

  // theme looks colors up, each once.
  function theme() {
    const style = getComputedStyle(document.documentElement);
    const known = new Map();
    const v = (name) => {
      if (!known.has(name)) known.set(name, style.getPropertyValue(name).trim());
      return known.get(name);
    };
    const family = v('--font');
    return { v, family, font: { fontFamily: family, fontSize: 12, color: v('--text-2') } };
  }

  // print writes a number with its unit. The program has the rule (ui/chart.Tip) and hands it
  // over before anything is drawn.
  let print = (x, unit) => `${x} ${unit ?? ''}`.trim();
  const number = (x) => print(x, '');

  // power writes the numbers of a logarithmic axis that reaches far.
  function power(x) {
    const k = Math.round(Math.log10(x));
    if (k === 0) return '1';
    return `10${[...String(k)].map((d) => (d === '-' ? '⁻' : '⁰¹²³⁴⁵⁶⁷⁸⁹'[d])).join('')}`;
  }

  function escape(text) {
    return String(text).replace(/[&<>"']/g, (c) => `&#${c.charCodeAt(0)};`);
  }

  // mixed is color over the panel's, as if it were seen through.
  function mixed(color, ground, share) {
    const parts = (c) => {
      const m = /^#([0-9a-f]{3}|[0-9a-f]{6})$/i.exec(c);
      if (!m) return null;
      const h = m[1].length === 3 ? [...m[1]].map((d) => d + d).join('') : m[1];
      return [0, 2, 4].map((i) => parseInt(h.slice(i, i + 2), 16));
    };
    const [a, b] = [parts(color), parts(ground)];
    if (!a || !b) return color;
    return `#${a.map((x, i) => Math.round(x * share + b[i] * (1 - share)).toString(16).padStart(2, '0')).join('')}`;
  }

  // over is the color, of two, that is read best on a ground.
  function over(ground, a, b) {
    const light = (c) => {
      const m = /^#(..)(..)(..)$/.exec(mixed(c, '#000000', 1));
      if (!m) return 0;
      const [r, g, bl] = m.slice(1).map((h) => (parseInt(h, 16) / 255) ** 2.2);
      return 0.2126 * r + 0.7152 * g + 0.0722 * bl + 0.05;
    };
    const on = light(ground);
    const contrast = (c) => Math.max(light(c) / on, on / light(c));
    return contrast(a) >= contrast(b) ? a : b;
  }

  // fill is how an area of this look is filled.
  function fill(t, look, faded) {
    const style = { color: t.v(look.color), opacity: faded ? FADED : 1 };
    if (look.pattern === 1) {
      style.decal = { symbol: 'rect', symbolSize: 1, dashArrayX: [1, 0], dashArrayY: [2, 5], rotation: -Math.PI / 4, color: t.v('--panel') };
    } else if (look.pattern === 2) {
      style.decal = { symbol: 'circle', symbolSize: 0.8, dashArrayX: [[4, 4], [0, 4, 4, 0]], dashArrayY: [4, 0], color: t.v('--panel') };
    } else if (look.pattern === 3) {
      style.decal = { symbol: 'rect', symbolSize: 1, dashArrayX: [1, 0], dashArrayY: [2, 4], color: t.v('--panel') };
    }
    return style;
  }

  // tile is the fill of an area of this look: its series have no decals.
  const tiles = new Map();
  function tile(color, line, pattern) {
    if (!pattern) return color;
    const key = [color, line, pattern].join();
    if (!tiles.has(key)) {
      const image = document.createElement('canvas');
      image.width = image.height = 8;
      const to = image.getContext('2d');
      to.fillStyle = color;
      to.fillRect(0, 0, 8, 8);
      to.fillStyle = to.strokeStyle = line;
      to.beginPath();
      if (pattern === 1) for (const x of [-8, 0, 8]) { to.moveTo(x, 8); to.lineTo(x + 8, 0); }
      else for (const [x, y] of [[2, 2], [6, 6]]) to.rect(x - 0.8, y - 0.8, 1.6, 1.6);
      if (pattern === 1) to.stroke();
      else to.fill();
      tiles.set(key, { image, repeat: 'repeat' });
    }
    return tiles.get(key);
  }

  const column = (data, [at, n]) => data.subarray(at, at + n);
  const pairs = (list) => Array.from({ length: list.length / 2 }, (_, i) => [list[2 * i], list[2 * i + 1]]);

  // Tooltips.

  const marker = (color) => `<i class="tip-mark" style="background:${color}"></i>`;

  function tip(head, rows) {
    if (rows.length === 0) return '';
    const lines = rows.map(([color, name, value]) => `<tr><td>${color ? marker(color) : ''}${escape(name)}</td><td class="value">${escape(value)}</td></tr>`);
    return `<div class="tip"><b>${escape(head)}</b><table>${lines.join('')}</table></div>`;
  }

  function tooltip(t, trigger, formatter) {
    return {
      trigger, formatter, confine: true,
      backgroundColor: t.v('--raised'), borderColor: t.v('--line'), textStyle: { ...t.font, color: t.v('--text') },
    };
  }

  // Axes.

  function axis(t, more) {
    const category = more.type === 'category';
    return {
      axisLine: { show: category, lineStyle: { color: t.v('--axis') } },
      splitLine: { show: !category, lineStyle: { color: t.v('--grid') } },
      nameTextStyle: t.font,
      ...more,
      axisLabel: {
        ...t.font, ...(category ? { color: t.v('--text'), fontSize: 12.5, width: 150, overflow: 'truncate' } : { formatter: number, hideOverlap: true }), ...more.axisLabel,
      },
    };
  }

  // legend shows names over the drawing; it returns how high that is.
  const pen = document.createElement('canvas').getContext('2d');
  function measure(text, font) {
    pen.font = `${font.fontSize}px ${font.fontFamily}`;
    return pen.measureText(text).width;
  }

  function legend(t, option, names, width, icon, hidden) {
    if (names.length === 0) return 0;
    let rows = 1;
    let x = 0;
    for (const name of names) {
      const w = measure(name, t.font) + 14 + 5 + 12;
      if (x > 0 && x + w > width - 10) { rows++; x = 0; }
      x += w;
    }
    option.legend = {
      top: 0, left: 0, data: names, textStyle: t.font, itemWidth: icon ? 14 : 22, itemHeight: 9, itemGap: 12, inactiveColor: t.v('--axis'),
      selected: Object.fromEntries(names.map((name) => [name, !hidden?.has(name)])),
    };
    if (icon) option.legend.icon = icon;
    return 20 * rows;
  }

  // base is what all charts have. They are painted at once, and nothing is left for later frames.
  function base(t) {
    return { animation: false, progressive: 0, textStyle: { fontFamily: t.family }, aria: { enabled: false } }; // the element has its own label
  }

  // Horizontal bars, one a row.
  function bars(b, data, t, width, hidden) {
    const option = base(t);
    const parts = b.parts.length > 1;
    const top = parts ? 10 + legend(t, option, b.parts.map((p) => p.name), width, 'roundRect', hidden) : 8;
    const ends = b.rows.map((r) => r.end);
    const values = b.parts.map((p) => column(data, p.values));
    const was = b.ghost ? new Map(pairs(column(data, b.ghost))) : null;
    const bands = new Map(); // of three runs with other random numbers
    for (let k = 0, list = b.band ? column(data, b.band) : []; k < list.length; k += 3) bands.set(list[k], [list[k + 1], list[k + 2]]);
    const longest = Math.max(0, ...ends.filter((_, i) => was?.has(i) || values.some((v) => v[i])).map((text) => measure(text, t.font)));
    option.grid = { left: 8, right: Math.max(76, 12 * Math.ceil((longest + 12) / 12)), top, bottom: 28, containLabel: true };
    option.xAxis = axis(t, { type: 'value', name: b.unit, nameLocation: 'middle', nameGap: 26, min: 0, max: b.max || null });
    option.yAxis = axis(t, { type: 'category', inverse: true, data: b.rows.map((r) => r.name), axisTick: { show: false }, axisLabel: b.wide && width > 420 ? { width: 190 } : b.from ? { inside: true, align: 'left', verticalAlign: 'bottom', padding: [0, 0, 6, 0], margin: 2, width: width - 30 } : {} });
    // A waterfall's bars begin where the one before ended: what is below them is not seen.
    const from = b.from && column(data, b.from);
    const to = from?.map((x, i) => x + values[0][i]);
    const place = { type: 'bar', stack: 'all', barMaxWidth: from && width <= 420 ? 9 : 22, // names stand over narrow ones
      ...(from && { stackStrategy: 'all' }) };
    const bare = { ...place, silent: true, tooltip: { show: false }, itemStyle: { color: 'transparent' } };
    if (from) {
      if (Math.min(...from, ...to) < 0) option.xAxis.min = null;
      values[0] = from.map((x, i) => Math.abs(to[i] - x));
    }
    option.series = b.parts.map((p, k) => ({
      ...place, id: `part-${k}`, name: p.name, itemStyle: p.look ? fill(t, p.look) : {},
      data: b.rows.map((r, i) => {
        if (r.look && !p.look) return { value: values[k][i], itemStyle: fill(t, r.look, r.faded) };
        return r.faded ? { value: values[k][i], itemStyle: { opacity: FADED } } : values[k][i];
      }),
    }));
    if (from) {
      const line = { color: t.v('--axis'), type: 'solid', width: 1 };
      const joints = Array.from(to.subarray(1), (_, i) => [{ coord: [to[i], i] }, { coord: [to[i], i + 1] }]);
      option.series.unshift({ ...bare, id: 'from', data: Array.from(from, (x, i) => Math.min(x, to[i])), markLine: { silent: true, symbol: 'none', label: { show: false }, lineStyle: line, data: joints } });
    }
    // The texts stand behind the end of the baseline or of the band where that is further out.
    const past = (i) => Math.max(0, Math.max(was?.get(i) ?? 0, bands.get(i)?.[1] ?? 0) - values.reduce((sum, v) => sum + v[i], 0));
    option.series.push({
      ...bare, id: ENDS, name: ENDS, data: b.rows.map((_, i) => past(i)),
      label: { ...t.font, show: true, position: 'right', color: t.v('--text'), formatter: (p) => ends[p.dataIndex] },
    });
    if (was) option.series.push(ghost(b, was, t));
    if (bands.size > 0) {
      option.series.push({
        id: 'bands', type: 'line', name: 'bands', silent: true, symbol: 'none', data: [], tooltip: { show: false },
        markLine: { silent: true, symbol: 'none', label: { show: false }, lineStyle: { color: t.v('--text'), type: 'solid', width: 2 }, data: [...bands].map(([row, [low, high]]) => [{ coord: [low, row] }, { coord: [high, row] }]) },
      });
    }
    if (b.limit) {
      const color = t.v('--limit');
      option.grid.top += 16;
      const ends = option.series.find((s) => s.id === ENDS);
      ends.z = 7;
      Object.assign(ends.label, { backgroundColor: t.v('--panel'), padding: [0, 2] });
      option.xAxis.max ??= (x) => Math.max(x.max, 1.02 * b.limit.at);
      option.series.push({
        id: 'limit', type: 'line', name: 'limit', silent: true, symbol: 'none', data: [], itemStyle: { color }, tooltip: { show: false },
        markLine: {
          silent: true, symbol: 'none', lineStyle: { color, type: 'solid', width: 1.5 }, data: [{ xAxis: b.limit.at }],
          label: { ...t.font, position: 'start', rotate: 0, color, formatter: () => b.limit.text },
        },
      });
    }
    if (b.room) option.series.push(room(b, option, t, width, Math.max(0, ...b.rows.map((_, i) => values.reduce((sum, v) => sum + v[i], 0)))));
    option.tooltip = tooltip(t, 'axis', (items) => {
      const row = b.rows[items[0].dataIndex];
      const rows = b.parts.map((p, k) => [t.v((p.look ?? row.look).color), p.name, values[k][items[0].dataIndex]])
        .filter(([, name, x]) => x !== 0 && !hidden.has(name))
        .map(([color, name, x]) => [color, name, print(x, b.unit)]);
      if (from) rows[0] = ['', row.end, ''];
      if (rows.length === 0) rows.push(['', row.end, '']);
      if (row.faded) rows.push(['', 'of other settings', '']);
      if (bands.has(items[0].dataIndex)) rows.push(['', 'With three seeds', bands.get(items[0].dataIndex).map((x) => print(x, b.unit)).join(' to ')]);
      if (was?.has(items[0].dataIndex)) rows.push(['', 'Baseline', print(was.get(items[0].dataIndex), b.unit)]);
      return tip(row.name, rows);
    });
    option.tooltip.axisPointer = { type: 'shadow' };
    return { option, shape: ['bars', b.unit, b.max, Boolean(from), Boolean(was), bands.size, Boolean(b.limit), Boolean(b.room), b.parts.map((p) => p.name)] };
  }

  // room draws the best possible, a thin line, and the band from it to the best that is known.
  function room(b, option, t, width, longest) {
    const { least, known, text } = b.room;
    const color = t.v('--text');
    Object.assign(option.series.find((s) => s.id === ENDS).label, { textBorderColor: t.v('--panel'), textBorderWidth: 3 });
    if (least > longest) option.xAxis.max ??= (x) => Math.max(x.max, 1.02 * least);
    // Its text stands to the right of the line where there is room, and in two lines where
    // neither side has enough.
    const names = Math.max(0, ...b.rows.map((r) => measure(r.name, t.font))) + option.grid.left;
    const at = names + (width - names - option.grid.right) * least / (b.max || Math.max(least, longest));
    const right = width - at;
    const long = measure(text, t.font) + 12;
    const aside = right > long || right > at ? { align: 'left', space: right } : { align: 'right', space: at };
    option.grid.top += aside.space < long ? 31 : 16;
    return {
      id: 'room', type: 'line', name: 'room', silent: true, symbol: 'none', data: [], itemStyle: { color }, tooltip: { show: false },
      markArea: { silent: true, z: 0, itemStyle: { color: t.v('--room') }, data: [[{ xAxis: Math.min(least, known) }, { xAxis: Math.max(least, known) }]] },
      markLine: {
        silent: true, symbol: 'none', lineStyle: { color, type: 'solid', width: 1 }, data: [{ xAxis: least }],
        label: { ...t.font, position: 'start', rotate: 0, color, align: aside.align, width: aside.space - 12, overflow: 'break', lineHeight: 15, formatter: () => text },
      },
    };
  }

  // ghost draws the baseline's bars: an outline, or of sums a mark at their end.
  function ghost(b, was, t) {
    const color = t.v('--text');
    const one = { id: 'ghost', name: 'Baseline', silent: true, z: 5, tooltip: { show: false } };
    if (b.parts.length > 1) {
      return { ...one, type: 'scatter', symbol: 'rect', symbolSize: [2.5, 24], itemStyle: { color, borderColor: t.v('--panel'), borderWidth: 0.8 }, data: [...was].map(([row, x]) => [x, row]) };
    }
    return {
      ...one, type: 'bar', stack: 'ghost', barGap: '-100%', barMaxWidth: 22,
      itemStyle: { color: 'transparent', borderColor: color, borderWidth: 1.2, borderType: [4, 3] }, data: b.rows.map((_, i) => was.get(i) ?? '-'),
    };
  }

  // Upright bars in groups, published values as ticks across them.
  function columns(c, data, t, width, hidden) {
    const option = base(t);
    const ticks = column(data, c.ticks);
    const names = c.kinds.map((k) => k.name);
    const small = { ...t.font, fontSize: 10.5 };
    const published = c.notes.some((n) => n.text === '?') ? 'Published (?: doubted)' : 'Published';
    const top = 32 + legend(t, option, ticks.length > 0 ? [...names, published] : names, width, 'roundRect', hidden);
    const place = (at) => `${c.groups.find((g) => at >= g.at && at < g.at + g.n)?.name ?? ''} ${c.labels[at]}`;
    const longest = Math.max(0, ...c.labels.map((text) => measure(text, t.font)));
    option.grid = { left: 8, right: 8, top, bottom: 8, containLabel: true };
    option.xAxis = [
      axis(t, { type: 'category', data: c.labels, axisTick: { show: false }, axisLabel: { rotate: 90, interval: 0, width: 112, fontSize: 12 } }),
      axis(t, { type: 'category', data: c.groups.map((g) => g.name), position: 'bottom', offset: Math.min(longest, 112) + 16, axisTick: { show: false }, axisLine: { show: false }, axisLabel: { interval: 0, fontWeight: 600 } }),
    ];
    option.yAxis = vertical(t, c.y, c.y.name, c.y.log && far([ticks.filter((_, i) => i % 2 === 1), ...c.kinds.map((k) => column(data, k.values))]));
    option.series = c.kinds.map((k, i) => ({
      id: `kind-${i}`, type: 'bar', name: k.name, barMaxWidth: 20, barCategoryGap: '25%', barGap: '-100%', stack: c.stacked ? 'all' : null,
      itemStyle: fill(t, k.look), data: Array.from(column(data, k.values), (x) => (Number.isNaN(x) ? '-' : x)),
    }));
    // A note stands on its bar, or in it where there is no room over it.
    const highest = c.y.max ?? Math.max(0, ...c.notes.map((n) => n.over ?? 0), ...Array.from(ticks).filter((_, i) => i % 2 === 1));
    const note = (n) => {
      const value = [n.at, n.over ?? c.y.min ?? 0];
      if (n.text.length === 1) return { value, label: { rotate: 0, align: 'center', fontSize: 13 } };
      if (n.over > 0.6 * highest) return { value, label: { position: 'bottom', align: 'right', backgroundColor: t.v('--panel'), padding: 2 } };
      return { value };
    };
    option.series.push({
      id: 'ticks', type: 'scatter', name: published, symbol: 'rect', symbolSize: [Math.min(20, 0.85 * (width - 50) / Math.max(1, c.labels.length)), 3], z: 5, data: c.tickNames.map((_, i) => [ticks[2 * i], ticks[2 * i + 1]]),
      itemStyle: { color: t.v('--text'), borderColor: t.v('--panel'), borderWidth: 0.5 },
    }, {
      id: 'notes', type: 'scatter', name: 'notes', symbolSize: 1, silent: true, z: 6, data: c.notes.map(note), itemStyle: { color: 'transparent' },
      label: { ...small, show: true, rotate: 90, position: 'top', align: 'left', verticalAlign: 'middle', color: t.v('--text'), formatter: (p) => c.notes[p.dataIndex].text },
    });
    option.tooltip = tooltip(t, 'item', (item) => {
      if (item.seriesId === 'ticks') return tip(c.tickNames[item.dataIndex], [['', 'Published', print(item.value[1], c.y.unit)]]);
      return tip(place(item.dataIndex), [[item.color, c.stacked ? item.seriesName : 'Here', print(item.value, c.y.unit)]]);
    });
    return { option, shape: ['columns', c.labels, c.groups, names, published, c.y, c.stacked] };
  }

  // far reports whether values reach so far that an axis should say powers of ten.
  function far(lists) {
    let high = 0;
    let low = Infinity;
    for (const list of lists) {
      for (const x of list) {
        if (x > high) high = x;
        if (x > 0 && x < low) low = x;
      }
    }
    return high >= 5e4 || low < 5e-4;
  }

  function vertical(t, y, name, powers, more) {
    return axis(t, {
      type: y.log ? 'log' : 'value', logBase: y.log ? 10 : undefined, name, nameLocation: 'end', nameGap: 8, nameTextStyle: { ...t.font, align: 'left' },
      min: y.min ?? null, max: y.max ?? null, axisLabel: powers ? { formatter: power } : {}, ...more,
    });
  }

  // at is the value of a series at x, undefined where it has none.
  function at(points, x, step) {
    let low = 0;
    let high = points.length / 2; // the first point behind x
    while (low < high) {
      const mid = (low + high) >> 1;
      if (points[2 * mid] <= x) low = mid + 1;
      else high = mid;
    }
    const i = low - 1;
    if (i < 0) return undefined;
    const [px, py] = [points[2 * i], points[2 * i + 1]];
    if (Number.isNaN(py)) return undefined;
    if (px === x || step && low < points.length / 2) return py;
    if (low === points.length / 2) return undefined;
    return py + (points[2 * low + 1] - py) * (x - px) / (points[2 * low] - px);
  }

  // across lists what is at x in one panel.
  function across(p, data, t, panel, x, hidden) {
    const rows = [];
    let below;
    let sum = 0;
    for (const s of p.series) {
      if (!p.together && (s.panel ?? 0) !== panel || hidden.has(s.name.replace(/, published$/, ''))) continue;
      const points = column(data, s.points);
      let y;
      if (s.shape === 'rings') {
        for (let i = 0; i < points.length; i += 2) if (Math.abs(points[i] - x) <= 1e-9 * Math.abs(x)) y = points[i + 1];
      } else if (s.shape !== 'marks' && s.shape !== 'dots') {
        y = at(points, x, s.shape === 'step');
      }
      if (y === undefined || Number.isNaN(y)) continue;
      if (p.together && rows.some((r) => r.s.name === s.name && r.s.ghost === s.ghost)) continue; // in every small chart
      if (s.shape === 'area') {
        const own = y - (below ? at(below, x) ?? 0 : 0);
        below = points;
        sum = y;
        rows.push({ s, y: own });
      } else {
        rows.push({ s, y });
      }
    }
    if (below) {
      rows.reverse(); // as they stand on one another
      if (rows.length > 1) rows.push({ y: sum });
    } else {
      rows.sort((a, b) => b.y - a.y);
    }
    const shown = rows.map(({ s, y }) => [s ? t.v(s.look.color) : '', s ? s.name + (s.faded ? ' (of other settings)' : s.ghost ? ' (baseline)' : s.doubted ? ', doubted' : '') : 'Together', print(y, p.y.unit)]);
    if (p.limit && shown.length > 0) shown.push([t.v('--limit'), p.limit.text, '']);
    return tip(`${p.names[panel] && !p.together ? `${p.names[panel]}, ` : ''}${p.x.name ? `${p.x.name}: ` : ''}${p.x.labels ? place(p.x, x) : number(x)}`, shown);
  }

  // band is what lies between the best possible and the best system, or between the lowest and
  // the highest of other seeds: x and two edges of each point.
  function band(points, id, color, opacity) {
    const edges = [[], []];
    for (let i = 0; i < points.length; i += 3) {
      edges[0].push([points[i], points[i + 1]]);
      edges[1].push([points[i], points[i + 2] - points[i + 1]]);
    }
    return edges.map((list, k) => ({
      id: `${id}-${k}`, name: id, type: 'line', stack: id, silent: true, symbol: 'none', z: 0, data: list, lineStyle: { opacity: 0 }, itemStyle: { color }, tooltip: { show: false },
      ...(k === 1 ? { areaStyle: { color, opacity } } : {}),
    }));
  }

  // place is what a place of an axis of places is called; between two there is nothing.
  const place = (x, at) => (Math.abs(at - Math.round(at)) < 1e-6 ? x.labels[Math.round(at)] ?? '' : '');

  // sparse picks a few points of a line to carry its mark, elsewhere on every line.
  function sparse(points, k) {
    const n = points.length / 2;
    const out = [];
    for (let i = 0; i < 5; i++) {
      const j = Math.floor((i + (k * 0.618) % 1) / 5 * n);
      if (!Number.isNaN(points[2 * j + 1])) out.push([points[2 * j], points[2 * j + 1]]);
    }
    return out;
  }

  // Curves, in one chart or in small ones side by side.
  function panels(p, data, t, width, height, hidden) {
    const option = base(t);
    const n = p.names.length;
    const single = n === 1 && p.names[0] === '';
    const legends = legend(t, option, p.legend, width, null, hidden);
    const areas = new Set(p.series.filter((s) => s.shape === 'area').map((s) => s.name));
    if (areas.size > 0) Object.assign(option.legend, { itemWidth: 14, data: p.legend.map((name) => (areas.has(name) ? { name, icon: 'roundRect' } : name)) });
    const top = legends + 26;
    const perRow = n === 4 || p.together ? 2 : Math.min(3, Math.max(n, 1));
    const rowHeight = (height - legends) / Math.ceil(n / perRow);
    const item = p.series.some((s) => s.shape === 'dots');
    const all = p.series.map((s) => column(data, s.points));
    const powersY = p.y.log && far(all.map((c) => c.filter((_, i) => i % 2 === 1)));
    const powersX = p.x.log && far(all.map((c) => c.filter((_, i) => i % 2 === 0)));
    option.grid = [];
    option.xAxis = [];
    option.yAxis = [];
    p.names.forEach((name, k) => {
      const share = 100 / perRow;
      option.grid.push(single ? { left: 8, right: 20, top, bottom: 28, containLabel: true } : {
        left: `${k % perRow * share}%`, width: `${share - 2}%`, containLabel: true, top: top + Math.floor(k / perRow) * rowHeight, height: rowHeight - 50,
      });
      option.xAxis.push(axis(t, {
        gridIndex: k, type: p.x.log ? 'log' : 'value', logBase: p.x.log ? 10 : undefined, name: p.x.name, nameLocation: 'middle', nameGap: single ? 26 : 22,
        min: p.x.min ?? (p.x.log ? null : 'dataMin'), max: p.x.max ?? (p.x.log ? null : 'dataMax'),
        axisLabel: { hideOverlap: true, showMaxLabel: single && p.x.max !== undefined && p.x.max !== Math.round(p.x.max) ? false : null, ...(powersX ? { formatter: power } : {}), ...(p.x.labels ? { formatter: (x) => place(p.x, x), showMaxLabel: true } : {}) },
        ...(p.x.labels ? { interval: 1, splitLine: { show: false } } : {}),
      }));
      option.yAxis.push(vertical(t, p.y, single ? p.y.name : [name, p.y.name].filter(Boolean).join(', '), powersY, { gridIndex: k }));
    });
    option.series = [];
    p.series.forEach((s, k) => {
      const points = all[k];
      const color = t.v(s.look.color);
      const seen = s.faded ? FADED : 1;
      const one = { id: `${s.ghost ? 'ghost' : 'series'}-${k}`, name: s.name, xAxisIndex: s.panel ?? 0, yAxisIndex: s.panel ?? 0, dimensions: ['x', 'y'], data: points.length > 0 ? points : [] };
      const symbol = MARKS[s.look.mark ?? 0];
      const few = points.length <= 24;
      switch (s.shape) {
        case 'line':
        case 'step':
          Object.assign(one, {
            type: 'line', step: s.shape === 'step' ? 'end' : false, symbol, symbolSize: 5, showSymbol: few && !s.ghost, itemStyle: { color, opacity: seen },
            lineStyle: s.ghost ? { color, width: 1, type: [3, 3] } : { color, width: single ? 1.6 : 1.8, type: DASHES[s.look.pattern ?? 0], opacity: seen },
          });
          break;
        case 'area': { // opaque, the highest first
          const fillColor = s.faded ? mixed(color, t.v('--panel'), FADED) : color;
          Object.assign(one, {
            type: 'line', symbol: 'none', itemStyle: { color: fillColor }, lineStyle: { color: t.v('--panel'), width: 0.5 }, areaStyle: { color: tile(fillColor, t.v('--panel'), s.look.pattern), opacity: 1 }, z: 3 - k / p.series.length,
          });
          break;
        }
        case 'dots':
          Object.assign(one, { type: 'scatter', symbolSize: 3, large: points.length > 4000, itemStyle: { color, opacity: 0.5 } });
          break;
        case 'rings':
          Object.assign(one, { type: 'scatter', symbol: 'circle', symbolSize: 7, itemStyle: { color: 'transparent', borderColor: color, borderWidth: 1.6 }, z: 4, label: { ...t.font, show: Boolean(s.doubted), position: 'top', distance: 2, color: t.v('--text'), formatter: '?' } });
          break;
        case 'marks':
          Object.assign(one, {
            type: 'scatter', symbol: 'diamond', symbolSize: 11, z: 6, cursor: 'pointer', itemStyle: { color, borderColor: t.v('--panel'), borderWidth: 1, opacity: seen },
            tooltip: { trigger: 'item', formatter: (i) => tip(s.name, [['', p.x.name, number(i.value[0])], ['', p.y.name, print(i.value[1], p.y.unit)]]) },
          });
          break;
      }
      option.series.push(one);
      if (s.band) option.series.push(...band(column(data, s.band), `band-${k}`, color, 0.18));
      if (!few && single && !s.ghost && (s.shape === 'line' || s.shape === 'step')) {
        option.series.push({
          id: `mark-${k}`, type: 'scatter', name: s.name, silent: true, symbol, symbolSize: 6, data: sparse(points, k), z: 4, tooltip: { trigger: 'none' },
          itemStyle: { color, opacity: seen, borderColor: t.v('--panel'), borderWidth: 0.8 },
        });
      }
    });
    if (p.room) option.series.push(...band(column(data, p.room), 'room', t.v('--room'), 1));
    if (p.limit) {
      const color = t.v('--limit');
      p.names.forEach((_, k) => option.series.push({
        // The point that nobody sees makes the axis reach the line.
        id: k === 0 ? 'limit' : `limit-${k}`, type: 'line', name: 'limit', silent: true, symbol: 'none', data: [[p.x.min ?? 0, p.limit.at]], itemStyle: { color }, tooltip: { trigger: 'none' },
        xAxisIndex: k, yAxisIndex: k,
        markLine: {
          silent: true, symbol: 'none', lineStyle: { color, type: 'solid', width: 1.5 }, data: [{ yAxis: p.limit.at }],
          label: { ...t.font, show: k === 0, position: 'insideEndTop', color, formatter: () => p.limit.text },
        },
      }));
    }
    if (p.here) {
      const color = t.v('--text-2');
      option.series.push({
        id: 'here', type: 'line', name: 'here', silent: true, symbol: 'none', data: [], itemStyle: { color }, tooltip: { trigger: 'none' },
        markLine: {
          silent: true, symbol: 'none', lineStyle: { color, type: 'dashed', width: 1 }, data: [{ xAxis: p.here.at }],
          label: { ...t.font, position: 'insideEndTop', rotate: 0, align: p.here.at > ((p.x.min ?? 0) + (p.x.max ?? 0)) / 2 ? 'right' : 'left', verticalAlign: 'top', padding: [10, 6, 0, 6], color, formatter: () => p.here.text },
        },
      });
    }
    if (p.zoom) option.dataZoom = [{ type: 'inside', zoomOnMouseWheel: 'ctrl', moveOnMouseMove: 'shift', moveOnMouseWheel: false, preventDefaultMouseMove: false, filterMode: 'none', xAxisIndex: p.names.map((_, k) => k) }];
    if (p.together) option.axisPointer = { link: [{ xAxisIndex: 'all' }] };
    option.tooltip = item
      ? tooltip(t, 'item', (i) => tip([p.names[p.series[i.seriesIndex]?.panel ?? 0], i.seriesName].filter(Boolean).join(', '), [['', p.x.name, number(i.value[0])], ['', p.y.name, print(i.value[1], p.y.unit)]]))
      : tooltip(t, 'axis', (items) => across(p, data, t, items[0].axisIndex, items[0].axisValue, hidden));
    return { option, shape: ['panels', p.names, p.x.name, p.x.log, p.y.name, p.y.log, option.series.map((s) => [s.id, s.name, s.type]), powersX, powersY] };
  }

  // Maps of two knobs: a cell for every pair of points.
  function heat(h, data, t, width, height, hidden) {
    const option = base(t);
    const n = h.names.length;
    const [nx, ny] = [h.x.labels.length, h.y.labels.length];
    const all = column(data, h.values);
    const who = h.looks.length > 0 ? column(data, h.who) : null;
    const present = who ? h.looks.filter((_, i) => who.includes(i)) : [];
    const top = 30 + legend(t, option, present.map((k) => k.name), width, 'roundRect', hidden);
    const perRow = n === 4 ? 2 : Math.min(3, n); // as ui/chart counts rows
    const rowHeight = (height - top + 26) / Math.ceil(n / perRow);
    let low = Infinity;
    let high = -Infinity;
    for (const v of all) {
      if (v < low) low = v;
      if (v > high) high = v;
    }
    const share = (v) => (high > low ? (v - low) / (high - low) : 0.5);
    const left = 34 + Math.min(110, Math.max(...h.y.labels.map((text) => measure(text, t.font))));
    const inner = width / perRow - left - 12;
    const cell = [inner / nx, (rowHeight - 74) / ny];
    option.grid = [];
    option.xAxis = [];
    option.yAxis = [];
    option.series = [];
    // A cell with this text needs so much room.
    const room = (text) => cell[1] >= 14 && cell[0] >= measure(text, t.font) + 6;
    h.names.forEach((name, k) => {
      option.grid.push({ left: (k % perRow) * (width / perRow) + left, width: inner, top: top + Math.floor(k / perRow) * rowHeight, height: rowHeight - 74 });
      option.xAxis.push(axis(t, { gridIndex: k, type: 'category', data: h.x.labels, name: h.x.name, nameLocation: 'middle', nameGap: 24, axisTick: { show: false }, axisLabel: { width: undefined, fontSize: 12, hideOverlap: true } }));
      option.yAxis.push(axis(t, { gridIndex: k, type: 'category', data: h.y.labels, name: n > 1 ? `${name} · ${h.y.name}` : h.y.name, nameLocation: 'end', nameGap: 8, nameTextStyle: { ...t.font, align: 'left', padding: [0, 0, 0, 8 - left] }, axisTick: { show: false }, axisLabel: { width: 110, fontSize: 12, hideOverlap: true } }));
      const cells = (keep) => {
        const list = [];
        for (let i = 0; i < nx * ny; i++) {
          const at = k * nx * ny + i;
          if (!keep(at)) continue;
          const v = all[at];
          const text = Number.isNaN(v) ? h.marks[at] : who ? h.looks[who[at]].name : number(v);
          const color = Number.isNaN(v) ? t.v('--bg') : who ? t.v(h.looks[who[at]].look.color) : mixed(t.v('--accent'), t.v('--panel'), 0.06 + 0.94 * share(v));
          list.push({
            value: [i % nx, Math.floor(i / nx)], at, itemStyle: who && !Number.isNaN(v) ? fill(t, h.looks[who[at]].look) : { color },
            label: { ...t.font, show: text !== '' && room(text), color: over(color, t.v('--text'), t.v('--panel')), formatter: () => text },
          });
        }
        return list;
      };
      const series = (id, title, keep, look) => option.series.push({
        id: `${id}-${k}`, name: title, itemStyle: look ? fill(t, look) : {}, type: 'scatter', xAxisIndex: k, yAxisIndex: k, symbol: 'rect', symbolSize: [Math.max(1, cell[0] - 1), Math.max(1, cell[1] - 1)], data: cells(keep),
      });
      if (who) {
        present.forEach((p) => { const i = h.looks.indexOf(p); series(`cells${i}`, p.name, (at) => who[at] === i, p.look); });
        series('none', '', (at) => who[at] < 0);
      } else {
        series('cells', name, () => true);
      }
      if (h.here.length === 2) {
        option.series.push({
          id: `here-${k}`, name: 'now', type: 'scatter', xAxisIndex: k, yAxisIndex: k, symbol: 'rect', silent: true, z: 6, data: [h.here], tooltip: { show: false },
          symbolSize: [Math.max(1, cell[0] - 3), Math.max(1, cell[1] - 3)], itemStyle: { color: 'transparent', borderColor: t.v('--text'), borderWidth: 2 },
        });
      }
    });
    option.tooltip = tooltip(t, 'item', (i) => {
      const v = all[i.data.at];
      const rows = [[i.color, who ? i.seriesName : h.names[i.seriesId.split('-')[1]], Number.isNaN(v) ? h.marks[i.data.at] : print(v, h.unit)]];
      return tip(`${h.x.name}: ${h.x.labels[i.value[0]]}, ${h.y.name}: ${h.y.labels[i.value[1]]}`, rows);
    });
    return { option, shape: ['heat', h.names, h.x, h.y, option.series.map((s) => s.id)] };
  }

  // Grids of many small cells, each of a class: a series a class, so that the
  // legend says what they are and hides them.
  function cells(h, data, t, width, height, hidden) {
    const option = base(t);
    const n = h.names.length;
    const [nx, ny] = [h.x.labels.length, h.y.labels.length];
    const who = column(data, h.who);
    const first = h.picks ? column(data, h.picks) : null;
    const top = 30 + legend(t, option, h.looks.map((k) => k.name), width, 'roundRect', hidden);
    option.legend.itemStyle = { borderColor: t.v('--axis'), borderWidth: 0.5 };
    const left = 34 + Math.min(110, Math.max(...h.y.labels.map((text) => measure(text, t.font))));
    const inner = width / n - left - 12;
    const high = height - top - 44;
    const [w, tall] = [inner / nx, high / ny];
    const gap = (size) => (size >= 8 ? size - 1 : size + 0.4); // small ones lie over each other a little, without seams
    option.grid = [];
    option.xAxis = [];
    option.yAxis = [];
    option.series = [];
    h.names.forEach((name, k) => {
      option.grid.push({ left: k * (width / n) + left, width: inner, top, height: high, show: true, borderColor: t.v('--axis'), borderWidth: 1, backgroundColor: t.v('--panel') });
      option.xAxis.push(axis(t, { gridIndex: k, type: 'category', data: h.x.labels, name: h.x.name, nameLocation: 'middle', nameGap: 24, axisTick: { show: false }, axisLine: { show: false }, axisLabel: { width: undefined, fontSize: 12, color: t.v('--text-2'), hideOverlap: true } }));
      option.yAxis.push(axis(t, { gridIndex: k, type: 'category', inverse: true, data: h.y.labels, name: name ? `${name} · ${h.y.name}` : h.y.name, nameLocation: 'start', nameGap: 8, nameTruncate: { maxWidth: width / n - 16 }, nameTextStyle: { ...t.font, align: 'left', padding: [0, 0, 0, 8 - left] }, axisTick: { show: false }, axisLine: { show: false }, axisLabel: { width: 110, fontSize: 12, color: t.v('--text-2'), hideOverlap: true } }));
      h.looks.forEach((look, c) => {
        const points = [];
        for (let i = 0; i < nx * ny; i++) if (who[k * nx * ny + i] === c) points.push([i % nx, Math.floor(i / nx)]);
        option.series.push({
          id: `cells-${k}-${c}`, name: look.name, type: 'scatter', xAxisIndex: k, yAxisIndex: k, symbol: 'rect', symbolSize: [gap(w), gap(tall)], clip: false,
          cursor: first ? 'pointer' : 'default', emphasis: { disabled: true }, itemStyle: fill(t, look.look), data: points,
        });
      });
    });
    if (h.here.length === 2) {
      option.series.push({
        id: 'here', name: 'now', type: 'scatter', symbol: 'rect', silent: true, z: 6, data: [h.here], tooltip: { show: false },
        symbolSize: [Math.max(7, w + 3), Math.max(7, tall + 3)], itemStyle: { color: 'transparent', borderColor: t.v('--accent'), borderWidth: 2.5 },
      });
    }
    option.tooltip = tooltip(t, 'item', (i) => {
      const rows = [[i.color, i.seriesName, '']];
      if (h.names.length > 1) rows[0][2] = h.names[Number(i.seriesId.split('-')[1])];
      return tip(`${h.y.name} ${h.y.labels[i.value[1]]}, ${h.x.name} ${h.x.labels[i.value[0]]}`, rows);
    });
    return { option, shape: ['cells', h.names, nx, ny, h.x.name, h.y.name, h.looks.map((k) => k.name), h.here.length] };
  }

  // options makes the library's options of a figure. Figures of the same shape
  // differ in numbers only.
  function options(figure, data, t, width, height, hidden) {
    if (figure.bars) return bars(figure.bars, data, t, width, hidden);
    if (figure.columns) return columns(figure.columns, data, t, width, hidden);
    if (figure.heat?.dense) return cells(figure.heat, data, t, width, height, hidden);
    if (figure.heat) return heat(figure.heat, data, t, width, height, hidden);
    if (figure.panels) return panels(figure.panels, data, t, width, height, hidden);
    return { option: base(t), shape: [] };
  }

  // lower moves everything down, for a title.
  function lower(option, pixels) {
    for (const grid of [option.grid ?? []].flat()) grid.top += pixels;
    if (option.legend) option.legend.top += pixels;
  }

  function open(id, f) {
    f.host = document.createElement('div');
    f.host.className = 'plot-host';
    f.element.replaceChildren(f.host);
    // The library takes every turn of the wheel over a chart that can be zoomed
    // into, also those that it then does nothing with; the page shall scroll.
    for (const kind of ['wheel', 'mousewheel']) {
      f.host.addEventListener(kind, (e) => { if (!e.ctrlKey) e.stopPropagation(); }, { capture: true, passive: true });
    }
    f.chart = echarts.init(f.host, null, { renderer: 'canvas' });
    f.chart.on('legendselectchanged', (e) => {
      f.hidden.clear();
      for (const [name, on] of Object.entries(e.selected)) if (!on) f.hidden.add(name);
    });
    f.chart.on('click', (e) => {
      if (f.last?.figure.bars) look(f, e.dataIndex, e.seriesIndex);
      const picks = f.last?.figure.heat?.picks;
      if (picks && /^cells-/.test(e.seriesId ?? '')) {
        window.tools?.onPick?.(id, column(f.last.data, picks)[e.value[1]] + e.value[0] * (f.last.figure.heat.step || 1));
        return;
      }
      const s = f.last?.figure.panels?.series[Number(/^series-(\d+)$/.exec(e.seriesId ?? '')?.[1] ?? -1)];
      if (s?.shape !== 'marks') return;
      const value = column(f.last.data, s.picks)[e.dataIndex];
      if (value === undefined) return;
      f.picked = e.event.event;
      window.tools?.onPick?.(id, value);
    });
    // A press somewhere on a curve over a run leads to that place of the run. The library itself
    // drops a click where what is under the pointer has changed since it was pressed.
    let down;
    f.host.addEventListener('pointerdown', (e) => { down = e; });
    f.host.addEventListener('click', (e) => {
      if (down && Math.hypot(e.clientX - down.clientX, e.clientY - down.clientY) > 4) return; // a drag
      const { panels } = f.last?.figure ?? {}, box = f.host.getBoundingClientRect(), at = [e.clientX - box.left, e.clientY - box.top];
      const k = e !== f.picked && panels ? panels.names.findIndex((_, gridIndex) => f.chart.containPixel({ gridIndex }, at)) : -1;
      if (k >= 0) lookAt(f, panels.names[k], f.chart.convertFromPixel({ gridIndex: k }, at)[0]);
    });
    // For the mouse alone, as an image has no buttons in it: the keyboard has 0.
    const all = document.createElement('span');
    Object.assign(all, { className: 'show-all', textContent: 'Show all', title: 'Leave the part that was zoomed into (double click)' });
    all.addEventListener('click', () => reset(f));
    f.element.append(all);
    f.chart.on('datazoom', () => {
      const zoom = f.chart.getOption().dataZoom?.[0];
      if (!zoom) return;
      const is = [zoom.start, zoom.end].map((x) => Math.round(100 * x) / 100);
      const zoomed = is[0] > 0 || is[1] < 100;
      f.host.dataset.zoomed = String(zoomed);
      if (zoomed) zooms.set(id, is);
      else zooms.delete(id);
      clearTimeout(f.telling); // one wheel turns many times
      f.telling = setTimeout(() => window.tools?.onZoom?.(id, Math.round(100 * is[0]), Math.round(100 * is[1])), 200);
    });
    f.chart.getZr().on('dblclick', () => reset(f));
    f.observer = new ResizeObserver(() => {
      if (f.host.clientWidth === f.chart?.getWidth() && f.host.clientHeight === f.chart?.getHeight()) return;
      f.chart?.resize();
      schedule(id);
    });
    f.observer.observe(f.element);
  }

  // look opens a run over time where a place of the chart leads: to the wait that a part of a bar
  // is, or to a moment or step of a curve. Without a part it is the largest of the bar. A step of a
  // waterfall is a wait of whoever it costs: what is less the first total's, what is more the last's.
  function look(f, index, series) {
    const { figure: { opens, bars, panels }, data } = f.last;
    if (opens && bars?.rows[index]) {
      const size = (p) => column(data, p.values)[index];
      const part = bars.from ? bars.rows[index] : bars.parts[series] ?? bars.parts.toSorted((a, b) => size(b) - size(a))[0];
      const of = !bars.from ? index : index && size(bars.parts[0]) > 0 ? bars.rows.length - 1 : 0;
      window.tools?.onLook?.(bars.rows[of].name, `w${part.name.toLowerCase().replace(/[^a-z0-9]/g, '')}`);
    } else if (panels?.series[series]) {
      lookAt(f, panels.names[panels.series[series].panel ?? 0], column(data, panels.series[series].points)[2 * index]);
    }
  }

  function lookAt(f, title, x) {
    const { opens } = f.last.figure;
    if (opens) window.tools?.onLook?.(title, opens === 'k' ? `k${Math.round(x).toString(36)}` : `t${Math.round(x * (opens === 's' ? 1e12 : 1e9)).toString(36)}`);
  }

  function reset(f) {
    if (f?.last?.figure.panels?.zoom) f.chart.dispatchAction({ type: 'dataZoom', start: 0, end: 100 });
  }

  // enter shows the part of a new drawing that was zoomed into, where it counts the
  // same as the one before.
  function enter(id, f) {
    const x = f.last.figure.panels?.zoom ? f.last.figure.panels.x.name : undefined;
    if (f.counts !== undefined && x !== f.counts && zooms.delete(id)) window.tools?.onZoom?.(id, 0, 10000);
    if (x !== undefined) f.counts = x;
    f.host.dataset.zoomed = 'false';
    const part = zooms.get(id);
    if (part && x !== undefined) f.chart.dispatchAction({ type: 'dataZoom', start: part[0], end: part[1] });
  }

  // current asks for the figure unless it is the last one still.
  function current(f) {
    if (!f.last || f.changed) {
      const now = f.ask();
      if (!now) return f.last; // the page has moved on, and is about to say so
      const { figure, data, title, note, mode, results } = now;
      f.last = { figure: JSON.parse(figure), data, title, note, mode, results };
      f.changed = false;
    }
    return f.last;
  }

  function draw(id) {
    const f = figures.get(id);
    if (!f || !window.echarts) return;
    const now = current(f);
    if (!now) return;
    const { figure, data, results } = now;
    if (!f.chart && results === 0) { // an empty figure says why by itself
      f.element.querySelector('.static')?.remove(); // what index.html drew there is of something else
      return;
    }
    if (!f.chart) open(id, f);
    const { option, shape } = options(figure, data, theme(), f.element.clientWidth, f.element.clientHeight, f.hidden);
    const key = JSON.stringify(shape);
    f.chart.setOption(option, { notMerge: key !== f.shape });
    if (key !== f.shape) enter(id, f);
    f.shape = key;
    f.host.style.visibility = '';
    f.host.dataset.drawn = 'true';
    window.lastChart = performance.now();
  }

  // Only what is in sight is drawn, the first on the page before others; once somebody scrolls
  // also what is about to come.
  const watch = (rootMargin) => new IntersectionObserver((entries) => {
    for (const e of entries) {
      for (const [id, f] of figures) {
        if (f.element !== e.target) continue;
        f.away = !e.isIntersecting;
        if (!f.away && pending.has(id)) plan();
      }
    }
  }, { rootMargin });
  let sight = watch('0px');
  addEventListener('scroll', () => {
    sight.disconnect();
    sight = watch('200px');
    for (const f of figures.values()) sight.observe(f.element);
  }, { once: true, passive: true });

  // library has the chart library, which comes with the first chart that is in sight.
  let loading;
  function library() {
    loading ||= window.echarts ? Promise.resolve() : boot.later('echarts.js').catch(() => { loading = undefined; });
    return loading;
  }

  // inSight: where a figure is the observer says a moment after it was told of it.
  const inSight = (id) => figures.get(id)?.away === false;

  function next() {
    frame = 0;
    const ids = [...figures.keys()].filter((id) => pending.has(id));
    const id = ids.find(inSight);
    pending.delete(id);
    plan();
    if (id !== undefined) draw(id);
  }

  // plan has figures in sight drawn frame by frame; others wait until they come into sight.
  function plan() {
    if (![...pending].some(inSight)) return;
    if (window.echarts) frame ||= requestAnimationFrame(next);
    else library().then(() => { if (window.echarts) plan(); });
  }

  function schedule(id) {
    pending.add(id);
    const f = figures.get(id);
    if (f?.host && f.away) f.host.style.visibility = 'hidden'; // bars of before under what is said of now
    plan();
  }

  addEventListener('beforeprint', () => {
    for (const id of [...pending]) {
      pending.delete(id);
      draw(id);
    }
  });

  // exported draws a figure outside the page, with its title, for a file.
  function exported(f) {
    const host = document.createElement('div');
    const top = 54;
    const width = 900;
    const height = f.element.clientHeight + 20;
    host.style.cssText = `position:absolute;left:-10000px;width:${width}px;height:${height + top}px`;
    document.body.append(host);
    const chart = echarts.init(host, null, { renderer: 'canvas' });
    const t = theme();
    const { figure, data, title, note, mode } = current(f);
    const { option } = options(figure, data, t, width, height, f.hidden);
    lower(option, top);
    delete option.dataZoom;
    option.backgroundColor = t.v('--panel');
    option.title = {
      text: title, subtext: note, left: 8, top: 6, itemGap: 5,
      textStyle: { fontFamily: t.family, fontSize: 14, fontWeight: 600, color: t.v('--text') }, subtextStyle: { ...t.font, fontSize: 11 },
    };
    chart.setOption(option);
    return { chart, title, note, mode, end() { chart.dispose(); host.remove(); } };
  }

  // The check sum of PNG's chunks.
  const sums = Uint32Array.from({ length: 256 }, (_, n) => {
    for (let k = 0; k < 8; k++) n = n & 1 ? 0xEDB88320 ^ (n >>> 1) : n >>> 1;
    return n >>> 0;
  });
  function crc(bytes) {
    let c = 0xFFFFFFFF;
    for (const b of bytes) c = sums[(c ^ b) & 255] ^ (c >>> 8);
    return (c ^ 0xFFFFFFFF) >>> 0;
  }

  // withTexts puts texts into a PNG, before its end: iTXt chunks, by keyword.
  function withTexts(png, texts) {
    const utf8 = new TextEncoder();
    const parts = [png.subarray(0, png.length - 12)];
    for (const [keyword, text] of texts) {
      if (!text) continue;
      // Not compressed, no language, no translated keyword.
      const data = utf8.encode(`iTXt${keyword}\0\0\0\0\0${text}`);
      const chunk = new Uint8Array(data.length + 8);
      const view = new DataView(chunk.buffer);
      view.setUint32(0, data.length - 4);
      chunk.set(data, 4);
      view.setUint32(data.length + 4, crc(data));
      parts.push(chunk);
    }
    parts.push(png.subarray(png.length - 12));
    const all = new Uint8Array(parts.reduce((n, p) => n + p.length, 0));
    let at = 0;
    for (const p of parts) {
      all.set(p, at);
      at += p.length;
    }
    return all;
  }

  // saved is the drawn PNG with what it shows, for those who meet it alone.
  function saved(url, x, link, version, data) {
    const png = Uint8Array.from(atob(url.split(',')[1]), (c) => c.charCodeAt(0));
    return withTexts(png, [
      ['Title', x.title], ['Description', x.note], ['Source', link], ['Software', `Spillway ${version}`.trim()],
      ['Spillway-Mode', x.mode], ['Spillway-Data', data],
    ]);
  }

  return {
    options, withTexts, // for tests
    // prints takes over how numbers are written.
    prints(how) { print = (x, unit) => (typeof x === 'number' ? how(x, unit ?? '') : String(x)); },
    // show makes element the place of figure id and draws it when there is
    // time; ask returns what to draw by then.
    show(id, element, ask) {
      if (figures.get(id)?.element !== element) {
        this.dispose(id);
        figures.set(id, { element, hidden: new Set() });
        sight.observe(element);
        // What the document opens on has its charts drawn already; those of another link or
        // laboratory are others.
        const still = element.querySelector(':scope > svg');
        if (still && ('linked' in document.documentElement.dataset || still.dataset.of !== element.id)) still.remove();
      }
      Object.assign(figures.get(id), { ask, changed: true });
      schedule(id);
    },
    // look opens what a place that the keyboard reads leads to.
    look(id, index, series) {
      const f = figures.get(id);
      if (f?.last) look(f, index, f.last.figure.bars ? -1 : series);
    },
    dispose(id) {
      const f = figures.get(id);
      if (f) sight.unobserve(f.element);
      f?.observer?.disconnect();
      if (f?.chart) {
        f.element.replaceChildren(); // another figure may get the place
        // Not at once: drawing asks the program for texts, and may be under way.
        setTimeout(() => f.chart.dispose());
      }
      figures.delete(id);
      pending.delete(id);
    },
    recolor() {
      for (const id of figures.keys()) schedule(id);
    },
    // zoom shows the parts of figures that a link says: "memory:12.5-40,other:0-3".
    zoom(text) {
      const said = new Map(text.split(',').filter(Boolean).map((part) => {
        const [id, from, to] = /^(.*):([\d.]+)-([\d.]+)$/.exec(part)?.slice(1) ?? [];
        return [id, [Number(from), Number(to)]];
      }));
      for (const id of new Set([...zooms.keys(), ...said.keys()])) {
        const part = said.get(id);
        if (part) zooms.set(id, part);
        else zooms.delete(id);
        const f = figures.get(id);
        if (f?.chart && f.last?.figure.panels?.zoom) f.chart.dispatchAction({ type: 'dataZoom', start: part?.[0] ?? 0, end: part?.[1] ?? 100 });
      }
    },
    // reset shows all of a figure that was zoomed into; its host's
    // data-zoomed says whether it was.
    reset(id) { reset(figures.get(id)); },
    // save offers the figure as PNG; Go writes it as SVG (ui/draw), without what is
    // hidden here.
    save(id, name, link, version, data) {
      const f = figures.get(id);
      if (!f) return;
      library().then(() => {
        if (!window.echarts) return;
        const x = exported(f);
        tools.save(name, 'image/png', saved(x.chart.getDataURL({ type: 'png', pixelRatio: 2 }), x, link, version, data));
        x.end();
      });
    },
    hidden(id) { return [...figures.get(id)?.hidden ?? []]; },
    // settled: what waits to be drawn waits to be seen.
    settled() { return !frame && [...pending].every((id) => figures.get(id)?.away); },
    library,
  };
})();
