import type { MigrateRequest, MigrationWarning, SqlFailure } from './admin.ts';
import type { ChapterKey } from './chapters.ts';
import type { PortalScreens } from './portal.ts';
import type { Specification } from './specification.ts';

/** One change of an app's specification. */
export interface Change {
  chapter: ChapterKey;
  kind: 'added' | 'removed' | 'changed';
  /** A sentence: "Members with role agent may now delete tickets." */
  words: string;
  /** The changed parts of the chapter, as paths in its JSON: "cells / agent public.tickets delete". */
  paths: string[];
}

/**
 * What caused a version: a migration, a setting, an SQL statement, a table of schema `ninefold`, or a version of
 * Ninefold.
 */
export interface VersionCause {
  kind: 'migration' | 'seed' | 'sql' | 'setting' | 'definition' | 'ninefold';
  /**
   * The exact cause: the migration file, the key of the setting, the kind of statement, the table of schema
   * `ninefold`, or the version of Ninefold.
   */
  what: string;
  /**
   * The builder's name, "operator", or the database role if no other name is known; "Ninefold" for an update of
   * Ninefold.
   */
  actor: string;
  /** Time of the cause in ISO 8601. */
  at: string;
}

/** A recorded state of an app's specification. */
export interface VersionEntry {
  /** Number of the version; 1 is the first recorded version. */
  number: number;
  /** Hash of the specification. */
  hash: string;
  /** Time at which the version was detected, in ISO 8601. */
  at: string;
  /** The causes since the previous version; empty for the first one, and if they are unknown. */
  causes: VersionCause[];
  /** Changes since the previous version, sorted by chapter, at most as many as the limit versionChanges. */
  changes: Change[];
  /** The total number of changes. */
  change_count: number;
}

/** The response of GET /admin/v1/apps/:ref/versions: the versions, latest first. */
export interface VersionList {
  versions: VersionEntry[];
  /** The number for `?before=` to get older versions; null if there are none. */
  next: number | null;
}

/** The response of GET /admin/v1/apps/:ref/versions/:n: one version with its specification. */
export interface VersionDetail extends VersionEntry {
  /** The specification of this version, without live figures and snippets. */
  specification: Specification;
}

/** GET /admin/v1/apps/:ref/versions/:n/changes?since=: the changes between any two versions. */
export interface VersionComparison {
  /** Numbers of the two compared versions. */
  from: number;
  to: number;
  /** Changes sorted by chapter, at most as many as the limit versionChanges. */
  changes: Change[];
  /** The total number of changes. */
  change_count: number;
}

/**
 * POST /admin/v1/apps/:ref/migrations/trial, with a MigrateRequest: the changes that its files would make, without
 * making them.
 */
export interface MigrationTrial {
  /** Files that would be applied, in order, up to the first that fails. */
  tried: string[];
  skipped: string[];
  /** Files that were not tried, because they cannot run in a transaction or end it. */
  untried: { file: string; reason: string }[];
  /** The failed file if PostgreSQL refused a statement; `details` is a SqlFailure. */
  failed: { file: string; message: string; details: SqlFailure } | null;
  warnings: MigrationWarning[];
  /** The changes of the specification that the tried files would make. */
  changes: Change[];
  /** With `screens_as`: the screens that this caller would get after the tried files. */
  screens?: PortalScreens;
  /** With `screens_as`: the definitions of chapter 2 that could not be shown completely after the tried files. */
  broken?: BrokenDefinition[];
}

/** A screen, a page or a menu of chapter 2, and the reasons why it cannot be shown completely, in words. */
export interface BrokenDefinition {
  /** The route of the screen or the page, or `menu` and the role: `menu agent`. */
  of: string;
  reasons: string[];
}

/** The body of a trial: a MigrateRequest, and the caller whose screens the reply contains. */
export interface MigrationTrialRequest extends MigrateRequest {
  screens_as?: {
    /** `anon` or the id of a member, as in the header `x-ninefold-as`. */
    caller: string;
    /** A member role that replaces the member's own roles. */
    role?: string;
    /** The languages of the labels, as in the header Accept-Language. */
    language?: string;
  };
}

/** GET /admin/v1/apps/:ref/migrations/unsaved: the changes that are in no migration file, oldest first. */
export interface UnsavedChanges {
  statements: { at: string; who: string; what: string; statement: string }[];
  /** The id of the last change in `statements`. Saving up to this id saves all of them. */
  last: number;
}

/**
 * POST /admin/v1/apps/:ref/migrations/save: records that this file contains the changes up to `last`, so that it is
 * never applied here.
 */
export interface SaveMigrationRequest {
  name: string;
  sql: string;
  last: number;
}
