/**
 * The request of a client as a value: the result of the request step. Nothing here has been looked up in the
 * database; names may not exist.
 */

export interface QualifiedName {
  readonly schema: string;
  readonly name: string;
}

export type Mutation = 'insert' | 'update' | 'upsert-one' | 'delete';

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
  /** `->>`: the result is text. */
  readonly asText: boolean;
}

export interface FieldRef {
  readonly name: string;
  readonly path: readonly JsonStep[];
}

export type AggregateFunction = 'sum' | 'avg' | 'count' | 'max' | 'min';
export type JoinType = 'inner' | 'left';

/** `alias:field->path::cast.aggregate()::aggregateCast` */
export interface SelectField {
  readonly kind: 'field';
  readonly field: FieldRef;
  readonly alias: string | null;
  readonly cast: string | null;
  readonly aggregate: AggregateFunction | null;
  readonly aggregateCast: string | null;
}

/** `alias:name!hint!join(items)`, or `...name!hint!join(items)` when spread. */
export interface SelectRelation {
  readonly kind: 'relation';
  readonly name: string;
  readonly alias: string | null;
  readonly hint: string | null;
  readonly join: JoinType | null;
  readonly spread: boolean;
  readonly items: readonly SelectItem[];
}

export type SelectItem = SelectField | SelectRelation;

/** Operators that take a modifier: `eq(any).{1,2}`. */
export type QuantifiedOperator = 'eq' | 'gte' | 'gt' | 'lte' | 'lt' | 'like' | 'ilike' | 'match' | 'imatch';
export type SimpleOperator = 'neq' | 'cs' | 'cd' | 'ov' | 'sl' | 'sr' | 'nxr' | 'nxl' | 'adj';
export type SearchOperator = 'fts' | 'plfts' | 'phfts' | 'wfts';
export type IsValue = 'null' | 'not_null' | 'true' | 'false' | 'unknown';

export type Operation =
  | { readonly kind: 'simple'; readonly operator: SimpleOperator; readonly value: string }
  | {
      readonly kind: 'quantified';
      readonly operator: QuantifiedOperator;
      readonly quantifier: 'any' | 'all' | null;
      readonly value: string;
    }
  | { readonly kind: 'in'; readonly values: readonly string[] }
  | { readonly kind: 'is'; readonly value: IsValue }
  | { readonly kind: 'isdistinct'; readonly value: string }
  | {
      readonly kind: 'search';
      readonly operator: SearchOperator;
      readonly language: string | null;
      readonly value: string;
    };

export interface Filter {
  readonly kind: 'filter';
  readonly field: FieldRef;
  readonly negated: boolean;
  readonly operation: Operation;
}

export interface LogicGroup {
  readonly kind: 'and' | 'or';
  readonly negated: boolean;
  readonly children: readonly LogicTree[];
}

export type LogicTree = Filter | LogicGroup;

export interface OrderTerm {
  readonly field: FieldRef;
  /** The embedded relation whose column orders: `order=relation(field)`. */
  readonly relation: string | null;
  readonly direction: 'asc' | 'desc' | null;
  readonly nulls: 'first' | 'last' | null;
}

/** Names of embedded relations from the root down; empty for the root. */
export type EmbedPath = readonly string[];

/** A parameter and the level of embedding that it belongs to. */
export interface At<T> {
  readonly path: EmbedPath;
  readonly value: T;
}

/** Rows `lower` to `upper`, both counted from 0 and included; null is no upper bound. Empty when upper < lower. */
export interface RowRange {
  readonly lower: bigint;
  readonly upper: bigint | null;
}

export interface QueryParameters {
  /** The parameters sorted by name and encoded anew, for Content-Location. */
  readonly canonical: string;
  readonly select: readonly SelectItem[];
  readonly filters: readonly At<Filter>[];
  readonly logic: readonly At<LogicTree>[];
  readonly order: readonly At<readonly OrderTerm[]>[];
  /** limit and offset below the root. */
  readonly ranges: readonly At<RowRange>[];
  /** limit and offset of the root. */
  readonly range: RowRange;
  readonly columns: readonly string[] | null;
  readonly onConflict: readonly string[] | null;
  /** Arguments of a function called by GET, in their order. */
  readonly arguments: readonly (readonly [string, string])[];
  /** The raw names of all filter parameters. */
  readonly filterNames: readonly string[];
}

export interface Preferences {
  readonly resolution: 'merge-duplicates' | 'ignore-duplicates' | null;
  readonly representation: 'representation' | 'minimal' | 'headers-only' | null;
  readonly count: 'exact' | 'planned' | 'estimated' | null;
  readonly transaction: 'commit' | 'rollback' | null;
  readonly missing: 'default' | 'null' | null;
  readonly handling: 'strict' | 'lenient' | null;
  readonly timezone: string | null;
  readonly maxAffected: bigint | null;
  /** Preferences that are not known, as they were sent. */
  readonly unknown: readonly string[];
}

export type PlanOption = 'analyze' | 'verbose' | 'settings' | 'buffers' | 'wal';

/** A media type of Accept or Content-Type. `other` holds everything without a meaning of its own here. */
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

/** The body of a write or a call. */
export type Payload =
  /** JSON text whose keys are known: those of the object, or those that all objects of the array have. */
  | {
      readonly kind: 'json';
      readonly body: string | Uint8Array;
      readonly keys: readonly string[];
      readonly isObject: boolean;
    }
  /** JSON text not looked into, because the parameter `columns` names the keys. */
  | { readonly kind: 'json-unread'; readonly body: Uint8Array; readonly isObject: boolean }
  | { readonly kind: 'form'; readonly pairs: readonly (readonly [string, string])[] }
  /** The one argument of a function with a single unnamed parameter; bytes as PostgreSQL prints them. */
  | { readonly kind: 'raw'; readonly body: Uint8Array };

export interface ApiRequest {
  readonly action: Action;
  readonly method: string;
  /** The whole path below the area's prefix, as sent. */
  readonly path: string;
  readonly schema: string;
  /** True if a profile header chose the schema, or more than one is exposed: then the reply names it. */
  readonly schemaNegotiated: boolean;
  readonly parameters: QueryParameters;
  /** `parameters.range` and the Range header together. */
  readonly topRange: RowRange;
  readonly preferences: Preferences;
  readonly accept: readonly MediaType[];
  /** The Accept header's own names, for the message when none can be served. */
  readonly contentType: MediaType;
  readonly payload: Payload | null;
  /** The columns that a write sets, or the arguments of a call by POST: from `columns` or from the payload. */
  readonly columns: readonly string[];
  /** Everything but cookies, for request.headers. */
  readonly headers: Readonly<Record<string, string>>;
  readonly cookies: Readonly<Record<string, string>>;
  /** For the database session, so that a slow query there is traced to its call. */
  readonly requestId: string;
}
