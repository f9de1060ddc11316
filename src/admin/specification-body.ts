import { promisify } from 'node:util';
import { constants, gzip } from 'node:zlib';
import type { Exchange, Reply } from '../../contract/exchange.ts';
import type { Specification } from '../../contract/specification.ts';

interface Body {
  readonly json: Buffer;
  /** Null until a client has asked for it. */
  packed: Promise<Buffer> | null;
}

/** As long as the specification itself stands: of a large app it is megabytes, which pages ask for again and again. */
const bodies = new WeakMap<Specification, Body>();

/** The reply that holds a specification as JSON, packed for a client that takes gzip (RFC 9110, section 12.5.3). */
export async function specificationReply(specification: Specification, { headers }: Exchange): Promise<Reply> {
  const known = bodies.get(specification) ?? { json: Buffer.from(JSON.stringify(specification)), packed: null };
  bodies.set(specification, known);
  const common = {
    'content-type': 'application/json; charset=utf-8',
    'cache-control': 'no-store',
    vary: 'accept-encoding',
  };
  if (!takesGzip(headers['accept-encoding'])) return { status: 200, headers: common, body: known.json };
  known.packed ??= promisify(gzip)(known.json, { level: constants.Z_BEST_SPEED });
  return { status: 200, headers: { ...common, 'content-encoding': 'gzip' }, body: await known.packed };
}

const takesGzip = (accepted = ''): boolean =>
  accepted.split(',').some((each) => {
    const [coding = '', ...parameters] = each
      .toLowerCase()
      .split(';')
      .map((part) => part.trim());
    return (coding === 'gzip' || coding === 'x-gzip') && !parameters.some((part) => /^q=0(\.0*)?$/.test(part));
  });
