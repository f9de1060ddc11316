import { type AuthCall, authCalls } from '../../../../contract/calls.ts';
import { isMachineTrigger } from '../../../../contract/machine-trigger.ts';
import { defaultAuthSettings } from '../../../../contract/settings-auth.ts';
import type { Chapters } from '../../../../contract/specification.ts';
import type {
  CallEntry,
  CallParameter,
  CallSetting,
  CallsChapter,
  DefinitionEntry,
  FunctionEntry,
  JobEntry,
} from '../../../../contract/specification-calls.ts';
import type { Entity } from '../../../../contract/specification-entities.ts';
import { raisedWords } from '../../../access/code-errors.ts';
import { groupBy } from '../../../catalog/group.ts';
import { isSwitchedOn } from '../../derive/chapters/calls/calls.ts';
import { machineFunctions } from '../../derive/chapters/calls/machine-functions.ts';
import { triggerEvents } from '../../derive/chapters/entities/trigger-words.ts';
import { sentence } from '../../derive/words/sentence-parts.ts';
import { shownSql } from '../../derive/words/shown-sql.ts';
import { code, count, inline, table } from './escape.ts';
import { fileCallParts } from './files.ts';
import { realtimeCallParts } from './realtime.ts';
import { rolesText } from './role-names.ts';

/**
 * Returns chapter 7 in Markdown. Each function has one line. Calls and settings that are the same in every app are only
 * counted; the JSON contains them, the code of functions, and the parameters of all calls.
 */
export function callsMarkdown(chapter: CallsChapter, { roles, entities }: Chapters): string {
  const { calls, extension_functions, functions, jobs, definitions, settings } = chapter;
  const of = (area: CallEntry['area']) => calls.filter((call) => call.area === area);
  const parts = [`${count(calls.length, 'call')}.`];
  const signIn = of('auth');
  if (signIn.length > 0) parts.push('### Sign-in and sessions', signInText(signIn));
  const tables = of('rest').filter((call) => call.entity !== null);
  if (tables.length > 0) parts.push('### Tables and views', tablesText(tables));
  parts.push(...fileCallParts(of('storage'), entities?.buckets, roles?.files));
  parts.push(...realtimeCallParts(of('realtime'), roles));
  const edge = of('functions');
  if (edge.length > 0) {
    const lines = edge.map(({ path, summary }) => `- ${code(path)}: ${inline(summary)}`);
    parts.push('### Edge functions', lines.join('\n'));
  }
  const all = roles?.roles ?? [];
  const standard = machineFunctions(chapter);
  const rpc = [...groupBy(of('rpc'), (call) => call.entity ?? call.id)].filter(([id]) => !standard.has(id));
  const called = new Set(rpc.map(([id]) => id));
  const entryOf = new Map(functions.map((one) => [one.id, one]));
  const others = functions.filter(({ id }) => !called.has(id) && !standard.has(id));
  if (rpc.length > 0) {
    const isLimited = rpc.some(([, group]) =>
      group.some(({ writes, reads_only }) => writes !== undefined || reads_only),
    );
    parts.push('### Functions that clients call', ...(isLimited ? [readsOnly] : []));
    parts.push(rpc.map(([id, group]) => calledLine(group, entryOf.get(id), all)).join('\n'));
  }
  for (const { extension, schema, functions } of extension_functions) {
    parts.push(`And ${count(functions, 'function')} of extension ${inline(extension)} in schema ${inline(schema)}.`);
  }
  if (others.length > 0) {
    const triggers = triggersByFunction(entities?.entities ?? []);
    parts.push('### Other functions', others.map((one) => otherLine(one, triggers)).join('\n'));
  }
  if (standard.size > 0) {
    parts.push(
      `Each state machine of chapter 4 has the functions ${code('transitions')} and ${code('state_changes')}, as in every app: ${code('docs/states.md')}.`,
    );
  }
  if (jobs.length > 0) parts.push('### Scheduled jobs', jobTable(jobs), 'Times are GMT.');
  parts.push(...definitionParts(definitions.filter((one) => !isShownWithFields(one, entities?.entities ?? []))));
  parts.push('### Settings', ...settingParts(settings));
  return parts.join('\n\n');
}

/**
 * Returns the number of sign-in calls, and how they differ from those of an app with the default settings: the calls that
 * a setting adds or removes, with this setting.
 */
