// Reads the texts of a PNG, by the format's description (iTXt, not compressed).
import { crc32 } from 'node:zlib';

export function texts(png) {
  if (png.subarray(0, 8).toString('latin1') !== '\x89PNG\r\n\x1a\n') throw new Error('no PNG');
  const found = {};
  let at = 8;
  let last = '';
  while (at < png.length) {
    const size = png.readUInt32BE(at);
    const chunk = png.subarray(at + 4, at + 8 + size);
    last = chunk.subarray(0, 4).toString('latin1');
    if (crc32(chunk) !== png.readUInt32BE(at + 8 + size)) throw new Error(`the sum of ${last} is wrong`);
    if (last === 'iTXt') {
      const data = chunk.subarray(4);
      const end = data.indexOf(0);
      const keyword = data.subarray(0, end).toString('latin1');
      if (!/^[!-~]{1,79}$/.test(keyword) || data.subarray(end + 1, end + 5).some((b) => b !== 0)) throw new Error(`keyword ${keyword}`);
      found[keyword] = data.subarray(end + 5).toString('utf8');
    }
    at += 12 + size;
  }
  if (last !== 'IEND' || at !== png.length) throw new Error(`ends with ${last}`);
  return found;
}
