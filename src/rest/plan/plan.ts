import type {
  ComputedRelationship,
  Parameter,
  Relation,
  Relationship,
  Routine,
  SqlName,
} from '../../catalog/schema-cache.ts';
import type {
  AggregateFunction,
  JoinType,
  JsonStep,
  MediaType,
  Mutation,
  Operation,
  Payload,
  RowRange,
} from '../request/api-request.ts';

/**
 * A request with every name resolved against the schema cache. Columns that the cache does not have stay in the plan:
 * PostgreSQL may resolve them to a function of the row (a computed field), or reports a better error.
 */
export type Plan = ReadPlan | MutatePlan | CallPlan | DescribePlan | OptionsPlan;

/** A column with the conversions for its use: output, comparison or input. */
export interface PlannedField {
  /** `*` means every column. */
  readonly name: string;
  readonly path: readonly JsonStep[];
  /** True if the column must be converted to jsonb before its path can be applied. */
  readonly toJson: boolean;
  /** For full-text search: the column is converted to a tsvector with this configuration or the default one. */
  readonly search: { readonly language: string | null } | null;
  /** Type as SQL; an empty string if it is unknown. */
  readonly type: string;
  /** Type to which a condition casts the column; null if it needs no cast. */
  readonly comparedAs: string | null;
  /** Cast of a domain representation that converts the value. */
  readonly transform: SqlName | null;
  readonly default: string | null;
  /** True for the row itself, in count() of a spread relation. */
  readonly wholeRow: boolean;
}

/** An item of `select`. */
export interface PlannedSelect {
  readonly field: PlannedField;
  readonly alias: string | null;
  readonly cast: string | null;
  readonly aggregate: AggregateFunction | null;
  readonly aggregateCast: string | null;
}

/** A condition of the WHERE clause. */
export type Condition =
  | { readonly kind: 'and' | 'or'; readonly negated: boolean; readonly children: readonly Condition[] }
  | {
      readonly kind: 'filter';
      readonly field: PlannedField;
      readonly negated: boolean;
      readonly operation: Operation;
    }
  /** The condition that the row has a related row. If negated, the condition that it has none. */
  | { readonly kind: 'no-related'; readonly negated: boolean; readonly child: ReadNode };

/** A term of the ORDER BY clause. */
export interface PlannedOrder {
  readonly field: PlannedField;
  /** Alias of the embedded relation of the field; null for the relation itself. */
  readonly relation: string | null;
  readonly direction: 'asc' | 'desc' | null;
  readonly nulls: 'first' | 'last' | null;
}

/** A column of a spread relation, which is shown as a column of the parent. */
export interface SpreadColumn {
  readonly name: string;
  readonly aggregate: AggregateFunction | null;
  readonly aggregateCast: string | null;
  readonly alias: string | null;
}

/** Representation of an embedded relation in its parent. */
export type Placement =
  /** The embedded relation is not shown, because it is used only for filtering. */
  | { readonly kind: 'hidden' }
  | { readonly kind: 'object' | 'array'; readonly name: string }
  | { readonly kind: 'spread'; readonly columns: readonly SpreadColumn[] }
  /**
   * Each column of a to-many spread relation becomes an array. The extra columns are used only to order the elements.
   */
  | {
      readonly kind: 'spread-arrays';
      readonly columns: readonly SpreadColumn[];
      readonly orderSelects: readonly { readonly relation: string | null; readonly select: PlannedSelect }[];
      readonly order: readonly PlannedOrder[];
    };

/** A comparison of two columns in a join. */
export interface JoinCondition {
  readonly left: { readonly table: TableRef; readonly column: string };
  readonly right: { readonly table: TableRef; readonly column: string };
}

/** Qualifier of a table's columns: its name or an alias. */
export type TableRef = SqlName | { readonly alias: string };

/** The join of an embedded relation to its parent. */
export interface Embedding {
  readonly relationship: Relationship;
  readonly join: JoinType | null;
  /** Alias of the subquery in the parent's FROM clause. */
  readonly alias: string;
  readonly conditions: readonly JoinCondition[];
  readonly placement: Placement;
  /** For a computed relationship: the function and the parent's row as its argument. */
  readonly argument: { readonly function: ComputedRelationship; readonly row: string } | null;
}

