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
  states: 'In the states',
  rules: 'In the rules',
  roles: 'Where it says who may do what',
  calls: 'In the calls',
  errors: 'In the errors',
  limits: 'In the limits',
};

/** Each name is told where entities are; the other chapters that have it say so together. */
export function renameWords(chapter: string, { entities, fields, addresses }: RenamesOfChapter): Told[] {
  if (chapter === 'entities') {
    return [
      ...[...entities].map(
        (one): Told => ({
          words: `The ${one.kind} ${thing(one.before.id)} is called ${thing(one.after.id)} now.`,
          of: [differenceOf(one)],
        }),
      ),
      ...[...fields].map(
        (one): Told => ({
          words: `The field ${one.before} of ${thing(one.entity.id)} is called ${one.after} now.`,
          of: [differenceOf(one)],
        }),
      ),
    ];
  }
  const names = [
    ...[...entities].map((one) => `${thing(one.before.id)} is now called ${thing(one.after.id)}`),
    ...[...fields].map((one) => `the field ${one.before} of ${thing(one.entity.id)} is now called ${one.after}`),
  ];
  if (names.length === 0) return [];
  const moved = [...addresses].map(([was, is]) => `${is} (before: ${was})`);
  const at = moved.length === 0 ? '' : `: ${fewWords(moved)}`;
  return [
    { words: `${places[chapter] ?? 'Here'}, ${fewWords(names)}${at}.`, of: [...entities, ...fields].map(differenceOf) },
  ];
}

function differenceOf(one: RenamedEntity | RenamedField): Difference {
  const [id, field] = 'entity' in one ? [one.entity.id, ['fields', `[${one.after}]`]] : [one.after.id, []];
  const [before, after] = 'entity' in one ? [one.before, one.after] : [one.before.id, one.after.id];
  return { path: ['entities', `[${id}]`, ...field], kind: 'changed', before, after };
}
