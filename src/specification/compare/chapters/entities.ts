import {
  fewWords,
  flag,
  fromTo,
  isObject,
  items,
  listWords,
  oneLine,
  quoted,
  text,
  texts,
  textsOf,
  thing,
  valueWords,
} from '../../derive/words/sentence-parts.ts';
import { type ChangeDescriber, type ChapterPair, type DescribedChange, keyAt, matches } from '../describer.ts';
import type { Difference } from '../differences.ts';
import { fieldChange, fieldWords, generatedChange, isGenerated } from './field-changes.ts';
import { describeBuckets } from './files.ts';
import { describeMachineTriggers } from './machine-trigger-changes.ts';
import { describePartitions } from './partition-changes.ts';
import { junctionWords, memberOf, relationWords, shownKeyWords } from './relation-changes.ts';
import { triggerWords } from './trigger-changes.ts';

/** Describes chapter 3: entities, their fields and their relations. */
export const entitiesDescriber: ChangeDescriber = {
  whole: [
    'buckets/*',
    'relations/*',
    'junctions/*',
    'view_foreign_keys/*',
    'entities/*/triggers/*',
    'entities/*/rewrite_rules',
    'entities/*/computed',
    'entities/*/period_keys',
    'entities/*/distance_indexes',
    'entities/*/fields/*/attributes',
    'entities/*/fields/*/files',
    'entities/*/fields/*/collation',
    'entities/*/fields/*/type_comments',
    'entities/*/fields/*/references',
  ],
  describeChanges: (differences, sides) => {
    const ofMachines = describeMachineTriggers(differences, sides);
    const partitions = describePartitions(differences, sides);
    const pointing = differences.filter((one) => isDescribedByRelation(one, differences, sides));
    const paired = new Set([...pointing, ...[...ofMachines, ...partitions].flatMap(({ of }) => of)]);
    return [
      ...differences.flatMap((difference) => {
        const words = paired.has(difference) ? null : wordsOf(difference, sides);
        const of = [difference, ...pointing.filter((one) => relationOf(one, differences) === difference)];
        return words === null ? [] : [{ words, of } satisfies DescribedChange];
      }),
      ...ofMachines,
      ...partitions,
      ...describeBuckets(differences),
    ];
  },
};

/** Returns the relation that was added or removed together with the reference of a field. */
function relationOf(difference: Difference, differences: readonly Difference[]): Difference | undefined {
  if (!matches(difference.path, 'entities/*/fields/*/references')) return undefined;
  return differences.find(({ path, kind, before, after }) => {
    if (!matches(path, 'relations/*') || kind === 'changed') return false;
    const from = memberOf(after ?? before, 'from');
    const id = `${text(from, 'schema')}.${text(from, 'entity')}`;
    return id === keyAt(difference, 1) && texts(from, 'fields').join() === keyAt(difference, 3);
  });
}

/**
 * Returns true if the sentence of the relation already reports the changed reference of a field. This is so if the
 * relation was removed, or if it was added and references the primary key.
 */
function isDescribedByRelation(
  difference: Difference,
  differences: readonly Difference[],
  sides: ChapterPair,
): boolean {
  const relation = relationOf(difference, differences);
  const { before, after } = difference;
  if (relation === undefined || (isObject(before) && isObject(after))) return false;
  if (!isObject(after)) return relation.kind === 'removed';
  const target = items(sides.after.entities, 'entities').find(
    (entity) => text(entity, 'id') === `${text(after, 'schema')}.${text(after, 'entity')}`,
  );
  return relation.kind === 'added' && texts(target, 'primary_key').join() === text(after, 'field');
}

function wordsOf(difference: Difference, sides: ChapterPair): string | null {
  const { path, before, after } = difference;
  if (matches(path, 'entities/*')) return before === undefined ? newEntity(after) : goneEntity(before);
  if (matches(path, 'entities/*/fields/*')) {
    const entity = thing(keyAt(difference, 1));
    return before === undefined
      ? `${entity} has a new field ${fieldWords(after)}.`
      : `The field ${text(before, 'name')} of ${entity} is gone.`;
  }
  if (matches(path, 'entities/*/fields/order')) {
    return `The fields of ${thing(keyAt(difference, 1))} are in another order: ${fewWords(textsOf(after))}.`;
  }
  if (matches(path, 'entities/*/triggers/*')) return triggerWords(difference);
  if (matches(path, 'relations/*')) return relationWords(difference);
  if (matches(path, 'junctions/*')) return junctionWords(difference);
  if (matches(path, 'view_foreign_keys/*')) return shownKeyWords(difference);
  if (path[0] !== 'entities') return null;
  const id = keyAt(difference, 1);
  if (path[2] === 'fields') {
    const field = keyAt(difference, 3);
    const name = `${field} of ${thing(id)}`;
    const [was, is] = [sides.before, sides.after].map((chapters) => isGenerated(chapters, id, field));
    return path[4] === 'default' && (was || is)
      ? generatedChange(name, was ? before : null, is ? after : null)
      : fieldChange(name, path[4] ?? '', before, after);
  }
  return entityChange(thing(id), kindOf(id, sides), path.slice(2).join('/'), before, after);
}

