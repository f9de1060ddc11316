import { chapters as allChapters } from '../../../contract/chapters.ts';
import { groupBy } from '../group.ts';
import { canonical, isObject, type JsonObject } from './differences.ts';
import type { Told } from './teller.ts';
import { placeOf } from './words/renames.ts';
import { fewWords, items, text, thing } from './words/values.ts';

interface RenamedFunction {
  /** `public.close(uuid)`. */
  before: string;
  after: string;
}

/**
 * The chapters before, with the names that functions have after, and the sentences that say so by the chapter that has them. A function that
 * is gone and one that is new are taken for the same where they are alike in all but name or schema, their code above all, with no other like
 * either. A text takes another name only where that makes it one that stands after. Pure.
 */
export function followFunctions(
  before: JsonObject,
  after: JsonObject,
): { before: JsonObject; told: Map<string, Told[]> } {
  const renamed = renamedFunctions(before, after);
  const told = new Map<string, Told[]>();
  if (renamed.length === 0) return { before, told };
  const followed = Object.fromEntries(
    allChapters.map(({ key }): [string, unknown] => {
      const [was, is] = [before[key], after[key]];
      if (was === undefined || is === undefined) return [key, was];
      const used = new Set<RenamedFunction>();
      const moved = new Map<string, string>();
      const value = rewritten(was, textsIn(is), renamed, used, moved);
      const at = moved.size === 0 ? '' : `: ${fewWords([...moved].map(([old, now]) => `${now} (before: ${old})`))}`;
      if (used.size > 0)
        told.set(
          key,
          [...used].map((one, i) => wordsOf(key, one, i === used.size - 1 ? at : '')),
        );
      return [key, value];
    }),
  );
  return { before: { ...before, ...followed }, told };
}

function renamedFunctions(before: JsonObject, after: JsonObject): RenamedFunction[] {
  const idsOf = (chapters: JsonObject) => new Set(items(chapters.calls, 'functions').map((one) => text(one, 'id')));
  const [old, fresh] = [idsOf(before), idsOf(after)];
  const likeness = (one: JsonObject): string => canonical({ ...one, id: text(one, 'id').replace(/^[^(]*/, '') });
  const only = (chapters: JsonObject, others: ReadonlySet<string>) =>
    groupBy(
      items(chapters.calls, 'functions').filter((one) => !others.has(text(one, 'id')) && text(one, 'body') !== ''),
      likeness,
    );
  const come = only(after, old);
  return [...only(before, fresh)].flatMap(([key, [one, ...more]]): RenamedFunction[] => {
    const [other, ...others] = come.get(key) ?? [];
    if (!one || !other || more.length + others.length > 0) return [];
    return [{ before: text(one, 'id'), after: text(other, 'id') }];
  });
}

/** The name with its schema, and the name alone. */
const nameIn = (id: string): string => id.replace(/\(.*$/s, '');
const bareIn = (id: string): string => nameIn(id).replace(/^(?:"(?:[^"]|"")*"|[^".]+)\./, '');

/** A text as it would be with the function's other name: as an id, called in SQL, in an address; then also by its name alone. */
function candidates(value: string, { before, after }: RenamedFunction): string[] {
  const named = value
    .replaceAll(before, after)
    .replaceAll(`${nameIn(before)}(`, `${nameIn(after)}(`)
    .replaceAll(`/rpc/${bareIn(before)}`, `/rpc/${bareIn(after)}`);
  return [named, named.replaceAll(bareIn(before), bareIn(after))];
}

const isWritten = (key: string): boolean => ['comment', 'body', 'message', 'hint'].includes(key);

function rewritten(
  value: unknown,
  stands: ReadonlySet<string>,
  renamed: readonly RenamedFunction[],
  used: Set<RenamedFunction>,
  moved: Map<string, string>,
  key = '',
): unknown {
  if (Array.isArray(value)) return value.map((each) => rewritten(each, stands, renamed, used, moved, key));
  if (isObject(value)) {
    return Object.fromEntries(
      Object.entries(value).map(([name, each]) => [
        name,
        isWritten(name) ? each : rewritten(each, stands, renamed, used, moved, name),
      ]),
    );
  }
  if (typeof value !== 'string' || stands.has(value)) return value;
  for (const one of renamed) {
    const now = candidates(value, one).find((each) => each !== value && stands.has(each));
    if (now === undefined) continue;
    used.add(one);
    if (key === 'path') moved.set(value, now);
    return now;
  }
  return value;
}

function textsIn(value: unknown, found = new Set<string>()): Set<string> {
  if (typeof value === 'string') found.add(value);
  else if (Array.isArray(value)) for (const each of value) textsIn(each, found);
  else if (isObject(value)) for (const each of Object.values(value)) textsIn(each, found);
  return found;
}

function wordsOf(chapter: string, { before, after }: RenamedFunction, at: string): Told {
  const [was, is] = [thing(before), thing(after)];
  const words =
    chapter === 'calls'
      ? `In place of the function ${was} there is ${is}, the same but for its name${at}.`
      : `${placeOf(chapter)}, the function ${was} is now ${is}.`;
  return { words, of: [{ path: ['functions', `[${after}]`], kind: 'changed', before, after }] };
}
