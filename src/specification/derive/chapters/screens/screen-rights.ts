import { isWritable } from '../../../../../contract/call-detail.ts';
import type { ScreenKind } from '../../../../../contract/description.ts';
import type { Entity } from '../../../../../contract/specification-entities.ts';
import type { RoleCell } from '../../../../../contract/specification-roles.ts';

/** A screen, and the fields that it uses of the rows of its entity. */
export interface ScreenUse {
  kind: ScreenKind;
  entity: Entity;
  /** The fields that the screen shows or edits. */
  columns: readonly string[];
  /** The fields that its filter and its order name. */
  asked: readonly string[];
}

/**
 * Returns in words the privileges that a role lacks for a screen. Pure.
 * @param cells The cells of chapter 6 on the entity of the screen.
 */
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

/** Returns in words the columns of a form that no statement can set. */
export const computedIn = ({ kind, entity, columns }: ScreenUse): string[] =>
  kind !== 'form'
    ? []
    : entity.fields
        .filter((field) => columns.includes(field.name) && !isWritable(field))
        .map(
          ({ name, generated, computed }) =>
            `nobody writes the column ${name}: it is ${computed ? 'computed by the view' : generated === null ? 'numbered' : 'generated'}`,
        );
