import { createCipheriv, createDecipheriv, hkdfSync, randomBytes } from 'node:crypto';

/**
 * Encrypts and authenticates batches for a broker that other programs may use too. The nodes of an installation share
 * the master key, from which the key is derived. A sealed batch is: version, nonce, tag, ciphertext. The plaintext is:
 * length of the node's id, id, sequence number, frames. The name of the channel is authenticated as well, and the
 * sequence number of a node only grows, so a batch can be neither moved nor repeated.
 */
const VERSION = 1;
const ALGORITHM = 'aes-256-gcm';
const KEY_BYTES = 32;
const NONCE_BYTES = 12;
const TAG_BYTES = 16;
const HEAD_BYTES = 1 + NONCE_BYTES + TAG_BYTES;
const SEQUENCE_BYTES = 6;
/** Bytes of the public name of an installation. */
const NAME_BYTES = 12;

/** A batch that a node of this installation has sealed. */
export interface OpenedBatch {
  readonly node: string;
  readonly sequence: number;
  readonly frames: Uint8Array;
}

/** Seals and opens the batches of one installation. */
export class BrokerSeal {
  /** Name of the installation, by which its channels differ from those of others. It does not reveal the key. */
  readonly name: string;
  readonly #key: Buffer;

  constructor(masterKey: Uint8Array) {
    const derive = (purpose: string, bytes: number) =>
      Buffer.from(hkdfSync('sha256', masterKey, '', `ninefold bus ${purpose}`, bytes));
    this.name = derive('name', NAME_BYTES).toString('base64url');
    this.#key = derive('key', KEY_BYTES);
  }

  seal(channel: string, { node, sequence, frames }: OpenedBatch): Buffer {
    const nonce = randomBytes(NONCE_BYTES);
    const cipher = createCipheriv(ALGORITHM, this.#key, nonce, { authTagLength: TAG_BYTES });
    cipher.setAAD(Buffer.from(channel));
    const head = Buffer.alloc(1 + node.length + SEQUENCE_BYTES);
    head[0] = node.length;
    head.write(node, 1, 'latin1');
    head.writeUIntLE(sequence, 1 + node.length, SEQUENCE_BYTES);
    const parts = [cipher.update(head), cipher.update(frames), cipher.final()];
    return Buffer.concat([Buffer.of(VERSION), nonce, cipher.getAuthTag(), ...parts]);
  }

  /** Opens a batch. Returns null if no node of this installation sealed it for this channel. */
  open(channel: string, sealed: Buffer): OpenedBatch | null {
    if (sealed.length < HEAD_BYTES || sealed[0] !== VERSION) return null;
    const nonce = sealed.subarray(1, 1 + NONCE_BYTES);
    const decipher = createDecipheriv(ALGORITHM, this.#key, nonce, { authTagLength: TAG_BYTES });
    decipher.setAAD(Buffer.from(channel));
    decipher.setAuthTag(sealed.subarray(1 + NONCE_BYTES, HEAD_BYTES));
    const plain = decipher.update(sealed.subarray(HEAD_BYTES));
    try {
      decipher.final();
    } catch {
      return null;
    }
    const framesAt = 1 + (plain[0] ?? 0) + SEQUENCE_BYTES;
    if (framesAt > plain.length) return null;
    return {
      node: plain.toString('latin1', 1, framesAt - SEQUENCE_BYTES),
      sequence: plain.readUIntLE(framesAt - SEQUENCE_BYTES, SEQUENCE_BYTES),
      frames: plain.subarray(framesAt),
    };
  }
}
