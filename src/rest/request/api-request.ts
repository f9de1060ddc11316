/**
 * Types of a client's request as a value, the result of the request step. The names in it were not looked up, so such
 * objects may not exist.
 */

/** A name with its schema. */
export interface QualifiedName {
  readonly schema: string;
  readonly name: string;
}

/** The kind of a write. */
export type Mutation = 'insert' | 'update' | 'upsert-one' | 'delete';

/** The operation of a request. */
export type Action =
  | { readonly kind: 'read'; readonly target: QualifiedName; readonly headOnly: boolean }
  | { readonly kind: 'mutate'; readonly target: QualifiedName; readonly mutation: Mutation }
  | { readonly kind: 'call'; readonly target: QualifiedName; readonly method: 'GET' | 'HEAD' | 'POST' }
  | { readonly kind: 'describe-schema'; readonly schema: string; readonly headOnly: boolean }
  | { readonly kind: 'options-relation'; readonly target: QualifiedName }
  | { readonly kind: 'options-function'; readonly target: QualifiedName }
  | { readonly kind: 'options-root' };

/** One step of a JSON path: `->key`, `->>key`, `->1`. */
export interface JsonStep {
  readonly kind: 'key' | 'index';
  readonly value: string;
  /** True for `->>`: the result is text. */
  readonly asText: boolean;
}

/** A column with an optional JSON path. */
export interface FieldRef {
  readonly name: string;
  readonly path: readonly JsonStep[];
}

/** An aggregate function. */
export type AggregateFunction = 'sum' | 'avg' | 'count' | 'max' | 'min';
/** The join type of an embedded relation. */
export type JoinType = 'inner' | 'left';

/** A column in `select`: `alias:field->path::cast.aggregate()::aggregateCast`. */
export interface SelectField {
  readonly kind: 'field';
  readonly field: FieldRef;
  readonly alias: string | null;
  readonly cast: string | null;
  readonly aggregate: AggregateFunction | null;
  readonly aggregateCast: string | null;
}

/** An embedded relation in `select`: `alias:name!hint!join(items)`, or `...name!hint!join(items)` if spread. */
export interface SelectRelation {
  readonly kind: 'relation';
  readonly name: string;
  readonly alias: string | null;
  readonly hint: string | null;
  readonly join: JoinType | null;
  readonly spread: boolean;
  readonly items: readonly SelectItem[];
}

/** An item of `select`. */
export type SelectItem = SelectField | SelectRelation;

/** Operators with an optional modifier: `eq(any).{1,2}`. */
export type QuantifiedOperator = 'eq' | 'gte' | 'gt' | 'lte' | 'lt' | 'like' | 'ilike' | 'match' | 'imatch';
/** Operators without a modifier. */
export type SimpleOperator = 'neq' | 'cs' | 'cd' | 'ov' | 'sl' | 'sr' | 'nxr' | 'nxl' | 'adj';
/** Operators of full-text search. */
export type SearchOperator = 'fts' | 'plfts' | 'phfts' | 'wfts';
/** Values of the operator `is`. */
export type IsValue = 'null' | 'not_null' | 'true' | 'false' | 'unknown';

/** An operator with its value. */
export type Operation =
  | ({ readonly kind: 'simple'; readonly operator: SimpleOperator } & Operand)
  | ({
      readonly kind: 'quantified';
      readonly operator: QuantifiedOperator;
      readonly quantifier: 'any' | 'all' | null;
    } & Operand)
  | { readonly kind: 'in'; readonly values: readonly string[] }
  | { readonly kind: 'is'; readonly value: IsValue }
  | { readonly kind: 'isdistinct'; readonly value: string }
  | {
      readonly kind: 'search';
      readonly operator: SearchOperator;
      readonly language: string | null;
      readonly value: string;
    };

interface Operand {
  readonly value: string;
  /** Position of the query parameter that ends with this value; absent for a value in a logic tree. */
  readonly parameter?: number;
}

/** A filter of one column. */
export interface Filter {
  readonly kind: 'filter';
  readonly field: FieldRef;
  readonly negated: boolean;
  readonly operation: Operation;
}

/** A group of conditions that `and` or `or` joins. */
export interface LogicGroup {
  readonly kind: 'and' | 'or';
  readonly negated: boolean;
  readonly children: readonly LogicTree[];
}

/** A condition: a filter or a group. */
export type LogicTree = Filter | LogicGroup;

/** A term of `order`. */
export interface OrderTerm {
  readonly field: FieldRef;
  /** The embedded relation of the column: `order=relation(field)`. */
  readonly relation: string | null;
  readonly direction: 'asc' | 'desc' | null;
  readonly nulls: 'first' | 'last' | null;
}

