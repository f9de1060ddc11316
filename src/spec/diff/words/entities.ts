import { canonical, type Difference, isObject, type JsonObject } from '../differences.ts';
import { keyAt, matches, type Sides, type Teller, type Told } from '../teller.ts';
import { restWords } from './generic.ts';
import { machineTriggersTold } from './machine-triggers.ts';
import { partitionsTold } from './partitions.ts';
import { renamings } from './renamings.ts';
import {
  fewWords,
  flag,
  fromTo,
  isSet,
  items,
  listWords,
  oneLine,
  quoted,
  text,
  texts,
  thing,
  valueWords,
} from './values.ts';

/** Chapter 3: entities, their fields, and the relations between them. */
export const entitiesTeller: Teller = {
  whole: [
    'relations/*',
    'junctions/*',
    'shown_keys/*',
    'entities/*/triggers/*',
    'entities/*/rewrite_rules',
    'entities/*/computed',
    'entities/*/period_keys',
    'entities/*/fields/*/attributes',
    'entities/*/fields/*/collation',
    'entities/*/fields/*/type_comments',
    'entities/*/fields/*/references',
  ],
  tell: (differences, sides) => {
    const renamed = renamings(
      differences.filter(({ path }) => matches(path, 'relations/*')),
      (relation) => canonical({ ...(isObject(relation) ? relation : {}), name: null }),
    );
    const ofMachines = machineTriggersTold(differences, sides);
    const triggers = renamings(
      differences.filter(({ path }) => matches(path, 'entities/*/triggers/*')),
      triggerWithoutName,
      ({ path }) => path[1] ?? '',
    );
    const partitions = partitionsTold(differences, sides);
    const pointing = differences.filter((one) => isToldByRelation(one, differences, sides));
    const paired = new Set([
      ...pointing,
      ...[...renamed, ...triggers].flat(),
      ...[...ofMachines, ...partitions].flatMap(({ of }) => of),
    ]);
    return [
      ...differences.flatMap((difference) => {
        const words = paired.has(difference) ? null : wordsOf(difference, sides);
        const of = [difference, ...pointing.filter((one) => relationOf(one, differences) === difference)];
        return words === null ? [] : [{ words, of } satisfies Told];
      }),
      ...renamed.map((of): Told => ({ words: renamedKeyWords(...of), of })),
      ...triggers.map((of): Told => ({ words: renamedTriggerWords(...of), of })),
      ...ofMachines,
      ...partitions,
    ];
  },
};

/** The relation that came or went with what a field points to. */
function relationOf(difference: Difference, differences: readonly Difference[]): Difference | undefined {
  if (!matches(difference.path, 'entities/*/fields/*/references')) return undefined;
  return differences.find(({ path, kind, before, after }) => {
    if (!matches(path, 'relations/*') || kind === 'changed') return false;
    const from = memberOf(after ?? before, 'from');
    const id = `${text(from, 'schema')}.${text(from, 'entity')}`;
    return id === keyAt(difference, 1) && texts(from, 'fields').join() === keyAt(difference, 3);
  });
}

/** Whether the sentence of the relation says all that there is to say of it: that it went, or that it leads to a key. */
function isToldByRelation(difference: Difference, differences: readonly Difference[], sides: Sides): boolean {
  const relation = relationOf(difference, differences);
  const { before, after } = difference;
  if (relation === undefined || (isObject(before) && isObject(after))) return false;
  if (!isObject(after)) return relation.kind === 'removed';
  const target = items(sides.after.entities, 'entities').find(
    (entity) => text(entity, 'id') === `${text(after, 'schema')}.${text(after, 'entity')}`,
  );
  return relation.kind === 'added' && texts(target, 'primary_key').join() === text(after, 'field');
}

/** A foreign key with another name: calls that embed name it where several lead to the same place. */
function renamedKeyWords({ before }: Difference, { after }: Difference): string {
  const [from, to] = [memberOf(after, 'from'), memberOf(after, 'to')];
  return `The key by which rows of ${entityWords(from)} point to a row of ${entityWords(to)} is called ${text(after, 'name')} now (before: ${text(before, 'name')}).`;
}