/** A relation to read, with its embedded relations. */
export interface ReadNode {
  /** `relation`: a table or view. `result`: the rows that a write or a function returns. */
  readonly source: 'relation' | 'result';
  readonly relation: SqlName;
  readonly alias: string | null;
  readonly select: readonly PlannedSelect[];
  /** Columns that are selected only for the parent's ORDER BY. */
  readonly orderColumns: readonly PlannedSelect[];
  readonly where: readonly Condition[];
  readonly order: readonly PlannedOrder[];
  readonly range: RowRange;
  /** How the relation is embedded in its parent; null for the root. */
  readonly embedding: Embedding | null;
  readonly children: readonly ReadNode[];
}

/** Format that PostgreSQL builds from the rows. */
export type BodyFormat =
  | { readonly kind: 'none' }
  | { readonly kind: 'array' | 'object'; readonly stripNulls: boolean }
  | { readonly kind: 'csv' | 'geojson' }
  | { readonly kind: 'custom'; readonly function: SqlName; readonly target: SqlName | null };

/** An embedded relation that has an alias, although the request uses its name. */
export interface LegacyName {
  readonly name: string;
  readonly alias: string;
}

/** The part of a request that reads: from a relation, or from the rows of a write or a function. */
export interface PlannedRead {
  readonly read: ReadNode;
  readonly legacyNames: readonly LegacyName[];
}

/** Common part of all plans that run a query. */
interface QueryPlan extends PlannedRead {
  readonly format: BodyFormat;
  readonly mediaType: MediaType;
  /** The header Content-Type of the response. */
  readonly contentType: string;
}

/** Plan of a read. */
export interface ReadPlan extends QueryPlan {
  readonly kind: 'read';
  readonly target: SqlName;
  readonly headOnly: boolean;
}

/** Plan of a write. */
export interface MutatePlan extends QueryPlan {
  readonly kind: 'mutate';
  readonly mutation: Mutation;
  readonly target: Relation;
  /** The columns to set. */
  readonly columns: readonly PlannedField[];
  readonly payload: Payload | null;
  readonly where: readonly Condition[];
  readonly onConflict: {
    readonly resolution: 'merge-duplicates' | 'ignore-duplicates';
    readonly columns: readonly string[];
  } | null;
  /** Columns of the written rows that the response needs; empty if none. */
  readonly returning: readonly string[];
  /** True if missing keys of a row get the column's default instead of null. */
  readonly applyDefaults: boolean;
}

/** The arguments of a function call. */
export type CallArguments =
  | { readonly kind: 'none' }
  /** The body is the argument of a single unnamed parameter. */
  | { readonly kind: 'unnamed'; readonly parameter: Parameter; readonly body: string | Uint8Array }
  | {
      readonly kind: 'values';
      readonly values: readonly { readonly parameter: Parameter; readonly value: string | readonly string[] }[];
    }
  | {
      readonly kind: 'json';
      readonly parameters: readonly Parameter[];
      readonly body: string | Uint8Array;
      readonly isObject: boolean;
    };

/** Plan of a function call. */
export interface CallPlan extends QueryPlan {
  readonly kind: 'call';
  readonly routine: Routine;
  readonly arguments: CallArguments;
  readonly readOnly: boolean;
  /** True if the call is read-only because the database is full, and not because of its method or function. */
  readonly isHeld: boolean;
  readonly headOnly: boolean;
  /** Columns of the result that `select` and embedded relations need; `*` or an empty list means all. */
  readonly returning: readonly string[];
  /** Columns of the function's result that the filters need. */
  readonly filterColumns: readonly string[];
}

/** Plan of the OpenAPI document of a schema. */
export interface DescribePlan {
  readonly kind: 'describe';
  readonly schema: string;
  readonly headOnly: boolean;
}

/** Plan of an OPTIONS request, which needs no database. */
export interface OptionsPlan {
  readonly kind: 'options';
  readonly allow: readonly string[];
}

/** Returns true if a function returns exactly one value or row. */
export const returnsSingle = (routine: Routine): boolean => !routine.returns.set;
/** Returns true if a function returns one scalar value. */
export const returnsScalar = (routine: Routine): boolean => !routine.returns.set && !routine.returns.composite;
/** Returns true if a function returns a set of scalar values. */
export const returnsSetOfScalar = (routine: Routine): boolean => routine.returns.set && !routine.returns.composite;
/** Returns true if a function returns void. */
export const returnsVoid = (routine: Routine): boolean =>
  returnsScalar(routine) && routine.returns.type.schema === 'pg_catalog' && routine.returns.type.name === 'void';
