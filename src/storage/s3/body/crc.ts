/** A digest that is computed piece by piece, such as a cyclic redundancy check or a hash. */
export interface Digest {
  update(bytes: Uint8Array): void;
  /** Returns the digest; of a check value its bytes in big-endian order, as the S3 protocol encodes it. */
  digest(): Buffer;
}

/** The polynomials in reversed bit order. CRC-32C is Castagnoli's; CRC-64/NVME is of the NVM Express specification. */
const CASTAGNOLI = 0x82f63b78;
const NVME = { high: 0x9a6c9329, low: 0xac4bc9b5 } as const;
/** Bytes that one step of the loop reads. Each has its own table. */
const SLICES = 8;

/** Creates CRC-32C (RFC 3720, appendix B.4). */
export function crc32c(): Digest {
  let value = -1;
  return {
    update: (bytes) => {
      value = updateCrc32c(value, bytes);
    },
    digest: () => bigEndian([~value]),
  };
}

/** Creates CRC-64/NVME. Numbers of JavaScript have 32 bits in bit operations, so the value has two halves. */
export function crc64nvme(): Digest {
  const value = { high: -1, low: -1 };
  return {
    update: (bytes) => updateCrc64(value, bytes),
    digest: () => bigEndian([~value.high, ~value.low]),
  };
}

function bigEndian(words: readonly number[]): Buffer {
  const bytes = Buffer.alloc(4 * words.length);
  for (const [i, word] of words.entries()) bytes.writeInt32BE(word, 4 * i);
  return bytes;
}

/** Tables of both halves: entry 256 × k + b is the check value of the byte b followed by k zero bytes. */
interface Tables {
  readonly high: Int32Array;
  readonly low: Int32Array;
}

/** Returns the tables of a reversed polynomial; one of 32 bits is in `low`. */
function tablesOf(polynomial: { readonly high: number; readonly low: number }): Tables {
  const high = new Int32Array(256 * SLICES);
  const low = new Int32Array(256 * SLICES);
  for (let byte = 0; byte < 256; byte++) {
    let [h, l] = [0, byte];
    for (let bit = 0; bit < 8; bit++) {
      const isOdd = (l & 1) === 1;
      l = (l >>> 1) | (h << 31);
      h >>>= 1;
      if (isOdd) [h, l] = [h ^ polynomial.high, l ^ polynomial.low];
    }
    high[byte] = h;
    low[byte] = l;
  }
  for (let i = 256; i < 256 * SLICES; i++) {
    const h = high[i - 256] as number;
    const l = low[i - 256] as number;
    const index = l & 255;
    high[i] = (h >>> 8) ^ (high[index] as number);
    low[i] = ((l >>> 8) | (h << 24)) ^ (low[index] as number);
  }
  return { high, low };
}

const { low: castagnoli } = tablesOf({ high: 0, low: CASTAGNOLI });
const nvme = tablesOf(NVME);

function updateCrc32c(before: number, b: Uint8Array): number {
  const table = castagnoli;
  const end = b.length - (b.length % SLICES);
  let crc = before;
  let i = 0;
  for (; i < end; i += SLICES) {
    crc ^= word(b, i);
    crc =
      at(table, 1792 + (crc & 255)) ^
      at(table, 1536 + ((crc >>> 8) & 255)) ^
      at(table, 1280 + ((crc >>> 16) & 255)) ^
      at(table, 1024 + (crc >>> 24)) ^
      at(table, 768 + at(b, i + 4)) ^
      at(table, 512 + at(b, i + 5)) ^
      at(table, 256 + at(b, i + 6)) ^
      at(table, at(b, i + 7));
  }
  for (; i < b.length; i++) crc = (crc >>> 8) ^ at(table, (crc ^ at(b, i)) & 255);
  return crc;
}

function updateCrc64(value: { high: number; low: number }, b: Uint8Array): void {
  const { high, low } = nvme;
  const end = b.length - (b.length % SLICES);
  let { high: h, low: l } = value;
  let i = 0;
  for (; i < end; i += SLICES) {
    const x = l ^ word(b, i);
    const y = h ^ word(b, i + 4);
    const [i0, i1, i2, i3] = [1792 + (x & 255), 1536 + ((x >>> 8) & 255), 1280 + ((x >>> 16) & 255), 1024 + (x >>> 24)];
    const [i4, i5, i6, i7] = [768 + (y & 255), 512 + ((y >>> 8) & 255), 256 + ((y >>> 16) & 255), y >>> 24];
    h =
      at(high, i0) ^
      at(high, i1) ^
      at(high, i2) ^
      at(high, i3) ^
      at(high, i4) ^
      at(high, i5) ^
      at(high, i6) ^
      at(high, i7);
    l = at(low, i0) ^ at(low, i1) ^ at(low, i2) ^ at(low, i3) ^ at(low, i4) ^ at(low, i5) ^ at(low, i6) ^ at(low, i7);
  }
  for (; i < b.length; i++) {
    const index = (l ^ at(b, i)) & 255;
    l = ((l >>> 8) | (h << 24)) ^ at(low, index);
    h = (h >>> 8) ^ at(high, index);
  }
  value.high = h;
  value.low = l;
}

const at = (values: Int32Array | Uint8Array, index: number): number => values[index] as number;

/** Reads four bytes in little-endian order. */
const word = (b: Uint8Array, i: number): number =>
  at(b, i) | (at(b, i + 1) << 8) | (at(b, i + 2) << 16) | (at(b, i + 3) << 24);
