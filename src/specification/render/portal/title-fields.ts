import { labelFields, namingFields } from '../../../../contract/label-fields.ts';
import type { PortalField } from '../../../../contract/portal.ts';
import type { Entity, Field } from '../../../../contract/specification-entities.ts';

/** Matches names of fields that contain e-mail addresses. */
const ADDRESS = /(^|_)e_?mail(_?address)?$/i;

/** Returns true for a field with e-mail addresses, by its name or because its default is the address of the caller. */
const isAddress = ({ name, default: value }: Field): boolean => ADDRESS.test(name) || value === 'auth.email()';

/** Fields that may name a row: those that the caller may read, without addresses. */
type Usable = readonly PortalField[];

/**
 * Returns the fields whose values describe a row. An e-mail address is private, so it is no title. A row without a name
 * is called by what people know it by: the key or the number that they gave it, the rows that it joins, or the row and
 * the time that it belongs to, as "Meeting room, 2 December, 10:00".
 */
export function titleFields(
  entity: Entity,
  fields: readonly PortalField[],
  isLong: (name: string) => boolean,
): readonly string[] {
  const addresses = new Set(entity.fields.filter(isAddress).map(({ name }) => name));
  const usable = fields.filter(({ name, readable }) => readable && !addresses.has(name));
  const isFree = (name: string) => usable.some((field) => field.name === name && field.editor !== 'enum');
  const own = labelFields(entity, isFree, isLong);
  const ways: readonly (() => readonly string[])[] = [
    () => namingFields(entity, isFree, isLong),
    () => chosenKey(entity, usable),
    () => numberedField(entity, usable),
    () => joinedFields(entity, usable),
    () => eventFields(entity, usable),
    // A paragraph is no title if the row belongs to others that have one.
    () => (own.some(isLong) ? ownerFields(entity, usable) : []),
    () => keyParts(entity, usable, own),
    () => own,
    () => repeatedField(entity, usable, isLong),
  ];
  for (const find of ways) {
    const found = find();
    if (found.length > 0) return found;
  }
  return [];
}

/** Returns a text key if people choose its values to name the row: an order by its number, a product by its code. */
function chosenKey({ primary_key: names, fields }: Entity, usable: Usable): readonly string[] {
  const [key] = names.length === 1 ? names : [];
  const isChosen = fields.some(({ name, default: value }) => name === key && (value === null || NUMBERED.test(name)));
  return usable
    .filter(({ name, editor, shape }) => name === key && isChosen && editor === 'text' && !shape)
    .map(({ name }) => name);
}

/** Returns the first text that is a number of the row by its name, and that no two rows share. */
const numberedField = (entity: Entity, usable: Usable): readonly string[] =>
  usable
    .filter(
      ({ name, editor, required }) => editor === 'text' && required && NUMBERED.test(name) && isUnique(entity, name),
    )
    .slice(0, 1)
    .map(({ name }) => name);

/** Returns the parts of a key that has several fields, if the best label is only one of them. */
function keyParts({ primary_key: key }: Entity, usable: Usable, own: readonly string[]): readonly string[] {
  const parts = key.filter((name) => usable.some((field) => field.name === name));
  return parts.length > 1 && own.every((name) => parts.includes(name)) ? parts.slice(0, MOST_PARTS) : [];
}

/** Returns a field with a value of a list, and a second field, because many rows have the same value. */
function repeatedField(entity: Entity, usable: Usable, isLong: (name: string) => boolean): readonly string[] {
  const [repeated] = labelFields(entity, (name) => usable.some((field) => field.name === name), isLong);
  if (repeated === undefined || isUnique(entity, repeated)) return repeated === undefined ? [] : [repeated];
  const second = usable.find(
    ({ name, editor, reference, filled_by }) =>
      name !== repeated && !reference && !filled_by && !entity.primary_key.includes(name) && DISTINGUISHING.has(editor),
  );
  return second ? [repeated, second.name] : [repeated];
}

const isUnique = ({ unique_keys: keys }: Entity, name: string): boolean => keys.some((key) => key.join() === name);

/** Names of texts that people give to rows to find them again, such as `invoice_number` and `sku`. */
const NUMBERED = /(^|_)(no|number|nr|code|sku|ref|reference|identifier|isbn|serial|plate|ticket)$/i;

/** Parts of a key that a title joins at most. */
const MOST_PARTS = 4;

/** Rows whose names a title joins at most. */
const MOST_OWNERS = 2;

/** Returns the fields that each row has, without the times of writes. */
function requiredFields({ fields: all }: Entity, usable: Usable): PortalField[] {
  const required = new Set(all.filter(({ nullable }) => !nullable).map(({ name }) => name));
  return usable.filter((field) => required.has(field.name) && field.filled_by !== 'database');
}

/** Returns the first references that each row has. */
const ownerFields = (entity: Entity, usable: Usable): readonly string[] =>
  requiredFields(entity, usable)
    .filter(({ editor }) => editor === 'reference')
    .slice(0, MOST_OWNERS)
    .map(({ name }) => name);

/** Returns the references of a key that has only references: an application has the name of its candidate and its job. */
function joinedFields(entity: Entity, usable: Usable): readonly string[] {
  const isOwner = ({ editor }: PortalField) => editor === 'reference' || editor === 'member';
  for (const key of [...entity.unique_keys, entity.primary_key]) {
    const fields = key.flatMap((name) => usable.find((field) => field.name === name) ?? []);
    const named = fields.filter(({ editor }) => editor === 'reference');
    const isJoin = key.length > 1 && fields.length === key.length && fields.every(isOwner);
    if (isJoin && named.length > 0) return named.slice(0, MOST_OWNERS).map(({ name }) => name);
  }
  return [];
}

/** Returns the first required reference to a row and the first required time of a row. Empty if it lacks one of them. */
function eventFields(entity: Entity, usable: Usable): readonly string[] {
  const required = requiredFields(entity, usable);
  const first = (test: (field: PortalField) => boolean) => required.find(test)?.name;
  const of = first(({ editor }) => editor === 'reference');
  const at = first(({ editor }) => editor === 'date' || editor === 'date and time');
  return of === undefined || at === undefined ? [] : [of, at];
}

/** Editors of the fields whose values can distinguish rows with the same title. */
const DISTINGUISHING: ReadonlySet<PortalField['editor']> = new Set([
  ...(['date', 'date and time', 'time', 'number', 'money', 'enum', 'text'] as const),
]);
