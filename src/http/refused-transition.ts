import { entityId } from '../../contract/entity-names.ts';
import type { RefusedTransition } from '../../contract/observed.ts';
import type { DatabaseErrorFields } from '../database/database-error.ts';

/** Matches the detail of NF001 and NF003, which ninefold.find_transition and ninefold.check_state_change write. */
const ROW = /^The row (\{.*\})? ?of .*? stands in the state (.*)\.$/s;
/** Matches the message of NF002, which ninefold.check_start writes. */
const START = /^A new row of .*? starts in the state .*, not in (.*)\.$/s;
const LONGEST = 200;

/**
 * Reads the transition and the row that a state machine rejected. Returns null for every other error, including errors
 * that an app raises itself.
 */
export function refusedTransition(fields: DatabaseErrorFields): RefusedTransition | null {
  const { sqlstate, message, detail, schema, table, column } = fields;
  if (schema === undefined || table === undefined || column === undefined) return null;
  const about = { entity: entityId(schema, table), field: column, message: message.slice(0, 2 * LONGEST) };
  if (sqlstate === 'NF002') {
    const state = START.exec(message)?.[1];
    if (state === undefined) return null;
    return { ...about, transition: null, from: null, to: state === 'none' ? null : cut(state), key: null };
  }
  if (sqlstate !== 'NF001' && sqlstate !== 'NF003') return null;
  const [, key, from = ''] = ROW.exec(detail ?? '') ?? [];
  const change = changeIn(message, from);
  return change && { ...about, ...change, key: keyIn(key) };
}

/**
 * Reads the transition and both states from an error message. Because the state `from` is known, the message can be
 * read even if the name of a state contains words of the message.
 */
function changeIn(message: string, from: string): Pick<RefusedTransition, 'transition' | 'from' | 'to'> | null {
  for (const was of from === 'none' ? [from, 'no state'] : [from]) {
    const state = was === from ? cut(was) : null;
    const none = `No transition leads from ${was} to `;
    if (message.startsWith(none)) {
      const to = message.slice(none.length, -1);
      return { transition: null, from: state, to: to === 'no state' ? null : cut(to) };
    }
    const between = message.indexOf(`, from ${was} to `);
    const end = Math.max(
      message.lastIndexOf(', is not open to this caller.'),
      message.lastIndexOf(', needs a value for '),
    );
    if (message.startsWith('The transition ') && between >= 0 && end > between) {
      const to = message.slice(between + `, from ${was} to `.length, end);
      return { transition: cut(message.slice('The transition '.length, between)), from: state, to: cut(to) };
    }
  }
  return null;
}

const cut = (text: string): string => text.slice(0, LONGEST);

/**
 * Matches a string or a number in JSON. Numbers are quoted before they are parsed, so that a bigint keeps its digits.
 */
const TOKEN = /"(?:[^"\\]|\\.)*"|-?\d[\d.eE+-]*/g;

/**
 * Reads the primary key from PostgreSQL's jsonb text; null for a table without one, and for a key that is too long to
 * store.
 */
function keyIn(text: string | undefined): RefusedTransition['key'] {
  if (text === undefined || text.length > 2 * LONGEST) return null;
  try {
    const key: unknown = JSON.parse(text.replace(TOKEN, (token) => (token.startsWith('"') ? token : `"${token}"`)));
    return typeof key === 'object' && key !== null
      ? Object.fromEntries(Object.entries(key).map(([field, value]) => [field, String(value)]))
      : null;
  } catch {
    return null;
  }
}
