import { createHash, generateKeyPairSync, type KeyObject, randomBytes, sign } from 'node:crypto';
import { isoCBOR } from '@simplewebauthn/server/helpers';

/** The values that a page passes to a device for a WebAuthn response. The defaults make a valid response. */
export interface Ceremony {
  origin: string;
  rpId: string;
  challenge: string;
  type?: string;
}

const sha256 = (data: string | Buffer): Buffer => createHash('sha256').update(data).digest();
const encode = (data: Buffer | string): string => Buffer.from(data).toString('base64url');

const USER_PRESENT = 0x01;
const USER_VERIFIED = 0x04;
const HAS_CREDENTIAL = 0x40;

/** A passkey in software (WebAuthn Level 3, section 6). With it, tests create responses that no browser would create. */
export class Authenticator {
  readonly id: Buffer = randomBytes(32);
  /** The signature counter, which a test may set. */
  counter: number;
  /** The id of the account. The device receives it when it is registered. */
  userHandle = '';
  readonly #privateKey: KeyObject;
  readonly #publicKey: Buffer;

  constructor(counter = 1) {
    this.counter = counter;
    const { privateKey, publicKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' });
    const { x = '', y = '' } = publicKey.export({ format: 'jwk' });
    // A COSE key (RFC 9053) of the type EC2, for ES256 on the curve P-256.
    const cose = new Map<number, unknown>([
      [1, 2],
      [3, -7],
      [-1, 1],
      [-2, new Uint8Array(Buffer.from(x, 'base64url'))],
      [-3, new Uint8Array(Buffer.from(y, 'base64url'))],
    ]);
    this.#privateKey = privateKey;
    this.#publicKey = Buffer.from(isoCBOR.encode(cose as never));
  }

  #data(rpId: string, flags: number, credential: Buffer = Buffer.alloc(0)): Buffer {
    const counter = Buffer.alloc(4);
    counter.writeUInt32BE(this.counter);
    return Buffer.concat([sha256(rpId), Buffer.from([flags]), counter, credential]);
  }

  /** Returns what navigator.credentials.create() returns. `attestation` is the device's statement about itself. */
  create(
    ceremony: Ceremony,
    userId: string,
    attestation: { fmt: string; attStmt: Map<string, unknown> } | null = null,
  ) {
    this.userHandle = userId;
    const length = Buffer.alloc(2);
    length.writeUInt16BE(this.id.length);
    const credential = Buffer.concat([Buffer.alloc(16), length, this.id, this.#publicKey]);
    const authData = this.#data(ceremony.rpId, USER_PRESENT | USER_VERIFIED | HAS_CREDENTIAL, credential);
    const object = new Map<string, unknown>([
      ['fmt', attestation?.fmt ?? 'none'],
      ['attStmt', attestation?.attStmt ?? new Map()],
      ['authData', new Uint8Array(authData)],
    ]);
    return {
      ...this.#head(),
      response: {
        clientDataJSON: clientData({ type: 'webauthn.create', ...ceremony }),
        attestationObject: encode(Buffer.from(isoCBOR.encode(object as never))),
        transports: ['internal'],
      },
    };
  }

  /** Returns what navigator.credentials.get() returns. Increments the counter, unless the device has none. */
  get(ceremony: Ceremony) {
    if (this.counter > 0) this.counter++;
    const authenticatorData = this.#data(ceremony.rpId, USER_PRESENT | USER_VERIFIED);
    const clientDataJSON = clientData({ type: 'webauthn.get', ...ceremony });
    const signed = Buffer.concat([authenticatorData, sha256(Buffer.from(clientDataJSON, 'base64url'))]);
    return {
      ...this.#head(),
      response: {
        clientDataJSON,
        authenticatorData: encode(authenticatorData),
        signature: encode(sign('sha256', signed, this.#privateKey)),
        userHandle: encode(this.userHandle),
      },
    };
  }

  #head() {
    const id = encode(this.id);
    return { id, rawId: id, type: 'public-key' as const, clientExtensionResults: {} };
  }
}

const clientData = ({ type, challenge, origin }: Ceremony): string =>
  encode(JSON.stringify({ type, challenge, origin, crossOrigin: false }));
