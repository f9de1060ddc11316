import type { Limit } from './limit.ts';

export const importLimits = {
  importBytes: {
    group: 'accounts',
    unit: 'bytes',
    default: 2 * 1024 * 1024 * 1024,
    meaning: 'The largest file of an import of members.',
    code: 'import_too_large',
  },
  importRecordBytes: {
    group: 'accounts',
    unit: 'bytes',
    default: 65_536,
    meaning:
      'The largest record of such a file: a line, or an object of JSON. A larger one is refused; a larger one of CSV ends the import.',
  },
  importRefusals: {
    group: 'accounts',
    unit: 'count',
    default: 10_000,
    meaning: 'Refused records that the report of an import lists; further ones are counted.',
  },
  importPreviewRecords: {
    group: 'accounts',
    unit: 'count',
    default: 10,
    meaning: 'Records that the preview of an import shows.',
  },
  importStatementSeconds: {
    group: 'accounts',
    unit: 'seconds',
    default: 3600,
    meaning: 'How long a statement of an import may take.',
  },
  importSilenceSeconds: {
    group: 'accounts',
    unit: 'seconds',
    default: 60,
    meaning: 'How long an import may report nothing before it counts as interrupted.',
  },
  importsAtOnce: {
    group: 'accounts',
    unit: 'count',
    default: 2,
    meaning: 'Imports that run in one worker at the same time; an app has at most one.',
    code: 'import_busy',
  },
  importDays: {
    group: 'accounts',
    unit: 'days',
    default: 7,
    meaning: 'How long the report of an import is kept.',
  },
} as const satisfies Record<string, Limit>;
