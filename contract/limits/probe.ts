import { limitsOf } from './limit.ts';

/** Limits of a probe of chapter 6, such as its duration and its pauses. */
export const probeLimits = limitsOf('builders', {
  probeStatementMilliseconds: {
    unit: 'milliseconds',
    default: 500,
    meaning: 'How long the attempts of one group may run before the probe looks for slow ones and leaves them out.',
  },
  probeStepMilliseconds: {
    unit: 'milliseconds',
    default: 1500,
    meaning: 'How long a probe works on one entity before it leaves the remaining attempts out.',
  },
  probeSeconds: {
    unit: 'seconds',
    default: 300,
    meaning: 'How long a probe runs before it leaves the remaining entities out.',
  },
  probeLockMilliseconds: {
    unit: 'milliseconds',
    default: 50,
    meaning: 'How long an attempt of a probe waits for a row that a request has locked.',
  },
  probePaceMilliseconds: {
    unit: 'milliseconds',
    default: 115,
    meaning: 'Average time of a probe per entity, attempts and pause together.',
  },
  probeRestFactor: {
    unit: 'count',
    default: 8,
    meaning: 'Maximum pause of a probe, as a multiple of the time that the attempts before it took.',
  },
  probeTellMilliseconds: {
    unit: 'milliseconds',
    default: 1000,
    meaning: 'How often a running probe reports its progress.',
  },
  probeSilentSeconds: {
    unit: 'seconds',
    default: 15,
    meaning: 'Time without a report from its worker after which a probe counts as ended.',
  },
  probeThoroughEntities: {
    unit: 'count',
    default: 100,
    meaning:
      'An app with more entities is probed with fewer rows and members: one own row and one row of another member.',
  },
  probeOtherFields: {
    unit: 'count',
    default: 8,
    meaning: 'Further fields that a probe tries to change if the change of a field was stopped.',
  },
  probeTextCharacters: {
    unit: 'characters',
    default: 4000,
    meaning: 'The longest text of a row that a probe reads or creates.',
  },
  probeCells: {
    unit: 'count',
    default: 50_000,
    meaning: 'Cells of the last probe that an app stores.',
  },
});
