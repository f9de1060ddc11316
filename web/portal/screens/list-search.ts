import type { PortalEntity, PortalField } from '../../../contract/portal.ts';
import { type MessageKey, t } from '../../language/messages.ts';

/** The parameters of a list's address: a search, an order, and conditions as `f.status=eq.open`. */
export interface ListSearch {
  readonly q?: string;
  readonly order?: string;
  readonly [condition: `f.${string}`]: string | undefined;
}

/** An order by one field, in the syntax of a data request. */
export interface Order {
  readonly text: string | null;
  readonly field: string | null;
  readonly isDescending: boolean;
}

/** Returns the conditions of the address on fields that the caller may read. */
export function conditionsIn(search: ListSearch, { fields }: PortalEntity): Record<string, string> {
  return Object.fromEntries(
    fields.flatMap(({ name, readable }): [string, string][] => {
      const condition = search[`f.${name}`];
      return readable && typeof condition === 'string' && /^(eq|is|not\.is)\./.test(condition)
        ? [[name, condition]]
        : [];
    }),
  );
}

/** Returns the order of the address, or else the order of the screen. */
export function orderIn({ order }: ListSearch, ofScreen: string | null): Order {
  const text = typeof order === 'string' && /^[\w."]+$/.test(order) ? order : ofScreen;
  const [first = ''] = (text ?? '').split(',');
  const [field = null, direction] = first.split('.');
  return { text, field: field === '' ? null : field, isDescending: direction === 'desc' };
}

/** Returns the search parameters of an address without empty ones. */
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

/** An option of a filter for a field. */
export interface Choice {
  readonly condition: string;
  readonly label: string;
}

/**
 * Returns the conditions that a filter offers for a field; none for fields that are searched or whose values all
 * differ.
 */
export function choicesOf({ editor, values, nullable }: PortalField): Choice[] {
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
  return editor === 'reference' || editor === 'date' || editor === 'date and time' ? empty : [];
}

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

/** Describes a condition of a data request: "Status is not Closed"; null for conditions without a short description. */
export function conditionWords({ fields }: PortalEntity, name: string, condition: string): string | null {
  const field = fields.find((one) => one.name === name);
  if (!field) return null;
  const offered = choicesOf({ ...field, nullable: true }).find((one) => one.condition === condition);
  if (offered) return t('filterIs', { field: field.label, value: offered.label });
  const [, operator = '', value = ''] = /^(\w+)\.(.*)$/s.exec(condition) ?? [];
  const verb = operators[operator];
  if (verb === undefined) return null;
  const label = field.values?.find((one) => one.value === value)?.label ?? value;
  return t(verb, { field: field.label, value: label });
}

/** Describes the conditions of a screen. */
export const filterWords = (entity: PortalEntity, filter: string | null): string[] =>
  [...new URLSearchParams(filter ?? '')].flatMap(([name, condition]) => conditionWords(entity, name, condition) ?? []);
