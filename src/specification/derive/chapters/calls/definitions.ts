import type { DefinitionEntry } from '../../../../../contract/specification-calls.ts';
import type { Lookup } from '../../../../access/lookup.ts';
import { appSearchPath } from '../../../../apps/registry/app-record.ts';
import type { GrantFact } from '../../../../catalog/entities.ts';
import type { DecisionFacts } from '../../../../catalog/facts.ts';
import { groupBy } from '../../../../catalog/group.ts';
import { compareText, entityId, idOf, roleName } from '../../../../catalog/names.ts';
import { isSetForOwner } from '../../../../database/startup-settings.ts';
import { isDocumented } from '../documented.ts';
import { whoseOf } from './call-settings.ts';

/** Returns the objects that statements use and that no other chapter describes, by kind and name. */
export function definitionEntries(look: Lookup): DefinitionEntry[] {
  const { facts } = look;
  const objects = facts.definitions
    .filter(({ schema }) => schema === null || isDocumented(facts, schema))
    .map(({ kind, name, sql }) => entry(kind, name, sql));
  return [...objects, ...privileges(facts), ...triggers(look), ...sessionSettings(facts)].sort((a, b) =>
    compareText(a.id, b.id),
  );
}

const entry = (kind: string, name: string, sql: string): DefinitionEntry => ({ id: `${kind} ${name}`, kind, sql });

/** Returns the settings of ALTER DATABASE and ALTER ROLE … SET that apply to the owner's sessions but not to calls. */
const sessionSettings = (facts: DecisionFacts): DefinitionEntry[] =>
  facts.role_settings
    .filter(({ role, name }) => role !== facts.authenticator && (name === 'search_path' || isSetForOwner(name)))
    .filter(({ role, name, value }) => role !== null || name !== 'search_path' || value !== appSearchPath)
    .map((one) =>
      entry(
        'setting',
        `${one.name} of ${whoseOf(facts, one)}`,
        `${one.value}; for scheduled jobs and the SQL page, not for calls`,
      ),
    );

/**
 * Returns the privileges on objects of the schemas that calls cannot reach. Only functions and views use these objects,
 * so chapter 6 does not contain them.
 */
function privileges(facts: DecisionFacts): DefinitionEntry[] {
  const schemas = facts.schemas.filter(({ name }) => isDocumented(facts, name) && !facts.exposedSchemas.includes(name));
  const names = new Set(schemas.map(({ name }) => name));
  const relations = facts.relations.filter(({ schema }) => names.has(schema));
  const fields = groupBy(facts.fields, ({ relation }) => relation);
  return [
    ...schemas.map(({ name, owner, grants }) => entry('privileges', `on schema ${name}`, words(facts, owner, grants))),
    ...relations.map(({ oid, schema, name, owner, grants }) => {
      const ofFields = (fields.get(oid) ?? []).flatMap((field) => {
        const may = field.grants?.length ? words(facts, owner, field.grants) : '';
        return may === '' ? [] : [`${field.name} (${may})`];
      });
      return entry('privileges', `on ${entityId(schema, name)}`, [words(facts, owner, grants), ...ofFields].join('; '));
    }),
    ...facts.routines
      .filter(({ schema }) => names.has(schema))
      .map((routine) => entry('privileges', `on ${idOf(routine)}`, words(facts, routine.owner, routine.grants))),
  ].filter(({ sql }) => sql !== '');
}

/** Returns privileges in words: "anon: select, update". Omits the owner's own privileges. */
const words = (facts: DecisionFacts, owner: number, grants: readonly GrantFact[]): string =>
  [...groupBy(grants, ([grantee]) => grantee)]
    .filter(([grantee]) => grantee !== owner)
    .map(
      ([grantee, held]) =>
        `${grantee === 0 ? 'public' : roleName(facts, grantee)}: ${held.map(([, privilege]) => privilege.toLowerCase()).join(', ')}`,
    )
    .sort(compareText)
    .join('; ');

/**
 * Returns triggers on tables such as auth.users that run a function of PostgreSQL or of an extension. Omits triggers
 * that run a function of the app, because the entry of that function names them.
 */
function triggers({ facts, relations }: Lookup): DefinitionEntry[] {
  const routines = new Set(facts.routines.map(({ oid }) => oid));
  return facts.triggers.flatMap(({ relation, name, enabled, sql, function: routine }) => {
    const on = relations.get(relation);
    if (!on || isDocumented(facts, on.schema) || routines.has(routine)) return [];
    return [entry('trigger', `${name} on ${entityId(on.schema, on.name)}`, `${sql}${enabled ? '' : ', switched off'}`)];
  });
}