const kindOf = (id: string, { after }: ChapterPair): string =>
  text(
    items(after.entities, 'entities').find((entity) => text(entity, 'id') === id),
    'kind',
  ) || 'table';

function newEntity(entity: unknown): string {
  const comment = text(entity, 'comment');
  const fields = items(entity, 'fields').map((field) => text(field, 'name'));
  const meaning = comment === '' ? '' : ` (${quoted(comment)})`;
  const reach = flag(entity, 'exposed') ? '' : ', which clients cannot reach,';
  const held = fields.length === 0 ? 'without a field' : `with ${fewWords(fields)}`;
  return `There is a new ${text(entity, 'kind') || 'table'} ${thing(text(entity, 'id'))}${meaning}${reach} ${held}.`;
}

const goneEntity = (entity: unknown): string =>
  `The ${text(entity, 'kind') || 'table'} ${thing(text(entity, 'id'))} is gone, with all its fields.`;

function entityChange(name: string, kind: string, member: string, before: unknown, after: unknown): string | null {
  const on = after === true;
  switch (member) {
    case 'comment':
      return after === null
        ? `${name} no longer has a comment (before: ${quoted(String(before))}).`
        : `The comment of ${name} is now ${quoted(String(after))}${before === null ? '' : ` (before: ${quoted(String(before))})`}.`;
    case 'kind':
      return `${name} was a ${valueWords(before)}, and is now a ${valueWords(after)}.`;
    case 'exposed':
      return `Clients can ${on ? 'now' : 'no longer'} reach ${name}.`;
    case 'owner':
      return `${name} now belongs to ${valueWords(after)} (before: ${valueWords(before)}).`;
    case 'row_level_security':
      return `Row-level security is now ${on ? 'on' : 'off'} for ${name}.`;
    case 'forced_row_level_security':
      return `Row-level security ${on ? 'now binds' : 'no longer binds'} the owner of ${name} too.`;
    case 'security':
      return after === null
        ? `${name} no longer reads with the privileges of its ${before === 'invoker' ? 'caller' : 'owner'}.`
        : `${name} now reads with the privileges of its ${after === 'invoker' ? 'caller' : 'owner'}.`;
    case 'writable/insert':
      return `Rows can ${on ? 'now' : 'no longer'} be added to ${name}.`;
    case 'writable/update':
      return `Rows of ${name} can ${on ? 'now' : 'no longer'} be changed.`;
    case 'writable/delete':
      return `Rows of ${name} can ${on ? 'now' : 'no longer'} be deleted.`;
    case 'primary_key':
      return `The key of ${name} ${fromTo(before, after)}.`;
    case 'unique_keys':
      return uniqueChange(name, before, after);
    case 'period_keys':
      return periodChange(name, before, after);
    case 'distance_indexes':
      return distanceIndexChange(name, before, after);
    case 'inherits':
      return textsOf(after).length === 0
        ? `Rows of ${name} are no longer rows of ${valueWords(before)} too.`
        : `Rows of ${name} are now rows of ${valueWords(after)} too (before: ${valueWords(before)}).`;
    case 'partitions':
      return `${name} now has ${valueWords(after)} ${after === 1 ? 'partition' : 'partitions'} (before: ${valueWords(before)}).`;
    case 'check_option':
      return after === undefined
        ? `Rows that ${name} does not show may now be written through it: its check option is gone.`
        : `${name} now takes only rows that it shows (check option ${valueWords(after)}).`;
    case 'unlogged':
      return `The rows of ${name} are now ${on ? 'lost' : 'kept'} when the server fails (${on ? 'unlogged' : 'logged'}).`;
    case 'security_barrier':
      return `${name} ${on ? 'now evaluates' : 'no longer evaluates'} its own condition before any of the caller’s (security barrier).`;
    case 'computed':
      return computedChange(name, before, after);
    case 'rewrite_rules':
      return rewriteWords(name, before, after);
    case 'extension':
      return after === null
        ? `${name} no longer belongs to an extension (before: ${valueWords(before)}).`
        : `${name} now belongs to the extension ${valueWords(after)}${before === null ? '' : ` (before: ${valueWords(before)})`}.`;
    case 'schema':
    case 'name':
      return `The ${member} of ${name} is now ${valueWords(after)} (before: ${valueWords(before)}).`;
    case 'definition':
      return isText(before) && isText(after)
        ? `The query of the ${kind} ${name} ${fromTo(queryOf(before), queryOf(after))}.`
        : `${name} ${isText(after) ? `now has the query ${valueWords(queryOf(after))}` : `no longer has a query (before: ${valueWords(queryOf(before))})`}.`;
    default:
      return null;
  }
}

const isText = (value: unknown): value is string => typeof value === 'string';
const queryOf = (value: unknown): string => (isText(value) ? value.replace(/;\s*$/, '') : '');