function renamedTriggerWords(gone: Difference, { after }: Difference): string {
  return `The trigger ${text(gone.before, 'name')} on ${thing(keyAt(gone, 1))} is called ${text(after, 'name')} now.`;
}

/** What a trigger is but for its name, which stands in its SQL too. */
const triggerWithoutName = (trigger: unknown): string =>
  canonical({
    ...(isObject(trigger) ? trigger : {}),
    name: null,
    sql: text(trigger, 'sql').replace(/\bTRIGGER (?:"(?:[^"]|"")*"|[^"\s]+) /, 'TRIGGER '),
  });

function wordsOf(difference: Difference, sides: Sides): string | null {
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
  if (matches(path, 'shown_keys/*')) return shownKeyWords(difference);
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

const textsOf = (value: unknown): string[] => (Array.isArray(value) ? value.map(String) : []);

const kindOf = (id: string, { after }: Sides): string =>
  text(
    items(after.entities, 'entities').find((entity) => text(entity, 'id') === id),
    'kind',
  ) || 'table';

/** Whether what stands as the default of a field is the expression that it is computed by. */
function isGenerated(chapters: JsonObject, id: string, name: string): boolean {
  const entity = items(chapters.entities, 'entities').find((one) => text(one, 'id') === id);
  return isSet(
    items(entity, 'fields').find((field) => text(field, 'name') === name),
    'generated',
  );
}

function generatedChange(name: string, before: unknown, after: unknown): string {
  if (after === null) return `${name} is no longer computed as ${valueWords(before)}.`;
  return `${name} is now computed as ${valueWords(after)}${before === null ? '' : ` (before: ${valueWords(before)})`}.`;
}

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

function fieldWords(field: unknown): string {
  const filled = isSet(field, 'default') || isSet(field, 'identity');
  if (isSet(field, 'generated'))
    return `${text(field, 'name')} (${text(field, 'type')}, computed as ${valueWords(text(field, 'default'))})`;
  const need = flag(field, 'nullable') ? 'optional' : filled ? 'filled in where it is not given' : 'required';
  return `${text(field, 'name')} (${text(field, 'type')}, ${need})`;
}

function entityChange(name: string, kind: string, member: string, before: unknown, after: unknown): string | null {
  const on = after === true;
  switch (member) {
    case 'comment':
      return after === null
        ? `${name} is not described any more.`
        : `${name} is now described as ${quoted(String(after))}.`;
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
        ? `${name} no longer reads with the rights of its ${before === 'invoker' ? 'caller' : 'owner'}.`
        : `${name} now reads with the rights of its ${after === 'invoker' ? 'caller' : 'owner'}.`;
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
      return `What no two rows of ${name} overlap in ${fromTo(periodsWords(before), periodsWords(after))}.`;
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
      return `${name} ${on ? 'now asks' : 'no longer asks'} its own condition before any of the caller’s (security barrier).`;
    case 'computed':
      return computedChange(name, before, after);
    case 'rewrite_rules':
      return rewriteWords(name, before, after);
    case 'definition':
      return isText(before) && isText(after)
        ? `The query of the ${kind} ${name} ${fromTo(queryOf(before), queryOf(after))}.`
        : `${name} ${isText(after) ? `now shows what a query finds: ${valueWords(queryOf(after))}` : `no longer shows what a query finds; it was ${valueWords(queryOf(before))}`}.`;
    default:
      return null;
  }
}

const isText = (value: unknown): value is string => typeof value === 'string';
const queryOf = (value: unknown): string => (isText(value) ? value.replace(/;\s*$/, '') : '');

/** What functions compute of a row, which calls read like its fields: what came, what went, and what changed. */
function computedChange(name: string, before: unknown, after: unknown): string {
  const words = (one: unknown) =>
    `computed ${text(one, 'as')} ${text(one, 'name')} (${text(one, 'type')}, by ${text(one, 'function')})`;
  const [old, fresh] = [items({ before }, 'before').map(words), items({ after }, 'after').map(words)];
  const more = fresh.filter((one) => !old.includes(one));
  const fewer = old.filter((one) => !fresh.includes(one));
  if (more.length + fewer.length === 0) return `What is computed of rows of ${name} ${fromTo(before, after)}.`;
  const parts = [
    ...(more.length > 0 ? [`now have the ${listWords(more)}`] : []),
    ...(fewer.length > 0 ? [`no longer have the ${listWords(fewer)}`] : []),
  ];
  return `Rows of ${name} ${parts.join('; ')}.`;
}

/** Rules that replace what a statement does, or add to it: those that came, went or changed. */
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
  return `Of ${name}, ${parts.join('; ')}.`;
}

