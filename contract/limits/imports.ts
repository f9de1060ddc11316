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
      'The largest record of an imported file: a line, or an object of JSON. A larger record is refused; in a CSV file it ends the import.',
  },
  importRefusals: {
    group: 'accounts',
    unit: 'count',
    default: 10_000,
    meaning: 'Refused records that the report of an import lists. Further records are only counted.',
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
    meaning: 'Concurrent imports in one worker. An app has at most one.',
    code: 'import_busy',
  },
  importDays: {
    group: 'accounts',
    unit: 'days',
    default: 7,
    meaning: 'How long the report of an import is stored.',
  },
} as const satisfies Record<string, Limit>;
