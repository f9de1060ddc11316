/**
 * The schema cache: what the exposed schemas hold, as the data API plans against it. Plain data, never changed after
 * it was loaded; a change of the schema makes a new one with another version.
 */
export interface Catalog {
  /** A hash of the content: equal versions are equal catalogs. */
  readonly version: string;
  /** The exposed schemas, the default one first. */
  readonly schemas: readonly string[];
  /** Tables and views of the exposed schemas, by `nameKey`. */
  readonly relations: ReadonlyMap<string, Relation>;
  /** Relationships that start at a relation, by `nameKey` of that relation; candidates for embedding. */
  readonly relationships: ReadonlyMap<string, readonly Relationship[]>;
  /** Functions of the exposed schemas, by `nameKey`; the overloads of a name, those with fewer parameters first. */
  readonly functions: ReadonlyMap<string, readonly Routine[]>;
  /** Casts that present or read a domain, by `representationKey`. */
  readonly representations: ReadonlyMap<string, SqlName>;
  /** By `nameKey` of the relation or function that they serve; '' for those that serve any. */
  readonly mediaHandlers: ReadonlyMap<string, readonly MediaHandler[]>;
  /** Comments on constraints and unique indexes of every schema, by `ruleKey`. */
  readonly ruleComments: ReadonlyMap<string, string>;
}

export interface SqlName {
  readonly schema: string;
  readonly name: string;
}

/** The key under which a relation or function stands in the maps of a catalog. */
export const nameKey = (name: SqlName): string => `${name.schema.length}:${name.schema}.${name.name}`;

/** The key of a rule of a table or a domain: its name, or of a NOT NULL, which errors do not name, its column. */
export const ruleKey = (of: SqlName, name: string, isNotNull = false): string =>
  `${nameKey(of)}:${isNotNull ? 'not null' : 'named'}:${name}`;

export const sameName = (a: SqlName, b: SqlName): boolean => a.name === b.name && a.schema === b.schema;

export interface Relation extends SqlName {
  readonly oid: number;
  readonly isView: boolean;
  readonly comment: string | null;
  readonly insertable: boolean;
  readonly updatable: boolean;
  readonly deletable: boolean;
  /** Sorted by name; of a view, the columns that show the key of the table behind it. */
  readonly primaryKey: readonly string[];
  /** In the order of the table. */
  readonly columns: ReadonlyMap<string, Column>;
}

export interface Column {
  readonly name: string;
  /** The type as SQL text, of a domain over a built-in type the base type; without a length. */
  readonly baseType: string;
  /** The type as SQL text, as it was declared. */
  readonly type: string;
  readonly nullable: boolean;
  /** The default as SQL text. */
  readonly default: string | null;
  readonly maxLength: number | null;
  readonly enumValues: readonly string[];
  readonly comment: string | null;
}

/** Columns here and there that must be equal. */
export type ColumnPair = readonly [string, string];

interface RelationshipEnds {
  /** Where the relationship starts. */
  readonly table: SqlName;
  readonly foreignTable: SqlName;
  readonly isSelf: boolean;
}

export interface KeyRelationship extends RelationshipEnds {
  readonly kind: 'one-to-many' | 'many-to-one' | 'one-to-one';
  readonly constraint: string;
  /** Of `table`, then of `foreignTable`. */
  readonly columns: readonly ColumnPair[];
  readonly tableIsView: boolean;
  readonly foreignTableIsView: boolean;
  /** Of a one-to-one relationship: whether the foreign key stands on the other side. */
  readonly isParent: boolean;
}

export interface JunctionRelationship extends RelationshipEnds {
  readonly kind: 'many-to-many';
  readonly junction: SqlName;
  /** The junction's foreign key to `table`, and to `foreignTable`. */
  readonly constraints: readonly [string, string];
  /** Columns of `table`, then of the junction. */
  readonly sourceColumns: readonly ColumnPair[];
  /** Columns of `foreignTable`, then of the junction. */
  readonly targetColumns: readonly ColumnPair[];
  readonly tableIsView: boolean;
  readonly foreignTableIsView: boolean;
}

/** A function that takes a row of `table` and returns rows of `foreignTable`. */
export interface ComputedRelationship extends RelationshipEnds {
  readonly kind: 'computed';
  readonly function: SqlName;
  readonly toOne: boolean;
}

export type Relationship = KeyRelationship | JunctionRelationship | ComputedRelationship;

export interface Parameter {
  /** Empty when it has none. */
  readonly name: string;
  /** As SQL text. */
  readonly type: string;
  /** As SQL text, and so that no value is cut to a length. */
  readonly unboundedType: string;
  readonly required: boolean;
  readonly variadic: boolean;
}

export interface Routine extends SqlName {
  readonly oid: number;
  readonly comment: string | null;
  readonly parameters: readonly Parameter[];
  readonly returns: {
    readonly set: boolean;
    /** A row: of a table, of a composite type, or of the function's OUT and TABLE columns. */
    readonly composite: boolean;
    /** The type, or the relation whose row it is. */
    readonly type: SqlName;
  };
  readonly volatility: 'immutable' | 'stable' | 'volatile';
  readonly variadic: boolean;
  readonly isolation: string | null;
  /** ALTER FUNCTION … SET, as name and value. */
  readonly settings: readonly (readonly [string, string])[];
}

export interface MediaHandler {
  /** The aggregate, or the domain that a function's result is cast to. */
  readonly function: SqlName;
  /** The relation or function it serves; null for any. */
  readonly target: SqlName | null;
  /** As the domain is named, in lower case. */
  readonly mediaType: string;
  /** What the reply says it is. */
  readonly resolvedMediaType: string;
}

/** The key of the cast from one type to another, both as SQL text. */
export const representationKey = (from: string, to: string): string => `${from}→${to}`;

/** Whether a row has at most one related row. */
export const isToOne = (relationship: Relationship): boolean =>
  relationship.kind === 'many-to-one' ||
  relationship.kind === 'one-to-one' ||
  (relationship.kind === 'computed' && relationship.toOne);
