// For those who use the keyboard or listen: charts are read with the arrow keys,
// and what has changed is said once, when it has settled.
'use strict';

(() => {
  const live = document.getElementById('live'); // what has changed
  const reading = document.getElementById('reading'); // of a chart

  // What stands in [data-say] is said when it has not changed for a while. What
  // ends in … is still to come.
  const quiet = 700; // ms
  let timer = 0;
  let last = '';
  let said = new Set();
  function settle() {
    timer = 0;
    const texts = [...document.querySelectorAll('[data-say]')].map((e) => e.textContent.trim());
    const now = texts.join('\n');
    if (now !== last || texts.some((text) => text.includes('…'))) {
      const again = now !== last;
      last = now;
      if (again) timer = setTimeout(settle, quiet);
      return;
    }
    const news = texts.filter((text) => text !== '' && !said.has(text));
    said = new Set(texts);
    if (news.length > 0) live.textContent = news.join(' ');
  }
  new MutationObserver(() => { timer ||= setTimeout(settle, quiet); })
    .observe(document.getElementById('app'), { subtree: true, childList: true, characterData: true });

  // places are what can be read in a chart, in rows: the arrows go through a row,
  // or to the one above or below.
  function places(chart) {
    const option = chart.getOption();
    const shown = (s) => option.legend?.[0]?.selected?.[s.name] !== false && !s.silent;
    const count = (i) => chart.getModel().getSeriesByIndex(i)?.getData().count() ?? 0;
    const most = 60; // steps through a row
    if (option.tooltip?.[0]?.trigger !== 'axis') {
      const rows = new Map();
      option.series.forEach((s, i) => {
        if (!shown(s) || s.id === 'notes') return;
        const data = chart.getModel().getSeriesByIndex(i).getData();
        for (let k = 0; k < data.count(); k++) {
          const y = s.type === 'bar' ? 0 : data.get('y', k);
          const flat = option.yAxis[s.yAxisIndex ?? 0]?.type === 'category' ? y : 0;
          if (Number.isNaN(data.get('y', k))) continue;
          const row = `${s.xAxisIndex ?? 0} ${flat}`;
          if (!rows.has(row)) rows.set(row, []);
          rows.get(row).push({ seriesIndex: i, dataIndex: k, x: data.get('x', k) });
        }
      });
      const top = option.yAxis[0]?.inverse ? -1 : 1; // whether the last row is on top, or the first
      return [...rows.entries()].sort(([a], [b]) => Number(a.split(' ')[0]) - Number(b.split(' ')[0]) || top * (Number(b.split(' ')[1]) - Number(a.split(' ')[1])))
        .map(([, row]) => thin(row.sort((a, b) => a.x - b.x), most));
    }
    if (option.yAxis[0]?.type === 'category') {
      const i = option.series.findIndex(shown);
      return Array.from({ length: i < 0 ? 0 : count(i) }, (_, k) => [{ seriesIndex: i, dataIndex: k }]);
    }
    // Curves: in every small chart those of the one with most points.
    return option.xAxis.map((_, panel) => {
      let best = -1;
      option.series.forEach((s, i) => {
        if (s.type === 'line' && (s.xAxisIndex ?? 0) === panel && shown(s) && (best < 0 || count(i) > count(best))) best = i;
      });
      return thin(Array.from({ length: best < 0 ? 0 : count(best) }, (_, k) => ({ seriesIndex: best, dataIndex: k })), most);
    }).filter((row) => row.length > 0);
  }

  // thin leaves some places of a row, the first and the last among them.
  function thin(row, most) {
    if (row.length <= most) return row;
    return Array.from({ length: most }, (_, i) => row[Math.round(i * (row.length - 1) / (most - 1))]);
  }

  const readers = new WeakMap(); // where the reading of each chart is

  function chartOf(plot) {
    const host = plot.querySelector('.plot-host');
    return host && window.echarts ? echarts.getInstanceByDom(host) : undefined;
  }

  function read(plot, chart, key) {
    const rows = places(chart);
    if (rows.length === 0) return;
    const now = readers.get(plot);
    let [row, at] = now ?? [0, 0];
    const down = rows[0].length === 1 && rows.length > 1; // bars: one a row
    if (now && key === (down ? 'ArrowDown' : 'ArrowRight') || now && down && key === 'ArrowRight') down ? row++ : at++;
    else if (now && (key === (down ? 'ArrowUp' : 'ArrowLeft') || down && key === 'ArrowLeft')) down ? row-- : at--;
    else if (now && key === 'ArrowDown') row++;
    else if (now && key === 'ArrowUp') row--;
    else if (key === 'Home') down ? row = 0 : at = 0;
    else if (key === 'End') down ? row = rows.length - 1 : at = Infinity;
    row = Math.min(Math.max(row, 0), rows.length - 1);
    at = Math.min(Math.max(at, 0), rows[row].length - 1);
    readers.set(plot, [row, at]);
    chart.dispatchAction({ type: 'showTip', ...rows[row][at] });
    setTimeout(() => {
      const tip = plot.querySelector('.tip');
      if (!tip) return;
      const lines = [...tip.querySelectorAll('tr')].map((tr) => [...tr.cells].map((c) => c.textContent.trim()).filter(Boolean).join(' '));
      reading.textContent = [tip.querySelector('b').textContent, ...lines].join(', ');
    }, 50);
  }

  function zoom(chart, by) {
    const z = chart.getOption().dataZoom?.[0];
    if (!z) return false;
    const middle = (z.start + z.end) / 2;
    const half = by === 0 ? 50 : Math.min(50, (z.end - z.start) / 2 * by);
    const start = by === 0 ? 0 : Math.min(Math.max(middle - half, 0), 100 - 2 * half);
    chart.dispatchAction({ type: 'dataZoom', start, end: start + 2 * half });
    return true;
  }

  addEventListener('keydown', (e) => {
    if (e.key === 'Escape') { // what is shown over a chart can be put away
      for (const plot of document.querySelectorAll('.plot')) chartOf(plot)?.dispatchAction({ type: 'hideTip' });
      return;
    }
    if (!(e.target instanceof Element) || !e.target.matches('.plot') || e.ctrlKey || e.metaKey || e.altKey) return;
    const chart = chartOf(e.target);
    if (!chart) return;
    if (/^(Arrow(Left|Right|Up|Down)|Home|End)$/.test(e.key)) {
      e.preventDefault();
      read(e.target, chart, e.key);
    } else if (e.key === 'Enter') { // a place that is read leads to that place of the run
      const rows = places(chart), [row, at] = readers.get(e.target) ?? [0, 0], place = rows[row]?.[at];
      if (place) window.charts.look(e.target.id.replace('chart-', ''), place.dataIndex, place.seriesIndex);
    } else if ({ '+': 0.5, '=': 0.5, '-': 2, 0: 0 }[e.key] !== undefined) {
      if (zoom(chart, { '+': 0.5, '=': 0.5, '-': 2, 0: 0 }[e.key])) e.preventDefault();
    }
  });
  addEventListener('focusout', ({ target }) => {
    if (!target.matches?.('.plot')) return;
    readers.delete(target);
    chartOf(target)?.dispatchAction({ type: 'hideTip' });
  });
})();
