// The laboratories of the built site, and what tests know of each. One that has no row
// here is tested all the same: as it opens, with what the page itself says it has.
import { readFileSync } from 'node:fs';
import path from 'node:path';
import { share } from './effort.mjs';

const root = path.resolve(import.meta.dirname, '../..');

// names are the laboratories in the order of their tabs.
const names = JSON.parse(/const LABS = (\[[^\]]*\])/.exec(readFileSync(path.join(root, 'dist/boot.js'), 'utf8'))[1]);

const sample = (name) => readFileSync(path.join(root, name), 'utf8');

const dear = 'Dear all,\nhere it is.\n';
const photo = '\x89PNG\r\n';

// A row says:
//   setup     a quick one, that every system that is compared runs in moments
//   focus     the system that is looked into
//   headline  what the page says when it opens; charts: how many there are at least
//   shown     what of a run's values stands among the numbers
//   sections  their keys
//   narrow    those that are opened where nothing may be cut off
//   files     one of the reader's own, what the result of a system holds of it, what is
//             wrong with others and how that is said, another that is right (more), and
//             what it goes back to (bundled)
//   sweep     a question, and how many answers it has
//   figure    of a paper, with words of its title; null if it is tested elsewhere
//   draw, maps, claims  for everyone.spec: what of the drawing is opened, another axis
//             for a map, the figure that lists claims
//   picture   that of the README
const rows = {
  train: {
    setup: 'model=bert-base batch=16 times=as-paper gpu_memory=2 host_memory=0', systems: 'ideal,uvm,g10', focus: 'g10',
    headline: /fast/, charts: 6, sections: undefined, narrow: ['survive', 'effects'],
    sweep: { ask: '&ask-vary=ssd_read&ask-values=1.6,3.2', answers: 2 }, figure: null, shows: 'g10.11',
    draw: 'ssd-link', maps: '&ask-vary2=gpu_memory&ask-values2=1,2', claims: 'g10.claims', picture: '',
  },
  store: {
    setup: 'workload=pairs pairs=50', headline: /(is fastest|are level): [\d.]+ s/, charts: 6, narrow: ['fairness'],
    sweep: { ask: '&ask-vary=gpu_memory&ask-values=2,16', of: 'workload=table-and-blocks', answers: 2 }, figure: { id: 'ravenstore.T1', title: 'Table 1' }, picture: '',
  },
  compress: {
    setup: 'contents=alexnet', focus: 'per-allocation-16x', headline: /^Buddy makes memory largest: 1\.\d+×/, charts: 3, narrow: ['inside'],
    sweep: { ask: '', answers: 0, vary: 'threshold' }, // what it varies by itself
    figure: { id: 'buddy.11', title: 'Figure 11' },
    draw: 'link', line: '&ask-vary=link&ask-values=50,150&ask-of=slowdown_percent', maps: '&ask-vary2=threshold&ask-values2=10,30', claims: 'buddy.claims',
  },
  cxlssd: {
    setup: 'workload=srad scale=4 device=paper', focus: 'skybyte-full', headline: /as fast as Base-CSSD\./, charts: 4,
    shown: (v) => v.time_ms.toFixed(3),
    sections: ['bill', 'cost', 'dropped', 'locality', 'log', 'page', 'profile', 'quirks', 'threads', 'why'], narrow: ['log', 'profile'],
    files: {
      own: ['address 1 cycles missed', ...Array.from({ length: 4000 }, (_, i) => `${i % 4} ${10 + i % 7} 0x${(0x10000 + (i * 1664525 + 1013904223) % 4096 * 4096 + i % 64 * 64).toString(16)} ${i % 3 ? 'R' : 'W'}`)].join('\n'),
      of: 'base-cssd', holds: (r) => [[r.Requests.reduce((a, b) => a + b), 4000]], section: ['profile', /4[\s\u202f,]?000/],
      wrong: [
        ['broken.txt', 'address 1\n0 0 0x1000 R\n0 x 0x2000 W\n', 'broken.txt:3: "x" is no gap'],
        ['letter.txt', dear, 'letter.txt: text, but none that is known. What opens'],
        ['photo.png', photo, 'photo.png'],
        ['empty.txt', '', 'empty.txt: an empty file'],
      ],
      more: { name: 'lackey.txt', text: () => sample('traces/address/testdata/lackey.txt'), facts: /Lackey/ },
      bundled: 'srad',
    },
    sweep: { ask: '&ask=vary&ask-vary=threads&ask-values=8,16,24,32,48', of: 'workload=radix scale=8', answers: 5 },
    figure: { id: 'skybyte.14', title: 'Figure 14', published: 105 },
    draw: 'cxl', line: '&ask-vary=log&ask-values=7,56', maps: '&ask-vary2=threads&ask-values2=8,24', claims: 'skybyte.claims', picture: '&preset=key-value-store',
  },
  filesys: {
    setup: 'workload=varmail scale=256 mode=paper', focus: 'bytefs', headline: /^ByteFS is fastest: .* as fast as /, charts: 6,
    shown: (v) => v.time_ms.toFixed(2),
    sections: ['alone', 'crash', 'factors', 'life', 'log', 'measured', 'operation', 'quirks', 'safe', 'sensitivity', 'traffic', 'why'], narrow: ['log', 'crash', 'factors'],
    files: {
      own: ['fscalls 1', '- - dir /mail', ...Array.from({ length: 500 }, (_, i) => [
        `${10 * i} ${i % 4} create /mail/f${i}`, `${10 * i + 1} ${i % 4} write /mail/f${i} 0 5000`, `${10 * i + 2} ${i % 4} fsync /mail/f${i}`, `${10 * i + 3} ${i % 4} close /mail/f${i}`,
      ]).flat()].join('\n'),
      of: 'ext4', holds: (r) => [[r.Calls, 2000], [r.Asked[1], 500 * 5000]],
      wrong: [
        ['broken.txt', 'fscalls 1\n0 0 create /a\n1 0 leap /a\n', 'broken.txt:3'],
        ['letter.txt', dear, 'letter.txt: text, but none that is known. What opens'],
        ['photo.png', photo, 'photo.png'],
        ['empty.txt', '', 'empty.txt: an empty file'],
      ],
      more: { name: 'strace.txt', text: () => sample('traces/fscalls/testdata/strace.txt'), facts: /strace/ },
      bundled: 'varmail',
    },
    sweep: { ask: '&ask=vary&ask-vary=ssd_dram&ask-values=64,128,256,512', of: 'workload=varmail scale=256', answers: 4 },
    figure: { id: 'bytefs.6', title: 'Figure 6' },
    draw: 'link', line: '&ask-vary=ssd_dram&ask-values=64,256', maps: '&ask-vary2=channels&ask-values2=4,8', claims: 'bytefs.claims', picture: '&preset=file-create',
  },
  llm: {
    setup: 'node=one-4090 model=llama3-8b layers=3 batch=2 micro=1 sequence=1024 buffer_size=540', focus: 'teraio-mixed', charts: 7,
    shown: (v) => v.iteration_s.toFixed(2),
    sections: ['cost', 'decode', 'fits', 'inactive', 'life', 'links', 'map', 'memory', 'next', 'recipes', 'roofline', 'why'], narrow: ['links', 'map', 'life'],
    sweep: { ask: '&ask=vary&ask-vary=drives&ask-values=1,2,4', answers: 3 },
    figure: { id: 'teraio.9', title: 'Figure 9' },
    draw: 'array', line: '&ask-vary=drives&ask-values=1,2', maps: '&ask-vary2=host_memory&ask-values2=32,128', claims: 'teraio.claims', picture: '&preset=llama3-70b',
  },
  serve: {
    setup: 'requests=100 input=600 output=40 groups=10 shared=400 rate=8', focus: 'host-ssd', charts: 8,
    shown: (v) => v.ttft_mean_s.toFixed(4),
    sections: ['bill', 'capacity', 'life', 'loads', 'next', 'steps', 'why'], narrow: ['loads', 'next', 'life'],
    files: {
      own: Array.from({ length: 200 }, (_, i) => `{"timestamp": ${500 * i}, "input_length": 1024, "output_length": 20, "hash_ids": [0, ${1 + i % 7}]}`).join('\n'),
      of: 'hbm', holds: (r) => [[r.requests, 200], [r.prompt_tokens, 200 * 1024]],
      wrong: [
        ['broken.jsonl', '{"timestamp": 0, "input_length": 1024, "output_length": 20, "hash_ids": [0, 1]}\n{"timestamp": 0, "input_length": 1024, "output_length": 20, "hash_ids": [0]}\n', 'broken.jsonl:2: hash_ids: has 1'],
        ['letter.txt', dear, 'letter.txt: text, but none that is known. What opens'],
        ['photo.png', photo, 'photo.png'],
        ['empty.txt', '', 'empty.txt: an empty file'],
      ],
      more: { name: 'azure.csv', text: () => sample('traces/requests/testdata/azure.csv'), facts: /3 requests/ },
      bundled: 'Llama-3 8B',
    },
    sweep: { ask: '&ask=vary&ask-vary=input&ask-values=500,1000,2000', answers: 3 },
    figure: { id: 'tensorrt.T1', title: 'Throughput' },
    draw: 'path', line: '&ask-vary=host&ask-values=64,256', maps: '&ask-vary2=drives&ask-values2=1,2', picture: '&preset=mooncake',
  },
};

// every is all laboratories. link is one that nothing but tests write; quick is with
// the quick setup, and looked with the system in focus.
export const every = names.map((name) => {
  const row = rows[name] ?? {};
  const link = `./#v=4-by-hand&lab=${name}`;
  const quick = [link, ...(row.setup ?? '').split(' ').filter(Boolean), ...(row.systems ? [`systems=${row.systems}`] : [])].join('&');
  return { name, charts: 1, narrow: [], sweep: { ask: '', answers: 0 }, ...row, link, quick, looked: row.focus ? `${quick}&focus=${row.focus}` : quick };
});

// labs are those that are tested one by one: SPILLWAY_LABS=llm,store names them for a
// change that is in no other.
const only = process.env.SPILLWAY_LABS?.split(',').filter(Boolean) ?? [];
export const labs = every.filter((lab) => only.length === 0 || only.includes(lab.name));

// turn are a third of them, others with the next commit, for tests that are long and much the
// same in each; all at night, those that are named, and all where nobody counts commits.
export const turn = only.length > 0 || process.env.SPILLWAY_TURN === undefined ? labs : share(labs, 3);
