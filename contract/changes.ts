import type { MigrationWarning, SqlFailure } from './admin.ts';
import type { ChapterKey } from './chapters.ts';
import type { Specification } from './specification.ts';

/** One change of what an app does. */
export interface Change {
  chapter: ChapterKey;
  kind: 'added' | 'removed' | 'changed';
  /** A sentence: "Members with role agent may now delete tickets." */
  words: string;
  /** Where in the chapter it is, member by member: "cells / agent public.tickets delete". */
  paths: string[];
}

/** What made a version. */
export interface VersionCause {
  kind: 'migration' | 'seed' | 'sql' | 'setting' | 'definition' | 'ninefold';
  /** The migration's file, the setting's key, the kind of statement, the table of the schema `ninefold`, the version of Ninefold. */
  what: string;
  /** The builder's name, "operator", or the database role where nobody else is known; "Ninefold" of a newer one. */
  who: string;
  /** ISO 8601. */
  at: string;
}

/** A recorded state of what an app does. */
export interface VersionEntry {
  /** 1 is the first that was recorded. */
  number: number;
  /** Of the specification. */
  hash: string;
  /** When it was noticed, ISO 8601. */
  at: string;
  /** What was done since the version before; empty for the first, and where nobody knows. */
  causes: VersionCause[];
  /** Against the version before, chapter by chapter; at most as many as the limit versionChanges lets through. */
  changes: Change[];
  /** How many changes there are in all. */
  change_count: number;
}

/** GET /admin/v1/apps/:ref/versions: the latest first. */
export interface VersionList {
  versions: VersionEntry[];
  /** The number to ask for older ones with (`?before=`); null where these are all. */
  next: number | null;
}

/** GET /admin/v1/apps/:ref/versions/:n. */
export interface VersionDetail extends VersionEntry {
  /** As it stood, without live figures and snippets. */
  specification: Specification;
}

/** GET /admin/v1/apps/:ref/versions/:n/changes?since=: what changed between two versions, one of which may be long before the other. */
export interface VersionComparison {
  /** Numbers of the versions. */
  from: number;
  to: number;
  /** Chapter by chapter; at most as many as the limit versionChanges lets through. */
  changes: Change[];
  /** How many changes there are in all. */
  change_count: number;
}

/** POST /admin/v1/apps/:ref/migrations/trial, with a MigrateRequest: what its files would change, without changing it. */
export interface MigrationTrial {
  /** Files that would be applied, in their order, up to the first that fails. */
  tried: string[];
  skipped: string[];
  /** Files that cannot run in a transaction, or that end it, and so could not be tried. */
  untried: { file: string; reason: string }[];
  /** Where PostgreSQL refused a statement: `details` is a SqlFailure. */
  failed: { file: string; message: string; details: SqlFailure } | null;
  warnings: MigrationWarning[];
  /** The change of the specification that the tried files make. */
  changes: Change[];
}

/** GET /admin/v1/apps/:ref/journal: what was changed and is in no migration file yet, the oldest first. */
export interface UnsavedChanges {
  statements: { at: string; who: string; what: string; statement: string }[];
  /** The id of the last one: what is saved is all up to here. */
  last: number;
}

/** POST /admin/v1/apps/:ref/migrations/saved: notes that the changes up to `last` are this file, so that it is never applied here. */
export interface SaveMigrationRequest {
  name: string;
  sql: string;
  last: number;
}
