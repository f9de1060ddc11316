import fc from 'fast-check';
import { expect, it } from 'vitest';
import type { FieldRef, JsonStep, LogicTree, Operation, OrderTerm, SelectItem } from '../api-request.ts';
import { filterValue, logicTree } from './filter.ts';
import { orderList } from './order.ts';
import { parse } from './parser.ts';
import { selectList } from './select.ts';

/** Prints values as text of the grammar. Every name is quoted, so that it may contain any characters. */

const quote = (text: string): string => `"${text.replaceAll('\\', '\\\\').replaceAll('"', '\\"')}"`;
const printStep = ({ kind, value, asText }: JsonStep): string =>
  `${asText ? '->>' : '->'}${kind === 'key' ? quote(value) : value}`;
const printField = ({ name, path }: FieldRef): string => quote(name) + path.map(printStep).join('');

function printItem(item: SelectItem): string {
  if (item.kind === 'relation') {
    const parameters = `${item.hint === null ? '' : `!${quote(item.hint)}`}${item.join === null ? '' : `!${item.join}`}`;
    const head = item.spread ? '...' : item.alias === null ? '' : `${quote(item.alias)}:`;
    return `${head}${quote(item.name)}${parameters}(${item.items.map(printItem).join(',')})`;
  }
  const alias = item.alias === null ? '' : `${quote(item.alias)}:`;
  const cast = item.cast === null ? '' : `::${item.cast}`;
  const aggregateCast = item.aggregateCast === null ? '' : `::${item.aggregateCast}`;
  if (item.aggregate === 'count' && item.field.name === '*') return `${alias}count()${aggregateCast}`;
  const aggregate = item.aggregate === null ? '' : `.${item.aggregate}()${aggregateCast}`;
  return `${alias}${item.field.name === '*' ? '*' : printField(item.field)}${cast}${aggregate}`;
}

/** Prints an operation. `value` prints a single value: plain at the end of a parameter, quoted inside a tree. */
function printOperation(operation: Operation, value: (text: string) => string): string {
  switch (operation.kind) {
    case 'in':
      return `in.(${operation.values.map(quote).join(',')})`;
    case 'is':
      return `is.${operation.value}`;
    case 'isdistinct':
      return `isdistinct.${value(operation.value)}`;
    case 'simple':
      return `${operation.operator}.${value(operation.value)}`;
    case 'quantified':
      return `${operation.operator}${operation.quantifier === null ? '' : `(${operation.quantifier})`}.${value(operation.value)}`;
    case 'search':
      return `${operation.operator}${operation.language === null ? '' : `(${operation.language})`}.${value(operation.value)}`;
  }
}

const printTree = (tree: LogicTree): string =>
  tree.kind === 'filter'
    ? `${printField(tree.field)}.${tree.negated ? 'not.' : ''}${printOperation(tree.operation, quote)}`
    : `${tree.negated ? 'not.' : ''}${tree.kind}(${tree.children.map(printTree).join(',')})`;

const printOrder = ({ field, relation, direction, nulls }: OrderTerm): string =>
  (relation === null ? printField(field) : `${quote(relation)}(${printField(field)})`) +
  (direction === null ? '' : `.${direction}`) +
  (nulls === null ? '' : `.nulls${nulls}`);

const text = fc
  .string({ unit: 'grapheme', minLength: 1, maxLength: 8 })
  .filter((name) => name !== '*' && name !== 'count');
const word = fc.stringMatching(/^[a-z][a-z0-9_]{0,6}$/);
const step: fc.Arbitrary<JsonStep> = fc.record({
  kind: fc.constant('key' as const),
  value: text,
  asText: fc.boolean(),
});
const index: fc.Arbitrary<JsonStep> = fc.record({
  kind: fc.constant('index' as const),
  value: fc.integer({ min: -99, max: 99 }).map((number) => String(number)),
  asText: fc.boolean(),
});
const field: fc.Arbitrary<FieldRef> = fc.record({
  name: text,
  path: fc.array(fc.oneof(step, index), { maxLength: 3 }),
});
const nullable = <T>(arbitrary: fc.Arbitrary<T>): fc.Arbitrary<T | null> => fc.option(arbitrary, { nil: null });

