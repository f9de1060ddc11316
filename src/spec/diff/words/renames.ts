import type { Difference } from '../differences.ts';
import type { RenamedEntity, RenamedField } from '../renamed-text.ts';
import type { Told } from '../teller.ts';
import { fewWords, thing } from './values.ts';

/** The names that a chapter tells otherwise, and the addresses that changed with them. */
export interface RenamesOfChapter {
  entities: Set<RenamedEntity>;
  fields: Set<RenamedField>;
  addresses: Map<string, string>;
}

const places: Readonly<Record<string, string>> = {
  screens: 'In the screens',
  entities: 'In the entities',
  states: 'In the states',
  rules: 'In the rules',
  roles: 'Where it says who may do what',
  calls: 'In the calls',
  errors: 'In the errors',
  limits: 'In the limits',
};

/** How a sentence begins that says what a chapter names otherwise. */
export const placeOf = (chapter: string): string => places[chapter] ?? 'Here';

/**
 * Each name is told where entities are; the other chapters that have it say so together. Whether it was renamed, or dropped and made
 * anew, what stands there does not tell, so the words do not either.
 */
export function renameWords(chapter: string, { entities, fields, addresses }: RenamesOfChapter): Told[] {
  if (chapter === 'entities') {
    return [
      ...[...entities].map(
        (one): Told => ({
          words: `In place of the ${one.kind} ${thing(one.before.id)} there is ${thing(one.after.id)}, the same but for its name.`,
          of: [differenceOf(one)],
        }),
      ),
      ...[...fields].map(
        (one): Told => ({
          words: `In place of the field ${one.before} of ${thing(one.entity.id)} there is ${one.after}, the same but for its name.`,
          of: [differenceOf(one)],
        }),
      ),
    ];
  }
  const names = [
    ...[...entities].map((one) => `${thing(one.before.id)} is now ${thing(one.after.id)}`),
    ...[...fields].map((one) => `the field ${one.before} of ${thing(one.entity.id)} is now ${one.after}`),
  ];
  if (names.length === 0) return [];
  const moved = [...addresses].map(([was, is]) => `${is} (before: ${was})`);
  const at = moved.length === 0 ? '' : `: ${fewWords(moved)}`;
  return [{ words: `${placeOf(chapter)}, ${fewWords(names)}${at}.`, of: [...entities, ...fields].map(differenceOf) }];
}

function differenceOf(one: RenamedEntity | RenamedField): Difference {
  const [id, field] = 'entity' in one ? [one.entity.id, ['fields', `[${one.after}]`]] : [one.after.id, []];
  const [before, after] = 'entity' in one ? [one.before, one.after] : [one.before.id, one.after.id];
  return { path: ['entities', `[${id}]`, ...field], kind: 'changed', before, after };
}