/** Describes added, removed and changed computed fields. */
function computedChange(name: string, before: unknown, after: unknown): string {
  const words = (one: unknown) =>
    `computed ${text(one, 'as')} ${text(one, 'name')} (${text(one, 'type')}, by ${text(one, 'function')})`;
  const [old, fresh] = [items({ before }, 'before').map(words), items({ after }, 'after').map(words)];
  const more = fresh.filter((one) => !old.includes(one));
  const fewer = old.filter((one) => !fresh.includes(one));
  if (more.length + fewer.length === 0)
    return `The computed fields of ${name} are in another order: ${listWords(fresh)}.`;
  const parts = [
    ...(more.length > 0 ? [`now have the ${listWords(more)}`] : []),
    ...(fewer.length > 0 ? [`no longer have the ${listWords(fewer)}`] : []),
  ];
  return `Rows of ${name} ${parts.join('; ')}.`;
}

/** Describes added, removed and changed rewrite rules. */
function rewriteWords(name: string, before: unknown, after: unknown): string {
  const [old, fresh] = [items({ before }, 'before'), items({ after }, 'after')];
  const isIn = (list: readonly unknown[], rule: unknown) =>
    list.some((one) => text(one, 'name') === text(rule, 'name'));
  const parts = [
    ...fresh
      .filter((rule) => !isIn(old, rule))
      .map(
        (rule) =>
          `a new rule ${text(rule, 'name')} ${roleOf(text(rule, 'sql'))} writes: ${oneLine(text(rule, 'sql')).replace(/;$/, '')}`,
      ),
    ...old.filter((rule) => !isIn(fresh, rule)).map((rule) => `the rule ${text(rule, 'name')} is gone`),
    ...fresh.flatMap((rule) => {
      const was = old.find((one) => text(one, 'name') === text(rule, 'name'));
      if (!was || (text(was, 'sql') === text(rule, 'sql') && flag(was, 'enabled') === flag(rule, 'enabled'))) return [];
      if (text(was, 'sql') === text(rule, 'sql'))
        return [`the rule ${text(rule, 'name')} is now switched ${flag(rule, 'enabled') ? 'on' : 'off'}`];
      return [`the rule ${text(rule, 'name')} ${fromTo(text(was, 'sql'), text(rule, 'sql'))}`];
    }),
  ];
  return `Of ${name}, ${parts.join('; ') || 'the rules are in another order'}.`;
}

/** Returns in words whether a rewrite rule replaces the write or runs together with the write. */
const roleOf = (sql: string): string => (/\bDO\s+INSTEAD\b/.test(sql) ? 'stands in for' : 'goes with');

/** Describes added and removed unique keys. */
function uniqueChange(name: string, before: unknown, after: unknown): string {
  const keys = (value: unknown) =>
    Array.isArray(value) ? value.map((key) => textsOf(key).join(' and ') || 'nothing') : [];
  const [old, fresh] = [keys(before), keys(after)];
  const more = fresh.filter((key) => !old.includes(key));
  const fewer = old.filter((key) => !fresh.includes(key));
  if (more.length + fewer.length === 0) return `The unique keys of ${name} are in another order: ${fresh.join('; ')}.`;
  const parts = [
    ...(more.length > 0 ? [`may no longer have the same ${more.join(', or the same ')}`] : []),
    ...(fewer.length > 0 ? [`may now have the same ${fewer.join(', or the same ')}`] : []),
  ];
  return `Two rows of ${name} ${parts.join('; they ')}.`;
}

/** Describes added and removed indexes for distances. */
function distanceIndexChange(name: string, before: unknown, after: unknown): string {
  const words = (index: unknown) =>
    `${text(index, 'name')} (${text(index, 'method')}, ${text(index, 'part')} ${text(index, 'operator')}${text(index, 'condition') === '' ? '' : ` if ${text(index, 'condition')}`})`;
  const [old, fresh] = [items({ before }, 'before').map(words), items({ after }, 'after').map(words)];
  const more = fresh.filter((index) => !old.includes(index));
  const fewer = old.filter((index) => !fresh.includes(index));
  const parts = [
    ...(more.length > 0 ? [`now found by the index ${listWords(more)}`] : []),
    ...(fewer.length > 0 ? [`no longer found by the index ${listWords(fewer)}`] : []),
  ];
  return `The nearest rows of ${name} are ${parts.join(' and ')}.`;
}

/** Describes added and removed keys WITHOUT OVERLAPS. */
function periodChange(name: string, before: unknown, after: unknown): string {
  const words = (key: unknown) => `with the same ${listWords(texts(key, 'fields'))} overlap in ${text(key, 'period')}`;
  const [old, fresh] = [items({ before }, 'before').map(words), items({ after }, 'after').map(words)];
  const more = fresh.filter((key) => !old.includes(key));
  const fewer = old.filter((key) => !fresh.includes(key));
  const parts = [
    ...more.map((key) =>
      `may no longer ${key}`.replace('may no longer with', 'may no longer, with').replace(' overlap', ', overlap'),
    ),
    ...fewer.map((key) => `may now ${key}`.replace('may now with', 'may now, with').replace(' overlap', ', overlap')),
  ];
  return `Two rows of ${name} ${parts.join('; they ') || 'have their period keys in another order'}.`;
}
