// Makes the chart library's options of a figure of every kind, without the
// library and without a browser. ui/chart's tests write the figures.
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import test from 'node:test';
import vm from 'node:vm';

const root = new URL('../../../', import.meta.url);
const figures = JSON.parse(readFileSync(new URL('ui/chart/testdata/figures.json', root), 'utf8'));

// page is as much of a browser as charts.js needs before it draws.
function page() {
  const window = {};
  const scope = {
    window, addEventListener() {}, Float64Array, performance,
    document: { createElement: () => ({ getContext: () => ({ measureText: (text) => ({ width: 6 * text.length }), fillRect() {}, beginPath() {}, moveTo() {}, lineTo() {}, rect() {}, stroke() {}, fill() {} }) }) },
    IntersectionObserver: class { observe() {} unobserve() {} },
  };
  vm.runInNewContext(readFileSync(new URL('public/charts.js', root), 'utf8'), scope);
  return window.charts;
}

const theme = { v: (name) => { assert.match(name, /^--[\w-]+$/); return '#123456'; }, family: 'x', font: { fontFamily: 'x', fontSize: 12, color: '#000' } };
const charts = page();
const options = ({ figure, data }, hidden = new Set()) => charts.options(figure, Float64Array.from(data, (x) => x ?? NaN), theme, 600, 340, hidden);

// finite walks an option: ECharts draws nothing where a number is none. In curves
// that is what a point without a value asks for: a gap.
function finite(value, path) {
  if (typeof value === 'number') assert.ok(Number.isFinite(value), path);
  else if (ArrayBuffer.isView(value)) value.forEach((x, i) => assert.ok(Number.isFinite(x) || (i % 2 === 1 && path.startsWith('whatif') && Number.isNaN(x)), `${path}[${i}]`));
  else if (value && typeof value === 'object') for (const [key, v] of Object.entries(value)) finite(v, `${path}.${key}`);
}

for (const f of figures) {
  test(`options of ${f.id}`, () => {
    const { option, shape } = options(f);
    finite(option, f.id);
    assert.ok(JSON.stringify(shape).length > 2);
    const ids = option.series.map((s) => s.id);
    assert.equal(new Set(ids).size, ids.length, 'every series has an id of its own, which updates find it by');
    assert.deepEqual(JSON.stringify(options(f).shape), JSON.stringify(shape));
    if (option.legend) {
      const names = option.legend.data.map((d) => d.name ?? d);
      for (const name of names) assert.ok(option.series.some((s) => s.name === name), name);
    }
  });
}

const of = (id) => figures.find((f) => f.id === id);

test('the tooltip of curves names every curve at the cursor', () => {
  const { option } = options(of('heat'));
  const tip = option.tooltip.formatter([{ axisIndex: 0, axisValue: 0.5 }]).replace(/<[^>]*>/g, ' ');
  for (const text of ['Dream (demand)', 'Oven', 'Kiln, old (of other settings)', '10 GiB', '5 GiB', 'capacity 40 GiB']) assert.ok(tip.includes(text), `${text} in ${tip}`);
  const past = option.tooltip.formatter([{ axisIndex: 0, axisValue: 2.4 }]);
  assert.ok(!past.includes('Kiln'), 'a curve that has ended has no value');
  const hidden = options(of('heat'), new Set(['Oven'])).option;
  assert.ok(!hidden.tooltip.formatter([{ axisIndex: 0, axisValue: 0.5 }]).includes('Oven'), 'nor one that the legend hides');
});

test('bars have the bands of three seeds, behind which their texts stand', () => {
  const { option } = options(of('seeds speed'));
  const bands = option.series.find((x) => x.id === 'bands').markLine.data;
  assert.deepEqual(JSON.stringify(bands), JSON.stringify([[{ coord: [0.8, 0] }, { coord: [0.95, 0] }], [{ coord: [0.6, 1] }, { coord: [0.75, 1] }]]));
  const ends = option.series.find((x) => x.data.length === 2 && x.label).data;
  assert.deepEqual([...ends].map((x) => x.toFixed(2)), ['0.05', '0.05']);
  const tip = option.tooltip.formatter([{ dataIndex: 1 }]).replace(/<[^>]*>/g, ' ');
  assert.match(tip, /With three seeds\s+0\.6 × dream to 0\.75 × dream/);
});

test('the tooltip of bands has their own heights', () => {
  const tip = options(of('shelf')).option.tooltip.formatter([{ axisIndex: 0, axisValue: 1 }]).replace(/<[^>]*>/g, ' ');
  assert.match(tip, /Wheat\s+4 GiB\s+Rye\s+3 GiB\s+Together\s+7 GiB/);
});

test('numbers are written by the rule that the program hands over', () => {
  const charts = page();
  charts.prints((x, unit) => `(${x.toFixed(1)}|${unit})`);
  const f = of('shelf');
  const { option } = charts.options(f.figure, Float64Array.from(f.data, (x) => x ?? NaN), theme, 600, 340, new Set());
  const tip = option.tooltip.formatter([{ axisIndex: 0, axisValue: 1 }]).replace(/<[^>]*>/g, ' ');
  assert.match(tip, /\(1\.0\|\).*Wheat\s+\(4\.0\|GiB\)\s+Rye\s+\(3\.0\|GiB\)\s+Together\s+\(7\.0\|GiB\)/);
  assert.equal(option.yAxis[0].axisLabel.formatter(0.25), '(0.3|)');
});

