/**
 * The schema cache: the objects of the exposed schemas against which the data API plans requests. It is never changed
 * after loading; a schema change creates a new one with another version.
 */
export interface SchemaCache {
  /** Hash of the content. Two schema caches with the same version are equal. */
  readonly version: string;
  /** Time in milliseconds for which building this value blocked the event loop. */
  readonly buildMilliseconds: number;
  /** The exposed schemas, the default one first. */
  readonly schemas: readonly string[];
  /** Tables and views of the exposed schemas, by `nameKey`. */
  readonly relations: ReadonlyMap<string, Relation>;
  /** Relationships that start at a relation, by `nameKey` of that relation; candidates for embedding. */
  readonly relationships: ReadonlyMap<string, readonly Relationship[]>;
  /** Functions of the exposed schemas, by `nameKey`. Overloads are sorted by their number of parameters. */
  readonly functions: ReadonlyMap<string, readonly Routine[]>;
  /**
   * Casts that convert a domain to or from JSON and text, by `representationKey` (PostgREST docs, "Domain
   * Representations").
   */
  readonly representations: ReadonlyMap<string, SqlName>;
  /** Media type handlers by `nameKey` of the relation or function that they serve; '' for handlers of all relations. */
  readonly mediaHandlers: ReadonlyMap<string, readonly MediaHandler[]>;
  /** Comments on constraints and unique indexes of all schemas, by `ruleKey`. */
  readonly ruleComments: ReadonlyMap<string, string>;
}

/** A name with its schema. */
export interface SqlName {
  readonly schema: string;
  readonly name: string;
}

/** Returns the key of a relation or function in the maps of a schema cache. */
export const nameKey = (name: SqlName): string => `${name.schema.length}:${name.schema}.${name.name}`;

/**
 * Returns the key of a rule of a table or domain. A NOT NULL constraint is keyed by its column, because PostgreSQL's
 * errors do not name the constraint.
 */
export const ruleKey = (of: SqlName, name: string, isNotNull = false): string =>
  `${nameKey(of)}:${isNotNull ? 'not null' : 'named'}:${name}`;

/** Returns true if both names are equal, including the schema. */
export const sameName = (a: SqlName, b: SqlName): boolean => a.name === b.name && a.schema === b.schema;

/** A table or view of an exposed schema. */
export interface Relation extends SqlName {
  readonly oid: number;
  readonly isView: boolean;
  readonly comment: string | null;
  readonly insertable: boolean;
  readonly updatable: boolean;
  readonly deletable: boolean;
  /**
   * Columns of the primary key, sorted by name. For a view: the columns that show the primary key of the underlying
   * table.
   */
  readonly primaryKey: readonly string[];
  /** Columns by name, in the order of the table's definition. */
  readonly columns: ReadonlyMap<string, Column>;
}

/** A column of a relation. */
export interface Column {
  readonly name: string;
  /** Type as SQL text without a length; for a domain over a built-in type, the base type. */
  readonly baseType: string;
  /** Declared type as SQL text. */
  readonly type: string;
  /**
   * For a domain over an enum, an array, a range or a composite type: the base type as SQL text. PostgreSQL finds no
   * operator for such a domain and a value of unknown type, so a condition casts the column. Null for other types.
   */
  readonly comparedAs: string | null;
  readonly nullable: boolean;
  /** Default as SQL text. */
  readonly default: string | null;
  readonly maxLength: number | null;
  readonly enumValues: readonly string[];
  readonly comment: string | null;
}

/** A column of `table` and the column of the other relation that must be equal. */
export type ColumnPair = readonly [string, string];

interface RelationshipEnds {
  /** The relation at which the relationship starts. */
  readonly table: SqlName;
  readonly foreignTable: SqlName;
  readonly isSelf: boolean;
}

/** A relationship through one foreign key. */
export interface KeyRelationship extends RelationshipEnds {
  readonly kind: 'one-to-many' | 'many-to-one' | 'one-to-one';
  readonly constraint: string;
  /** Pairs of a column of `table` and a column of `foreignTable`. */
  readonly columns: readonly ColumnPair[];
  readonly tableIsView: boolean;
  readonly foreignTableIsView: boolean;
  /** For one-to-one relationships: true if the foreign key is on `foreignTable`. */
  readonly isParent: boolean;
}

/** A relationship through the two foreign keys of a junction table. */
export interface JunctionRelationship extends RelationshipEnds {
  readonly kind: 'many-to-many';
  readonly junction: SqlName;
  /** Names of the junction's foreign keys to `table` and to `foreignTable`. */
  readonly constraints: readonly [string, string];
  /** Pairs of a column of `table` and a column of the junction. */
  readonly sourceColumns: readonly ColumnPair[];
  /** Pairs of a column of `foreignTable` and a column of the junction. */
  readonly targetColumns: readonly ColumnPair[];
  readonly tableIsView: boolean;
  readonly foreignTableIsView: boolean;
}

/** A relationship through a function that takes a row of `table` and returns rows of `foreignTable`. */
export interface ComputedRelationship extends RelationshipEnds {
  readonly kind: 'computed';
  readonly function: SqlName;
  readonly toOne: boolean;
}

/** A relationship between two relations, which a request can embed (PostgREST docs, "Resource Embedding"). */
export type Relationship = KeyRelationship | JunctionRelationship | ComputedRelationship;

/** A parameter of a function. */
export interface Parameter {
  /** Name of the parameter; empty for an unnamed one. */
  readonly name: string;
  /** Type as SQL text. */
  readonly type: string;
  /** Type as SQL text without a length, so that values are not truncated. */
  readonly unboundedType: string;
  readonly required: boolean;
  readonly variadic: boolean;
}

/** A function of an exposed schema. */
export interface Routine extends SqlName {
  readonly oid: number;
  readonly comment: string | null;
  readonly parameters: readonly Parameter[];
  readonly returns: {
    readonly set: boolean;
    /** True for a row of a table, of a composite type, or of the function's OUT and TABLE columns. */
    readonly composite: boolean;
    /** The type, or the relation whose rows the function returns. */
    readonly type: SqlName;
  };
  readonly volatility: 'immutable' | 'stable' | 'volatile';
  readonly variadic: boolean;
  readonly isolation: string | null;
  /** Settings of ALTER FUNCTION … SET, as name and value. */
  readonly settings: readonly (readonly [string, string])[];
}

/** A function that produces responses of one media type (PostgREST docs, "Media Type Handlers"). */
export interface MediaHandler {
  /** An aggregate, or the domain to which the result of a function is cast. */
  readonly function: SqlName;
  /** The relation or function that the handler serves; null for all. */
  readonly target: SqlName | null;
  /** Name of the domain in lower case. */
  readonly mediaType: string;
  /** Content type of the response. */
  readonly resolvedMediaType: string;
}

/** Returns the key of a cast between two types, both as SQL text. */
export const representationKey = (from: string, to: string): string => `${from}→${to}`;

/** Returns true if a row has at most one related row. */
export const isToOne = (relationship: Relationship): boolean =>
  relationship.kind === 'many-to-one' ||
  relationship.kind === 'one-to-one' ||
  (relationship.kind === 'computed' && relationship.toOne);
