import type { PagePart, PartValue } from '../../../../../contract/description.ts';
import type { Entity } from '../../../../../contract/specification-entities.ts';
import { listed, shortId } from '../../../format/format.ts';
import { groupFields, timesOf } from './entity-fields.ts';
import { conditionWords, parseFilter } from './filter-text.ts';

/** A part that shows rows of an entity. */
export type RowsPart = Exclude<PagePart, { kind: 'text' | 'buttons' }>;

export const partKinds: readonly (readonly [kind: PagePart['kind'], words: string])[] = [
  ['text', 'Text'],
  ['buttons', 'Buttons'],
  ['number', 'Number'],
  ['bars', 'Bars'],
  ['line', 'Line'],
  ['list', 'List'],
];

/** Returns a new part. The first entity and its first suitable fields are chosen. Pure. */
export function newPart(kind: PagePart['kind'], entities: readonly Entity[]): PagePart {
  if (kind === 'text') return { kind, text: '' };
  if (kind === 'buttons') return { kind, routes: [] };
  const able = entities.filter((entity) => (kind === 'line' ? timesOf(entity).length > 0 : true));
  const [first] = able;
  const rows = { title: '', entity: first?.id ?? '' };
  if (kind === 'list') return { kind, ...rows };
  const value = 'count';
  if (kind === 'line') return { kind, ...rows, value, over: first ? (timesOf(first)[0]?.name ?? '') : '' };
  return kind === 'bars'
    ? { kind, ...rows, value, by: first ? (groupFields(first)[0]?.name ?? '') : '' }
    : { kind, ...rows, value };
}

/** Returns the number that a part computes. A definition that names none counts rows. Pure. */
export const computedValue = ({ value }: Partial<PartValue>): PartValue['value'] => value ?? 'count';

const computed: Readonly<Record<PartValue['value'], string>> = {
  count: 'Counts',
  sum: 'Adds up',
  avg: 'Averages',
  min: 'Takes the lowest',
  max: 'Takes the highest',
};

/** Says in one sentence what a part computes and shows. Pure. */
export function partSentence(part: PagePart, entities: readonly Entity[]): string {
  if (part.kind === 'text') return 'A text in Markdown, the same for everyone who opens the page.';
  if (part.kind === 'buttons') {
    const links = part.routes.length === 0 ? 'nothing yet' : listed(part.routes);
    return `Buttons that lead to ${links}. Members see those that they may open.`;
  }
  const fields = entities.find(({ id }) => id === part.entity)?.fields ?? [];
  const conditions = parseFilter(part.filter ?? '', fields).map(conditionWords);
  const rows = `${shortId(part.entity) || 'rows'}${conditions.length > 0 ? ` where ${conditions.join(' and ')}` : ''}`;
  if (part.kind === 'list') {
    const order = part.order_by ? `, ordered by ${part.order_by}` : '';
    return `Lists the first ${part.rows ?? 5} ${rows}${order}, as far as each member may read them.`;
  }
  const value = computedValue(part);
  const what = value === 'count' ? `Counts ${rows}` : `${computed[value]} ${part.of ?? '…'} of ${rows}`;
  if (part.kind === 'bars') return `${what} for each ${part.by || '…'}, the largest first.`;
  if (part.kind === 'line')
    return `${what} for each day of ${part.over || '…'}${part.by ? `, a line for each ${part.by}` : ''}.`;
  return part.over
    ? `${what} of the chosen period by ${part.over}, and compares it with the period before.`
    : `${what} now.`;
}

/** Returns a part without the properties that say nothing and that its kind does not require. Pure. */
export function withoutEmpty<P extends PagePart>(part: P): P {
  const required = new Set(['kind', 'title', 'entity', 'text', 'routes', ...(part.kind === 'bars' ? ['by'] : [])]);
  if (part.kind === 'line') required.add('over');
  // A definition is the shorter for each property that is left out.
  const kept = Object.entries(part).filter(
    ([name, value]) =>
      required.has(name) ||
      !(
        value === undefined ||
        value === '' ||
        (name === 'value' && value === 'count') ||
        (Array.isArray(value) && value.length === 0) ||
        (typeof value === 'object' && value !== null && !Array.isArray(value) && Object.keys(value).length === 0)
      ),
  );
  return Object.fromEntries(kept) as P;
}
