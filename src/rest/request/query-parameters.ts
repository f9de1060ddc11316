import { memoize } from '../../catalog/memoize.ts';
import { NinefoldError } from '../../errors/ninefold-error.ts';
import type {
  At,
  Filter,
  LogicTree,
  Operation,
  OrderTerm,
  QueryParameters,
  RowRange,
  SelectItem,
} from './api-request.ts';
import { filterValue, logicPath, logicTree } from './grammar/filter.ts';
import { columnList, treePath } from './grammar/names.ts';
import { orderList } from './grammar/order.ts';
import { ParseFailure, type Parser, parse } from './grammar/parser.ts';
import { selectList } from './grammar/select.ts';
import { canonicalOrder, decodeQuery, encodePair, type QueryPair } from './query-string.ts';
import { allRows, rangeOf } from './row-range.ts';

/** Parses the query string (PostgREST docs, "URL Grammar"). */

/**
 * Parses one parameter.
 * @param what Description of the parsed value in the error message.
 * @throws NinefoldError PGRST100 with the position and the expected text.
 */
function parseParameter<T>(parser: Parser<T>, text: string, what: string): T {
  try {
    return parse(parser, text);
  } catch (error) {
    if (!(error instanceof ParseFailure)) throw error;
    throw new NinefoldError('PGRST100', {
      message: `"failed to parse ${what}" ${error.position}`,
      details: error.details,
      ...(error.tooDeep && { limit: 'queryDepth' }),
    });
  }
}

const starOnly: readonly SelectItem[] = [
  { kind: 'field', field: { name: '*', path: [] }, alias: null, cast: null, aggregate: null, aggregateCast: null },
];

const lastWord = (name: string): string => name.slice(name.lastIndexOf('.') + 1);

const parsePath = memoize((name) => parseParameter(treePath, name, `tree path (${name})`));
const parseOrder = memoize((value) => parseParameter(orderList, value, `order (${value})`));
const parseSelect = memoize((value) => parseParameter(selectList, value, `select parameter (${value})`));

/**
 * Parses the parameters of a query string.
 * @param isCallByGet True if a parameter without an operator is an argument of the function.
 * @throws NinefoldError PGRST100
 */
export function parseQueryParameters(query: string, isCallByGet: boolean): QueryParameters {
  const pairs = decodeQuery(query);
  const first = (wanted: string): string | null => pairs.find(([name]) => name === wanted)?.[1] ?? null;

  const filters: At<Filter>[] = [];
  const logic: At<LogicTree>[] = [];
  const order: At<readonly OrderTerm[]>[] = [];
  const limits = new Map<string, string>();
  const offsets = new Map<string, string>();
  const args: [string, string][] = [];
  const filterNames: string[] = [];

  for (const [position, [name, value]] of pairs.entries()) {
    if (value === null) continue;
    switch (lastWord(name)) {
      case 'order':
        order.push({
          path: parsePath(name).path,
          value: parseOrder(value),
        });
        continue;
      case 'and':
      case 'or': {
        const { path, operator } = parseParameter(logicPath, name, `logic path (${name})`);
        logic.push({ path, value: parseParameter(logicTree, operator + value, `logic tree (${value})`) });
        continue;
      }
      case 'limit':
        limits.set(name.slice(0, -'limit'.length), value);
        continue;
      case 'offset':
        offsets.set(name.slice(0, -'offset'.length), value);
        continue;
    }
    if (name === 'select' || name === 'columns' || name === 'on_conflict') continue;
    filterNames.push(name);
    const { path, field } = parsePath(name);
    const expression = parseParameter(isCallByGet ? filterOrArgument : filterValue, value, `filter (${value})`);
    if (expression) {
      const { negated, operation } = expression;
      filters.push({ path, value: { kind: 'filter', field, negated, operation: withPosition(operation, position) } });
    } else args.push([field.name, value]);
  }

  const select = first('select');
  const columns = first('columns');
  const onConflict = first('on_conflict');
  return {
    canonical: canonical(pairs),
    select: select === null ? starOnly : parseSelect(select),
    filters,
    logic,
    order,
    ranges: embeddedRanges(limits, offsets),
    range: limits.size || offsets.size ? rangeOf(limits.get('') ?? null, offsets.get('') ?? null) : allRows,
    columns: columns === null ? null : parseParameter(columnList, columns, `columns parameter (${columns})`),
    onConflict:
      onConflict === null ? null : parseParameter(columnList, onConflict, `on_conflict parameter (${onConflict})`),
    arguments: args,
    filterNames,
  };
}

/**
 * Parses a filter. Returns null if the text does not begin like a filter: the parameter is then an argument of the
 * function.
 */
const filterOrArgument: Parser<
  ReturnType<typeof parse<{ negated: boolean; operation: Filter['operation'] }>> | null
> = (input) => {
  const result = filterValue(input);
  return typeof result === 'symbol' && input.pos === 0 ? null : result;
};

function embeddedRanges(limits: Map<string, string>, offsets: Map<string, string>): At<RowRange>[] {
  const prefixes = new Set([...limits.keys(), ...offsets.keys()]);
  prefixes.delete('');
  return [...prefixes].map((prefix) => ({
    path: parsePath(`${prefix}limit`).path,
    value: rangeOf(limits.get(prefix) ?? null, offsets.get(prefix) ?? null),
  }));
}

/** Marks the value of a comparison with the position of its parameter. */
const withPosition = (operation: Operation, parameter: number): Operation =>
  operation.kind === 'simple' || operation.kind === 'quantified' ? { ...operation, parameter } : operation;

const canonical = (pairs: readonly QueryPair[]): string => canonicalOrder(pairs).map(encodePair).join('&');
