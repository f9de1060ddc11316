import type { Expression, Operand, Source, Subquery } from './tree.ts';

type Replace = (operand: Operand) => Operand;
type ReplaceSource = (source: Source, query: Subquery) => Source;

const sameSource: ReplaceSource = (source) => source;

/** Replaces the relations and functions that the subqueries of a condition read, at every depth. */
export const mapSources = (expression: Expression, replace: ReplaceSource): Expression =>
  mapOperands(expression, (operand) => operand, true, replace);

/**
 * Replaces the values of a condition at every depth. The parts of a value are replaced before the value itself.
 *
 * @param intoQueries False to skip the values in subqueries.
 */
export function mapOperands(
  expression: Expression,
  replace: Replace,
  intoQueries = true,
  ofSource: ReplaceSource = sameSource,
): Expression {
  const inner = (item: Expression): Expression => mapOperands(item, replace, intoQueries, ofSource);
  const within = (query: Subquery): Subquery => (intoQueries ? mapQuery(query, replace, ofSource) : query);
  const value = (operand: Operand): Operand => mapOperand(operand, replace, intoQueries, ofSource);
  switch (expression.kind) {
    case 'constant':
    case 'opaque':
      return expression;
    case 'and':
    case 'or':
      return { ...expression, items: expression.items.map(inner) };
    case 'not':
    case 'is':
    case 'named':
      return { ...expression, item: inner(expression.item) };
    case 'compare':
    case 'relates':
    case 'distinct':
      return { ...expression, left: value(expression.left), right: value(expression.right) };
    case 'elements':
      return { ...expression, list: value(expression.list), value: value(expression.value) };
    case 'alike':
      return { ...expression, left: inner(expression.left), right: inner(expression.right) };
    case 'case':
      return {
        ...expression,
        branches: expression.branches.map(({ when, gives }) => ({ when: inner(when), gives: inner(gives) })),
        otherwise: inner(expression.otherwise),
      };
    case 'one-of':
      return { ...expression, operand: value(expression.operand), values: expression.values.map(value) };
    case 'null':
    case 'holds':
      return { ...expression, operand: value(expression.operand) };
    case 'exists':
      return { ...expression, query: within(expression.query) };
    case 'in':
      return { ...expression, operand: value(expression.operand), query: within(expression.query) };
    case 'returned': {
      const call = { ...expression.call, arguments: expression.call.arguments.map(value) };
      return { ...expression, operand: value(expression.operand), call };
    }
  }
}

function mapQuery(query: Subquery, replace: Replace, ofSource: ReplaceSource): Subquery {
  const value = (operand: Operand): Operand => mapOperand(operand, replace, true, ofSource);
  const sources = query.sources?.map((source) =>
    source.kind === 'function'
      ? { ...source, call: { ...source.call, arguments: source.call.arguments.map(value) } }
      : ofSource(source, query),
  );
  return {
    ...query,
    sources: sources ?? null,
    on: query.on.map((item) => mapOperands(item, replace, true, ofSource)),
    where: mapOperands(query.where, replace, true, ofSource),
    value: query.value && value(query.value),
  };
}

function mapOperand(operand: Operand, replace: Replace, intoQueries: boolean, ofSource: ReplaceSource): Operand {
  const inner = (part: Operand): Operand => mapOperand(part, replace, intoQueries, ofSource);
  switch (operand.kind) {
    case 'call':
      return replace({ ...operand, arguments: operand.arguments.map(inner) });
    case 'part':
    case 'attribute':
    case 'element':
    case 'cast':
      return replace({ ...operand, of: inner(operand.of) });
    case 'list':
      return replace({ ...operand, values: operand.values.map(inner) });
    case 'formula':
      return replace({ ...operand, left: inner(operand.left), right: inner(operand.right) });
    case 'joined':
      return replace({ ...operand, parts: operand.parts.map(inner) });
    case 'choice': {
      const branches = operand.branches.map(({ when, gives }) => ({
        when: mapOperands(when, replace, intoQueries, ofSource),
        gives: inner(gives),
      }));
      return replace({ ...operand, branches, otherwise: operand.otherwise && inner(operand.otherwise) });
    }
    case 'query':
      return replace(intoQueries ? { ...operand, query: mapQuery(operand.query, replace, ofSource) } : operand);
    default:
      return replace(operand);
  }
}
