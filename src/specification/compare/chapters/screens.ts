import type { GivenProperty, Screen } from '../../../../contract/description.ts';
import { groupBy } from '../../../catalog/group.ts';
import {
  fewWords,
  fromTo,
  isObject,
  isSet,
  type JsonObject,
  listWords,
  quoted,
  text,
  texts,
  textsOf,
  thing,
  valueWords,
} from '../../derive/words/sentence-parts.ts';
import { type ChangeDescriber, type DescribedChange, matches } from '../describer.ts';
import { canonical, type Difference } from '../differences.ts';
import { either, type Members, restWords } from '../generic.ts';
import { isOfLabels, labelChange } from './label-changes.ts';
import { isOfPages, pageChange } from './page-changes.ts';

/** Describes chapter 2. Screens of one entity that are added or removed together share a sentence. */
export const screensDescriber: ChangeDescriber = {
  whole: ['screens/*', 'labels', 'labels/*', 'pages/*', 'menus/*'],
  describeChanges: (differences) => {
    const ofScreens = differences.filter(({ path }) => matches(path, 'screens/*'));
    const changed = ofScreens.filter(({ kind }) => kind === 'changed');
    const others = groupBy(
      ofScreens.filter(({ kind }) => kind !== 'changed'),
      (one) => `${one.kind} ${text(one.after ?? one.before, 'entity')}`,
    );
    return [
      ...differences.filter(isOfLabels).map(labelChange),
      ...differences.filter(isOfPages).map(pageChange),
      ...[...others.values()].map(comeAndGo),
      ...[...groupBy(changed, (one) => changeWords(one)).values()].map(describeChanged),
    ];
  },
};

function comeAndGo(of: readonly Difference[]): DescribedChange {
  const [first] = of;
  const screens = of.map(({ before, after }) => after ?? before);
  const routes = fewWords(screens.map((screen) => `${text(screen, 'route')} (${text(screen, 'kind')})`));
  const entity = thing(text(screens[0], 'entity'));
  const plural = of.length > 1;
  if (first?.kind === 'removed')
    return { words: `${plural ? 'Screens' : 'The screen'} of ${entity} gone: ${routes}.`, of };
  const broken = [...new Set(screens.flatMap((screen) => texts(screen, 'broken')))];
  const cannot = plural ? 'not all of them can be shown' : 'it cannot be shown';
  const reason = broken.length === 0 ? '' : `; ${cannot}: ${broken.join('; ')}`;
  return { words: `New ${plural ? 'screens' : 'screen'} of ${entity}: ${routes}${reason}.`, of };
}

/** Describes the changed members of a screen by their new values. */
function screenParts(before: JsonObject, after: JsonObject, plural: boolean): string[] {
  const [show, are] = plural ? ['show', 'are'] : ['shows', 'is'];
  const differs = (name: string) => canonical(before[name]) !== canonical(after[name]);
  const [old, fresh] = [texts(before, 'columns'), texts(after, 'columns')];
  const more = fresh.filter((name) => !old.includes(name));
  const fewer = old.filter((name) => !fresh.includes(name));
  const columns = [
    ...(more.length > 0 ? [`now ${show} ${fewWords(more)} too`] : []),
    ...(fewer.length > 0 ? [`no longer ${show} ${fewWords(fewer)}`] : []),
    ...(more.length + fewer.length === 0 ? [`now ${show} columns in another order: ${fewWords(fresh)}`] : []),
  ];
  const roles = texts(after, 'roles');
  return [
    ...(differs('title')
      ? [`${are} now called ${quoted(text(after, 'title'))} (before: ${quoted(text(before, 'title'))})`]
      : []),
    ...(differs('kind') ? [`${are} now a ${text(after, 'kind')} (before: a ${text(before, 'kind')})`] : []),
    ...(differs('entity')
      ? [`now ${show} rows of ${thing(text(after, 'entity'))} (before: of ${thing(text(before, 'entity'))})`]
      : []),
    ...(differs('columns') ? columns : []),
    ...(differs('fields') ? [givenWords(after, plural ? 'take' : 'takes')] : []),
    ...(differs('filter')
      ? [isSet(after, 'filter') ? `now ${show} only rows where ${text(after, 'filter')}` : `now ${show} all rows`]
      : []),
    ...(differs('order_by')
      ? [isSet(after, 'order_by') ? `rows are now ordered by ${text(after, 'order_by')}` : 'rows are now in no order']
      : []),
    ...(differs('roles') ? [roles.length === 0 ? 'now for nobody' : `now for ${listWords(roles)}`] : []),
    ...(differs('state_field')
      ? [
          isSet(after, 'state_field')
            ? `columns are now the states of ${text(after, 'state_field')}`
            : 'columns are no longer states',
        ]
      : []),
    ...(differs('origin') ? [`${are} now ${text(after, 'origin')} (before: ${text(before, 'origin')})`] : []),
    ...restWords(before, after, describedMembers, screenMembers(plural)),
  ];
}