function signInText(calls: readonly CallEntry[]): string {
  const ids = new Set(calls.map(({ id }) => id));
  const usual = authCalls.filter((call) => isSwitchedOn(call, defaultAuthSettings));
  const usualIds = new Set(usual.map(({ id }) => id));
  const missing = usual.filter(({ id }) => !ids.has(id));
  const added = authCalls.filter(({ id }) => ids.has(id) && !usualIds.has(id));
  const lines = [
    ...bySetting(missing).map(([setting, list]) => `- Not here${setting && `, because of ${setting}`}: ${list}`),
    ...bySetting(added).map(([setting, list]) => `- Only here${setting && `, because of ${setting}`}: ${list}`),
  ];
  const same = lines.length === 0 ? ', as in every app' : `; an app with the default settings has ${usual.length}`;
  const text = `${count(calls.length, 'call')} of ${code('/auth/v1')}${same}: ${code('docs/sign-in.md')}.`;
  return lines.length === 0 ? text : `${text}\n\n${lines.join('\n')}`;
}

function bySetting(calls: readonly AuthCall[]): [setting: string, list: string][] {
  const settingOf = ({ settings }: AuthCall) => Object.keys(settings).map(code).join(' and ');
  return [...groupBy(calls, settingOf)].map(([setting, group]) => [
    setting,
    group.map(({ method, path }) => code(`${method} ${path}`)).join(', '),
  ]);
}

const methods = ['GET', 'POST', 'PATCH', 'DELETE'] as const;

/** Describes the calls on rows: chapter 6 says which roles may use each method. */
function tablesText(calls: readonly CallEntry[]): string {
  const byMethods = groupBy([...groupBy(calls, ({ path }) => path)], ([, group]) =>
    methods.filter((method) => group.some((call) => call.method === method && call.roles.length > 0)).join(', '),
  );
  const lines = [...byMethods].map(
    ([allowed, paths]) => `- ${allowed || 'no method'}: ${paths.map(([path]) => code(path)).join(', ')}`,
  );
  return `Chapter 6 says for which roles. GET reads, POST adds, PATCH changes, DELETE deletes: ${code('docs/data.md')}.\n\n${lines.join('\n')}`;
}

/** Returns the line of a function that clients call. GET and POST share the line. */
function calledLine(
  group: readonly CallEntry[],
  entry: FunctionEntry | undefined,
  all: readonly { name: string }[],
): string {
  const [first] = group;
  if (!first) return '';
  const takes = taken(first.parameters ?? []);
  const facts = [
    `returns ${resultText(first.returns ?? '')}`,
    ...writing(group),
    `for ${rolesText(first.roles, all)}`,
    ...(entry ? aboutFunction(entry) : []),
  ];
  const comment = entry?.comment ?? null;
  return `- ${code(`${group.map(({ method }) => method).join(', ')} ${first.path}`)} (${takes}): ${comment === null ? '' : `${inline(ended(comment))} `}${sentence(facts.join('; '))}`;
}

