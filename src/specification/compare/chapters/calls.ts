import type {
  CallEntry,
  CallParameter,
  CallSetting,
  JobEntry,
  RowCall,
} from '../../../../contract/specification-calls.ts';
import { raisedWords } from '../../../access/code-errors.ts';
import { groupBy } from '../../../catalog/group.ts';
import {
  fewWords,
  flag,
  fromTo,
  isObject,
  items,
  type JsonObject,
  listWords,
  oneLine,
  quoted,
  text,
  texts,
  textsOf,
  thing,
  valueWords,
} from '../../derive/words/sentence-parts.ts';
import { type ChangeDescriber, type DescribedChange, matches, pairRenamed } from '../describer.ts';
import { canonical, type Difference } from '../differences.ts';
import { either, type Members, restWords } from '../generic.ts';

/** Describes chapter 7. Calls of one entity that are added, removed or changed alike share a sentence. */
export const callsDescriber: ChangeDescriber = {
  whole: ['calls/*', 'rows/*', 'functions/*', 'jobs/*', 'definitions/*', 'settings/*', 'extension_functions/*'],
  describeChanges: (differences) => {
    const all = differences.filter(({ path }) => matches(path, 'calls/*'));
    // If the address of a call leads to another function than before, one sentence reports this. The old and the new
    // call do not count as removed and added.
    // All published tables have the path of the socket.
    const addressed = all.filter((one) => text(call(one), 'area') !== 'realtime');
    const led = pairRenamed(addressed, (one) => `${text(one, 'method')} ${text(one, 'path')}`);
    const reported = all.filter((one) => !led.flat().includes(one));
    // The sentence of an added or removed call also reports its function.
    const withCalls = differences.filter(
      ({ path, kind, before, after }) =>
        matches(path, 'functions/*') &&
        kind !== 'changed' &&
        reported.some((one) => one.kind === kind && text(call(one), 'entity') === text(after ?? before, 'id')),
    );
    const groups = groupBy(
      [...reported, ...withCalls],
      (one) =>
        `${one.kind === 'changed' ? '' : text(call(one), matches(one.path, 'calls/*') ? 'entity' : 'id')}\0${whatOf(one)}`,
    );
    // A call of a function has the description of the function. If only this description changed, the function shares
    // the sentence of its calls.
    const described = differences.filter(
      (one) =>
        matches(one.path, 'functions/*') &&
        isObject(one.before) &&
        isObject(one.after) &&
        canonical({ ...one.before, comment: null }) === canonical({ ...one.after, comment: null }) &&
        [...groups.values()].some(([first]) => isOf(one, first)),
    );
    const elsewhere = groupBy(led, ([{ before }, { after }]) => `${text(before, 'entity')}\0${text(after, 'entity')}`);
    return [
      ...[...elsewhere.values()].map(describeElsewhere),
      ...[...groups.values()].map((group) =>
        describeGroup([...group, ...described.filter((one) => isOf(one, group[0]))]),
      ),
      ...describeEach(
        differences.filter((one) => !withCalls.includes(one) && !described.includes(one)),
        'functions/*',
        functionWords,
      ),
      ...describeEach(differences, 'rows/*', rowCallWords),
      ...describeEach(differences, 'jobs/*', jobWords),
      ...describeDefinitions(differences.filter(({ path }) => matches(path, 'definitions/*'))),
      ...describeEach(differences, 'settings/*', settingWords),
      ...describeEach(differences, 'extension_functions/*', extensionWords),
    ];
  },
};

/** Returns true if the call runs the changed function. Its description then changed together with the function. */
const isOf = ({ after }: Difference, one: Difference | undefined): boolean =>
  one?.kind === 'changed' &&
  text(one.after, 'entity') === text(after, 'id') &&
  text(one.before, 'summary') !== text(one.after, 'summary');

/**
 * Describes calls whose addresses stay the same but lead to another function, for example to one with other arguments.
 */
