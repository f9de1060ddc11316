import { limitsOf } from './limit.ts';

/** Limits of the console's page Queues. */
export const queueLimits = limitsOf('builders', {
  queueSeconds: {
    unit: 'seconds',
    default: 20,
    meaning: 'How long one statement of the page Queues may run, such as counting the messages.',
    code: 'database_busy',
  },
  queuesListed: {
    unit: 'count',
    default: 200,
    meaning: 'Queues that the page Queues shows.',
  },
  queueMessagesPerPage: {
    unit: 'count',
    default: 100,
    meaning: 'Messages of one page of a queue in the console.',
  },
  queueBodyCharacters: {
    unit: 'characters',
    default: 1000,
    meaning: 'The beginning of a message that a list of messages contains. One message alone is returned complete.',
  },
  queueNameCharacters: {
    unit: 'characters',
    default: 47,
    meaning: 'The longest name of a queue.',
    code: 'validation_invalid',
  },
  queueDelaySeconds: {
    unit: 'seconds',
    default: 365 * 24 * 60 * 60,
    meaning: 'The longest delay of a message that the console sends.',
    code: 'validation_invalid',
  },
});
