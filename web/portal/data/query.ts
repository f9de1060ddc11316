import type { PortalEntity, PortalField, PortalScreens } from '../../../contract/portal.ts';
import type { Row } from './rest.ts';
import { entityIn } from './screens.ts';

/** Number of rows on a page. */
export const PAGE_ROWS = 50;

/** Quotes a name for a data request, unless the name is plain. */
export const quoted = (name: string): string => (/^\w+$/.test(name) ? name : `"${name.replaceAll(/[\\"]/g, '\\$&')}"`);

/** Returns the name of the embedded row that a field references. */
const embeddedAs = (field: string): string => `~${field}`;

/** Returns the parameter `select`: the fields, the key, and the label of each referenced row. */
export function selectOf(all: PortalScreens, entity: PortalEntity, names: readonly string[]): string {
  const opened = entity.opens ? [entity.opens.field] : [];
  const state = entity.machine ? [entity.machine.field] : [];
  const title = entity.title_field === null ? [] : [entity.title_field];
  const wanted = new Set([...names, ...entity.key, ...opened, ...state, ...title]);
  const fields = entity.fields.filter(({ name, readable }) => readable && wanted.has(name));
  return fields.flatMap((field) => [quoted(field.name), ...embedOf(all, field)]).join(',');
}

function embedOf(all: PortalScreens, { name, reference }: PortalField): string[] {
  const target = reference && entityIn(all, reference.entity);
  if (!reference || !target) return [];
  const fields = [...new Set([reference.field, ...(target.title_field === null ? [] : [target.title_field])])];
  return [
    `"${embeddedAs(name).replaceAll(/[\\"]/g, '\\$&')}":${quoted(target.name)}!${quoted(reference.key)}(${fields.map(quoted).join(',')})`,
  ];
}

/** Returns the row that a field references, if the caller may read it. */
export const pointedTo = (row: Row, field: string): Row | null => (row[embeddedAs(field)] as Row | null) ?? null;

/** The query of a list: the conditions of its screen, the member's conditions, a search and an order. */
export interface ListQuery {
  readonly filter: string | null;
  readonly order: string | null;
  /** Conditions by field: `eq.open`. */
  readonly conditions: Readonly<Record<string, string>>;
  readonly search: string;
}

/** Returns the parameters of the data request for a list, without its page. */
export function listParams(all: PortalScreens, entity: PortalEntity, columns: readonly string[], query: ListQuery) {
  const params = new URLSearchParams(query.filter ?? '');
  params.set('select', selectOf(all, entity, columns));
  for (const [name, condition] of Object.entries(query.conditions)) params.append(quoted(name), condition);
  const searched = searchedFields(entity);
  if (query.search !== '' && searched.length > 0) {
    const pattern = `"*${query.search.replaceAll(/[\\"]/g, '\\$&').replaceAll('*', '')}*"`;
    params.append('or', `(${searched.map((name) => `${quoted(name)}.ilike.${pattern}`).join(',')})`);
  }
  const order = orderOf(entity, query.order);
  if (order !== '') params.set('order', order);
  return params;
}

/** Returns the text fields that a search reads. */
export const searchedFields = ({ fields }: PortalEntity): string[] =>
  fields
    .filter(
      ({ editor, searchable, values }) =>
        searchable && values === null && (editor === 'text' || editor === 'long text'),
    )
    .map(({ name }) => name);

/** Returns the order followed by the key, so that pages do not overlap. */
export function orderOf({ key }: Pick<PortalEntity, 'key'>, order: string | null): string {
  const named = (order ?? '').split(',').filter(Boolean);
  const known = new Set(named.map((term) => term.split('.')[0]));
  return [...named, ...key.map(quoted).filter((name) => !known.has(name))].join(',');
}

/** Returns the parameters that select one row by its key. */
export const keyParams = (key: Readonly<Record<string, unknown>>): URLSearchParams =>
  new URLSearchParams(Object.entries(key).map(([name, value]) => [quoted(name), `eq.${String(value)}`]));

/** Returns the key of a row. */
export const keyOf = ({ key }: PortalEntity, row: Row): Record<string, unknown> =>
  Object.fromEntries(key.map((name) => [name, row[name]]));
