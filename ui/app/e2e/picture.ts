// Makes a screenshot smaller: a PNG of at most 256 colours. A page has few, and the shades
// at the edges of its letters are close to one another.
import { deflateSync, inflateSync } from "node:zlib";

const signature = 8; // bytes
const mostColours = 256;

export function smaller(png: Buffer): Buffer {
  const { width, height, channels, data } = read(png);
  const counts = new Map<number, number>();
  const colours = new Uint32Array(width * height);
  for (let i = 0; i < colours.length; i++) {
    const at = i * channels;
    const c = (data[at]! << 16) | (data[at + 1]! << 8) | data[at + 2]!;
    colours[i] = c;
    counts.set(c, (counts.get(c) ?? 0) + 1);
  }
  const palette = [...counts].sort((a, b) => b[1] - a[1]).slice(0, mostColours).map(([c]) => c);
  const index = new Map([...counts.keys()].map((c) => [c, closest(palette, c)]));
  const rows = Buffer.alloc((width + 1) * height); // each row begins with its filter: none
  for (let y = 0; y < height; y++) for (let x = 0; x < width; x++) rows[y * (width + 1) + 1 + x] = index.get(colours[y * width + x]!)!;
  const head = Buffer.alloc(13);
  head.writeUInt32BE(width, 0);
  head.writeUInt32BE(height, 4);
  head.set([8, 3, 0, 0, 0], 8); // 8 bits, by palette
  return Buffer.concat([png.subarray(0, signature), chunk("IHDR", head), chunk("PLTE", Buffer.from(palette.flatMap((c) => [c >> 16, (c >> 8) & 255, c & 255]))), chunk("IDAT", deflateSync(rows, { level: 9 })), chunk("IEND", Buffer.alloc(0))]);
}

function closest(palette: number[], c: number): number {
  let best = 0;
  let least = Infinity;
  palette.forEach((p, i) => {
    const d = ((p >> 16) - (c >> 16)) ** 2 + (((p >> 8) & 255) - ((c >> 8) & 255)) ** 2 + ((p & 255) - (c & 255)) ** 2;
    if (d < least) [best, least] = [i, d];
  });
  return best;
}

/** Reads a PNG of 8 bits a channel, as Chromium writes them. */
function read(png: Buffer): { width: number; height: number; channels: number; data: Buffer } {
  const width = png.readUInt32BE(16);
  const height = png.readUInt32BE(20);
  const channels = png[25] === 6 ? 4 : 3;
  const parts: Buffer[] = [];
  for (let at = signature; at < png.length; at += 12 + png.readUInt32BE(at)) {
    if (png.toString("latin1", at + 4, at + 8) === "IDAT") parts.push(png.subarray(at + 8, at + 8 + png.readUInt32BE(at)));
  }
  const packed = inflateSync(Buffer.concat(parts));
  const line = width * channels;
  const data = Buffer.alloc(line * height);
  for (let y = 0; y < height; y++) {
    const filter = packed[y * (line + 1)]!;
    for (let x = 0; x < line; x++) {
      const left = x >= channels ? data[y * line + x - channels]! : 0;
      const up = y > 0 ? data[(y - 1) * line + x]! : 0;
      const corner = x >= channels && y > 0 ? data[(y - 1) * line + x - channels]! : 0;
      const guess = [0, left, up, (left + up) >> 1, paeth(left, up, corner)][filter]!;
      data[y * line + x] = packed[y * (line + 1) + 1 + x]! + guess;
    }
  }
  return { width, height, channels, data };
}

function paeth(a: number, b: number, c: number): number {
  const p = a + b - c;
  const [pa, pb, pc] = [Math.abs(p - a), Math.abs(p - b), Math.abs(p - c)];
  return pa <= pb && pa <= pc ? a : pb <= pc ? b : c;
}

function chunk(type: string, data: Buffer): Buffer {
  const out = Buffer.alloc(12 + data.length);
  out.writeUInt32BE(data.length, 0);
  out.write(type, 4, "latin1");
  data.copy(out, 8);
  out.writeUInt32BE(crc(out.subarray(4, 8 + data.length)), 8 + data.length);
  return out;
}

const table = Uint32Array.from({ length: 256 }, (_, n) => {
  for (let k = 0; k < 8; k++) n = n & 1 ? 0xedb88320 ^ (n >>> 1) : n >>> 1;
  return n >>> 0;
});

function crc(bytes: Buffer): number {
  let c = 0xffffffff;
  for (const b of bytes) c = table[(c ^ b) & 255]! ^ (c >>> 8);
  return (c ^ 0xffffffff) >>> 0;
}
