/** An element with text, or with other elements. Undefined and null values have no element. */
export type XmlValue = string | number | boolean | XmlContent | readonly XmlContent[] | null | undefined;
export interface XmlContent {
  readonly [element: string]: XmlValue;
}

/** The start of every document. */
export const XML_HEAD = '<?xml version="1.0" encoding="UTF-8"?>\n';
const NAMESPACE = 'http://s3.amazonaws.com/doc/2006-03-01/';

/** Renders a document of the S3 protocol. Each property is an element; a list is repeated elements. */
export const renderXml = (root: string, content: XmlContent): string =>
  `${XML_HEAD}<${root} xmlns="${NAMESPACE}">${elements(content)}</${root}>`;

/** Renders an error, which has no namespace. */
export const renderXmlError = (content: XmlContent): string => `${XML_HEAD}<Error>${elements(content)}</Error>`;

function elements(content: XmlContent): string {
  let xml = '';
  for (const [name, value] of Object.entries(content)) {
    if (Array.isArray(value)) for (const each of value as readonly XmlContent[]) xml += element(name, each);
    else xml += element(name, value as Exclude<XmlValue, readonly XmlContent[]>);
  }
  return xml;
}

function element(name: string, value: Exclude<XmlValue, readonly XmlContent[]>): string {
  if (value === null || value === undefined) return '';
  return `<${name}>${typeof value === 'object' ? elements(value) : escapeText(String(value))}</${name}>`;
}

const references: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  '\r': '&#13;',
};
const special = /[&<>"\r\ufffe\uffff]|\p{Cc}|\p{Surrogate}/gu;

/** Escapes text. A reader gets U+FFFD for characters that XML 1.0 cannot contain, not even as references. */
const escapeText = (text: string): string =>
  text.replace(special, (character) => references[character] ?? (isPossible(character) ? character : '\ufffd'));

/** Returns true for the control characters that XML 1.0 can contain (section 2.2). */
const isPossible = (character: string): boolean => /[\t\n\u007f-\u009f]/.test(character);

/** Encodes a key for `encoding-type=url`: as a percent-encoded path. */
export const urlEncoded = (key: string): string =>
  encodeURIComponent(key)
    .replaceAll('%2F', '/')
    .replace(/[!'()*]/g, percentEncoded);

const percentEncoded = (character: string): string =>
  `%${character.charCodeAt(0).toString(16).toUpperCase().padStart(2, '0')}`;
