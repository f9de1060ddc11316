import type { Condition, PlannedField, ReadNode, TableRef } from '../plan/plan.ts';
import type { JsonStep, Operation } from '../request/api-request.ts';
import { arrayLiteral, columnText, identifier, type Params, qualified, tableText } from './text.ts';

/** Builds SQL of columns, conditions and operators (PostgREST docs, "Operators"). */

const simpleOperators = {
  neq: '<>',
  cs: '@>',
  cd: '<@',
  ov: '&&',
  sl: '<<',
  sr: '>>',
  nxr: '&<',
  nxl: '&>',
  adj: '-|-',
} as const;

const quantifiedOperators = {
  eq: '=',
  gte: '>=',
  gt: '>',
  lte: '<=',
  lt: '<',
  like: 'LIKE',
  ilike: 'ILIKE',
  match: '~',
  imatch: '~*',
} as const;

const searchFunctions = {
  fts: 'to_tsquery',
  plfts: 'plainto_tsquery',
  phfts: 'phraseto_tsquery',
  wfts: 'websearch_to_tsquery',
} as const;

const isWords = { null: 'NULL', not_null: 'NOT NULL', true: 'TRUE', false: 'FALSE', unknown: 'UNKNOWN' } as const;

function jsonPath(path: readonly JsonStep[], params: Params): string {
  let text = '';
  for (const step of path) {
    // The key gets no cast. For `json -> unknown`, PostgreSQL chooses the operator with a text argument, which is the
    // right one.
    text += `${step.asText ? '->>' : '->'}${params.bind(step.value)}${step.kind === 'index' ? '::int4' : ''}`;
  }
  return text;
}

/**
 * Returns SQL of a column with its JSON path or conversion to tsvector, without the cast of a domain representation.
 */
export function fieldText(table: TableRef, field: PlannedField, params: Params): string {
  if (field.wholeRow) return tableText(table);
  const column = columnText(table, field.name);
  const value =
    field.path.length === 0
      ? column
      : `(${field.toJson ? `to_jsonb(${column})` : column}${jsonPath(field.path, params)})`;
  if (!field.search) return value;
  const { language } = field.search;
  return `to_tsvector(${language === null ? '' : `${params.bind(language)}::regconfig, `}${value})`;
}

/**
 * Returns SQL of a condition.
 * @param table Qualifier of the relation's columns.
 * @param counting Set if the statement counts rows. It does not join embedded relations, so a subquery tests whether
 * they have rows.
 */
export function conditionText(
  table: TableRef,
  condition: Condition,
  params: Params,
  counting: ((child: ReadNode) => string) | null,
): string {
  switch (condition.kind) {
    case 'filter': {
      const field = fieldText(table, condition.field, params);
      const { comparedAs, transform } = condition.field;
      const compared = comparedAs === null || transform ? field : `(${field})::${comparedAs}`;
      const test = compared + operationText(condition.field, condition.operation, params);
      return condition.negated ? `NOT (${test})` : test;
    }
    case 'no-related':
      if (counting) return `${condition.negated ? '' : 'NOT '}EXISTS (${counting(condition.child)})`;
      return `${identifier(condition.child.embedding?.alias ?? '')} IS ${condition.negated ? '' : 'NOT '}DISTINCT FROM NULL`;
    default: {
      const children = condition.children.map((child) => conditionText(table, child, params, counting));
      return `${condition.negated ? 'NOT ' : ''}(${children.join(condition.kind === 'and' ? ' AND ' : ' OR ')})`;
    }
  }
}

/** Returns the value with which a field is compared, converted by its domain representation if there is one. */
const comparedValue = (field: PlannedField, placeholder: string): string =>
  field.transform ? `${qualified(field.transform)}(${placeholder})` : placeholder;

function operationText(field: PlannedField, operation: Operation, params: Params): string {
  switch (operation.kind) {
    case 'simple':
      return ` ${simpleOperators[operation.operator]} ${comparedValue(field, params.bind(operation.value, operation.parameter))}`;
    case 'quantified': {
      const { operator, quantifier, value } = operation;
      const isPattern = operator === 'like' || operator === 'ilike';
      const compared = isPattern
        ? params.bind(value.replaceAll('*', '%'))
        : comparedValue(field, params.bind(value, operation.parameter));
      const right = quantifier === null ? compared : `${quantifier === 'any' ? 'ANY' : 'ALL'}(${compared})`;
      return ` ${quantifiedOperators[operator]} ${right}`;
    }
    case 'in': {
      // A single empty element, as in `in.()`, means the empty list.
      const values = operation.values.length === 1 && operation.values[0] === '' ? [] : operation.values;
      const list = params.bind(arrayLiteral(values));
      if (!field.transform) return ` = ANY(${list})`;
      return ` = ANY(SELECT ${qualified(field.transform)}(unnest(${list}::text[])))`;
    }
    case 'is':
      return ` IS ${isWords[operation.value]}`;
    case 'isdistinct':
      return ` IS DISTINCT FROM ${comparedValue(field, params.bind(operation.value))}`;
    case 'search': {
      const language = operation.language === null ? '' : `${params.bind(operation.language)}::regconfig, `;
      return ` @@ ${searchFunctions[operation.operator]}(${language}${params.bind(operation.value)})`;
    }
  }
}
