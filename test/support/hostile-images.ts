import { crc32, deflateSync } from 'node:zlib';

/** Returns a chunk of a PNG file: length, type, data, checksum. */
function chunk(type: string, data: Uint8Array): Buffer {
  const body = Buffer.concat([Buffer.from(type, 'latin1'), data]);
  const length = Buffer.alloc(4);
  length.writeUInt32BE(data.length);
  const sum = Buffer.alloc(4);
  sum.writeUInt32BE(crc32(body));
  return Buffer.concat([length, body, sum]);
}

const PNG = Buffer.from('89504e470d0a1a0a', 'hex');

interface PngParts {
  readonly width: number;
  readonly height: number;
  /** Chunks between the header and the pixels. */
  readonly before?: readonly Buffer[];
  /** The rows that the file really has; all by default. */
  readonly rows?: number;
}

/** Returns a PNG file of one colour in shades of grey, which is a thousand times smaller than its pixels. */
export function plainPng({ width, height, before = [], rows = height }: PngParts): Buffer {
  const header = Buffer.alloc(13);
  header.writeUInt32BE(width, 0);
  header.writeUInt32BE(height, 4);
  header[8] = 8;
  return Buffer.concat([
    PNG,
    chunk('IHDR', header),
    ...before,
    chunk('IDAT', deflateSync(Buffer.alloc((width + 1) * rows), { level: 9 })),
    chunk('IEND', Buffer.alloc(0)),
  ]);
}

/** Returns a PNG file whose colour profile and text unpack to hundreds of megabytes. */
export function pngWithBombs(): Buffer {
  const packed = deflateSync(Buffer.alloc(200_000_000), { level: 9 });
  return plainPng({
    width: 10,
    height: 10,
    before: [
      chunk('iCCP', Buffer.concat([Buffer.from('deep\0\0', 'latin1'), packed])),
      chunk('zTXt', Buffer.concat([Buffer.from('deep\0\0', 'latin1'), packed])),
    ],
  });
}

/** Returns a GIF file with many frames, each of the full size and a few bytes long. */
export function gifWithFrames(frames: number, side: number): Buffer {
  const size = Buffer.alloc(4);
  size.writeUInt16LE(side, 0);
  size.writeUInt16LE(side, 2);
  // The pixels end after the first one.
  const frame = Buffer.concat([Buffer.from([0x2c, 0, 0, 0, 0]), size, Buffer.from([0, 2, 2, 0x44, 1, 0])]);
  return Buffer.concat([
    Buffer.from('GIF89a', 'latin1'),
    size,
    Buffer.from([0x80, 0, 0, 0, 0, 0, 255, 255, 255]),
    ...Array<Buffer>(frames).fill(frame),
    Buffer.from([0x3b]),
  ]);
}

/** SVG with a script, and with an entity that reads a file. */
const svg = `<?xml version="1.0"?><!DOCTYPE svg [<!ENTITY x SYSTEM "file:///etc/passwd">]>
<svg xmlns="http://www.w3.org/2000/svg" width="100" height="100"><script>alert(1)</script>
<image href="file:///etc/passwd" width="9" height="9"/><text y="9">&x;</text></svg>`;

const tiff = (entries: readonly (readonly [tag: number, value: number])[], data: Buffer): Buffer => {
  const head = Buffer.alloc(10 + entries.length * 12 + 4);
  head.write('II*\0', 0, 'latin1');
  head.writeUInt32LE(8, 4);
  head.writeUInt16LE(entries.length, 8);
  for (const [i, [tag, value]] of entries.entries()) {
    const at = 10 + i * 12;
    head.writeUInt16LE(tag, at);
    head.writeUInt16LE(4, at + 2);
    head.writeUInt32LE(1, at + 4);
    head.writeUInt32LE(value === -1 ? head.length : value, at + 8);
  }
  return Buffer.concat([head, data]);
};

/** Files that must not be scaled, each of a few kilobytes to a few megabytes. */
export const refusedImages: Readonly<Record<string, () => Buffer>> = {
  'a PNG whose header says 2 billion pixels on each side': () =>
    plainPng({ width: 2_000_000_000, height: 2_000_000_000, rows: 0 }),
  'a PNG of 10,000 × 10,000 pixels in 100 KB': () => plainPng({ width: 10_000, height: 10_000 }),
  'a PNG of 50,000,001 × 1 pixels': () => plainPng({ width: 50_000_001, height: 1 }),
  'a PNG that ends after half of its rows': () => plainPng({ width: 500, height: 500, rows: 250 }),
  'a PNG that is cut': () => plainPng({ width: 500, height: 500 }).subarray(0, 60),
  'a GIF of 65,535 × 65,535 pixels': () => gifWithFrames(1, 65_535),
  'an SVG with a script': () => Buffer.from(svg),
  'an SVG after the first bytes of a PNG': () => Buffer.concat([PNG, Buffer.from(svg)]),
  'an SVG after the first bytes of a GIF': () => Buffer.concat([Buffer.from('GIF89a'), Buffer.from(svg)]),
  'an SVG after the first bytes of a JPEG': () => Buffer.concat([Buffer.from('ffd8ffe0', 'hex'), Buffer.from(svg)]),
  'a PDF': () => Buffer.from('%PDF-1.7\n1 0 obj <</Type /Catalog>> endobj\ntrailer <</Root 1 0 R>>\n%%EOF'),
  'a script of ImageMagick': () => Buffer.from('push graphic-context\nimage over 0,0 0,0 "|id"\npop graphic-context'),
  'a picture of XBM': () => Buffer.from('#define x_width 9\n#define x_height 9\nstatic char x_bits[] = {0,0};'),
  'an image of OpenEXR': () => Buffer.concat([Buffer.from('762f3101', 'hex'), Buffer.alloc(100)]),
  'an image of HEIC': () =>
    Buffer.concat([Buffer.from('0000001866747970686569630000000068656963', 'hex'), Buffer.alloc(99)]),
  'a header of AVIF without an image': () =>
    Buffer.concat([Buffer.from('000000186674797061766966000000006d696631', 'hex'), Buffer.alloc(4096)]),
  'a header of WebP without an image': () =>
    Buffer.concat([Buffer.from('RIFF\xff\xff\xff\x7fWEBPVP8 ', 'latin1'), Buffer.alloc(99)]),
  'a TIFF with one tile of 60,000 × 60,000 pixels': () =>
    tiff(
      [
        [256, 60_000],
        [257, 60_000],
        [258, 8],
        [259, 1],
        [262, 1],
        [277, 1],
        [322, 60_000],
        [323, 60_000],
        [324, -1],
        [325, 100],
      ],
      Buffer.alloc(100),
    ),
  'a TIFF whose directory points to itself': () => tiff([[330, 8]], Buffer.from([8, 0, 0, 0])),
  'an empty file': () => Buffer.alloc(0),
};

/** Bytes for tests of damage: always the same for one seed. */
export function noise(length: number, seed: number): Buffer {
  const bytes = Buffer.alloc(length);
  let state = seed >>> 0;
  for (let i = 0; i < length; i++) {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    bytes[i] = state >>> 24;
  }
  return bytes;
}