/** What a rule does: in place of the write, or beside it. */
const roleOf = (sql: string): string => (/\bDO\s+INSTEAD\b/.test(sql) ? 'stands in for' : 'goes with');

/** What no two rows have in common: keys that came, and keys that went. */
function uniqueChange(name: string, before: unknown, after: unknown): string {
  const keys = (value: unknown) => (Array.isArray(value) ? value.map((key) => textsOf(key).join(' and ')) : []);
  const [old, fresh] = [keys(before), keys(after)];
  const more = fresh.filter((key) => !old.includes(key));
  const fewer = old.filter((key) => !fresh.includes(key));
  if (more.length + fewer.length === 0) return `What no two rows of ${name} share ${fromTo(before, after)}.`;
  const parts = [
    ...(more.length > 0 ? [`may no longer have the same ${more.join(', or the same ')}`] : []),
    ...(fewer.length > 0 ? [`may now have the same ${fewer.join(', or the same ')}`] : []),
  ];
  return `Two rows of ${name} ${parts.join('; they ')}.`;
}

const periodsWords = (keys: unknown): string =>
  items({ keys }, 'keys')
    .map((key) => `${text(key, 'period')} for the same ${listWords(texts(key, 'fields'))}`)
    .join(', ') || 'nothing';

function fieldChange(name: string, member: string, before: unknown, after: unknown): string | null {
  switch (member) {
    case 'type':
      return `${name} is now ${valueWords(after)} (before: ${valueWords(before)}).`;
    case 'nullable':
      return after === true ? `${name} may now be empty.` : `${name} must now have a value.`;
    case 'default':
      if (after === null)
        return `${name} is no longer filled in where it is not given (before: ${valueWords(before)}).`;
      return before === null
        ? `${name} is now ${valueWords(after)} where it is not given.`
        : `${name} is now ${valueWords(after)} where it is not given (before: ${valueWords(before)}).`;
    case 'comment':
      return after === null
        ? `${name} is not described any more.`
        : `${name} is now described as ${quoted(String(after))}.`;
    case 'enum_values':
      return valuesChange(name, before, after);
    case 'identity':
      if (after === null) return `${name} is no longer numbered by itself.`;
      return after === 'always'
        ? `${name} is now numbered by itself, and nobody may give it.`
        : `${name} is now numbered by itself where it is not given.`;
    case 'generated':
      return after === null
        ? `${name} is no longer generated: it is given like any other field.`
        : `${name} is now generated (${valueWords(after)}): nobody may give it.`;
    case 'computed':
      return after === undefined
        ? `${name} is no longer computed by the view: it may be given.`
        : `${name} is now computed by the view: nobody may give it.`;
    case 'numbering':
      if (withoutStart(before) === withoutStart(after))
        return `Where it is restarted, the numbering of ${name} begins at ${startOf(after)} (before: at ${startOf(before)}).`;
      return after === undefined
        ? `${name} now counts from 1 upwards, for as long as its type lasts (before: ${valueWords(before)}).`
        : `${name} now counts ${valueWords(after)}${before === undefined ? '' : ` (before: ${valueWords(before)})`}.`;
    case 'collation':
      return collationChange(name, before, after);
    case 'type_comments':
      return typeCommentsChange(name, textsOf(before), textsOf(after));
    case 'base_type':
      return `The type beneath ${name} ${fromTo(before, after)}.`;
    case 'attributes':
      return `What ${name} consists of ${fromTo(partsWords(before), partsWords(after))}.`;
    case 'references':
      if (after === null) return `${name} points to nothing any more.`;
      return before === null
        ? `${name} now points to ${targetWords(after)}.`
        : `${name} now points to ${targetWords(after)} (before: to ${targetWords(before)}).`;
    default:
      return null;
  }
}

