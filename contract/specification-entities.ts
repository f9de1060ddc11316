/** Chapter 3 of the specification: tables and views, their fields, and what points to what. */
import type { Source } from './specification-source.ts';

export interface EntitiesChapter {
  entities: Entity[];
  relations: Relation[];
  /** By the entities that they join. */
  junctions: Junction[];
  /** Foreign keys that exposed views show, by view, then by the key. */
  view_foreign_keys: ViewForeignKey[];
  sources: Source[];
}

export interface Entity {
  /** The qualified name as SQL takes it, quoted where it must be: `public.tickets`, `public."Order lines"`. */
  id: string;
  schema: string;
  name: string;
  kind: 'table' | 'view' | 'materialized view' | 'foreign table' | 'partitioned table';
  /** True if it can be reached over /rest/v1. */
  exposed: boolean;
  comment: string | null;
  owner: string;
  row_level_security: boolean;
  /** True if row-level security also applies to the owner. */
  forced_row_level_security: boolean;
  /** For views: the role whose privileges on the base tables apply; null for other entities. */
  security: 'owner' | 'invoker' | null;
  /** Views that keep what is written through them within what they show; absent where none does. */
  check_option?: 'local' | 'cascaded';
  /** Views that ask their own condition before any of the caller's; absent for all others. */
  security_barrier?: true;
  /** True for tables whose rows are lost after a crash of the server (UNLOGGED); absent otherwise. */
  unlogged?: true;
  /** Which writes PostgreSQL takes at all, by its structure: a view may take none. */
  writable: { insert: boolean; update: boolean; delete: boolean };
  /**
   * Of a view, what it calls the primary key of its table: where it shows all of it, and each row of the table once at most. Empty for views that
   * join, group or repeat rows, whose keys upserts may still go by: `view_foreign_keys` and the schema cache ask only whether a key is shown.
   */
  primary_key: string[];
  unique_keys: string[][];
  /** Keys WITHOUT OVERLAPS: of rows that are alike in `fields`, no two overlap in `period`. Absent where there is none. */
  period_keys?: { fields: string[]; period: string }[];
  fields: Field[];
  /** What calls may read with its rows beside its fields: functions of a row, by name; absent where there is none. */
  computed?: ComputedField[];
  /** Triggers of the app's own, by name. */
  triggers: EntityTrigger[];
  /** Rewrite rules, by name, but a view's own query; absent where there is none. */
  rewrite_rules?: { name: string; enabled: boolean; sql: string }[];
  /** Ids of the tables from which it inherits. */
  inherits: string[];
  /** Number of partitions; 0 for tables that are not partitioned. */
  partitions: number;
  /** Views: their query. */
  definition: string | null;
  /** The extension that created it. */
  extension: string | null;
  /** Live figures, not part of the hash. */
  figures?: { rows_estimate: number; size_bytes: number };
}

export interface ComputedField {
  name: string;
  /** Read like a field, `select=full_title`, or embedded as related rows, `select=others(*)`. */
  as: 'field' | 'relationship';
  /** What it answers. */
  type: string;
  /** Id of the function: chapter 6 says who may read it, chapter 7 what it does. */
  function: string;
}

export interface EntityTrigger {
  name: string;
  enabled: boolean;
  sql: string;
  /** It fires where rows arrive by replication, too; absent where it does not. */
  in_replicas?: true;
  /** Absent where there is none. */
  comment?: string;
}

export interface Field {
  name: string;
  /** As PostgreSQL prints it: text, numeric(10,2), uuid[]. */
  type: string;
  /** For domains: the base type; null for other types. */
  base_type: string | null;
  nullable: boolean;
  /** The expression; of a generated field, what it is generated from. */
  default: string | null;
  generated: 'stored' | 'virtual' | null;
  /** Of a view that takes writes: it shows an expression, and no call may give it; absent for all others. */
  computed?: true;
  identity: 'always' | 'by default' | null;
  enum_values: string[] | null;
  /** Of a composite type, also beneath a domain or in an array: what a value consists of; absent for all others. */
  attributes?: Attribute[];
  /**
   * What its texts are sorted and compared by, where that is not the database's own; absent otherwise. `equal`: which texts are equal
   * although they are spelled otherwise, "that differ in upper and lower case alone"; absent where only the same are.
   */
  collation?: { name: string; equal?: string };
  /** How its numbers are counted, "from 1 to 100, then none (2200H)"; absent where from 1 upwards, or not at all. */
  numbering?: string;
  /** The field's own, else that of its type or of one beneath it. */
  comment: string | null;
  /** Further comments, of its type and of those beneath it; absent where there is none. */
  type_comments?: string[];
  /** The field that it points to, by the first foreign key that has it. */
  references: { schema: string; entity: string; field: string } | null;
}

/** A part of a value of a composite type. */
export interface Attribute {
  name: string;
  type: string;
  comment?: string;
  /** What it consists of itself; absent where it does not, and of types that hold one another so many times that it is not told. */
  attributes?: Attribute[];
}

export interface Relation {
  name: string;
  from: { schema: string; entity: string; fields: string[] };
  to: { schema: string; entity: string; fields: string[] };
  kind: 'many-to-one' | 'one-to-one';
  /** The last of the fields is a range, all of which the rows that it points to cover together; absent for all others. */
  period?: true;
  /** `nothing` if the key is not enforced: NOT ENFORCED, or its triggers on that table are disabled. */
  on_delete: 'no action' | 'restrict' | 'cascade' | 'set null' | 'set default' | 'nothing';
  /** The fields that are set to null or to their default; absent if all are, or none. */
  on_delete_fields?: string[];
  /** The action if the referenced key changes; absent if such a change is refused. */
  on_update?: 'cascade' | 'set null' | 'set default' | 'nothing';
}

/**
 * A table, or a view of one, whose rows each join a row of one entity to a row of another: calls embed each of the two in the other, and views
 * that show what is pointed to in their place.
 */
export interface Junction {
  /** The names of its two foreign keys. */
  name: string;
  /** Ids of the entities that it joins, which may be the same. */
  from: string;
  to: string;
  /** Id of the table or the view. */
  through: string;
}

/**
 * One end of a foreign key as a view shows it. Calls embed through the view as through the table beneath: whatever has the other end, the
 * table there or a view of it, and the view embed each other.
 */
export interface ViewForeignKey {
  /** Id of the view. */
  view: string;
  /** The end that it shows: the fields that point, or those that they point to. */
  side: 'from' | 'to';
  /** The foreign key. */
  name: string;
  /** What the view calls its fields, in the order of the key; one that it shows several times under each name. */
  fields: string[][];
  from: { schema: string; entity: string; fields: string[] };
  to: { schema: string; entity: string; fields: string[] };
}