function describeElsewhere(pairs: readonly [removed: Difference, added: Difference][]): DescribedChange {
  const [[removed, added] = []] = pairs;
  const names = fewWords(pairs.map(([, one]) => nameOf(one)));
  const start = pairs.length > 1 ? `Calls ${names} now lead` : `The call ${names} now leads`;
  const [was, is] = [thing(text(removed?.before, 'entity')), thing(text(added?.after, 'entity'))];
  return { words: `${start} to ${is} (before: to ${was}).`, of: pairs.flat() };
}

const describeEach = (
  differences: readonly Difference[],
  pattern: string,
  words: (one: Difference) => string,
): DescribedChange[] =>
  differences
    .filter(({ path }) => matches(path, pattern))
    .map((one): DescribedChange => ({ words: words(one), of: [one] }));

/**
 * Describes a changed body. Code that differs only in white space usually has the same effect. The texts within quotes
 * may still differ.
 */
function bodyWords(before: JsonObject, after: JsonObject): string[] {
  if (before.body === after.body) return [];
  if (oneLine(text(before, 'body')) === oneLine(text(after, 'body'))) return ['has code with other white space'];
  return [`has other code, which ${fromTo(before.body, after.body)}`];
}

/** Describes a changed function. For changed code, the sentence shows the first difference. */
function functionWords({ before, after }: Difference): string {
  const name = thing(text(after ?? before, 'id'));
  const kind = text(after ?? before, 'kind') || 'function';
  if (before === undefined) {
    const runs = items(after, 'triggers').length === 0 ? '' : `, which runs by ${triggerWords(after)}`;
    return `There is a new ${kind} ${name} in ${text(after, 'language')}${commentOf(after)}${runs}.`;
  }
  if (after === undefined) return `The ${kind} ${name} is gone.`;
  if (!isObject(before) || !isObject(after)) return `The ${kind} ${name} ${fromTo(before, after)}.`;
  const parts = [
    ...bodyWords(before, after),
    ...(before.runs_as === after.runs_as
      ? []
      : [
          `runs with the privileges of ${text(after, 'runs_as') || 'the caller'} (before: of ${text(before, 'runs_as') || 'the caller'})`,
        ]),
    ...(before.strict === after.strict
      ? []
      : [after.strict === true ? 'returns null if an argument is null' : 'also runs if an argument is null']),
    ...(before.volatility === after.volatility
      ? []
      : [`is ${text(after, 'volatility')} (before: ${text(before, 'volatility')})`]),
    ...(before.comment === after.comment ? [] : [commentWords(after)]),
    ...changedTo('takes', before.arguments, after.arguments),
    ...changedTo('returns', before.returns, after.returns),
    ...(canonical(before.settings) === canonical(after.settings)
      ? []
      : [`sets ${settingsOf(after)} while it runs (before: ${settingsOf(before)})`]),
    ...changedTo('has these effects:', before.effects ?? [], after.effects ?? []),
    ...changedTo('is for parallel queries', before.parallel ?? 'unsafe', after.parallel ?? 'unsafe'),
    ...(before.leakproof === after.leakproof ? [] : [after.leakproof === true ? 'is leakproof' : 'is not leakproof']),
    ...changedTo('reaches', before.reaches ?? [], after.reaches ?? []),
    ...changedTo('writes', before.writes ?? [], after.writes ?? []),
    ...changedTo('sends messages with', before.sends ?? [], after.sends ?? []),
    ...changedTo('raises', errorsOf(before), errorsOf(after)),
    ...changedTo('is written in', before.language, after.language),
    ...changedTo('is a', before.kind, after.kind),
    ...changedTo('runs by', triggerWords(before), triggerWords(after)),
  ];
  const words = parts.join('; ');
  return `The ${kind} ${name} ${words.startsWith('is ') ? `is now ${words.slice('is '.length)}` : `now ${words}`}.`;
}

const triggerWords = (one: unknown): string =>
  items(one, 'triggers')
    .map((trigger) => {
      const state = flag(trigger, 'enabled') ? '' : ', which is switched off';
      return `the trigger ${text(trigger, 'name')} on ${text(trigger, 'on')}${state}: ${text(trigger, 'sql')}`;
    })
    .join('; ') || 'no trigger other than those of chapter 3';