const column: fc.Arbitrary<SelectItem> = fc
  .record({
    kind: fc.constant('field' as const),
    field,
    alias: nullable(text),
    cast: nullable(word),
    aggregate: nullable(fc.constantFrom('sum', 'avg', 'count', 'max', 'min')),
    aggregateCast: nullable(word),
  })
  // Without an aggregate, an item has only one cast, because the second cast belongs to the aggregate.
  .map((item) => (item.aggregate === null ? { ...item, aggregateCast: null } : item));
const { item } = fc.letrec<{ item: SelectItem }>((tie) => ({
  item: fc.oneof(
    { maxDepth: 3, withCrossShrink: true },
    column,
    fc
      .record({
        kind: fc.constant('relation' as const),
        name: text,
        alias: nullable(text),
        hint: nullable(text),
        join: nullable(fc.constantFrom('inner', 'left')),
        spread: fc.boolean(),
        items: fc.array(tie('item'), { maxLength: 3 }),
      })
      .map((relation) => (relation.spread ? { ...relation, alias: null } : relation)),
  ),
}));

const value = fc.string({ unit: 'grapheme', maxLength: 10 });
const operation: fc.Arbitrary<Operation> = fc.oneof(
  fc.record({
    kind: fc.constant('simple' as const),
    operator: fc.constantFrom('neq', 'cs', 'cd', 'ov', 'sl', 'sr', 'nxr', 'nxl', 'adj'),
    value,
  }),
  fc.record({
    kind: fc.constant('quantified' as const),
    operator: fc.constantFrom('eq', 'gte', 'gt', 'lte', 'lt', 'like', 'ilike', 'match', 'imatch'),
    quantifier: nullable(fc.constantFrom('any', 'all')),
    value,
  }),
  fc.record({ kind: fc.constant('in' as const), values: fc.array(value, { minLength: 1, maxLength: 4 }) }),
  fc.record({
    kind: fc.constant('is' as const),
    value: fc.constantFrom('null', 'not_null', 'true', 'false', 'unknown'),
  }),
  fc.record({ kind: fc.constant('isdistinct' as const), value }),
  fc.record({
    kind: fc.constant('search' as const),
    operator: fc.constantFrom('fts', 'plfts', 'phfts', 'wfts'),
    language: nullable(word),
    value,
  }),
);
const { tree } = fc.letrec<{ tree: LogicTree }>((tie) => ({
  tree: fc.oneof(
    { maxDepth: 4, withCrossShrink: true },
    fc.record({ kind: fc.constant('filter' as const), field, negated: fc.boolean(), operation }),
    fc.record({
      kind: fc.constantFrom('and', 'or'),
      negated: fc.boolean(),
      children: fc.array(tie('tree'), { minLength: 1, maxLength: 3 }),
    }),
  ),
}));
const order: fc.Arbitrary<OrderTerm> = fc.record({
  field,
  relation: nullable(text),
  direction: nullable(fc.constantFrom('asc', 'desc')),
  nulls: nullable(fc.constantFrom('first', 'last')),
});

it('the grammar parses a printed select list to the same value', () => {
  fc.assert(
    fc.property(fc.array(item, { minLength: 1, maxLength: 4 }), (items) => {
      expect(parse(selectList, items.map(printItem).join(','))).toEqual(items);
    }),
    { numRuns: 500 },
  );
});

it('the grammar parses a printed filter to the same value', () => {
  fc.assert(
    fc.property(operation, fc.boolean(), (made, negated) => {
      const printed = `${negated ? 'not.' : ''}${printOperation(made, (plain) => plain)}`;
      expect(parse(filterValue, printed)).toEqual({ negated, operation: made });
    }),
    { numRuns: 500 },
  );
});

it('the grammar parses a printed logic tree to the same value', () => {
  fc.assert(
    fc.property(tree, (made) => {
      expect(parse(logicTree, printTree(made))).toEqual(made);
    }),
    { numRuns: 500 },
  );
});

it('the grammar parses a printed order to the same value', () => {
  fc.assert(
    fc.property(fc.array(order, { minLength: 1, maxLength: 3 }), (terms) => {
      expect(parse(orderList, terms.map(printOrder).join(','))).toEqual(terms);
    }),
    { numRuns: 500 },
  );
});
