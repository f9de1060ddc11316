import { NinefoldError } from '../../../errors/ninefold-error.ts';

/** An element of a document: its name without the prefix of its namespace, its text, and the elements in it. */
export interface XmlElement {
  readonly name: string;
  /** The text directly in the element, not trimmed. */
  readonly text: string;
  readonly children: readonly XmlElement[];
}

/** Maximum depth of a document. No request of the S3 protocol has more than four levels. */
const MAX_DEPTH = 8;

/** A start tag, an end tag or an empty element. The values of attributes are not read, because no request needs them. */
const TAG = /<(\/?)(?:[\w.-]+:)?([A-Za-z_][\w.-]*)((?:\s+[\w.:-]+\s*=\s*(?:"[^"<]*"|'[^'<]*'))*)\s*(\/?)>/y;
const DECLARATION = /^\ufeff?\s*<\?xml\s[^<>]*\?>/;
const REFERENCE = /&(?:#x([0-9a-fA-F]{1,6})|#([0-9]{1,7})|(amp|lt|gt|quot|apos));/g;
/** An ampersand that begins no reference. */
const BARE = /&(?!(?:#x[0-9a-fA-F]{1,6}|#[0-9]{1,7}|amp|lt|gt|quot|apos);)/;
const entities: Readonly<Record<string, string>> = { amp: '&', lt: '<', gt: '>', quot: '"', apos: "'" };

interface OpenElement {
  name: string;
  text: string;
  children: XmlElement[];
}

/**
 * Parses a document that has only elements, attributes and text: no document type, no entities of its own, no comments,
 * CDATA or processing instructions. Takes time that is linear in the length.
 * @throws NinefoldError MalformedXML
 */
export function readXml(bytes: Uint8Array): XmlElement {
  const xml = decode(bytes).replace(DECLARATION, '');
  if (xml.includes('\0')) throw malformed();
  const root: OpenElement = { name: '', text: '', children: [] };
  const open = [root];
  for (let position = 0; ; ) {
    const next = xml.indexOf('<', position);
    const current = open.at(-1) as OpenElement;
    current.text += resolveReferences(next < 0 ? xml.slice(position) : xml.slice(position, next));
    if (next < 0) break;
    TAG.lastIndex = next;
    const tag = TAG.exec(xml);
    if (!tag) throw malformed();
    position = TAG.lastIndex;
    const [, isEnd, name = '', attributes, isEmpty] = tag;
    if (isEnd) {
      if (attributes || isEmpty || current === root || current.name !== name) throw malformed();
      open.pop();
      continue;
    }
    const element: OpenElement = { name, text: '', children: [] };
    current.children.push(element);
    if (isEmpty) continue;
    open.push(element);
    if (open.length > MAX_DEPTH) throw malformed();
  }
  const [only, ...others] = root.children;
  if (open.length > 1 || !only || others.length > 0 || root.text.trim() !== '') throw malformed();
  return only;
}

function decode(bytes: Uint8Array): string {
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes);
  } catch {
    throw malformed();
  }
}

function resolveReferences(text: string): string {
  if (!text.includes('&')) return text;
  if (BARE.test(text)) throw malformed();
  return text.replace(REFERENCE, (_, hex?: string, decimal?: string, name?: string) => {
    if (name !== undefined) return entities[name] as string;
    const code = hex === undefined ? Number(decimal) : Number.parseInt(hex, 16);
    const isCharacter = code > 0 && code <= 0x10ffff && (code < 0xd800 || code > 0xdfff);
    if (!isCharacter) throw malformed();
    return String.fromCodePoint(code);
  });
}

/** Returns the text of the only child with this name; undefined without one. @throws NinefoldError MalformedXML */
export function childText(element: XmlElement, name: string): string | undefined {
  const found = element.children.filter((child) => child.name === name);
  if (found.length > 1 || found[0]?.children.length) throw malformed();
  return found[0]?.text;
}

export const malformed = (): NinefoldError => new NinefoldError('MalformedXML');
