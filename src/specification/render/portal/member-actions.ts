import type { PortalAction, PortalField, PortalReference } from '../../../../contract/portal.ts';
import type { RoleCell } from '../../../../contract/specification-roles.ts';
import type { Facts } from '../../../catalog/facts.ts';
import { entityId, idOf } from '../../../catalog/names.ts';
import type { RoutineFact } from '../../../catalog/routines.ts';
import type { OpenEntity } from './member-entities.ts';
import { editorOfType, isNumber } from './member-fields.ts';
import { fieldLabel, helpOf, sentenceCase, singular } from './member-words.ts';

/** The data from which the actions of screens are described. */
export interface ActionSources {
  readonly facts: Facts;
  /** The cells of chapter 6 for the caller, including the cells of functions. */
  readonly cells: readonly RoleCell[];
  /** The entities that the caller may read or write, by id. */
  readonly open: ReadonlyMap<string, OpenEntity>;
}

/**
 * Returns the actions of a screen that the caller may call.
 *
 * @param names Ids of functions without their arguments: `public.close`.
 * @param owner The entity of the screen if the screen shows one row; null for screens of several rows.
 */
export function memberActions(
  { facts, cells, open }: ActionSources,
  names: readonly string[],
  owner: OpenEntity | null,
): PortalAction[] {
  const callable = new Set(
    cells
      .filter(({ operation, verdict }) => operation === 'execute' && verdict !== 'never')
      .map(({ entity }) => entity),
  );
  return names.flatMap((name) =>
    facts.routines
      .filter((routine) => entityId(routine.schema, routine.name) === name && callable.has(idOf(routine)))
      .map((routine) => actionOf(facts, open, routine, owner)),
  );
}

function actionOf(
  { exposedSchemas: [first] }: Facts,
  open: ActionSources['open'],
  routine: RoutineFact,
  owner: OpenEntity | null,
): PortalAction {
  const inputs = routine.inputs.filter(({ name }) => name !== '');
  const own = owner && inputs.find((input) => keyNamed(owner, input) !== null);
  return {
    schema: routine.schema === first ? null : routine.schema,
    name: routine.name,
    label: sentenceCase(routine.name),
    help: helpOf(routine.comment),
    fields: inputs.filter((input) => input !== own).map((input) => argumentField(open, routine, input)),
    row: own && owner ? { argument: own.name, field: keyNamed(owner, own) ?? '' } : null,
    returns: [...open.keys()].find((id) => routine.result.replace(/^SETOF /, '') === id) ?? null,
  };
}

/** Returns the key of an entity that an argument takes by its name and type: `ticket`, `ticket_id` or the key's name. */
export function keyNamed({ entity, rights }: OpenEntity, { name, type }: RoutineFact['inputs'][number]): string | null {
  const [key] = entity.primary_key;
  const field = entity.fields.find((one) => one.name === key);
  if (!field || entity.primary_key.length > 1 || !rights.read.has(field.name) || field.type !== type) return null;
  const one = singular(entity.name).replaceAll(' ', '_');
  return [one, entity.name, `${one}_id`].includes(name) || name === field.name ? field.name : null;
}

function argumentField(
  open: ActionSources['open'],
  { strict }: RoutineFact,
  { name, type, has_default: hasDefault }: RoutineFact['inputs'][number],
): PortalField {
  const entities = [...open.values()];
  const target = entities.find((one) => {
    const key = keyNamed(one, { name, type, type_oid: 0, mode: 'i', has_default: false });
    return key !== null && key !== name;
  });
  const [field] = target?.entity.primary_key ?? [];
  const reference: PortalReference | null =
    target && field !== undefined ? { entity: target.entity.id, field, key: '' } : null;
  const values = entities.flatMap(({ entity }) => entity.fields).find((one) => one.type === type)?.enum_values ?? null;
  return {
    name,
    label: fieldLabel(name, null, isNumber(type)),
    help: null,
    editor: reference ? 'reference' : values ? 'enum' : editorOfType(name, type, []),
    readable: true,
    insertable: true,
    updatable: true,
    required: !hasDefault,
    nullable: !strict,
    values: values?.map((value) => ({ value, label: sentenceCase(value) })) ?? null,
    reference,
    rules: [],
  };
}