/** Where a sequence starts counts when it is restarted: until then it goes on where it is. */
const startOf = (numbering: unknown): string => /^from (-?\d+)/.exec(String(numbering ?? ''))?.[1] ?? '1';
const withoutStart = (numbering: unknown): string => String(numbering ?? 'from 1').replace(/^from -?\d+/, '');

function collationChange(name: string, before: unknown, after: unknown): string {
  const [was, is] = [before, after].map((one) => text(one, 'name') || 'the database’s own collation');
  const equal = text(after, 'equal');
  const words = equal === '' ? '' : `: texts ${equal} count as the same`;
  return `${name} is now sorted and compared by ${is} (before: by ${was})${words}.`;
}

function typeCommentsChange(name: string, before: readonly string[], after: readonly string[]): string {
  const words = (lines: readonly string[]) => listWords(lines.map(quoted));
  if (after.length === 0) return `The type of ${name} is not described any more (before: ${words(before)}).`;
  return `The type of ${name} is now described as ${words(after)}${before.length === 0 ? '' : ` (before: ${words(before)})`}.`;
}

const targetWords = (target: unknown): string => `${text(target, 'field')} of ${entityWords(target)}`;

/** An entity by its schema and name. */
const entityWords = (one: unknown): string => thing(`${text(one, 'schema')}.${text(one, 'entity')}`);

const partsWords = (attributes: unknown): string =>
  items({ attributes }, 'attributes')
    .map((one) => {
      const comment = text(one, 'comment');
      const parts = partsWords(one.attributes);
      return `${text(one, 'name')} ${text(one, 'type')}${comment === '' ? '' : ` (${quoted(comment)})`}${parts === '' ? '' : ` of (${parts})`}`;
    })
    .join(', ');

function valuesChange(name: string, before: unknown, after: unknown): string | null {
  const [old, fresh] = [textsOf(before), textsOf(after)];
  const more = fresh.filter((value) => !old.includes(value));
  const fewer = old.filter((value) => !fresh.includes(value));
  if (more.length + fewer.length === 0) return null;
  const parts = [
    ...(more.length > 0 ? [`may now also be ${fewWords(more)}`] : []),
    ...(fewer.length > 0 ? [`may no longer be ${fewWords(fewer)}`] : []),
  ];
  return `${name} ${listWords(parts)}.`;
}

function triggerWords({ path, before, after }: Difference): string {
  const entity = thing((path[1] ?? '').slice(1, -1));
  const name = text(after ?? before, 'name');
  if (before === undefined) return `A new trigger ${name} runs on ${entity}: ${text(after, 'sql')}.`;
  if (after === undefined) return `The trigger ${name} on ${entity} is gone.`;
  if (text(before, 'comment') !== text(after, 'comment')) {
    const comment = text(after, 'comment');
    return comment === ''
      ? `The trigger ${name} on ${entity} is not described any more.`
      : `The trigger ${name} on ${entity} is now described as ${quoted(comment)}.`;
  }
  if (text(before, 'sql') === text(after, 'sql')) {
    if (flag(before, 'enabled') !== flag(after, 'enabled'))
      return `The trigger ${name} on ${entity} is now switched ${flag(after, 'enabled') ? 'on' : 'off'}.`;
    const is = flag(after, 'in_replicas') ? 'now runs' : 'no longer runs';
    return `The trigger ${name} on ${entity} ${is} for rows that are replicated, too.`;
  }
  return `The trigger ${name} on ${entity} ${fromTo(text(before, 'sql'), text(after, 'sql'))}.`;
}

const endings: Readonly<Record<string, string>> = {
  cascade: 'they are deleted with it',
  'set null': 'they are emptied when it is deleted',
  'set default': 'they take their default when it is deleted',
  nothing: 'it can be deleted all the same, and they then point to nothing',
};

const updates: Readonly<Record<string, string>> = {
  cascade: 'theirs changes with it',
  'set null': 'they are emptied',
  'set default': 'they take their default',
  nothing: 'they keep pointing to the old one',
};

