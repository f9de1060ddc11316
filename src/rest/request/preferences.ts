import { memoize } from '../../catalog/memoize.ts';
import type { Preferences } from './api-request.ts';

/**
 * Values of the Prefer header (RFC 7240; PostgREST docs, "Prefer Header"). If a preference occurs twice, the first
 * value is used.
 */

const choices = {
  resolution: ['merge-duplicates', 'ignore-duplicates'],
  return: ['representation', 'minimal', 'headers-only'],
  count: ['exact', 'planned', 'estimated'],
  tx: ['commit', 'rollback'],
  missing: ['default', 'null'],
  handling: ['strict', 'lenient'],
  conflict: ['report'],
} as const;

type Choices = typeof choices;

const noPreferences: Preferences = {
  resolution: null,
  representation: null,
  count: null,
  transaction: null,
  missing: null,
  handling: null,
  conflict: null,
  timezone: null,
  maxAffected: null,
  unknown: [],
};

/**
 * Parses the Prefer header.
 * @param transactionOverride True if the setting db_tx_end lets the client choose between commit and rollback.
 */
export function parsePreferences(header: string | undefined, transactionOverride: boolean): Preferences {
  if (header === undefined || header === '') return noPreferences;
  const preferences = parseHeader(header);
  return transactionOverride || preferences.transaction === null ? preferences : { ...preferences, transaction: null };
}

const parseHeader = memoize((header): Preferences => {
  const words = header.split(',').map((word) => word.trim());

  const chosen = <N extends keyof Choices>(name: N): Choices[N][number] | null => {
    for (const word of words) {
      const value = word.startsWith(`${name}=`) ? word.slice(name.length + 1) : null;
      const known = (choices[name] as readonly string[]).find((choice) => choice === value);
      if (known !== undefined) return known as Choices[N][number];
    }
    return null;
  };
  const after = (prefix: string): string | null =>
    words.find((word) => word.startsWith(prefix))?.slice(prefix.length) ?? null;
  const isKnown = (word: string): boolean =>
    word.startsWith('timezone=') ||
    word.startsWith('max-affected=') ||
    Object.entries(choices).some(([name, values]) => values.some((value) => word === `${name}=${value}`));

  const maxAffected = after('max-affected=');
  return {
    resolution: chosen('resolution'),
    representation: chosen('return'),
    count: chosen('count'),
    transaction: chosen('tx'),
    missing: chosen('missing'),
    handling: chosen('handling'),
    conflict: chosen('conflict'),
    timezone: after('timezone='),
    maxAffected: maxAffected !== null && /^-?\d{1,18}$/.test(maxAffected) ? BigInt(maxAffected) : null,
    unknown: words.filter((word) => !isKnown(word)),
  };
});
