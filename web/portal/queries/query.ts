import type { PortalEntity, PortalField, PortalReference, PortalScreens } from '../../../contract/portal.ts';
import { containing, keyParameters, keysParameter, orderWithKey, quoted, quotedText } from '../../rows/query.ts';
import type { Row } from './rest.ts';

/** Number of rows on a page. */
export const PAGE_ROWS = 50;

/** A term of the parameter `order`, for example `"odd name".desc`. */
export interface OrderTerm {
  readonly text: string;
  /** The name of the field without quotes. An expression such as `data->>size` is unchanged. */
  readonly field: string;
  readonly isDescending: boolean;
}

/** Splits the parameter `order` into its terms. */
export function orderTerms(order: string | null): OrderTerm[] {
  const terms = (order ?? '').match(/(?:"(?:[^"\\]|\\.)*"|[^,"])+/g) ?? [];
  return terms.map((text) => {
    const name = /^(?:"(?:[^"\\]|\\.)*"|[^."])+/.exec(text)?.[0] ?? '';
    const field = name.startsWith('"') ? name.slice(1, -1).replaceAll(/\\(.)/g, '$1') : name;
    return { text, field, isDescending: text.slice(name.length).startsWith('.desc') };
  });
}

/** Returns the name under which a response contains the row that a field references. */
const embeddedAs = (field: string): string => `~${field}`;

/** Number of references that a request follows for the label of a row. */
const EMBEDDED_DEPTH = 3;

/** Returns the parameter `select`: the fields, the key, and the label of each referenced row. */
export function selectOf(all: PortalScreens, entity: PortalEntity, names: readonly string[]): string {
  const opened = entity.opens ? [entity.opens.field] : [];
  const state = entity.machine ? [entity.machine.field] : [];
  const wanted = new Set([...names, ...entity.key, ...opened, ...state, ...entity.title_fields]);
  const fields = entity.fields.filter(({ name, readable }) => readable && wanted.has(name));
  return fields.flatMap((field) => [quoted(field.name), ...embedOf(all, entity, field)]).join(',');
}

/**
 * Returns true if a data request can embed the row that a field references. Both entities must be in one schema,
 * because a data request reads only one.
 */
export const canEmbed = (entity: PortalEntity, target: PortalEntity): boolean => entity.schema === target.schema;

function embedOf(
  all: PortalScreens,
  entity: PortalEntity,
  { name, reference }: PortalField,
  depth = EMBEDDED_DEPTH,
): string[] {
  const target = all.entities.find(({ id }) => id === reference?.entity);
  if (!reference || !target || !canEmbed(entity, target) || depth === 0) return [];
  const names = new Set([reference.field, ...target.key, ...target.title_fields]);
  // The label of the referenced row may contain the label of a further row.
  const further = target.fields.filter((field) => target.title_fields.includes(field.name));
  const fields = [...[...names].map(quoted), ...further.flatMap((field) => embedOf(all, target, field, depth - 1))];
  return [`${quotedText(embeddedAs(name))}:${rowOf(entity, name, reference, target)}(${fields.join(',')})`];
}

/** Names the referenced row in `select`. If a table references itself, its name would be ambiguous, so that of the field is used. */
const rowOf = (entity: PortalEntity, name: string, { key }: PortalReference, target: PortalEntity): string =>
  target.id === entity.id ? quoted(name) : `${quoted(target.name)}!${quoted(key)}`;

/** Returns the row that a field references, if the caller may read it. */
export const pointedTo = (row: Row, field: string): Row | null => (row[embeddedAs(field)] as Row | null) ?? null;

/** The query of a list: the conditions of its screen, the conditions that the member added, a search and an order. */
export interface ListQuery {
  readonly filter: string | null;
  readonly order: string | null;
  /** The member's conditions by field, for example `eq.open`. A range has several conditions. */
  readonly conditions: Readonly<Record<string, string | readonly string[]>>;
  readonly search: string;
}

/** Returns the parameters of the data request for a list, without those that choose a page. */
export function listParams(all: PortalScreens, entity: PortalEntity, columns: readonly string[], query: ListQuery) {
  const params = new URLSearchParams(query.filter ?? '');
  params.set('select', selectOf(all, entity, columns));
  for (const [name, conditions] of Object.entries(query.conditions)) {
    for (const condition of [conditions].flat()) params.append(quoted(name), condition);
  }
  addSearch(all, entity, params, query.search);
  const order = orderOf(entity, query.order);
  if (order !== '') params.set('order', order);
  return params;
}

/** Maximum number of words of a search that are used. */
const WORDS = 10;

/** Returns the fields in which a search looks: the fields with a tsvector if the app has defined any, otherwise all texts. */
export function searchedFields({ fields }: PortalEntity): PortalField[] {
  const defined = fields.filter(({ full_text, searchable }) => full_text && !searchable);
  if (defined.length > 0) return defined;
  return fields.filter(
    ({ editor, searchable, values }) => searchable && values === null && (editor === 'text' || editor === 'long text'),
  );
}

/** Maximum number of references whose labels a search covers. */
const REFERENCES = 2;

/** A reference whose label a search covers: the field, the referenced entity, and the texts of its label. */
interface SearchedReference {
  readonly field: PortalField;
  readonly reference: PortalReference;
  readonly target: PortalEntity;
  readonly texts: readonly PortalField[];
}

