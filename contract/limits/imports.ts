import { limitsOf } from './limit.ts';

export const importLimits = limitsOf('accounts', {
  importBytes: {
    unit: 'bytes',
    default: 2 * 1024 * 1024 * 1024,
    meaning: 'The largest file of an import of members.',
    code: 'import_too_large',
  },
  importRecordBytes: {
    unit: 'bytes',
    default: 65_536,
    meaning:
      'The largest record of an imported file: a line, or an object of JSON. A larger record is refused; in a CSV file it ends the import.',
  },
  importRefusals: {
    unit: 'count',
    default: 10_000,
    meaning: 'Refused records that the report of an import lists. Further records are only counted.',
  },
  importHashKinds: {
    unit: 'count',
    default: 20,
    meaning: 'Kinds of password hashes, by algorithm and cost, that the report of an import lists.',
  },
  importPreviewRecords: {
    unit: 'count',
    default: 10,
    meaning: 'Records that the preview of an import shows.',
  },
  importStatementSeconds: {
    unit: 'seconds',
    default: 3600,
    meaning: 'How long a statement of an import may take.',
  },
  importSilenceSeconds: {
    unit: 'seconds',
    default: 60,
    meaning:
      'How long an import may stay locked after the machine that runs it has failed. If only its process ends, the import can be run again at once.',
  },
  importsAtOnce: {
    unit: 'count',
    default: 2,
    meaning: 'Concurrent imports in one worker. An app has at most one.',
    code: 'import_busy',
  },
  importDays: {
    unit: 'days',
    default: 7,
    meaning: 'How long the report of an import is stored.',
  },
});
