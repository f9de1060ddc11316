import type { PortalEntity, PortalField } from '../../../../contract/portal.ts';
import { textOf } from '../../../fields/format.ts';
import { type MessageKey, t } from '../../../language/messages.ts';
import { type ListQuery, orderTerms } from '../../queries/query.ts';
import { instantOf } from '../../queries/rows.ts';
import { dayOf } from '../calendar/days.ts';

/** The parameters of a list's address: a search, an order, and conditions such as `f.status=eq.open`. */
export interface ListSearch {
  readonly q?: string;
  readonly order?: string;
  readonly [condition: `f.${string}`]: string | undefined;
}

/** An order by one field. `text` is in the syntax of a data request. */
export interface Order {
  readonly text: string | null;
  readonly field: string | null;
  readonly isDescending: boolean;
}

/** Returns the conditions in the address. Omits conditions on fields that the caller may not read. */
export function conditionsIn(search: ListSearch, { fields }: PortalEntity): Record<string, string> {
  return Object.fromEntries(
    fields.flatMap((field): [string, string][] => {
      const condition = search[`f.${field.name}`];
      return field.readable && typeof condition === 'string' && isCondition(field, condition)
        ? [[field.name, condition]]
        : [];
    }),
  );
}

const isCondition = (field: PortalField, condition: string): boolean =>
  /^(eq|in|is|not\.is)\./.test(condition) || (hasRange(field) && (daysIn(condition) ?? rangeIn(condition)) !== null);

/**
 * Returns the search and the conditions of an address as a data request has them.
 * @param now The present time, for conditions such as "in the last 7 days".
 */
export function narrowingIn(
  search: ListSearch,
  entity: PortalEntity,
  now: Date,
): Pick<ListQuery, 'conditions' | 'search'> {
  const conditions = Object.entries(conditionsIn(search, entity)).map(
    ([name, condition]) => [name, dataConditions(entity, name, condition, now)] as const,
  );
  return { conditions: Object.fromEntries(conditions), search: String(search.q ?? '') };
}

/** Returns the order in the address if its fields are known; otherwise returns the order of the screen. */
export function orderIn({ order }: ListSearch, { fields }: PortalEntity, ofScreen: string | null): Order {
  const isKnown = orderTerms(order ?? '').every(({ field }) =>
    fields.some((one) => one.name === field && one.sortable),
  );
  const text = order !== undefined && order !== '' && isKnown ? order : ofScreen;
  const [first] = orderTerms(text);
  return { text, field: first?.field ?? null, isDescending: first?.isDescending ?? false };
}

/** Returns the search parameters of a list's address. Omits empty ones. */
export function toSearch({
  q,
  order,
  conditions,
}: {
  q: string;
  order: string | undefined;
  conditions: Readonly<Record<string, string>>;
}): ListSearch {
  return {
    ...(q !== '' && { q }),
    ...(order !== undefined && { order }),
    ...Object.fromEntries(Object.entries(conditions).map(([name, condition]) => [`f.${name}`, condition])),
  };
}

/** Returns true for fields whose values a filter can limit: numbers, dates and times. */
export const hasRange = ({ editor, readable, sortable }: PortalField): boolean =>
  readable && sortable === true && ['number', 'money', 'date', 'date and time'].includes(editor);

const isOfTime = ({ editor }: PortalField): boolean => editor === 'date' || editor === 'date and time';

/** The least and the greatest value of a range, which both belong to the range. They are numbers or days; an empty text means no limit. */
export interface Range {
  readonly from: string;
  readonly to: string;
}

/** Parses the condition of a range, for example `gte.10,lte.20`. */
export function rangeIn(condition: string): Range | null {
  const [, from, both, only] = /^(?:gte\.([\d.-]+)(?:,lte\.([\d.-]+))?|lte\.([\d.-]+))$/.exec(condition) ?? [];
  return from === undefined && only === undefined ? null : { from: from ?? '', to: both ?? only ?? '' };
}

/** Returns the condition of a range; null if the range has no limit. */
export const rangeCondition = ({ from, to }: Range): string | null =>
  [from !== '' && `gte.${from}`, to !== '' && `lte.${to}`].filter(Boolean).join(',') || null;

/** Parses a number of days counted from today. `days.0` is today, `days.-7` the last 7 days, `days.7` the next 7 days. */
function daysIn(condition: string): number | null {
  const [, days] = /^days\.(-?\d{1,4})$/.exec(condition) ?? [];
  return days === undefined ? null : Number(days);
}

/** The numbers of days that a filter on a time offers. */
const DAYS = [0, -7, -30, 7] as const;

/**
 * Converts a condition of the address to the conditions of a data request. Days are days in the reader's time zone.
 *
 * @param now The present time.
 */
export function dataConditions(entity: PortalEntity, name: string, condition: string, now: Date): readonly string[] {
  const field = entity.fields.find((one) => one.name === name);
  const days = daysIn(condition);
  const range = days === null ? rangeIn(condition) : daysRange(days, now);
  if (!field || !range) return [condition];
  if (!isOfTime(field)) return condition.split(',');
  const { from, to } = range;
  const day = (text: string, after: number) => {
    const [year = 0, month = 1, date = 1] = text.split('-').map(Number);
    return instantOf(entity, name, new Date(year, month - 1, date + after));
  };
  return [...(from === '' ? [] : [`gte.${day(from, 0)}`]), ...(to === '' ? [] : [`lt.${day(to, 1)}`])];
}

