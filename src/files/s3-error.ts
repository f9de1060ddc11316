import { XMLParser } from 'fast-xml-parser';
import { NinefoldError } from '../errors/ninefold-error.ts';

/** Seconds after which a client may try again when the S3 server fails. */
const RETRY_SECONDS = 5;
/** Code of an error response to HEAD, which has no body. */
export const NO_CODE = 'NoBody';
/** Codes of S3 for faults that may pass, besides the statuses 429 and 5xx. */
const temporaryCodes = ['RequestTimeout', 'SlowDown', 'InternalError', 'ServiceUnavailable', 'OperationAborted'];
/** Codes of connections that a further attempt cannot improve. */
const lastingCodes = /^(?:CERT_|ERR_TLS|DEPTH_ZERO|SELF_SIGNED|UNABLE_TO)/;

/**
 * Error of an S3 server or of the connection to it. It has only a status and a code, because messages of servers and of
 * Node.js contain access keys and addresses.
 */
export class S3Error extends Error {
  override readonly name = 'S3Error';
  /** 0 if there is no response. */
  readonly status: number;
  readonly code: string;

  constructor(status: number, code: string) {
    super(
      status === 0 ? `The S3 server sent no usable response: ${code}.` : `The S3 server responded ${status} ${code}.`,
    );
    this.status = status;
    this.code = code;
  }

  /** True if a further attempt may succeed. */
  get isTemporary(): boolean {
    if (this.status === 0) return !lastingCodes.test(this.code);
    return this.status === 429 || (this.status >= 500 && this.status !== 501) || temporaryCodes.includes(this.code);
  }

  /** True if the object does not exist. A missing bucket or an address that is no S3 server is a fault instead. */
  get isMissing(): boolean {
    return this.status === 404 && ['NoSuchKey', NO_CODE].includes(this.code);
  }
}

/** Returns the error for the API. Any error but an S3Error stays as it is. */
export function toUnavailable(error: unknown): unknown {
  if (!(error instanceof S3Error)) return error;
  return new NinefoldError('storage_unavailable', { retryAfter: RETRY_SECONDS, cause: error });
}

const parserOptions = {
  ignoreAttributes: true,
  parseTagValue: false,
  // Without this option the parser does not decode &#34;, which servers in Go write for the quotes of an ETag.
  htmlEntities: true,
  isArray: (name: string) => ['Contents', 'Error', 'Deleted'].includes(name),
};

type XmlNode = { readonly [name: string]: unknown };
const isNode = (value: unknown): value is XmlNode => typeof value === 'object' && value !== null;

/**
 * Returns the root element of a response.
 * @param roots Names that the element may have, because not all servers use Amazon's.
 * @throws S3Error if the response is another document, for example an error that follows the status 200.
 */
export function readXml(text: string, ...roots: readonly string[]): XmlNode {
  const document = parseXml(text);
  const element = roots.map((root) => document?.[root]).find((found) => found !== undefined);
  if (element === '') return {};
  if (isNode(element)) return element;
  const code = codeIn(document);
  // The status is unknown, because the server sent 200 before it failed.
  throw new S3Error(0, code ?? 'InvalidResponse');
}

/** Returns the text of a child; empty if there is none. */
export const textIn = (node: XmlNode, name: string): string => (typeof node[name] === 'string' ? node[name] : '');

/** Returns the children with a name that can occur several times. */
export const nodesIn = (node: XmlNode, name: string): XmlNode[] => {
  const found = node[name];
  return Array.isArray(found) ? found.filter(isNode) : [];
};

/** Returns the code of an error document; `Unknown` if the text is none. */
export const codeOfError = (text: string): string => codeIn(parseXml(text)) ?? 'Unknown';

function parseXml(text: string): XmlNode | null {
  try {
    // A parser keeps the entities that a document defines.
    const document: unknown = new XMLParser(parserOptions).parse(text);
    return isNode(document) ? document : null;
  } catch {
    return null;
  }
}

function codeIn(document: XmlNode | null): string | null {
  const [error] = document === null ? [] : nodesIn(document, 'Error');
  const code = error === undefined ? '' : textIn(error, 'Code');
  return /^\w{1,64}$/.test(code) ? code : null;
}
