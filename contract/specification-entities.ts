/** Chapter 3 of the specification: tables and views, their fields, and which fields refer to which. */
import type { FileField } from './file-fields.ts';
import type { BucketEntry } from './specification-files.ts';
import type { Source } from './specification-source.ts';

export interface EntitiesChapter {
  entities: Entity[];
  relations: Relation[];
  /** Junctions, sorted by the entities that they join. */
  junctions: Junction[];
  /** Foreign keys that exposed views show, sorted by view, then by key. */
  view_foreign_keys: ViewForeignKey[];
  /** The first buckets by id, at most as many as the limit describedBuckets says. Absent if the app has no files. */
  buckets?: BucketEntry[];
  sources: Source[];
}

export interface Entity {
  /** The qualified name in SQL, quoted only where necessary: `public.tickets`, `public."Order lines"`. */
  id: string;
  schema: string;
  name: string;
  kind: 'table' | 'view' | 'materialized view' | 'foreign table' | 'partitioned table';
  /** True if calls of /rest/v1 can reach the entity. */
  exposed: boolean;
  comment: string | null;
  owner: string;
  row_level_security: boolean;
  /** True if row-level security also applies to the owner. */
  forced_row_level_security: boolean;
  /** For views: the role whose privileges on the base tables apply; null for other entities. */
  security: 'owner' | 'invoker' | null;
  /**
   * Check option of a view: rows that are written through the view must be visible in it. Absent for views without this
   * option.
   */
  check_option?: 'local' | 'cascaded';
  /**
   * True for views with the option security_barrier: PostgreSQL evaluates the view's own condition before any condition
   * of the caller. Absent for all others.
   */
  security_barrier?: true;
  /** True for tables whose rows are lost after a crash of the server (UNLOGGED); absent otherwise. */
  unlogged?: true;
  /** The operations that PostgreSQL can run on the entity at all. For example, it cannot write through every view. */
  writable: { insert: boolean; update: boolean; delete: boolean };
  /**
   * For a view: the view's names for the primary key of its table. The view must show all fields of the key, and each
   * row of the table at most once. Empty for views that join, group or repeat rows. Nevertheless, upserts can use the
   * key of such a view: for them, the schema cache only checks whether the view shows the complete key.
   */
  primary_key: string[];
  unique_keys: string[][];
  /**
   * Keys WITHOUT OVERLAPS: rows with equal values in `fields` must not overlap in `period`. Absent if there are none.
   */
  period_keys?: { fields: string[]; period: string }[];
  /** Indexes by which rows are found by their distance from a value, by name. Absent if there are none. */
  distance_indexes?: DistanceIndex[];
  fields: Field[];
  /** Functions of a row that calls can read in addition to the fields, sorted by name. Absent if there are none. */
  computed?: ComputedField[];
  /** The app's own triggers, sorted by name. */
  triggers: EntityTrigger[];
  /** Rewrite rules except a view's own query, sorted by name. Absent if there are none. */
  rewrite_rules?: { name: string; enabled: boolean; sql: string }[];
  /** Ids of the tables from which the table inherits. */
  inherits: string[];
  /** Number of partitions; 0 for tables that are not partitioned. */
  partitions: number;
  /** The query of a view; null for other entities. */
  definition: string | null;
  /** The extension that created the entity; null if none did. */
  extension: string | null;
  /** Live figures, not part of the hash. */
  figures?: { rows_estimate: number; size_bytes: number };
}

/** An index of pgvector. PostgreSQL can use it for `ORDER BY field operator value LIMIT n`. */
export interface DistanceIndex {
  name: string;
  /** The access method: hnsw or ivfflat. */
  method: string;
  /** The name of the field, or an expression. */
  part: string;
  /** The operator for the distance: `<=>`. */
  operator: string;
  /** The condition of a partial index; absent if the index covers all rows. */
  condition?: string;
}

export interface ComputedField {
  name: string;
  /** How calls read the result: like a field, `select=full_title`, or as embedded related rows, `select=others(*)`. */
  as: 'field' | 'relationship';
  /** The result type of the function. */
  type: string;
  /** Id of the function. Chapter 6 describes who may execute it, chapter 7 what it does. */
  function: string;
}

