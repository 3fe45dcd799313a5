// Draws the figures. Go decides what is in them and sends ECharts options as
// JSON; this file adds the theme, number formats and the downloads.
'use strict';

window.charts = (() => {
  const figures = new Map(); // id to {element, host, chart, ask}; ask returns {option, title, note, results}
  const pending = new Set(); // ids to draw, one a frame so that typing stays fluid
  let frame = 0;

  const css = () => getComputedStyle(document.documentElement);

  // resolve replaces var(--x) by its value, because a canvas knows no CSS.
  function resolve(value, style) {
    if (typeof value === 'string') {
      const m = /^var\((--[\w-]+)\)$/.exec(value);
      return m ? style.getPropertyValue(m[1]).trim() : value;
    }
    if (Array.isArray(value)) return typeof value[0] === 'number' ? value : value.map((v) => resolve(v, style));
    if (value && typeof value === 'object') {
      for (const key of Object.keys(value)) value[key] = resolve(value[key], style);
    }
    return value;
  }

  function number(x) {
    if (typeof x !== 'number') return String(x);
    if (x === 0) return '0';
    const digits = Math.max(0, 3 - Math.floor(Math.log10(Math.abs(x))));
    return String(Number(x.toFixed(Math.min(digits, 6))));
  }

  // power writes the numbers of a logarithmic axis.
  function power(x) {
    if (x < 1e5) return number(x);
    return `10${[...String(Math.round(Math.log10(x)))].map((d) => '⁰¹²³⁴⁵⁶⁷⁸⁹'[d]).join('')}`;
  }

  function escape(text) {
    return String(text).replace(/[&<>"']/g, (c) => `&#${c.charCodeAt(0)};`);
  }

  // tooltip lists what is at the pointer, the largest first.
  function tooltip(unit) {
    return (items) => {
      const list = (Array.isArray(items) ? items : [items]).filter((i) => i.seriesName !== 'Total');
      if (list.length === 0) return '';
      const value = (i) => (Array.isArray(i.value) ? i.value[i.value.length - 1] : i.value);
      const head = list[0].axisValueLabel ?? list[0].name;
      const rows = list.filter((i) => value(i) !== 0 || list.length === 1)
        .map((i) => `<tr><td>${i.marker}${escape(i.seriesName)}</td><td class="value">${number(value(i))} ${escape(unit)}</td></tr>`);
      return `<div class="tip"><b>${escape(head)}</b><table>${rows.join('')}</table></div>`;
    };
  }

  // legendRows estimates how many rows the legend takes at this width.
  const pen = document.createElement('canvas').getContext('2d');
  function legendRows(option, width, font) {
    pen.font = `${font.fontSize}px ${font.fontFamily}`;
    const names = option.legend.data ?? option.series.map((s) => s.name);
    let rows = 1;
    let x = 0;
    for (const name of names) {
      const w = pen.measureText(name).width + 14 + 5 + 12;
      if (x > 0 && x + w > width - 10) { rows++; x = 0; }
      x += w;
    }
    return rows;
  }

  // lower moves the plot, or all of them, down.
  function lower(option, pixels) {
    for (const grid of [option.grid].flat()) grid.top += pixels;
  }

  function dress(option, style, width, title) {
    const v = (name) => style.getPropertyValue(name).trim();
    const font = { fontFamily: v('--font'), fontSize: 12, color: v('--text-2') };
    resolve(option, style);
    option.animation = false;
    option.textStyle = { fontFamily: v('--font') };
    option.aria = { enabled: false }; // the element has its own label
    const axes = ['xAxis', 'yAxis'].flatMap((name) => [option[name]].flat().map((axis) => [name, axis]));
    for (const [name, axis] of axes) {
      axis.axisLabel = { ...font, ...axis.axisLabel };
      if (axis.type === 'category') Object.assign(axis.axisLabel, { color: v('--text'), fontSize: 12.5, width: 130, overflow: 'truncate' });
      if (axis.type === 'log') axis.axisLabel.formatter = power;
      axis.nameTextStyle = { ...font, align: name === 'yAxis' ? 'left' : undefined };
      axis.axisLine = { show: axis.type === 'category', lineStyle: { color: v('--axis') }, ...axis.axisLine };
      axis.splitLine = { show: axis.type !== 'category', lineStyle: { color: v('--grid') } };
    }
    if (option.legend) Object.assign(option.legend, { textStyle: font, itemWidth: 14, itemHeight: 9, itemGap: 12, icon: option.series[0]?.type === 'bar' ? 'roundRect' : undefined, inactiveColor: v('--axis') });
    if (option.legend) lower(option, 20 * (legendRows(option, width, font) - 1));
    Object.assign(option.tooltip, {
      backgroundColor: v('--raised'), borderColor: v('--line'), textStyle: { ...font, color: v('--text') }, confine: true,
      formatter: tooltip(option.tooltip.unit ?? ''),
    });
    delete option.tooltip.unit;
    for (const s of option.series) {
      if (s.label) s.label = { ...font, color: v('--text'), ...s.label };
    }
    if (title) {
      option.title = title;
      option.backgroundColor = v('--panel');
    }
    return option;
  }

  function draw(id) {
    const f = figures.get(id);
    if (!f || !window.echarts) return;
    const { option, results } = f.ask();
    if (!f.chart && results === 0) return; // an empty figure says why by itself
    if (!f.chart) {
      f.host = document.createElement('div');
      f.host.className = 'plot-host';
      f.element.replaceChildren(f.host);
      f.chart = echarts.init(f.host, null, { renderer: 'canvas' });
      f.observer = new ResizeObserver(() => {
        if (f.host.clientWidth === f.chart?.getWidth() && f.host.clientHeight === f.chart?.getHeight()) return;
        f.chart?.resize();
        schedule(id);
      });
      f.observer.observe(f.element);
    }
    f.chart.setOption(dress(JSON.parse(option), css(), f.element.clientWidth), { notMerge: true });
    f.element.dataset.drawn = 'true';
    if (!window.firstChart && results > 0) {
      window.firstChart = performance.now();
      performance.mark('first-chart');
    }
  }

  function next() {
    frame = 0;
    if (!window.echarts) return; // its script calls again
    // The first on the page first: it says most.
    const id = [...figures.keys()].find((name) => pending.has(name));
    if (id === undefined) return;
    pending.delete(id);
    draw(id);
    if (pending.size > 0) frame = requestAnimationFrame(next);
  }

  function schedule(id) {
    pending.add(id);
    frame ||= requestAnimationFrame(next);
  }

  // exported draws a figure outside the page, with its title, for a file.
  function exported(f, renderer) {
    const host = document.createElement('div');
    const top = 54;
    host.style.cssText = `position:absolute;left:-10000px;width:900px;height:${f.element.clientHeight + top + 20}px`;
    document.body.append(host);
    const chart = echarts.init(host, null, { renderer });
    const style = css();
    const color = (name) => style.getPropertyValue(name).trim();
    const { option: text, title, note } = f.ask();
    const option = dress(JSON.parse(text), style, 900, {
      text: title, subtext: note, left: 8, top: 6, itemGap: 5,
      textStyle: { fontSize: 14, fontWeight: 600, color: color('--text') }, subtextStyle: { fontSize: 11, color: color('--text-2') },
    });
    lower(option, top);
    if (option.legend) option.legend.top += top;
    delete option.dataZoom;
    chart.setOption(option);
    return { chart, end() { chart.dispose(); host.remove(); } };
  }

  // warm draws a chart that nobody sees, while the program is still compiled:
  // the first drawing of all is slow, mostly because of fonts.
  function warm() {
    const host = document.createElement('div');
    host.style.cssText = 'position:absolute;left:-10000px;width:500px;height:200px';
    host.textContent = '→×↺·−µ…';
    document.body.append(host);
    const chart = echarts.init(host, null, { renderer: 'canvas' });
    chart.setOption({
      animation: false, textStyle: { fontFamily: css().getPropertyValue('--font').trim() },
      legend: {}, tooltip: {}, xAxis: { type: 'value', name: '×' }, yAxis: { type: 'category', data: ['a', 'b'] },
      series: [{ type: 'bar', name: '→', data: [1, 2], label: { show: true } }],
    });
    chart.dispose();
    host.remove();
  }

  return {
    // show makes element the place of figure id and draws it when there is
    // time; ask returns what to draw by then.
    show(id, element, ask) {
      if (figures.get(id)?.element !== element) this.dispose(id);
      figures.set(id, { ...figures.get(id), element, ask });
      schedule(id);
    },
    dispose(id) {
      const f = figures.get(id);
      f?.observer?.disconnect();
      f?.chart?.dispose();
      figures.delete(id);
      pending.delete(id);
    },
    recolor() {
      for (const id of figures.keys()) schedule(id);
    },
    save(id, kind, name) {
      const f = figures.get(id);
      if (!f || !window.echarts) return;
      const x = exported(f, kind === 'svg' ? 'svg' : 'canvas');
      if (kind === 'svg') tools.save(name, 'image/svg+xml', x.chart.renderToSVGString());
      else tools.saveURL(name, x.chart.getDataURL({ type: 'png', pixelRatio: 2 }));
      x.end();
    },
    // ready is called when the chart library has loaded.
    ready() {
      if (figures.size === 0) warm();
      for (const id of figures.keys()) schedule(id);
    },
  };
})();

addEventListener('DOMContentLoaded', () => {
  const library = document.getElementById('chart-library');
  if (window.echarts) window.charts.ready();
  else library?.addEventListener('load', () => window.charts.ready());
});
