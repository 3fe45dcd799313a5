// A trace as PyTorch's profiler writes it (Kineto), made up.

// Secrets are planted where only unlisted keys are.
export const SECRET = 'hf_PlantedTokenThatNobodyMayKeep';

// kineto yields the text of a trace, piece by piece: steps of so many layers, each of
// which runs forward, keeps its result and reads it again on the way back.
export function* kineto({ steps = 4, layers = 12, pad = 0 } = {}) {
  const filler = 'x'.repeat(pad);
  yield JSON.stringify({
    schemaVersion: 1, record_shapes: 1, profile_memory: 1, HF_TOKEN: SECRET, env: { HOME: `/home/${SECRET}` },
    deviceProperties: [{ id: 0, name: 'NVIDIA H100 80GB HBM3', totalGlobalMem: 85018279936 }],
  }).slice(0, -1) + ',"traceEvents":[\n';
  let ts = 1_000_000;
  let gpu = 1_000_050;
  let correlation = 1;
  let allocated = 2 ** 30;
  const event = (e) => JSON.stringify(e);
  const memory = (addr, bytes) => {
    allocated += bytes;
    return event({ ph: 'i', cat: 'cpu_instant_event', s: 't', name: '[memory]', pid: 7, tid: 7, ts: ts + 1, args: { 'Total Reserved': 2 ** 33, 'Total Allocated': allocated, Bytes: bytes, Addr: addr, 'Device Id': 0, 'Device Type': 1, 'Ev Idx': correlation } });
  };
  const operator = (name, dims, pieces) => {
    const c = correlation++;
    const list = [
      event({ ph: 'X', cat: 'cpu_op', name, pid: 7, tid: 7, ts, dur: 40, args: { 'External id': c, 'Record function id': 0, 'Input Dims': dims, 'Input type': dims.map(() => 'float'), 'Call stack': filler && `${SECRET} ${filler}`, 'Ev Idx': c } }),
      ...pieces,
      event({ ph: 'X', cat: 'cuda_runtime', name: 'cudaLaunchKernel', pid: 7, tid: 7, ts: ts + 10, dur: 5, args: { cbid: 211, correlation: c } }),
      event({ ph: 'X', cat: 'kernel', name: `${name.slice(6)}_kernel`, pid: 0, tid: 7, ts: gpu, dur: 900, args: { 'External id': c, device: 0, stream: 7, correlation: c } }),
    ];
    ts += 50;
    gpu += 901;
    return list.join(',\n');
  };
  for (let s = 0; s < steps; s++) {
    const begin = ts;
    const body = [];
    for (let l = 0; l < layers; l++) body.push(operator('aten::addmm', [[4096], [8192, 4096], [4096, 4096]], [memory(10 ** 9 + l * 2 ** 28, 2 ** 27)]));
    for (let l = layers - 1; l >= 0; l--) {
      body.push(operator('aten::mm', [[8192, 4096], [4096, 4096]], []));
      body.push(memory(10 ** 9 + l * 2 ** 28, -(2 ** 27)));
      ts += 5;
    }
    ts += 100;
    yield `${body.join(',\n')},\n`;
    yield event({ ph: 'X', cat: 'user_annotation', name: `ProfilerStep#${s + 3}`, pid: 7, tid: 7, ts: begin - 5, dur: ts - begin, args: { 'External id': correlation++, 'Ev Idx': 0 } });
    if (s < steps - 1) yield ',\n';
    ts += 50;
    gpu = Math.max(gpu, ts);
  }
  yield '\n]}';
}
