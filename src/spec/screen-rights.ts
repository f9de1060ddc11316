import { isWritable } from '../../contract/call-detail.ts';
import type { ScreenKind } from '../../contract/description.ts';
import type { Entity } from '../../contract/specification-entities.ts';
import type { RoleCell } from '../../contract/specification-roles.ts';

/** What a screen does with the rows of its entity. */
export interface ScreenUse {
  kind: ScreenKind;
  entity: Entity;
  /** What it shows, or has filled in. */
  columns: readonly string[];
  /** What its filter and its order name. */
  asked: readonly string[];
}

/** What the rights of one role keep a screen from, in words; `cells` are those of chapter 6 on its entity. Pure. */
export function missingPrivileges(
  role: string,
  { kind, entity, columns, asked }: ScreenUse,
  cells: readonly RoleCell[],
): string[] {
  const own = cells.filter((cell) => cell.role === role);
  const ofMembers = own.length > 0 ? own : cells.filter((cell) => cell.role === `${role} (of members)`);
  const of = (operation: RoleCell['operation']) => ofMembers.filter((cell) => cell.operation === operation);
  const there = (names: readonly string[]) =>
    [...new Set(names)].filter((name) => entity.fields.some((field) => field.name === name));
  if (ofMembers.length === 0) return [`no call has the role ${role}`];
  const [used, verb, shut] =
    kind === 'form'
      ? [[...of('insert'), ...of('update')], 'write', `may neither add nor change rows of ${entity.id}`]
      : [of('select'), 'read', `may not read ${entity.id}`];
  const open = used.filter(({ verdict }) => verdict !== 'never');
  if (open.length === 0)
    return [`the role ${role} ${shut}: ${[...new Set(used.map(({ reason }) => reason))].join('; ')}`];
  const covers = (name: string) => open.some((cell) => cell.columns?.includes(name) ?? true);
  const names = kind === 'form' ? columns : [...columns, ...asked];
  return there(names)
    .filter((name) => !covers(name))
    .map((name) => `the role ${role} may not ${verb} the column ${name}`);
}

/** Columns of a form that nobody writes, in words. */
export const computedIn = ({ kind, entity, columns }: ScreenUse): string[] =>
  kind !== 'form'
    ? []
    : entity.fields
        .filter((field) => columns.includes(field.name) && !isWritable(field))
        .map(
          ({ name, generated, computed }) =>
            `nobody writes the column ${name}: it is ${computed ? 'computed by the view' : generated === null ? 'numbered' : 'generated'}`,
        );
