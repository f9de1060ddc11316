import { entityId } from '../../../contract/entity-names.ts';
import { groupBy } from '../../catalog/group.ts';
import { items, type JsonObject, text } from '../derive/words/sentence-parts.ts';
import { canonical } from './differences.ts';
import type { Rename, RenameKind } from './object-names.ts';

/**
 * Finds renames between two specifications without object ids, such as two files: pairs of a removed and an added object
 * that are equal except for the name. Omits a pair if another object is equal too, because it would be unclear which one
 * was renamed.
 */
export function inferRenames(before: JsonObject, after: JsonObject): Rename[] {
  const entities = entityRenames(before, after);
  const moved = new Map(entities.map((rename) => [rename.before, rename.after]));
  const idOf = (id: string): string => moved.get(id) ?? id;
  return [
    ...entities,
    ...fieldRenames(before, after, idOf),
    ...ofKind('function', functions(before), functions(after)),
    ...ofKind('role', memberRoles(before), memberRoles(after)),
    ...ofKind('constraint', rules(before, idOf), rules(after)),
    ...ofKind('policy', policies(before, idOf), policies(after)),
    ...ofKind('trigger', triggers(before, idOf), triggers(after)),
  ];
}

/** An object with its name and everything else that it consists of. */
interface Named {
  /** The id of the entity that contains the object, with its newer name; empty for other objects. */
  of: string;
  name: string;
  likeness(): string;
}

function ofKind(kind: RenameKind, before: readonly Named[], after: readonly Named[]): Rename[] {
  const keyOf = ({ of, name }: Named) => `${of}\0${name}`;
  const [old, fresh] = [new Set(before.map(keyOf)), new Set(after.map(keyOf))];
  const removed = before.filter((one) => !fresh.has(keyOf(one)));
  if (removed.length === 0) return [];
  const added = groupBy(
    after.filter((one) => !old.has(keyOf(one))),
    ({ of, likeness }) => `${of}\0${likeness()}`,
  );
  return [...groupBy(removed, ({ of, likeness }) => `${of}\0${likeness()}`)].flatMap(
    ([key, [was, ...others]]): Rename[] => {
      const [is, ...more] = added.get(key) ?? [];
      if (!was || !is || others.length + more.length > 0) return [];
      return [{ kind, id: '', of: was.of, before: was.name, after: is.name, isDisplaced: false }];
    },
  );
}

/** Returns the renamed entities: their fields and everything else that no other object's name can change are equal. */
function entityRenames(before: JsonObject, after: JsonObject): Rename[] {
  const of = (chapters: JsonObject): Named[] =>
    items(chapters.entities, 'entities').flatMap((entity) => {
      const fields = items(entity, 'fields').map(({ references: _, ...field }) => field);
      if (fields.length === 0) return [];
      const { kind, comment, primary_key, unique_keys } = entity;
      return [
        {
          of: '',
          name: text(entity, 'id'),
          likeness: () => canonical({ kind, comment, primary_key, unique_keys, fields }),
        },
      ];
    });
  return ofKind('entity', of(before), of(after));
}

/** Returns the renamed fields. PostgreSQL does not change the place of a renamed field. */
function fieldRenames(before: JsonObject, after: JsonObject, idOf: (id: string) => string): Rename[] {
  const of = (chapters: JsonObject, newId: (id: string) => string): Named[] =>
    items(chapters.entities, 'entities').flatMap((entity) =>
      items(entity, 'fields').map(({ name, references: _, ...field }, place) => ({
        of: newId(text(entity, 'id')),
        name: String(name),
        likeness: () => canonical({ ...field, place }),
      })),
    );
  return ofKind('field', of(before, idOf), of(after, same));
}

const functions = (chapters: JsonObject): Named[] =>
  items(chapters.calls, 'functions').map(({ id, ...rest }) => ({
    of: '',
    name: String(id),
    likeness: () => canonical(rest),
  }));

/** Roles without a description are not compared, because all of them would be equal. */
const memberRoles = (chapters: JsonObject): Named[] =>
  items(chapters.roles, 'roles').flatMap(({ name, member_role, meaning }) =>
    typeof member_role === 'string' && typeof meaning === 'string' && meaning !== member_role
      ? [{ of: '', name: String(name), likeness: () => meaning }]
      : [],
  );

const rules = (chapters: JsonObject, newId = same): Named[] =>
  items(chapters.rules, 'rules').map(({ id: _, name, entity, sql, ...rest }) => ({
    of: newId(String(entity)),
    name: String(name),
    // The SQL of an index contains its name.
    likeness: () =>
      canonical({
        ...rest,
        sql: String(sql).replace(/^(CREATE UNIQUE INDEX )(?:"(?:[^"]|"")*"|\S+) ON /, '$1ON '),
      }),
  }));

const policies = (chapters: JsonObject, newId = same): Named[] =>
  items(chapters.roles, 'policies').map(({ entity, name, sql: _, ...rest }) => ({
    of: newId(String(entity)),
    name: String(name),
    likeness: () => canonical(rest),
  }));

const triggers = (chapters: JsonObject, newId = same): Named[] =>
  items(chapters.entities, 'entities').flatMap((entity) =>
    items(entity, 'triggers').map(({ name, sql, ...rest }) => ({
      of: newId(text(entity, 'id') || entityId(text(entity, 'schema'), text(entity, 'name'))),
      name: String(name),
      likeness: () =>
        canonical({
          ...rest,
          sql: String(sql).replace(/^(CREATE (?:CONSTRAINT )?TRIGGER )(?:"(?:[^"]|"")*"|\S+) /, '$1'),
        }),
    })),
  );

const same = (id: string): string => id;
