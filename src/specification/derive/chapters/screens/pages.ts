import type { Menu, Page, PagePart, Screen } from '../../../../../contract/description.ts';
import type { Entity } from '../../../../../contract/specification-entities.ts';
import type { RoleCell } from '../../../../../contract/specification-roles.ts';
import type { MenuFact, PageFact } from '../../../../catalog/description.ts';
import { compareText } from '../../../../catalog/names.ts';
import { idOf, lostNames, namesAskedBy } from './defined-names.ts';
import { missingPrivileges } from './screen-rights.ts';

/** The chapters and facts that pages refer to. */
interface PageSources {
  entities: ReadonlyMap<string, Entity>;
  /** Names of the roles that exist. */
  roles: ReadonlySet<string>;
  /** Returns the cells of chapter 6 on an entity. */
  cellsOf: (id: string) => readonly RoleCell[];
}

/** The roles of a page that names none: every member has the role authenticated. */
const MEMBERS = ['authenticated'];

/** Returns the pages that the app defines. A part that nobody can see is reported in `broken`. */
export const pagesOf = (facts: readonly PageFact[], sources: PageSources): Page[] =>
  facts.map(({ route, title, parts, malformed = 0, roles, home, place }) => {
    const named = parts.map((part) => ('entity' in part ? { ...part, entity: idOf(part.entity) } : part));
    const shownTo = roles ?? MEMBERS;
    return {
      ...{ route, title, parts: named, roles: shownTo },
      ...(home && { home: true as const }),
      ...(place !== null && { place }),
      broken: [
        ...shownTo.filter((role) => !sources.roles.has(role)).map((role) => `the role ${role} is gone`),
        ...named.flatMap((part) => faultsOf(part, shownTo, sources)),
        ...(malformed > 0 ? [`define_page would refuse ${malformed} of its parts`] : []),
      ],
    };
  });

/** The fields that a part uses: the shown ones, and those that its filter and its order name. */
export function fieldsOfPart(part: Exclude<PagePart, { kind: 'text' | 'buttons' }>): {
  shown: string[];
  asked: string[];
} {
  const { of, over, by, columns, filter, order_by } = {
    of: undefined,
    over: undefined,
    by: undefined,
    columns: [],
    order_by: undefined,
    ...part,
  };
  return {
    shown: [of, over, by, ...columns].filter((name) => name !== undefined),
    asked: namesAskedBy({ filter: filter ?? null, order_by: order_by ?? null }),
  };
}

function faultsOf(part: PagePart, roles: readonly string[], { entities, cellsOf }: PageSources): string[] {
  if (part.kind === 'text' || part.kind === 'buttons') return [];
  const { title, entity: id } = part;
  const entity = entities.get(id);
  const of = (faults: readonly string[]) => faults.map((fault) => `${title}: ${fault}`);
  if (!entity) return of([`the entity ${id} is gone`]);
  if (!entity.exposed) return of([`clients do not reach the entity ${id}`]);
  const { shown, asked } = fieldsOfPart(part);
  const lost = lostNames(
    { columns: shown, filter: part.filter ?? null, order_by: 'order_by' in part ? (part.order_by ?? null) : null },
    entity,
  );
  if (lost.length > 0) return of(lost);
  const use = { kind: 'list' as const, entity, columns: shown, asked };
  const unmet = roles.map((role) => missingPrivileges(role, use, cellsOf(id)));
  return unmet.some((reasons) => reasons.length === 0) ? [] : of([...new Set(unmet.flat())]);
}

/** Returns the menus that the app defines. An entry without a screen or a page is reported in `broken`. */
export function menusOf(facts: readonly MenuFact[], screens: readonly Screen[], pages: readonly Page[]): Menu[] {
  const routes = new Set([...screens, ...pages].map(({ route }) => route));
  return facts
    .map(({ role, groups, home }) => ({
      ...{ role, groups, home },
      broken: [...new Set([...groups.flatMap((group) => group.routes), ...(home === null ? [] : [home])])]
        .filter((route) => !routes.has(route))
        .map((route) => `there is no screen at ${route}`),
    }))
    .sort((a, b) => compareText(a.role, b.role));
}
