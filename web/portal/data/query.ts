import type { PortalEntity, PortalField, PortalScreens } from '../../../contract/portal.ts';
import type { Row } from './rest.ts';
import { entityIn } from './screens.ts';

/** Rows of a page. */
export const PAGE_ROWS = 50;

/** A name as a data call takes it: quoted unless it is plain. */
export const quoted = (name: string): string => (/^\w+$/.test(name) ? name : `"${name.replaceAll(/[\\"]/g, '\\$&')}"`);

/** The name under which the row that a field points to is embedded. */
const embeddedAs = (field: string): string => `~${field}`;

/** Returns the parameter `select`: the fields, the key, and of each row that is pointed to what it is called. */
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

/** Returns the row that a field of a row points to, as far as the caller may read it. */
export const pointedTo = (row: Row, field: string): Row | null => (row[embeddedAs(field)] as Row | null) ?? null;

/** What a list shows: the conditions of its screen, those that the member added, a search and an order. */
export interface ListQuery {
  readonly filter: string | null;
  readonly order: string | null;
  /** By field: `eq.open`. */
  readonly conditions: Readonly<Record<string, string>>;
  readonly search: string;
}

/** Returns the parameters of the data call for a list, without its page. */
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

/** Texts that a search looks into. */
export const searchedFields = ({ fields }: PortalEntity): string[] =>
  fields
    .filter(
      ({ editor, readable, values }) => readable && values === null && (editor === 'text' || editor === 'long text'),
    )
    .map(({ name }) => name);

/** The order with the key at its end, so that pages do not overlap. */
function orderOf({ key }: PortalEntity, order: string | null): string {
  const named = (order ?? '').split(',').filter(Boolean);
  const known = new Set(named.map((term) => term.split('.')[0]));
  return [...named, ...key.map(quoted).filter((name) => !known.has(name))].join(',');
}

/** Returns the parameters that find one row by its key. */
export const keyParams = (key: Readonly<Record<string, unknown>>): URLSearchParams =>
  new URLSearchParams(Object.entries(key).map(([name, value]) => [quoted(name), `eq.${String(value)}`]));

/** Returns what the key of a row is, from the row. */
export const keyOf = ({ key }: PortalEntity, row: Row): Record<string, unknown> =>
  Object.fromEntries(key.map((name) => [name, row[name]]));