/** Describes the fields of a form, if a form for a new row and a form for a change have different fields. */
function givenWords(screen: JsonObject, take: string): string {
  if (!isObject(screen.fields)) return `${take} the same fields for a new row as for a change`;
  const [insert, update] = [texts(screen.fields, 'insert'), texts(screen.fields, 'update')];
  return `${take} ${fewWords(insert) || 'nothing'} for a new row, and ${fewWords(update) || 'nothing'} for a change`;
}

/** The members of a screen that `screenParts` and `changeWords` describe. */
const describedMembers = [
  ...['route', 'title', 'kind', 'entity', 'columns', 'fields', 'filter', 'order_by', 'roles', 'state_field', 'origin'],
  'broken',
];

function screenMembers(plural: boolean): Members<Screen> {
  const [are, offer, list] = plural ? ['are', 'offer', 'list'] : ['is', 'offers', 'lists'];
  return {
    route: 'the route',
    title: 'the title',
    kind: 'the kind',
    entity: 'the entity',
    origin: 'the origin',
    columns: 'the fields',
    fields: 'the fields of the form',
    filter: 'the filter',
    order_by: 'the order',
    roles: 'the roles',
    state_field: 'the field of the states',
    broken: 'the faults',
    group_by: (before, after) =>
      after === undefined
        ? `rows are no longer grouped by ${valueWords(before)}`
        : `rows are now grouped by ${valueWords(after)}${before === undefined ? '' : ` (before: by ${valueWords(before)})`}`,
    related: (before, after) =>
      `now ${list} the related rows of ${relatedWords(after)} (before: of ${relatedWords(before)})`,
    actions: (before, after) => addedAndRemoved(offer ?? 'offers', textsOf(before), textsOf(after)),
    span: (before, after) => `a row now lasts ${spanWords(after)} (before: ${spanWords(before)})`,
    picture: 'the picture of a row',
    empty: 'the words in place of rows',
    given: (before, after) => givenChange(textsOf(before), textsOf(after)),
    home: either(`${are} now the first page of the portal`, `${are} no longer the first page of the portal`),
    place: (before, after) =>
      after === undefined
        ? `no longer at position ${valueWords(before)} of the navigation`
        : `now at position ${valueWords(after)} of the navigation (before: ${before === undefined ? 'after all screens with a position' : valueWords(before)})`,
  };
}

/** Words for the properties that follow from the entity unless a definition sets them. */
const givenNames: Readonly<Record<GivenProperty, string>> = {
  columns: 'the fields',
  roles: 'the roles',
  span: 'the start and the end',
  picture: 'the picture',
};

function givenChange(before: readonly string[], after: readonly string[]): string {
  const named = (all: readonly string[], without: readonly string[]) =>
    listWords(all.filter((one) => !without.includes(one)).map((one) => givenNames[one as GivenProperty] ?? one));
  const [set, open] = [named(after, before), named(before, after)];
  return [
    ...(set === '' ? [] : [`${set} are now fixed by the definition`]),
    ...(open === '' ? [] : [`${open} now follow from the entity`]),
  ].join('; ');
}

const relatedWords = (ids: unknown): string =>
  ids === undefined ? 'every entity that refers to the row' : fewWords(textsOf(ids).map(thing)) || 'no entity';

const spanWords = (span: unknown): string =>
  isObject(span) ? `from ${text(span, 'start')} to ${text(span, 'end')}` : 'for no time';

function addedAndRemoved(verb: string, before: readonly string[], after: readonly string[]): string {
  const more = after.filter((one) => !before.includes(one)).map(thing);
  const fewer = before.filter((one) => !after.includes(one)).map(thing);
  const parts = [
    ...(more.length > 0 ? [`now ${verb} ${listWords(more)}`] : []),
    ...(fewer.length > 0 ? [`no longer ${verb} ${listWords(fewer)}`] : []),
  ];
  return parts.length > 0
    ? parts.join('; ')
    : `now ${verb} the buttons in another order: ${listWords(after.map(thing))}`;
}

/** Describes in one sentence several screens that have changed in the same way. */
function describeChanged(of: readonly Difference[]): DescribedChange {
  const [first] = of;
  const routes = fewWords(of.map(({ before, after }) => text(after ?? before, 'route')));
  return {
    words: `The ${of.length > 1 ? 'screens' : 'screen'} ${routes}: ${first ? changeWords(first, of.length > 1) : ''}.`,
    of,
  };
}

/** Describes the change of a screen in words that fit several screens. */
function changeWords({ before, after }: Difference, plural = false): string {
  if (!isObject(before) || !isObject(after)) return fromTo(before, after);
  const [was, is] = [texts(before, 'broken'), texts(after, 'broken')];
  const parts = screenParts(before, after, plural);
  if (is.length > 0 && was.length === 0) return `broken, as ${[...is, ...parts].join('; ')}`;
  if (is.length === 0 && was.length > 0) return ['can be shown again', ...parts].join('; ');
  const reasons = is.join('; ') === was.join('; ') ? [] : [`broken because ${listWords(is)}`];
  return [...reasons, ...parts].join('; ');
}
