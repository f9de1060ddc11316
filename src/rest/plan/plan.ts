import type {
  ComputedRelationship,
  Parameter,
  Relation,
  Relationship,
  Routine,
  SqlName,
} from '../../catalog/catalog.ts';
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
 * What is to be done, with every name resolved against the schema cache or refused. Columns that the cache does not
 * know stay as they are: PostgreSQL may resolve them to a function of the row (a computed field), or refuses them
 * itself with the better message.
 */
export type Plan = ReadPlan | MutatePlan | CallPlan | DescribePlan | OptionsPlan;

/** A column in its use: to show, to compare or to fill. */
export interface PlannedField {
  /** `*` is every column. */
  readonly name: string;
  readonly path: readonly JsonStep[];
  /** Whether the column must become jsonb before its path can be followed. */
  readonly toJson: boolean;
  /** Full-text search: the column becomes a tsvector, of this configuration or the default one. */
  readonly search: { readonly language: string | null } | null;
  /** The type as SQL text; '' when it is not known. */
  readonly type: string;
  /** The cast of a domain representation that presents or reads the value. */
  readonly transform: SqlName | null;
  readonly default: string | null;
  /** The row itself, in count() of a spread relation. */
  readonly wholeRow: boolean;
}

export interface PlannedSelect {
  readonly field: PlannedField;
  readonly alias: string | null;
  readonly cast: string | null;
  readonly aggregate: AggregateFunction | null;
  readonly aggregateCast: string | null;
}

export type Condition =
  | { readonly kind: 'and' | 'or'; readonly negated: boolean; readonly children: readonly Condition[] }
  | {
      readonly kind: 'filter';
      readonly field: PlannedField;
      readonly negated: boolean;
      readonly operation: Operation;
    }
  /** Whether a row has (or, negated, has not) no related row. */
  | { readonly kind: 'no-related'; readonly negated: boolean; readonly child: ReadNode };

export interface PlannedOrder {
  readonly field: PlannedField;
  /** The alias of the embedded relation that the field belongs to; null for the relation itself. */
  readonly relation: string | null;
  readonly direction: 'asc' | 'desc' | null;
  readonly nulls: 'first' | 'last' | null;
}

/** A column of a spread relation, as it appears one level up. */
export interface SpreadColumn {
  readonly name: string;
  readonly aggregate: AggregateFunction | null;
  readonly aggregateCast: string | null;
  readonly alias: string | null;
}

/** How a relation appears among the columns of its parent. */
export type Placement =
  /** Not at all: it is only there to filter. */
  | { readonly kind: 'hidden' }
  | { readonly kind: 'object' | 'array'; readonly name: string }
  | { readonly kind: 'spread'; readonly columns: readonly SpreadColumn[] }
  /** To-many: each column becomes an array; extra columns are there to order it. */
  | {
      readonly kind: 'spread-arrays';
      readonly columns: readonly SpreadColumn[];
      readonly orderSelects: readonly { readonly relation: string | null; readonly select: PlannedSelect }[];
      readonly order: readonly PlannedOrder[];
    };

export interface JoinCondition {
  readonly left: { readonly table: TableRef; readonly column: string };
  readonly right: { readonly table: TableRef; readonly column: string };
}

/** How a table is called within the statement: by its name, or by an alias. */
export type TableRef = SqlName | { readonly alias: string };

/** The link of an embedded relation to its parent. */
export interface Embedding {
  readonly relationship: Relationship;
  readonly join: JoinType | null;
  /** The alias of the subquery in the parent's FROM. */
  readonly alias: string;
  readonly conditions: readonly JoinCondition[];
  readonly placement: Placement;
  /** Of a computed relationship: the parent's row. */
  readonly argument: { readonly function: ComputedRelationship; readonly row: string } | null;
}

/** A relation to read, with those embedded in it. */
export interface ReadNode {
  /** The relation, or the rows that a write or a call gave. */
  readonly source: 'relation' | 'result';
  readonly relation: SqlName;
  readonly alias: string | null;
  readonly select: readonly PlannedSelect[];
  /** Columns that are there for the parent to order by, and not shown. */
  readonly orderColumns: readonly PlannedSelect[];
  readonly where: readonly Condition[];
  readonly order: readonly PlannedOrder[];
  readonly range: RowRange;
  /** Null for the root. */
  readonly embedding: Embedding | null;
  readonly children: readonly ReadNode[];
}

/** What PostgreSQL makes of the rows. */
export type BodyFormat =
  | { readonly kind: 'none' }
  | { readonly kind: 'array' | 'object'; readonly stripNulls: boolean }
  | { readonly kind: 'csv' | 'geojson' }
  | { readonly kind: 'custom'; readonly function: SqlName; readonly target: SqlName | null };

/** An embedded relation that was called by its name although it has an alias. */
export interface LegacyName {
  readonly name: string;
  readonly alias: string;
}

/** What a request reads: of a relation, or of the rows of a write or a call. */
export interface PlannedRead {
  readonly read: ReadNode;
  readonly legacyNames: readonly LegacyName[];
}

/** What all plans that run a query have in common. */
interface QueryPlan extends PlannedRead {
  readonly format: BodyFormat;
  readonly mediaType: MediaType;
}

export interface ReadPlan extends QueryPlan {
  readonly kind: 'read';
  readonly target: SqlName;
  readonly headOnly: boolean;
}

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
  /** Columns of the written rows that the reply needs; empty when it needs none. */
  readonly returning: readonly string[];
  /** Whether keys that a row lacks take the column's default instead of null. */
  readonly applyDefaults: boolean;
}

export type CallArguments =
  | { readonly kind: 'none' }
  /** The body is the one unnamed argument. */
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

export interface CallPlan extends QueryPlan {
  readonly kind: 'call';
  readonly routine: Routine;
  readonly arguments: CallArguments;
  readonly readOnly: boolean;
  readonly headOnly: boolean;
  /** Columns of the result that select and the embeddings need; `*` or nothing for all. */
  readonly returning: readonly string[];
  /** Columns that filters need. */
  readonly filterColumns: readonly string[];
}

/** The OpenAPI document of a schema. */
export interface DescribePlan {
  readonly kind: 'describe';
  readonly schema: string;
  readonly headOnly: boolean;
}

/** Needs no database: the methods that an address answers. */
export interface OptionsPlan {
  readonly kind: 'options';
  readonly allow: readonly string[];
}

/** A function that gives exactly one value or row. */
export const returnsSingle = (routine: Routine): boolean => !routine.returns.set;
export const returnsScalar = (routine: Routine): boolean => !routine.returns.set && !routine.returns.composite;
export const returnsSetOfScalar = (routine: Routine): boolean => routine.returns.set && !routine.returns.composite;
export const returnsVoid = (routine: Routine): boolean =>
  returnsScalar(routine) && routine.returns.type.schema === 'pg_catalog' && routine.returns.type.name === 'void';