/** Names of embedded relations from the root down; empty for the root. */
export type EmbedPath = readonly string[];

/** A parameter with the embedded relation to which it belongs. */
export interface At<T> {
  readonly path: EmbedPath;
  readonly value: T;
}

/**
 * Rows `lower` to `upper`, inclusive and counted from 0; null means no upper bound. The range is empty if upper <
 * lower.
 */
export interface RowRange {
  readonly lower: bigint;
  readonly upper: bigint | null;
}

/** The parameters of the query string. */
export interface QueryParameters {
  /** The parameters sorted by name and encoded, for Content-Location. */
  readonly canonical: string;
  readonly select: readonly SelectItem[];
  readonly filters: readonly At<Filter>[];
  readonly logic: readonly At<LogicTree>[];
  readonly order: readonly At<readonly OrderTerm[]>[];
  /** The limit and offset of each embedded relation. */
  readonly ranges: readonly At<RowRange>[];
  /** The limit and offset of the root. */
  readonly range: RowRange;
  readonly columns: readonly string[] | null;
  readonly onConflict: readonly string[] | null;
  /** Arguments of a function that is called by GET, in order. */
  readonly arguments: readonly (readonly [string, string])[];
  /** Names of all filter parameters, as the client sent them. */
  readonly filterNames: readonly string[];
}

/** Preferences of the Prefer header. */
export interface Preferences {
  readonly resolution: 'merge-duplicates' | 'ignore-duplicates' | null;
  readonly representation: 'representation' | 'minimal' | 'headers-only' | null;
  readonly count: 'exact' | 'planned' | 'estimated' | null;
  readonly transaction: 'commit' | 'rollback' | null;
  readonly missing: 'default' | 'null' | null;
  readonly handling: 'strict' | 'lenient' | null;
  /**
   * Ninefold's own preference: if an update changes no row, the response names the columns that another caller has
   * changed.
   */
  readonly conflict: 'report' | null;
  readonly timezone: string | null;
  readonly maxAffected: bigint | null;
  /** Unknown preferences as they were sent. */
  readonly unknown: readonly string[];
}

/** Options of the execution plan media type. */
export type PlanOption = 'analyze' | 'verbose' | 'settings' | 'buffers' | 'wal';

/** A media type of Accept or Content-Type. `other` contains all types without a special meaning. */
export type MediaType =
  | { readonly kind: 'json' | 'geojson' | 'csv' | 'text' | 'xml' | 'openapi' | 'form' | 'octet-stream' | 'any' }
  | { readonly kind: 'array-stripped' }
  | { readonly kind: 'object'; readonly nullsStripped: boolean }
  | {
      readonly kind: 'plan';
      readonly of: MediaType;
      readonly format: 'json' | 'text';
      readonly options: readonly PlanOption[];
    }
  | { readonly kind: 'other'; readonly name: string };

/** The body of a write or a function call. */
export type Payload =
  /**
   * JSON text whose keys are known. For an object, `keys` are its keys. For an array, `keys` are those that all of its
   * objects have.
   */
  | {
      readonly kind: 'json';
      readonly body: string | Uint8Array;
      readonly keys: readonly string[];
      readonly isObject: boolean;
    }
  /** JSON text that was not parsed, because the parameter `columns` names the keys. */
  | { readonly kind: 'json-unread'; readonly body: Uint8Array; readonly isObject: boolean }
  | { readonly kind: 'form'; readonly pairs: readonly (readonly [string, string])[] }
  /** The argument of a single unnamed parameter; bytes in PostgreSQL's text format. */
  | { readonly kind: 'raw'; readonly body: Uint8Array };

/** The request of a client. */
export interface ApiRequest {
  readonly action: Action;
  readonly method: string;
  /** Complete path below the API's prefix, as it was sent. */
  readonly path: string;
  readonly schema: string;
  /** True if a profile header chose the schema or several schemas are exposed: the response then names the schema. */
  readonly schemaNegotiated: boolean;
  readonly parameters: QueryParameters;
  /** `parameters.range` combined with the Range header. */
  readonly topRange: RowRange;
  readonly preferences: Preferences;
  readonly accept: readonly MediaType[];
  /** Media type of the Content-Type header. */
  readonly contentType: MediaType;
  readonly payload: Payload | null;
  /** The columns that a write sets, or the arguments of a POST call: from `columns` or from the payload. */
  readonly columns: readonly string[];
  /** All headers except cookies, for the setting request.headers. */
  readonly headers: Readonly<Record<string, string>>;
  readonly cookies: Readonly<Record<string, string>>;
  /** Id for the database session, so that a slow query can be assigned to its request. */
  readonly requestId: string;
}