const errorsOf = (one: unknown): string[] =>
  items(one, 'raises').map((error) =>
    raisedWords({ sqlstate: text(error, 'sqlstate') || null, message: text(error, 'message') || null }),
  );

const settingsOf = (one: unknown): string => listWords(texts(one, 'settings')) || 'nothing';

const changedTo = (verb: string, before: unknown, after: unknown): string[] =>
  canonical(before) === canonical(after) ? [] : [`${verb} ${valueWords(after)} (before: ${valueWords(before)})`];

const commentOf = (one: unknown): string => (text(one, 'comment') === '' ? '' : `: ${quoted(text(one, 'comment'))}`);

const commentWords = (one: unknown): string =>
  text(one, 'comment') === '' ? 'no longer has a comment' : `has the comment ${quoted(text(one, 'comment'))}`;

const roleOf = (job: unknown): string => text(job, 'role') || 'the app’s owner';

function jobWords({ before, after }: Difference): string {
  const name = quoted(text(after ?? before, 'id'));
  if (before === undefined) {
    const state = flag(after, 'active') ? '' : ' It is not active.';
    return `There is a new scheduled job ${name}: ${text(after, 'when')}, it runs ${quoted(oneLine(text(after, 'command')))} as ${roleOf(after)}.${state}`;
  }
  if (after === undefined) return `The scheduled job ${name} is gone.`;
  if (!isObject(before) || !isObject(after)) return `The scheduled job ${name} ${fromTo(before, after)}.`;
  const parts = [
    ...(before.active === after.active ? [] : [after.active === true ? 'is active' : 'is not active any more']),
    ...(before.schedule === after.schedule
      ? []
      : [`runs ${text(after, 'when')} (${text(after, 'schedule')}; before: ${text(before, 'schedule')})`]),
    ...(before.command === after.command ? [] : [`runs another command: ${fromTo(before.command, after.command)}`]),
    ...(before.role === after.role ? [] : [`runs as ${roleOf(after)} (before: ${roleOf(before)})`]),
    ...restWords(
      before,
      after,
      ['active', 'schedule', 'command', 'role', ...(before.schedule === after.schedule ? [] : ['when'])],
      jobMembers,
    ),
  ];
  return `The scheduled job ${name} now ${parts.join('; ')}.`;
}

function extensionWords({ before, after }: Difference): string {
  const one = after ?? before;
  const count = (value: unknown) => valueWords(isObject(value) ? value.functions : undefined);
  const of = `functions of the extension ${text(one, 'extension')} in schema ${text(one, 'schema')}`;
  if (before === undefined) return `Calls now reach ${count(after)} ${of}.`;
  return after === undefined
    ? `Calls no longer reach the ${count(before)} ${of}.`
    : `Calls now reach ${count(after)} ${of} (before: ${count(before)}).`;
}

/** Describes definitions. If a removed and an added definition have the same SQL, the sentence reports a rename. */
function describeDefinitions(all: readonly Difference[]): DescribedChange[] {
  const renamed = pairRenamed(all, (one) => `${text(one, 'kind')} ${text(one, 'sql')}`);
  const others = all.filter((one) => !renamed.flat().includes(one));
  return [
    ...renamed.map(([removed, added]): DescribedChange => {
      const [was, is] = [text(removed.before, 'id'), text(added.after, 'id')];
      const kind = `${text(added.after, 'kind')} `;
      const name = is.startsWith(kind) ? is.slice(kind.length) : is;
      return { words: `The ${was} is now called ${name}.`, of: [removed, added] };
    }),
    ...others.map((one): DescribedChange => ({ words: definitionWords(one), of: [one] })),
  ];
}

function definitionWords({ before, after }: Difference): string {
  const name = text(after ?? before, 'id');
  if (/^(default )?privileges /.test(name)) {
    const are = name.replace(/^./, (first) => first.toUpperCase());
    return after === undefined
      ? `${are} are no longer listed; they were: ${oneLine(text(before, 'sql'))}.`
      : `${are} are now: ${oneLine(text(after, 'sql'))}.`;
  }
  if (before === undefined) return `There is a new ${name}: ${oneLine(text(after, 'sql'))}.`;
  if (after === undefined) return `The ${name} is gone (before: ${oneLine(text(before, 'sql'))}).`;
  return `The ${name} has another definition, which ${fromTo(text(before, 'sql'), text(after, 'sql'))}.`;
}