test('doubted published values have a question mark, and the legend says so', () => {
  const bars = options(of('p-1')).option;
  assert.ok(bars.legend.data.includes('Published (?: doubted)'));
  const notes = bars.series.find((x) => x.id === 'notes');
  assert.equal(notes.data.filter((_, i) => notes.label.formatter({ dataIndex: i }) === '?').length, 1);
  assert.ok(options(of('p-2')).option.legend.data.includes('Published'));
  const rings = options(of('p-3')).option.series.filter((x) => x.name === 'Oven, published' && x.data.length > 0);
  assert.deepEqual([...rings.map((x) => x.label.show)], [false, true]);
  const at = (x) => options(of('p-3')).option.tooltip.formatter([{ axisIndex: 0, axisValue: x }]);
  assert.ok(at(2).includes('Oven, published, doubted') && !at(1).includes('doubted'));
});

test('a baseline is an outline, a mark or a dashed line of the same name', () => {
  const series = (id, one) => options(of(id)).option.series.find((s) => s.id === one);
  assert.deepEqual([...series('past speed', 'ghost').data], ['-', 0.5, '-', 0.2]);
  assert.equal(series('past lost', 'ghost').type, 'scatter');
  const { option } = options(of('past speed'));
  assert.equal(option.series.at(-2).data[3], 0.2, 'the text of what no longer runs stands behind what was');
  assert.ok(option.tooltip.formatter([{ dataIndex: 1 }]).includes('Baseline'));
  assert.ok(!option.tooltip.formatter([{ dataIndex: 0 }]).includes('Baseline'));
  const heat = options(of('past heat')).option;
  const line = heat.series.find((s) => s.id.startsWith('ghost-'));
  assert.equal(line.name, 'Oven');
  assert.equal(line.lineStyle.width, 1);
  const tip = heat.tooltip.formatter([{ axisIndex: 0, axisValue: 2.8 }]);
  assert.ok(tip.includes('Oven (baseline)'));
  assert.equal(options(of('speed')).option.series.some((s) => s.id === 'ghost'), false);
  assert.notDeepEqual(options(of('speed')).shape, options(of('past speed')).shape, 'so that unpinning takes the outline away');
});

test('texts stand at the ends of bars and names are no markup', () => {
  const f = structuredClone(of('speed'));
  f.figure.bars.rows[1].name = '<b>&';
  const { option } = options(f);
  const ends = option.series.at(-1);
  assert.equal(ends.label.formatter({ dataIndex: 3 }), 'does not fit');
  assert.ok(option.tooltip.formatter([{ dataIndex: 1 }]).includes('&#60;b&#62;&#38;'));
});

test('maps of two settings: a cell for every pair, the reason where there is no value', () => {
  const wins = options(of('whatif-wins')).option;
  const cells = wins.series.filter((s) => s.tooltip === undefined).flatMap((s) => s.data);
  assert.equal(cells.length, 4);
  assert.deepEqual(JSON.stringify(cells.map((c) => c.at).sort()), '[0,1,2,3]');
  const b = wins.series.find((s) => s.name === 'B');
  const tip = wins.tooltip.formatter({ data: b.data[0], value: b.data[0].value, seriesName: b.name, seriesId: b.id, color: 'x' }).replace(/<[^>]*>/g, ' ');
  for (const text of ['Rate, GB/s: 1', 'Drive: Slow', 'B', '9 x']) assert.ok(tip.includes(text), `${text} in ${tip}`);
  const each = options(of('whatif-each')).option;
  assert.equal(each.grid.length, 2);
  const lost = each.series.flatMap((s) => s.data.filter((d) => d.at !== undefined)).find((d) => d.label.formatter() === '×');
  assert.ok(lost, 'a system that cannot run is marked');
});

test('grids of cells: a series a class, hidden by the legend, picked by place', () => {
  const { option } = options(of('cells'));
  assert.equal(option.grid.length, 2);
  assert.ok(option.yAxis.every((y) => y.inverse), 'the first row is on top');
  const count = (name) => option.series.filter((s) => s.name === name).map((s) => s.data.length);
  assert.equal(JSON.stringify([count('empty'), count('rye'), count('wheat')]), '[[4,0],[2,0],[3,12]]');
  assert.deepEqual(JSON.stringify(option.series.find((s) => s.id === 'here').data), '[[2,1]]');
  assert.deepEqual([...option.legend.data], ['empty', 'rye', 'wheat']);
  const tip = option.tooltip.formatter({ value: [2, 1], seriesId: 'cells-0-0', seriesName: 'empty', color: 'x' }).replace(/<[^>]*>/g, ' ');
  for (const text of ['board 20', 'place 3', 'empty', 'left']) assert.ok(tip.includes(text), `${text} in ${tip}`);
});

test('a limit stands across bars, and the axis reaches it', () => {
  const { option, shape } = options(of('limited'));
  const line = option.series.find((s) => s.id === 'limit');
  assert.equal(line.markLine.data[0].xAxis, 100);
  assert.equal(line.markLine.label.formatter(), 'time 100 s');
  assert.equal(option.xAxis.max({ max: 60 }), 102);
  assert.equal(option.xAxis.max({ max: 160 }), 160);
  assert.notDeepEqual(shape, options(of('limited0')).shape);
});

test('a varied setting has its points as labels, and a gap where nothing is known', () => {
  const { option } = options(of('whatif-lines'));
  assert.equal(option.xAxis[0].axisLabel.formatter(1), '2');
  assert.equal(option.xAxis[0].axisLabel.formatter(1.5), '');
  const tip = option.tooltip.formatter([{ axisIndex: 0, axisValue: 0 }]).replace(/<[^>]*>/g, ' ');
  assert.ok(tip.includes('Rate, GB/s: 1') && tip.includes('B') && !/ A /.test(tip), tip);
});