function junctionWords({ before, after }: Difference): string {
  const ends = (one: unknown) => `${thing(text(one, 'from'))} and ${thing(text(one, 'to'))}`;
  const through = (one: unknown) => `through ${thing(text(one, 'through'))}`;
  if (before === undefined) return `Rows of ${ends(after)} are now joined ${through(after)}, many to many.`;
  if (after === undefined) return `Rows of ${ends(before)} are no longer joined ${through(before)}.`;
  return `Rows of ${ends(after)} are now joined ${through(after)} (before: ${ends(before)} ${through(before)}).`;
}

/** What calls embed through a view, by a key of a table beneath. */
function shownKeyWords({ before, after }: Difference): string {
  const key = after ?? before;
  const other = entityWords(memberOf(key, text(key, 'shows') === 'from' ? 'to' : 'from'));
  const words = `embed rows of ${other}, or of a view of it, in rows of ${thing(text(key, 'view'))}`;
  const by = (one: unknown) => `by ${text(one, 'name')} (${fieldsShown(one)})`;
  if (before === undefined) return `Calls now ${words}, ${by(after)}.`;
  if (after === undefined) return `Calls no longer ${words}, ${by(before)}.`;
  return `Calls now ${words}, ${by(after)}; before: ${by(before)}.`;
}

const fieldsShown = (key: unknown): string =>
  typeof key === 'object' && key !== null && 'fields' in key && Array.isArray(key.fields)
    ? key.fields.map((names) => textsOf(names).join(' or ')).join(', ')
    : '';

function relationWords({ before, after }: Difference): string {
  if (before === undefined) return `${pointer(after)}; ${endingOf(after)}.`;
  if (after === undefined) return `${pointer(before).replace(' now point', ' no longer point')}.`;
  if (typeof before !== 'object' || typeof after !== 'object' || before === null || after === null) return '';
  const differs = (name: string) => text(before, name) !== text(after, name);
  const parts: string[] = [];
  if (differs('on_delete')) parts.push(`${endingOf(after)} (before: ${endingOf(before)})`);
  else if (texts(before, 'on_delete_fields').join() !== texts(after, 'on_delete_fields').join()) {
    const [was, is] = [before, after].map((one) => listWords(texts(one, 'on_delete_fields')) || 'all of them');
    parts.push(`of its fields, ${is} change when that row is deleted (before: ${was})`);
  }
  if (differs('on_update')) {
    const [was, is] = [before, after].map((one) => updates[text(one, 'on_update')] ?? 'such a change is refused');
    parts.push(`when the key there changes, ${is} (before: ${was})`);
  }
  const [was, is] = [memberOf(before, 'to'), memberOf(after, 'to')];
  if (differs('kind')) {
    const isOne = text(after, 'kind') === 'one-to-one';
    parts.push(
      isOne ? 'at most one of them to each (before: any number)' : 'any number of them to each (before: at most one)',
    );
  }
  const told = ['kind', 'on_delete', 'on_delete_fields', 'on_update'];
  if (entityWords(was) !== entityWords(is)) {
    parts.push(`before: to one of ${entityWords(was)}`);
    told.push('to');
  }
  return `${pointer(after)}: ${[...parts, ...restWords({ ...before }, { ...after }, told)].join('; ')}.`;
}

function endingOf(relation: unknown): string {
  const fields = texts(relation, 'on_delete_fields');
  const ending = endings[text(relation, 'on_delete')] ?? 'it cannot be deleted while they point to it';
  return fields.length === 0 ? ending : `${ending}, of their fields ${listWords(fields)} only`;
}

function pointer(relation: unknown): string {
  const [from, to] = [memberOf(relation, 'from'), memberOf(relation, 'to')];
  const fields = listWords(texts(from, 'fields'));
  return `Rows of ${entityWords(from)} now point to a row of ${entityWords(to)} (${fields})`;
}

const memberOf = (value: unknown, name: 'from' | 'to'): unknown =>
  typeof value === 'object' && value !== null && name in value ? (value as Record<string, unknown>)[name] : undefined;
