import { memoize } from '../../catalog/memoize.ts';
import type { MediaType, PlanOption } from './api-request.ts';

/** Parses media types of Accept and Content-Type (RFC 9110, section 12.5.1; PostgREST docs, "Media Type Handlers"). */

const anyMediaType: MediaType = { kind: 'any' };
/** The media type application/json. */
export const jsonMediaType: MediaType = { kind: 'json' };

const plainTypes: Readonly<Record<string, MediaType>> = {
  'application/json': jsonMediaType,
  'application/geo+json': { kind: 'geojson' },
  'text/csv': { kind: 'csv' },
  'text/plain': { kind: 'text' },
  'text/xml': { kind: 'xml' },
  'application/openapi+json': { kind: 'openapi' },
  'application/x-www-form-urlencoded': { kind: 'form' },
  'application/octet-stream': { kind: 'octet-stream' },
  '*/*': anyMediaType,
};

const names: Readonly<Record<string, string>> = {
  json: 'application/json',
  geojson: 'application/geo+json',
  csv: 'text/csv',
  text: 'text/plain',
  xml: 'text/xml',
  openapi: 'application/openapi+json',
  form: 'application/x-www-form-urlencoded',
  'octet-stream': 'application/octet-stream',
  any: '*/*',
};

const planOptions: readonly PlanOption[] = ['analyze', 'verbose', 'settings', 'buffers', 'wal'];

const form = /^([A-Za-z0-9.*]+)\/([A-Za-z0-9.*+-]+)/;
const parameter = /\s*;\s*([A-Za-z0-9-]+)\s*=\s*(?:"([^"]*)"|([A-Za-z0-9|-]+))/y;

function parametersOf(text: string, from: number): Map<string, string> {
  const parameters = new Map<string, string>();
  parameter.lastIndex = from;
  for (let match = parameter.exec(text); match; match = parameter.exec(text)) {
    parameters.set((match[1] as string).toLowerCase(), match[2] ?? match[3] ?? '');
  }
  return parameters;
}

/** Parses a media type with its parameters. A string that is unknown or malformed is returned unchanged as `other`. */
export function parseMediaType(text: string): MediaType {
  const match = form.exec(text);
  if (!match) return { kind: 'other', name: text };
  const name = `${match[1]}/${match[2]}`.toLowerCase();
  const plain = plainTypes[name];
  if (plain) return plain;
  const nullsStripped = (): boolean => parametersOf(text, match[0].length).get('nulls') === 'stripped';
  switch (name) {
    case 'application/vnd.pgrst.object+json':
    case 'application/vnd.pgrst.object':
      return { kind: 'object', nullsStripped: nullsStripped() };
    case 'application/vnd.pgrst.array+json':
    case 'application/vnd.pgrst.array':
      return nullsStripped() ? { kind: 'array-stripped' } : jsonMediaType;
    case 'application/vnd.pgrst.plan':
    case 'application/vnd.pgrst.plan+text':
    case 'application/vnd.pgrst.plan+json': {
      const parameters = parametersOf(text, match[0].length);
      const options = parameters.get('options')?.split('|') ?? [];
      const of = parseMediaType(parameters.get('for') ?? 'application/json');
      return {
        kind: 'plan',
        of: of.kind === 'plan' ? jsonMediaType : of,
        format: name.endsWith('json') ? 'json' : 'text',
        options: planOptions.filter((option) => options.includes(option)),
      };
    }
    default:
      return { kind: 'other', name: text };
  }
}

/** Returns the media type as a string for messages and Content-Type, without charset. */
export function mediaTypeName(type: MediaType): string {
  switch (type.kind) {
    case 'other':
      return type.name;
    case 'array-stripped':
      return 'application/vnd.pgrst.array+json;nulls=stripped';
    case 'object':
      return `application/vnd.pgrst.object+json${type.nullsStripped ? ';nulls=stripped' : ''}`;
    case 'plan': {
      const options = type.options.length ? `; options=${type.options.join('|')}` : '';
      return `application/vnd.pgrst.plan+${type.format}; for="${mediaTypeName(type.of)}"${options}`;
    }
    default:
      return names[type.kind] ?? type.kind;
  }
}

/** Returns true if two media types are equal. */
export const sameMediaType = (a: MediaType, b: MediaType): boolean => mediaTypeName(a) === mediaTypeName(b);

const weight = /;\s*q\s*=\s*([0-9.]+)\s*$/i;

/** Splits a header at commas outside of quotes. */
function listItems(header: string): string[] {
  const items: string[] = [];
  let item = '';
  let inQuotes = false;
  for (const char of header) {
    if (char === '"') inQuotes = !inQuotes;
    if (char === ',' && !inQuotes) {
      items.push(item.trim());
      item = '';
    } else {
      item += char;
    }
  }
  items.push(item.trim());
  return items.filter((part) => part !== '');
}

const countOf = (text: string, char: string): number => text.split(char).length - 1;

/**
 * Returns the specificity of a media range: with parameters before without, `type/subtype` before `type/*` before any.
 */
const exactness = (text: string): number => countOf(text, ';') - countOf(text, '*');

/**
 * Returns the media types of an Accept header, best first: by weight, then by specificity, then in the given order.
 * Without the header, all types are accepted.
 */
export const parseAccept = (header: string | undefined): readonly MediaType[] =>
  header === undefined ? anyOnly : parseList(header);

const anyOnly = [anyMediaType];

const parseList = memoize((header): readonly MediaType[] => {
  const ranges = listItems(header).map((text, index) => {
    const match = weight.exec(text);
    return {
      text: match ? text.slice(0, match.index).trim() : text,
      quality: match ? Math.min(Number(match[1]) || 0, 1) : 1,
      index,
    };
  });
  ranges.sort((a, b) => b.quality - a.quality || exactness(b.text) - exactness(a.text) || a.index - b.index);
  return ranges.map((range) => parseMediaType(range.text));
});
