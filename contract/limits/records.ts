import type { Limit } from './limit.ts';

/** What is kept of calls. */
export const recordLimits = {
  observationFlushMilliseconds: {
    group: 'records',
    unit: 'milliseconds',
    default: 5000,
    meaning: 'How often a worker writes down what it counted of calls, errors and limits.',
  },
  countedCalls: {
    group: 'records',
    unit: 'count',
    default: 200,
    meaning: 'Different calls of one app that a worker counts between two flushes; the rest count as one.',
  },
  minuteStatisticsHours: {
    group: 'records',
    unit: 'hours',
    default: 25,
    meaning: 'For how long calls are counted by the minute; older ones are counted by the hour.',
  },
  hourStatisticsDays: {
    group: 'records',
    unit: 'days',
    default: 90,
    meaning: 'For how long calls counted by the hour are kept.',
  },
  statisticsRows: {
    group: 'records',
    unit: 'count',
    default: 200_000,
    meaning: 'Rows of counted calls that one app keeps at most; the oldest go first.',
  },
  passageDays: {
    group: 'records',
    unit: 'days',
    default: 1825,
    meaning:
      'For how long the passages of rows from state to state are kept, 30 days at least; 0 keeps them for ever. The last one of a row stays with it.',
    setting: 'states_passage_days',
    range: [0, 36_500],
  },
  passageFiguresDays: {
    group: 'records',
    unit: 'days',
    default: 30,
    meaning: 'How far back chapter 4 counts passages, and tells how long rows stay in a state.',
  },
  passageSweepSeconds: {
    group: 'records',
    unit: 'seconds',
    default: 600,
    meaning: 'How often a worker looks for passages that are older than they are kept.',
  },
  passagesPerBatch: {
    group: 'records',
    unit: 'count',
    default: 1000,
    meaning: 'Passages that it looks at in one statement.',
  },
  rememberedCalls: {
    group: 'records',
    unit: 'count',
    default: 200,
    meaning: 'Last calls of one app whose stories one worker holds in memory.',
  },
  keptStories: {
    group: 'records',
    unit: 'count',
    default: 2000,
    meaning: 'Stories of calls that the app’s database keeps; the oldest go first.',
  },
  keptStoriesPerCode: {
    group: 'records',
    unit: 'count',
    default: 200,
    meaning: 'How many of them may be of one error, so that a frequent one does not push out the rare ones.',
  },
  storiesPerFlush: {
    group: 'records',
    unit: 'count',
    default: 50,
    meaning: 'Stories of failed and slow calls of one app that a worker writes at a time.',
  },
  storiesPerFlushAndCode: {
    group: 'records',
    unit: 'count',
    default: 10,
    meaning: 'How many of them may be of one error.',
  },
  storyBytes: {
    group: 'records',
    unit: 'bytes',
    default: 16 * 1024,
    meaning: 'How much of a long statement, and of a long query, a story holds.',
  },
  slowCallMilliseconds: {
    group: 'records',
    unit: 'milliseconds',
    default: 1000,
    meaning: 'A call that takes longer is slow: its story is kept.',
  },
  storyWaitMilliseconds: {
    group: 'records',
    unit: 'milliseconds',
    default: 700,
    meaning: 'How long the workers of all nodes may take to say that they hold the story of a call.',
  },
  logWaitMilliseconds: {
    group: 'records',
    unit: 'milliseconds',
    default: 300,
    meaning: 'How long the workers of all nodes have to tell the calls of an app that they remember.',
  },
  countedIncidents: {
    group: 'records',
    unit: 'count',
    default: 100,
    meaning: 'Different errors and limits of one app that a worker counts between two flushes; the rest count as one.',
  },
  incidentDays: {
    group: 'records',
    unit: 'days',
    default: 8,
    meaning: 'For how long the counts of errors and of limits that were hit are kept.',
  },
  incidentRows: {
    group: 'records',
    unit: 'count',
    default: 50_000,
    meaning: 'Rows of such counts that one app keeps at most; the oldest go first.',
  },
  incidentRequests: {
    group: 'records',
    unit: 'count',
    default: 5,
    meaning: 'Last request ids that are kept for each error.',
  },
  observedApps: {
    group: 'records',
    unit: 'count',
    default: 1000,
    meaning: 'Apps whose calls one worker counts between two flushes.',
  },
} as const satisfies Record<string, Limit>;
