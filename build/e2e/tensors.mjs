// Files of tensors with known contents, written as their formats say.

// chance is a generator of numbers from 0 to 1 that look like chance and are always
// the same (mulberry32).
export function chance(seed) {
  let state = seed;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let t = Math.imul(state ^ (state >>> 15), 1 | state);
    t = (t + Math.imul(t ^ (t >>> 7), 61 | t)) ^ t;
    return ((t ^ (t >>> 14)) >>> 0) / 2 ** 32;
  };
}

const bytes = (array) => Buffer.from(array.buffer, array.byteOffset, array.byteLength);

// Contents by kind: n elements each.
export const contents = {
  // Weights and gradients: exponents are alike, the lowest bits are noise.
  dense: (n, random) => bytes(Float32Array.from({ length: n }, () => (random() - 0.5) * 0.1)),
  // The same in bfloat16: the upper halves.
  bf16: (n, random) => {
    const whole = new Uint16Array(contents.dense(n, random).buffer.slice(0, 4 * n));
    return bytes(Uint16Array.from({ length: n }, (_, i) => whole[2 * i + 1]));
  },
  // Activations after a ReLU: every second value is zero, and whole rows of 32 now and then.
  relu: (n, random) => {
    let row = 0;
    return bytes(Float32Array.from({ length: n }, (_, i) => {
      if (i % 32 === 0) row = random() < 0.39 ? 0 : 1;
      return row * Math.max(0, random() - 0.5);
    }));
  },
  // A causal mask, a byte an element.
  mask: (n) => bytes(Uint8Array.from({ length: n }, (_, i) => (i % 1024 <= i / 1024 ? 1 : 0))),
  // Token ids and the like.
  ids: (n, random) => bytes(BigInt64Array.from({ length: n }, () => BigInt(Math.floor(random() * 50_000)))),
  // Positions: sorted.
  positions: (n) => bytes(BigInt64Array.from({ length: n }, (_, i) => BigInt(i))),
  // Differences of one: the least that a word can take.
  ramp: (n) => bytes(Int32Array.from({ length: n }, (_, i) => i)),
  // All bits by chance.
  noise: (n, random) => bytes(Uint32Array.from({ length: n }, () => random() * 2 ** 32)),
  // Entries of 128 bytes, every second one zero, the others noise.
  half: (n, random) => bytes(Uint32Array.from({ length: n }, (_, i) => (i & 32 ? random() * 2 ** 32 : 0))),
  // Memory that nobody has touched.
  zeros: (n) => Buffer.alloc(4 * n),
};

const element = { F32: 4, BF16: 2, I32: 4, BOOL: 1, U8: 1, I64: 8 };

// safetensors writes tensors {name, dtype, shape, data} one after the other.
export function safetensors(tensors, metadata) {
  const header = metadata ? { __metadata__: metadata } : {};
  let at = 0;
  for (const { name, dtype, shape, data } of tensors) {
    const want = shape.reduce((a, b) => a * b, element[dtype]);
    if (data.length !== want) throw new Error(`${name}: ${data.length} bytes, want ${want}`);
    header[name] = { dtype, shape, data_offsets: [at, at + data.length] };
    at += data.length;
  }
  let text = JSON.stringify(header);
  text = text.padEnd(Math.ceil(text.length / 8) * 8); // as the reference implementation aligns data
  const length = Buffer.alloc(8);
  length.writeBigUInt64LE(BigInt(text.length));
  return Buffer.concat([length, Buffer.from(text), ...tensors.map((t) => t.data)]);
}

// npy writes one array of NumPy's.
export function npy(descr, shape, data) {
  const dictionary = `{'descr': '${descr}', 'fortran_order': False, 'shape': (${shape.join(', ')}${shape.length === 1 ? ',' : ''}), }`;
  const text = dictionary.padEnd(Math.ceil((dictionary.length + 11) / 64) * 64 - 11) + '\n';
  const head = Buffer.from('\x93NUMPY\x01\x00\0\0', 'latin1');
  head.writeUInt16LE(text.length, 8);
  return Buffer.concat([head, Buffer.from(text), data]);
}

// sum is the check sum of zip.
const table = Uint32Array.from({ length: 256 }, (_, i) => {
  let c = i;
  for (let k = 0; k < 8; k++) c = c & 1 ? 0xedb88320 ^ (c >>> 1) : c >>> 1;
  return c;
});
function sum(data) {
  let c = 0xffffffff;
  for (const b of data) c = table[(c ^ b) & 255] ^ (c >>> 8);
  return (c ^ 0xffffffff) >>> 0;
}

// zip stores members {name, data}, as torch.save and numpy.savez do.
export function zip(members) {
  const parts = [];
  const directory = [];
  let at = 0;
  for (const { name, data } of members) {
    const title = Buffer.from(name);
    const fields = Buffer.alloc(26); // from the version to the length of the extra field
    fields.writeUInt16LE(20, 0);
    fields.writeUInt32LE(sum(data), 10);
    fields.writeUInt32LE(data.length, 14);
    fields.writeUInt32LE(data.length, 18);
    fields.writeUInt16LE(title.length, 22);
    parts.push(Buffer.from('PK\x03\x04', 'latin1'), fields, title, data);
    const tail = Buffer.alloc(14);
    tail.writeUInt32LE(at, 10);
    directory.push(Buffer.from('PK\x01\x02\x14\x00', 'latin1'), fields, tail, title);
    at += 4 + fields.length + title.length + data.length;
  }
  const list = Buffer.concat(directory);
  const end = Buffer.alloc(22);
  end.write('PK\x05\x06', 'latin1');
  end.writeUInt16LE(members.length, 8);
  end.writeUInt16LE(members.length, 10);
  end.writeUInt32LE(list.length, 12);
  end.writeUInt32LE(at, 16);
  return Buffer.concat([...parts, list, end]);
}