export interface EntityTrigger {
  name: string;
  enabled: boolean;
  sql: string;
  /** True if the trigger also fires for rows that arrive by replication; absent otherwise. */
  in_replicas?: true;
  /** The comment on the trigger; absent if it has none. */
  comment?: string;
}

export interface Field {
  name: string;
  /** The type as PostgreSQL prints it: text, numeric(10,2), uuid[]. */
  type: string;
  /** For domains: the base type; null for other types. */
  base_type: string | null;
  nullable: boolean;
  /** The SQL of the default. For a generated field, the expression that PostgreSQL computes. */
  default: string | null;
  generated: 'stored' | 'virtual' | null;
  /**
   * True for a field of a writable view that shows an expression, so that no call can set the field. Absent for all
   * others.
   */
  computed?: true;
  identity: 'always' | 'by default' | null;
  enum_values: string[] | null;
  /**
   * The parts of a value of a composite type. Also present for a domain over a composite type and for an array of one;
   * absent for all other types.
   */
  attributes?: Attribute[];
  /**
   * The collation that sorts and compares the field's strings; absent if it is the database's default. `equal` says
   * which strings with different characters are equal, such as "that differ in upper and lower case alone". It is
   * absent if only identical strings are equal.
   */
  collation?: { name: string; equal?: string };
  /**
   * The range of generated numbers, such as "from 1 to 100, then none (2200H)". Absent if they count upwards from 1,
   * and for fields without generated numbers.
   */
  numbering?: string;
  /** The files that the field holds, by ninefold.file_field or by the line `@files` of its comment; absent for all others. */
  files?: FileField;
  /**
   * The comment on the field without its line `@files`, or else the comment on its type or on one of the underlying
   * types.
   */
  comment: string | null;
  /** Further comments on the field's type and the underlying types. Absent if there are none. */
  type_comments?: string[];
  /** The field to which this field refers, according to the first foreign key that contains this field. */
  references: { schema: string; entity: string; field: string } | null;
}

/** A part of a value of a composite type. */
export interface Attribute {
  name: string;
  type: string;
  comment?: string;
  /**
   * The parts of the attribute, if its type is composite. Absent for other types, and for types that are nested so deep
   * that they are not listed.
   */
  attributes?: Attribute[];
}

export interface Relation {
  name: string;
  from: { schema: string; entity: string; fields: string[] };
  to: { schema: string; entity: string; fields: string[] };
  kind: 'many-to-one' | 'one-to-one';
  /**
   * True if the last field is a range that the referenced rows together must cover completely (PERIOD). Absent for all
   * others.
   */
  period?: true;
  /**
   * The action on the referencing row when the referenced row is deleted. `nothing`: PostgreSQL does not enforce the
   * key, because the key is NOT ENFORCED or because its triggers on the referenced table are disabled.
   */
  on_delete: 'no action' | 'restrict' | 'cascade' | 'set null' | 'set default' | 'nothing';
  /**
   * The fields that PostgreSQL sets to null or to their default when the referenced row is deleted. Absent if it sets
   * all fields of the key, or none.
   */
  on_delete_fields?: string[];
  /** The action on the referencing row when the referenced key changes. Absent if PostgreSQL refuses such a change. */
  on_update?: 'cascade' | 'set null' | 'set default' | 'nothing';
}

/**
 * A table, or a view of a table, whose rows each join a row of one entity to a row of another entity. Calls can embed
 * the two entities in each other. In the place of an entity, calls can use a view that shows the referenced fields.
 */
export interface Junction {
  /** The names of the two foreign keys of the junction. */
  name: string;
  /** Ids of the two entities that the junction joins. They can be the same. */
  from: string;
  to: string;
  /** Id of the table or view whose rows join the entities. */
  through: string;
}

/**
 * One end of a foreign key as a view shows it. Calls can embed rows through the view in the same way as through its
 * underlying table. The view can embed every relation that shows the other end of the key, which is the table there or
 * a view of this table. Such a relation can also embed the view.
 */
export interface ViewForeignKey {
  /** Id of the view. */
  view: string;
  /** The end of the key that the view shows: the referencing fields (`from`) or the referenced fields (`to`). */
  side: 'from' | 'to';
  /** The name of the foreign key. */
  name: string;
  /** For each field of the key, in its order: all names under which the view shows this field. */
  fields: string[][];
  from: { schema: string; entity: string; fields: string[] };
  to: { schema: string; entity: string; fields: string[] };
}
