import { limitsOf } from './limit.ts';

/** Limits of deriving the specification, and of storing its versions. */
export const versionLimits = limitsOf('builders', {
  versionsKept: {
    unit: 'count',
    default: 500,
    meaning: 'Versions of its specification that an app stores.',
  },
  versionsBytes: {
    unit: 'bytes',
    default: 64 * 1024 * 1024,
    meaning: 'Size of the stored versions of an app. The oldest are deleted first.',
  },
  versionChanges: {
    unit: 'count',
    default: 200,
    meaning: 'Changes that a version describes in words. All changes are counted.',
  },
  versionsPerPage: {
    unit: 'count',
    default: 50,
    meaning: 'Versions on a page of the list of versions.',
  },
  versionsPerMigration: {
    unit: 'count',
    default: 10,
    meaning:
      'Migration files of one request that each create a version. A request with more files creates one version for all.',
  },
  specificationMemory: {
    unit: 'bytes',
    default: 1024 * 1024 * 1024,
    meaning: 'Memory of the specification process of a node.',
    code: 'specification_too_large',
  },
  specificationMilliseconds: {
    unit: 'milliseconds',
    default: 60_000,
    meaning: 'How long deriving or writing a specification may take.',
    code: 'specification_too_large',
  },
  specificationBytes: {
    unit: 'bytes',
    default: 64 * 1024 * 1024,
    meaning: 'The largest specification that is stored as a version, or read from a file.',
  },
  journalKept: {
    unit: 'count',
    default: 5000,
    meaning: 'Changes of the schema and the settings that an app’s journal stores.',
  },
  journalBytes: {
    unit: 'bytes',
    default: 64 * 1024 * 1024,
    meaning: 'Size of the statements in an app’s journal. The oldest are deleted first.',
  },
});