function settingWords({ before, after }: Difference): string {
  const key = text(after ?? before, 'key');
  if (before === undefined) return `The setting ${key} is now ${text(after, 'value')}: ${text(after, 'meaning')}`;
  if (after === undefined) return `The setting ${key} is no longer listed (before: ${text(before, 'value')}).`;
  if (!isObject(before) || !isObject(after)) return `The setting ${key} ${fromTo(before, after)}.`;
  if (before.value === after.value)
    return `The setting ${key} has changed: ${restWords(before, after, [], settingMembers).join('; ')}.`;
  return `The setting ${key} is now ${text(after, 'value')} (before: ${text(before, 'value')}). ${text(after, 'meaning')}`;
}

const call = ({ before, after }: Difference): unknown => after ?? before;

const nameOf = (difference: Difference): string =>
  `${text(call(difference), 'method')} ${text(call(difference), 'path')}`;

/** Describes the change of a call or of several calls with the same change. */
function whatOf({ before, after }: Difference, plural = false): string {
  if (before === undefined) return 'new';
  if (after === undefined) return 'gone';
  if (!isObject(before) || !isObject(after)) return fromTo(before, after);
  const parts: string[] = [];
  const [old, fresh] = [texts(before, 'roles'), texts(after, 'roles')];
  const more = fresh.filter((role) => !old.includes(role));
  const fewer = old.filter((role) => !fresh.includes(role));
  if (more.length > 0) parts.push(`now possible for ${listWords(more)}`);
  if (fewer.length > 0) parts.push(`no longer possible for ${listWords(fewer)}`);
  if (before.reads_only !== after.reads_only)
    parts.push(
      after.reads_only === true
        ? `only ${plural ? 'read' : 'reads'} now: what writes is refused (25006)`
        : 'may write now',
    );
  if (before.writes !== after.writes)
    parts.push(
      after.writes === undefined
        ? `no longer ${plural ? 'write' : 'writes'}`
        : `now ${after.writes === 'always' ? '' : 'may '}${plural || after.writes === 'may' ? 'write' : 'writes'}`,
    );
  const described = [
    'reads_only',
    'writes',
    'returns',
    'summary',
    ...(more.length + fewer.length > 0 ? ['roles'] : []),
  ];
  const rest = restWords(before, after, [...described, 'parameters'], callMembers);
  const returns = changedTo(`now ${plural ? 'return' : 'returns'}`, before.returns, after.returns);
  const summary =
    before.summary === after.summary
      ? []
      : [`now described as ${quoted(text(after, 'summary'))} (before: ${quoted(text(before, 'summary'))})`];
  return [...parts, ...parameterWords(before, after, plural ? 'take' : 'takes'), ...returns, ...summary, ...rest].join(
    '; ',
  );
}

function parameterWords(before: unknown, after: unknown, take: string): string[] {
  const [old, fresh] = [items(before, 'parameters'), items(after, 'parameters')];
  const key = (parameter: unknown) => `${text(parameter, 'in')} ${text(parameter, 'name')}`;
  const names = (list: typeof old, other: typeof old) =>
    list.filter((one) => !other.some((each) => key(each) === key(one))).map((one) => text(one, 'name'));
  const [more, fewer] = [names(fresh, old), names(old, fresh)];
  if (more.length + fewer.length === 0) return changedParameters(old, fresh, key);
  return [
    ...(more.length > 0 ? [`now ${take} ${fewWords(more)} too`] : []),
    ...(fewer.length > 0 ? [`no longer ${take} ${fewWords(fewer)}`] : []),
  ];
}

