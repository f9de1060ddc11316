/** A file, folder or symbolic link of a tar archive. */
export interface TarEntry {
  readonly path: string;
  readonly kind: 'file' | 'folder' | 'link';
  readonly mode: number;
  readonly size: number;
  /** The target of a symbolic link. */
  readonly link: string;
}

/** Receives the entries of an archive, each followed by the bytes of its file. */
export interface TarSink {
  begin(entry: TarEntry): void | Promise<void>;
  data(bytes: Buffer): void | Promise<void>;
  end(): void | Promise<void>;
}

/** Bytes of a header, and the unit to which files are padded. */
const BLOCK = 512;
const kinds: Readonly<Record<string, TarEntry['kind']>> = { '0': 'file', '\0': 'file', '5': 'folder', '2': 'link' };

/**
 * Reads an archive as PostgreSQL writes it: POSIX ustar, without extended headers, with sizes in octal digits or in
 * base 256 (PostgreSQL's src/port/tar.c).
 * @throws RangeError if the archive is incomplete or has an entry of another kind, or a path outside of its folder.
 */
export async function readTar(source: AsyncIterable<Buffer>, sink: TarSink): Promise<void> {
  let pending: Buffer = Buffer.alloc(0);
  /** Bytes of the file, and of the padding after it, that have not arrived. */
  let fileLeft = 0;
  let paddingLeft = 0;
  let hasEnded = false;
  for await (const chunk of source) {
    let bytes: Buffer = pending.length === 0 ? chunk : Buffer.concat([pending, chunk]);
    pending = Buffer.alloc(0);
    while (bytes.length > 0 && !hasEnded) {
      if (fileLeft > 0) {
        const part = bytes.subarray(0, fileLeft);
        bytes = bytes.subarray(part.length);
        fileLeft -= part.length;
        await sink.data(part);
        if (fileLeft === 0) await sink.end();
      } else if (paddingLeft > 0) {
        const skipped = Math.min(paddingLeft, bytes.length);
        bytes = bytes.subarray(skipped);
        paddingLeft -= skipped;
      } else if (bytes.length < BLOCK) {
        pending = bytes;
        bytes = Buffer.alloc(0);
      } else {
        const header = bytes.subarray(0, BLOCK);
        bytes = bytes.subarray(BLOCK);
        if (header.every((byte) => byte === 0)) {
          hasEnded = true;
          break;
        }
        const entry = readHeader(header);
        fileLeft = entry.kind === 'file' ? entry.size : 0;
        paddingLeft = (BLOCK - (fileLeft % BLOCK)) % BLOCK;
        await sink.begin(entry);
        if (fileLeft === 0) await sink.end();
      }
    }
  }
  if (!hasEnded) throw new RangeError('The archive is incomplete.');
}

function readHeader(header: Buffer): TarEntry {
  const [name, prefix] = [textAt(header, 0, 100), textAt(header, 345, 155)];
  const path = (prefix === '' ? name : `${prefix}/${name}`).replace(/^\.\//, '').replace(/\/$/, '');
  const kind = kinds[String.fromCharCode(header[156] as number)];
  const isInside = path !== '' && !path.startsWith('/') && !path.split('/').includes('..');
  if (kind === undefined || !isInside || !hasChecksum(header)) {
    throw new RangeError(`The archive has an entry that cannot be read: ${JSON.stringify(path)}.`);
  }
  return {
    path,
    kind,
    mode: numberAt(header, 100, 8) & 0o777,
    size: numberAt(header, 124, 12),
    link: textAt(header, 157, 100),
  };
}

const textAt = (header: Buffer, start: number, length: number): string => {
  const field = header.subarray(start, start + length);
  const end = field.indexOf(0);
  return field.toString('utf8', 0, end === -1 ? length : end);
};

function numberAt(header: Buffer, start: number, length: number): number {
  const first = header[start] as number;
  if ((first & 0x80) === 0) return Number.parseInt(textAt(header, start, length).trim() || '0', 8);
  return header.subarray(start + 1, start + length).reduce((sum, byte) => sum * 256 + byte, first & 0x7f);
}

/** The checksum is the sum of all bytes of the header, with spaces in place of the checksum itself. */
function hasChecksum(header: Buffer): boolean {
  const sum = header.reduce((total, byte, index) => total + (index >= 148 && index < 156 ? 0x20 : byte), 0);
  return sum === numberAt(header, 148, 8);
}
