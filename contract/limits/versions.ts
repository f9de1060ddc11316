import type { Limit } from './limit.ts';

/** What deriving the specification may take, and what is kept of its versions. */
export const versionLimits = {
  versionsKept: {
    group: 'builders',
    unit: 'count',
    default: 500,
    meaning: 'Versions of its specification that an app keeps.',
  },
  versionsBytes: {
    group: 'builders',
    unit: 'bytes',
    default: 64 * 1024 * 1024,
    meaning: 'The space that an app’s versions may take; the oldest go first.',
  },
  versionChanges: {
    group: 'builders',
    unit: 'count',
    default: 200,
    meaning: 'Changes that a version tells in words; it counts all.',
  },
  versionsPerPage: {
    group: 'builders',
    unit: 'count',
    default: 50,
    meaning: 'Versions on a page of the list of versions.',
  },
  versionsPerMigration: {
    group: 'builders',
    unit: 'count',
    default: 10,
    meaning:
      'Migration files of one request that each make a version. A request with more files makes one version of all.',
  },
  specificationMemory: {
    group: 'builders',
    unit: 'bytes',
    default: 1024 * 1024 * 1024,
    meaning: 'The memory that a node takes to derive specifications.',
    code: 'specification_too_large',
  },
  specificationMilliseconds: {
    group: 'builders',
    unit: 'milliseconds',
    default: 60_000,
    meaning: 'How long it may take to derive a specification, or to write one.',
    code: 'specification_too_large',
  },
  specificationBytes: {
    group: 'builders',
    unit: 'bytes',
    default: 64 * 1024 * 1024,
    meaning: 'The largest specification that is kept as a version, or read from a file.',
  },
  journalKept: {
    group: 'builders',
    unit: 'count',
    default: 5000,
    meaning: 'Changes of the schema and the settings that an app’s journal keeps.',
  },
  journalBytes: {
    group: 'builders',
    unit: 'bytes',
    default: 64 * 1024 * 1024,
    meaning: 'The space that the statements in an app’s journal may take; the oldest go first.',
  },
} as const satisfies Record<string, Limit>;