/** Describes parameters that both versions of a call have. */
function changedParameters(
  before: readonly JsonObject[],
  after: readonly JsonObject[],
  key: (parameter: unknown) => string,
): string[] {
  const was = new Map(before.map((one) => [key(one), one]));
  const changed = after.flatMap((one) => {
    const old = was.get(key(one));
    const parts = old ? restWords(old, one, [], parameterMembers) : [];
    return parts.length === 0 ? [] : [`of the parameter ${text(one, 'name')}, ${listWords(parts)}`];
  });
  if (changed.length > 0) return changed;
  const isSame = before.length === after.length && after.every((one, i) => key(one) === key(before[i]));
  return isSame ? [] : [`the parameters are in another order: ${fewWords(after.map((one) => text(one, 'name')))}`];
}

/** Describes what the calls on rows with one method have in common. */
function rowCallWords({ path, before, after }: Difference): string {
  const method = text(after ?? before, 'method') || (path[1] ?? '').slice(1, -1);
  const calls = `Calls on rows with ${method}`;
  if (before === undefined) return `${calls} are described now.`;
  if (after === undefined) return `${calls} are no longer described.`;
  const parts = [
    ...parameterWords(before, after, 'take'),
    ...(isObject(before) && isObject(after) ? restWords(before, after, ['parameters'], rowCallMembers) : []),
  ];
  return `${calls}: ${parts.join('; ')}.`;
}

const jobMembers: Members<Omit<JobEntry, 'figures'>> = {
  id: 'has another name',
  schedule: 'its schedule',
  when: (before, after) => `runs ${valueWords(after)} (before: ${valueWords(before)})`,
  command: 'its command',
  role: 'its role',
  active: either('is active', 'is not active any more'),
};

const settingMembers: Members<CallSetting> = {
  key: 'its key',
  value: 'its value',
  default: 'its default',
  meaning: 'its meaning',
  set_in: (before, after) => `its value now comes from ${sourceOf(after)} (before: from ${sourceOf(before)})`,
};

const sources: Readonly<Record<string, string>> = {
  code: 'its default',
  setting: 'the settings of the app',
  database: 'the database',
};

const sourceOf = (value: unknown): string => sources[String(value)] ?? String(value);

const callMembers: Members<Omit<CallEntry, 'figures'>> = {
  id: 'its id',
  area: 'its API',
  method: 'its method',
  path: 'its path',
  summary: 'its description',
  entity: (before, after) => `now leads to ${thing(valueWords(after))} (before: to ${thing(valueWords(before))})`,
  setting: (before, after) =>
    after === null
      ? `no longer depends on the setting ${valueWords(before)}`
      : `now depends on the setting ${valueWords(after)}`,
  roles: (_, after) => `the roles are in another order: ${textsOf(after).join(', ')}`,
  reads_only: either('only reads now', 'may write now'),
  writes: 'whether it writes',
  parameters: 'its parameters',
  returns: 'its result',
};

const parameterMembers: Members<CallParameter> = {
  name: 'the name',
  in: 'the place',
  type: 'the type',
  required: either('it is now required', 'it is now optional'),
  meaning: 'the meaning',
};

const rowCallMembers: Members<RowCall> = {
  method: 'the method',
  parameters: 'the parameters',
  returns: 'the result',
};

function describeGroup(all: readonly Difference[]): DescribedChange {
  const group = all.filter(({ path }) => matches(path, 'calls/*'));
  const [first] = group;
  const names = fewWords(group.map(nameOf));
  const plural = group.length > 1;
  const entity = text(first && call(first), 'entity');
  if (!first?.before) {
    const summary = plural || !first ? '' : `: ${text(first.after, 'summary')}`.replace(/\.$/, '');
    return { words: `${plural ? 'New calls' : 'New call'} ${names}${summary}.`, of: all };
  }
  if (!first.after) return { words: `Removed ${plural ? 'calls' : 'call'}: ${names}.`, of: all };
  const isOne = entity !== '' && group.every((one) => text(call(one), 'entity') === entity);
  const of = isOne ? ` of ${thing(entity)},` : '';
  return { words: `${plural ? 'Calls' : 'The call'}${of} ${names}: ${whatOf(first, plural)}.`, of: all };
}