/** Returns the references whose labels a search covers: first those in the label of the row itself. */
export function searchedReferences(all: PortalScreens, entity: PortalEntity): SearchedReference[] {
  const isTitle = ({ name }: PortalField) => Number(entity.title_fields.includes(name));
  return entity.fields
    .flatMap((field): SearchedReference[] => {
      const { reference, readable } = field;
      const target = all.entities.find(({ id }) => id === reference?.entity);
      if (!reference || !readable || !target || !canEmbed(entity, target)) return [];
      const texts = target.fields.filter(({ name, searchable }) => searchable && target.title_fields.includes(name));
      return texts.length === 0 ? [] : [{ field, reference, target, texts }];
    })
    .sort((a, b) => isTitle(b.field) - isTitle(a.field))
    .slice(0, REFERENCES);
}

/**
 * Adds the conditions of a search to the parameters of a data request. A word is also found in the label of a referenced
 * row: a further embedding of the row contains nothing and is only there for rows with the word
 * (docs.postgrest.org, "Or filtering across embedded resources").
 */
export function addSearch(
  all: PortalScreens,
  entity: PortalEntity,
  params: URLSearchParams,
  search: string,
  own: readonly PortalField[] = searchedFields(entity),
): void {
  const references = searchedReferences(all, entity);
  if (references.length === 0 || own.some(({ full_text }) => full_text)) {
    for (const condition of searchConditions({ ...entity, fields: [...own] }, search)) params.append('or', condition);
    return;
  }
  const words = search.split(/\s+/).filter(Boolean).slice(0, WORDS);
  for (const [i, word] of words.entries()) {
    const conditions = own.map((field) => containing(field.name, word));
    for (const [j, { field, reference, target, texts }] of references.entries()) {
      const alias = quotedText(`~~${i} ${j}`);
      params.set('select', `${params.get('select')},${alias}:${rowOf(entity, field.name, reference, target)}()`);
      params.append(`${alias}.or`, `(${texts.map(({ name }) => containing(name, word)).join(',')})`);
      conditions.push(`${alias}.not.is.null`);
    }
    params.append('or', `(${conditions.join(',')})`);
  }
}

/**
 * Returns the conditions of a search, each in the syntax of the parameter `or`. A row is found if it meets all of them.
 * A field with a full-text index is searched for the beginnings of words, any other field for the characters. Pure.
 */
export function searchConditions(entity: PortalEntity, search: string): string[] {
  const searched = searchedFields(entity);
  const words = search.split(/\s+/).filter(Boolean).slice(0, WORDS);
  if (searched.length === 0 || words.length === 0) return [];
  if (!searched.some(({ full_text }) => full_text)) {
    // Each word has its own condition, so the words may be in different fields of a row.
    return words.map((word) => `(${searched.map((field) => containing(field.name, word)).join(',')})`);
  }
  const inField = (field: PortalField): string[] => {
    if (field.full_text) return matching(field, words);
    const all = words.map((word) => containing(field.name, word));
    return [all.length === 1 ? (all[0] ?? '') : `and(${all.join(',')})`];
  };
  const conditions = searched.flatMap(inField);
  return conditions.length === 0 ? [] : [`(${conditions.join(',')})`];
}

/**
 * Returns the condition that a field contains all words (PostgreSQL manual, "Parsing Queries"). Returns none if the
 * search consists of signs only. PostgreSQL ignores words that are too frequent.
 */
function matching({ name, full_text }: PortalField, words: readonly string[]): string[] {
  const lexemes = words
    .filter((word) => /[\p{L}\p{N}]/u.test(word))
    .map((word) => `'${word.replaceAll(/['\\]/g, '$&$&')}':*`);
  const configuration = full_text?.configuration == null ? '' : `(${full_text.configuration})`;
  return lexemes.length === 0 ? [] : [`${quoted(name)}.fts${configuration}.${quotedText(lexemes.join(' & '))}`];
}

/** Returns an order followed by the key of the entity. */
export const orderOf = ({ key }: Pick<PortalEntity, 'key'>, order: string | null): string =>
  orderWithKey(orderTerms(order), key);

/** Returns the parameters that select one row by its key. */
export const keyParams = (key: Readonly<Record<string, unknown>>): URLSearchParams =>
  paramsOf(keyParameters(Object.keys(key), Object.values(key)));

const paramsOf = (parameters: readonly (readonly [string, string])[]): URLSearchParams =>
  new URLSearchParams(parameters.map(([name, value]) => [name, value]));

/** Returns the key of a row. A value of JSON or of an array is the text that a data request compares. */
export const keyOf = ({ key, fields }: Pick<PortalEntity, 'key' | 'fields'>, row: Row): Record<string, unknown> =>
  Object.fromEntries(
    key.map((name) => {
      const value = row[name];
      const { editor } = fields.find((field) => field.name === name) ?? {};
      if (value === undefined || value === null) return [name, value];
      if (editor === 'json') return [name, JSON.stringify(value)];
      return [name, Array.isArray(value) ? arrayText(value) : value];
    }),
  );

/** Formats values as PostgreSQL does (manual, "Array Input and Output"). */
export function arrayText(values: readonly unknown[]): string {
  const elements = values.map((value) => {
    if (value === null) return 'NULL';
    if (Array.isArray(value)) return arrayText(value);
    return quotedText(typeof value === 'object' ? JSON.stringify(value) : String(value));
  });
  return `{${elements.join(',')}}`;
}

/** Returns the parameters that select rows by their keys. */
export const keysParams = (entity: PortalEntity, rows: readonly Row[]): URLSearchParams =>
  paramsOf([
    keysParameter(
      entity.key,
      rows.map((row) => Object.values(keyOf(entity, row))),
    ),
  ]);