/** Returns the line of a function that no client calls, such as a function of a trigger. */
function otherLine(entry: FunctionEntry, triggers: ReadonlyMap<string, string[]>): string {
  const { id, kind, language, returns, comment } = entry;
  const runs = triggers.get(id.replace(/\(.*$/s, '')) ?? [];
  const facts = [
    ...(runs.length > 0
      ? [`runs ${runs.join(', ')}`]
      : [`${kind} in ${inline(language)}${returns === '' ? '' : `, returns ${resultText(returns)}`}`]),
    ...aboutFunction(entry),
  ];
  return `- ${code(shownSql(id))}: ${comment === null ? '' : `${inline(ended(comment))} `}${sentence(facts.join('; '))}`;
}

/** Returns the result type of a function in words. */
const resultText = (type: string): string =>
  type === '' || type === 'void' ? 'nothing' : inline(shownSql(type).replace(/^SETOF /, 'rows of '));

function aboutFunction({
  runs_as,
  settings,
  effects,
  writes,
  sends,
  raises,
  triggers,
  strict,
}: FunctionEntry): string[] {
  return [
    ...(runs_as === null
      ? []
      : [`runs with the privileges of ${runs_as === 'pg_database_owner' ? 'the app’s owner' : inline(runs_as)}`]),
    ...(strict ? ['returns null if an argument is null'] : []),
    ...settings.filter((one) => !/^search_path=(""|'')?$/.test(one)).map((one) => `sets ${code(one)}`),
    ...(effects ?? []).map(inline),
    ...(writes?.length ? [`writes ${writes.map((name) => inline(shownSql(name))).join(', ')}`] : []),
    ...(sends?.length ? [`sends messages with ${sends.map(code).join(', ')}`] : []),
    ...(raises?.length ? [`raises ${raises.map((one) => inline(raisedWords(one))).join(', ')}`] : []),
    ...(triggers ?? []).map(
      ({ on, name, enabled }) =>
        `runs on ${inline(on)} by the trigger ${inline(name)}${enabled ? '' : ', which is disabled'}`,
    ),
  ];
}

/** Returns the triggers of chapter 3 by the name of the function that they run: "on tickets before insert". */
function triggersByFunction(entities: readonly Entity[]): Map<string, string[]> {
  const found = new Map<string, string[]>();
  for (const { id, triggers } of entities) {
    for (const trigger of triggers) {
      const name = /EXECUTE FUNCTION ((?:"(?:[^"]|"")*"|\w+)\.(?:"(?:[^"]|"")*"|\w+))\(/.exec(trigger.sql)?.[1];
      if (name === undefined || isMachineTrigger(trigger)) continue;
      const words = `on ${inline(shownSql(id))} ${triggerEvents(trigger)}`;
      found.set(name, [...(found.get(name) ?? []), words]);
    }
  }
  return found;
}

/** Returns true for an enum whose values chapter 3 shows with a field. */
const isShownWithFields = ({ id, kind }: DefinitionEntry, entities: readonly Entity[]): boolean =>
  kind === 'enum' && entities.some(({ fields }) => fields.some(({ type }) => id === `enum ${type}`));

/** Returns one line for each object. Extensions share one line, because most are the same in every app. */
function definitionParts(definitions: readonly DefinitionEntry[]): string[] {
  if (definitions.length === 0) return [];
  const extensions = definitions.filter(({ kind }) => kind === 'extension');
  const others = definitions.filter(({ kind }) => kind !== 'extension');
  const versions = extensions.map(({ id, sql }) =>
    inline(`${id.replace(/^extension /, '')} ${sql.replace(/^version /, '')}`),
  );
  return [
    '### Types and other definitions',
    ...(others.length === 0
      ? []
      : [others.map(({ id, sql }) => `- ${inline(shownSql(id))}: ${inline(shownSql(sql))}`).join('\n')]),
    ...(extensions.length === 0 ? [] : [`Extensions: ${versions.join(', ')}.`]),
  ];
}

function settingParts(settings: readonly CallSetting[]): string[] {
  const set = settings.filter(({ set_in, value, default: usual }) => set_in !== 'code' || value !== usual);
  const rest = `${count(settings.length - set.length, 'setting')} ${settings.length - set.length === 1 ? 'has its' : 'have their'} default.`;
  if (set.length === 0) return [rest];
  const rows = set.map(({ key, value, meaning, set_in }) => [code(key), inline(value), inline(meaning), set_in]);
  return [table(['Setting', 'Value', 'Meaning', 'Set in'], rows), rest];
}

/** Ends a comment with a full stop, because more text follows. */
const ended = (comment: string): string => (/[.!?]$/.test(comment.trim()) ? comment.trim() : `${comment.trim()}.`);

function jobTable(jobs: readonly JobEntry[]): string {
  const rows = jobs.map(({ id, schedule, when, command, role, active }) => [
    inline(id),
    `${inline(when)} (${code(schedule)})`,
    code(command),
    role === null ? 'the app’s owner' : inline(role),
    active ? 'yes' : 'no',
  ]);
  return table(['Job', 'Runs', 'Command', 'As', 'Active'], rows);
}

const readsOnly =
  'GET, and POST of a function that is declared STABLE or IMMUTABLE, run in a read-only transaction: a write fails with 405 (25006), in code of the function itself with 400 (0A000).';

/** Returns whether a function writes, and which of its calls are refused for this reason. */
function writing(group: readonly CallEntry[]): string[] {
  const writes = group[0]?.writes;
  const isStable = group.every(({ reads_only }) => reads_only);
  if (writes === undefined) return isStable ? ['only reads'] : [];
  const refused = isStable ? 'every call that writes is refused' : 'with POST only';
  return [`${writes === 'always' ? 'writes' : 'may write'}, ${refused}`];
}

const taken = (parameters: readonly CallParameter[]): string =>
  parameters
    .map(({ name, in: where, required }) =>
      name === '<field>'
        ? where === 'body'
          ? 'fields'
          : 'filters on fields'
        : `${inline(name)}${required ? '' : '?'}`,
    )
    .join(', ');
