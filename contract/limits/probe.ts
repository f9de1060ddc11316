import type { Limit } from './limit.ts';

/** How a probe goes about it. */
export const probeLimits = {
  probeStatementMilliseconds: {
    group: 'builders',
    unit: 'milliseconds',
    default: 500,
    meaning: 'How long tries of a probe may run together before those that take long are looked for and left out.',
  },
  probeStepMilliseconds: {
    group: 'builders',
    unit: 'milliseconds',
    default: 1500,
    meaning: 'How long a probe is at one entity, before the rest of its tries is left out.',
  },
  probeSeconds: {
    group: 'builders',
    unit: 'seconds',
    default: 300,
    meaning: 'How long a probe runs, before the rest of the entities is left out.',
  },
  probeLockMilliseconds: {
    group: 'builders',
    unit: 'milliseconds',
    default: 50,
    meaning: 'How long a try of a probe waits for a row that a call holds.',
  },
  probePaceMilliseconds: {
    group: 'builders',
    unit: 'milliseconds',
    default: 115,
    meaning: 'How long a probe gives to each entity on average, tries and rest together.',
  },
  probeRestFactor: {
    group: 'builders',
    unit: 'count',
    default: 8,
    meaning: 'A probe rests at most so many times as long as the tries before took.',
  },
  probeTellMilliseconds: {
    group: 'builders',
    unit: 'milliseconds',
    default: 1000,
    meaning: 'How often a probe that is under way says how far it is.',
  },
  probeSilentSeconds: {
    group: 'builders',
    unit: 'seconds',
    default: 15,
    meaning: 'After how long without a word from its worker a probe counts as ended.',
  },
  probeThoroughEntities: {
    group: 'builders',
    unit: 'count',
    default: 100,
    meaning:
      'An app with more entities is probed on fewer rows and as fewer members: on a row of one’s own and on one of another’s.',
  },
  probeOtherFields: {
    group: 'builders',
    unit: 'count',
    default: 8,
    meaning: 'Fields that a probe tries to change where the change of one was stopped.',
  },
  probeTextCharacters: {
    group: 'builders',
    unit: 'characters',
    default: 4000,
    meaning: 'The longest text of a row that a probe reads or makes.',
  },
  probeCells: {
    group: 'builders',
    unit: 'count',
    default: 50_000,
    meaning: 'Cells of the last probe that an app keeps.',
  },
} as const satisfies Record<string, Limit>;