function daysRange(days: number, now: Date): Range {
  const day = (after: number) => dayOf(new Date(now.getFullYear(), now.getMonth(), now.getDate() + after));
  return days < 0 ? { from: day(days + 1), to: day(0) } : { from: day(0), to: day(Math.max(0, days - 1)) };
}

/** One condition that a filter offers for a field. */
export interface Choice {
  readonly condition: string;
  readonly label: string;
}

/** Returns the conditions that a filter offers for a field. Returns none for a field that the search covers, or whose values all differ. */
export function choicesOf(field: PortalField): Choice[] {
  const { editor, values, nullable } = field;
  const empty = nullable
    ? [
        { condition: 'is.null', label: t('empty') },
        { condition: 'not.is.null', label: t('notEmpty') },
      ]
    : [];
  if (editor === 'boolean') {
    return [{ condition: 'is.true', label: t('yes_') }, { condition: 'is.false', label: t('no_') }, ...empty];
  }
  if (values) return [...values.map(({ value, label }) => ({ condition: `eq.${value}`, label })), ...empty];
  const recent =
    isOfTime(field) && hasRange(field)
      ? DAYS.map((days) => ({ condition: `days.${days}`, label: daysWords(days) }))
      : [];
  return editor === 'reference' || hasRange(field) ? [...recent, ...empty] : [];
}

const daysWords = (days: number): string =>
  days === 0 ? t('today') : t(days < 0 ? 'lastDays' : 'nextDays', { count: Math.abs(days) });

const operators: Readonly<Record<string, MessageKey>> = {
  eq: 'filterIs',
  neq: 'filterIsNot',
  gt: 'filterMoreThan',
  gte: 'filterAtLeast',
  lt: 'filterLessThan',
  lte: 'filterAtMost',
  like: 'filterLike',
  ilike: 'filterLike',
};

/**
 * Describes a condition of a data request, for example "Status is not Closed". Returns null if there is no short
 * description.
 *
 * @param callerId The id of the member, which is described as "you".
 */
export function conditionWords(
  { fields }: PortalEntity,
  name: string,
  condition: string,
  callerId: string | null = null,
): string | null {
  const field = fields.find((one) => one.name === name);
  if (!field) return null;
  const offered = choicesOf({ ...field, nullable: true }).find((one) => one.condition === condition);
  if (offered) return t('filterIs', { field: field.label, value: offered.label });
  const days = hasRange(field) ? daysIn(condition) : null;
  if (days !== null) return t('filterIs', { field: field.label, value: daysWords(days) });
  const range = hasRange(field) ? rangeIn(condition) : null;
  if (range) return rangeWords(field, range);
  const [, operator = '', value = ''] = /^((?:not\.)?\w+)\.(.*)$/s.exec(condition) ?? [];
  const labelOf = (one: string) => field.values?.find((known) => known.value === one)?.label ?? one;
  if (operator === 'in' || operator === 'not.in') {
    return t(operator === 'in' ? 'filterIs' : 'filterIsNot', {
      field: field.label,
      value: valuesIn(value).map(labelOf).join(', '),
    });
  }
  const verb = operators[operator];
  if (verb === undefined) return null;
  const label = value === callerId ? t('oneself') : labelOf(value);
  return t(verb, { field: field.label, value: label });
}

/** Describes a range, for example "Price from 10 to 20". */
function rangeWords(field: PortalField, { from, to }: Range): string {
  const shown = { ...field, editor: isOfTime(field) ? ('date' as const) : field.editor };
  const [least, most] = [from, to].map((text) => textOf(shown, isOfTime(field) || text === '' ? text : Number(text)));
  const values = { field: field.label, from: least ?? '', to: most ?? '' };
  return t(from === '' ? 'filterUpTo' : to === '' ? 'filterFrom' : 'filterFromTo', values);
}

/** Describes the conditions that a screen has by itself. */
export const filterWords = (entity: PortalEntity, filter: string | null, callerId: string | null): string[] =>
  [...new URLSearchParams(filter ?? '')].flatMap(
    ([name, condition]) => conditionWords(entity, name, condition, callerId) ?? [],
  );

/** Returns true if the filter of a screen leaves out all rows with a value of a field, for example `status=neq.closed`. Pure. */
export const isLeftOut = (filter: string | null, name: string, value: string): boolean =>
  new URLSearchParams(filter ?? '').getAll(name).some((condition) => {
    const [, not, operator, operand = ''] = /^(not\.)?(eq|neq|in)\.(.*)$/s.exec(condition) ?? [];
    if (operator === undefined) return false;
    const values = operator === 'in' ? valuesIn(operand) : [operand];
    return (values.includes(value) === (operator !== 'neq')) === (not !== undefined);
  });

/** Returns the values of a condition such as `in.(new,"on hold")`. */
const valuesIn = (operand: string): string[] =>
  operand
    .replace(/^\((.*)\)$/s, '$1')
    .split(',')
    .map(unquoted);

const unquoted = (text: string): string => text.replace(/^"(.*)"$/s, '$1');
