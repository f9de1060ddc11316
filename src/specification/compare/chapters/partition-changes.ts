import { items, type JsonObject, listWords, text, thing, valueWords } from '../../derive/words/sentence-parts.ts';
import { type ChapterPair, type DescribedChange, keyAt, matches } from '../describer.ts';
import { canonical, type Difference } from '../differences.ts';

/**
 * Describes tables that are attached as partitions, or detached. The specification does not name partitions, so an
 * attached partition looks like a removed table. It is recognised by a partitioned table with the same fields that has
 * one more partition. Detached partitions are recognised in the same way. The words do not claim that the table is a
 * partition.
 */
export function describePartitions(differences: readonly Difference[], sides: ChapterPair): DescribedChange[] {
  const tables = differences.filter(({ path, kind }) => matches(path, 'entities/*') && kind !== 'changed');
  return differences.flatMap((counted): DescribedChange[] => {
    if (!matches(counted.path, 'entities/*/partitions')) return [];
    const [was, is] = [Number(counted.before ?? 0), Number(counted.after ?? 0)];
    const whole = entityIn(sides.after, keyAt(counted, 1));
    if (whole === undefined) return [];
    const alike = tables.filter(
      ({ kind, before, after }) =>
        kind === (is > was ? 'removed' : 'added') && fieldsOf(after ?? before) === fieldsOf(whole),
    );
    if (alike.length === 0 || alike.length !== Math.abs(is - was)) return [];
    const [names, parent] = [listWords(alike.map((one) => thing(keyAt(one, 1)))), thing(keyAt(counted, 1))];
    const count = `${parent} now has ${valueWords(is)} ${is === 1 ? 'partition' : 'partitions'} (before: ${valueWords(was)})`;
    const noun = alike.length === 1 ? 'table' : 'tables';
    const words =
      is > was
        ? `The ${noun} ${names}, with the fields of ${parent}, ${alike.length === 1 ? 'is' : 'are'} no longer there by ${alike.length === 1 ? 'itself' : 'themselves'}; ${count}.`
        : `${alike.length === 1 ? 'A new table' : 'New tables'} ${names} with the fields of ${parent} ${alike.length === 1 ? 'is' : 'are'} there; ${count}.`;
    return [{ words, of: [counted, ...alike] }];
  });
}

const entityIn = (chapters: JsonObject, id: string): JsonObject | undefined =>
  items(chapters.entities, 'entities').find((entity) => text(entity, 'id') === id);

/** Returns the fields of an entity, sorted, because a partition may have its fields in another order than its table. */
const fieldsOf = (entity: unknown): string =>
  canonical(
    items(entity, 'fields')
      .map((field) => `${text(field, 'name')} ${text(field, 'type')}`)
      .sort(),
  );
