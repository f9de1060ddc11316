import type {
  GivenProperty,
  Labels,
  MenuGroup,
  Page,
  PagePart,
  Screen,
  ScreenKind,
  ScreensChapter,
} from '../../../../../contract/description.ts';

/** A screen as ninefold.define_screen takes it. An empty text, an empty list of actions or null is an argument that is not set. */
export interface ScreenDefinition {
  readonly type: 'screen';
  readonly route: string;
  readonly title: string;
  readonly kind: ScreenKind;
  readonly entity: string;
  readonly columns: readonly string[] | null;
  readonly filter: string;
  readonly orderBy: string;
  readonly roles: readonly string[] | null;
  readonly groupBy: string;
  readonly related: readonly string[] | null;
  readonly actions: readonly string[];
  readonly home: boolean;
  readonly place: number | null;
  readonly empty: string;
  readonly starts: string;
  readonly ends: string;
  readonly picture: string;
}

/** A page as ninefold.define_page takes it. */
export interface PageDefinition {
  readonly type: 'page';
  readonly route: string;
  readonly title: string;
  readonly parts: readonly PagePart[];
  /** Null: all members. */
  readonly roles: readonly string[] | null;
  readonly home: boolean;
  readonly place: number | null;
}

export type Definition = ScreenDefinition | PageDefinition;

/** A menu as ninefold.define_menu takes it. */
export interface MenuDefinition {
  readonly role: string;
  readonly groups: readonly MenuGroup[];
  readonly home: string | null;
}

/** The definitions of chapter 2 that migrations write. */
export interface Definitions {
  /** The defined screens and pages. */
  readonly items: readonly Definition[];
  readonly menus: readonly MenuDefinition[];
  readonly labels: Labels;
}

/** The roles of a page that names none: every member has the role authenticated. */
const MEMBERS = 'authenticated';

export const newScreen = (
  kind: ScreenKind,
  entity: string,
  part: Partial<ScreenDefinition> = {},
): ScreenDefinition => ({
  ...{ type: 'screen', route: '', title: '', kind, entity, columns: null, filter: '', orderBy: '', roles: null },
  ...{
    groupBy: '',
    related: null,
    actions: [],
    home: false,
    place: null,
    empty: '',
    starts: '',
    ends: '',
    picture: '',
  },
  ...part,
});

export const newPage = (part: Partial<PageDefinition> = {}): PageDefinition => ({
  ...{ type: 'page', route: '', title: '', parts: [], roles: null, home: false, place: null },
  ...part,
});

/** Reads the definition of a screen; of a derived screen, the definition that leaves it as it is. Pure. */
export function readScreen(screen: Screen): ScreenDefinition {
  const { route, title, kind, entity, columns, filter, order_by, roles, related, actions, span, picture } = screen;
  const isGiven = (property: GivenProperty) => screen.given?.includes(property) === true;
  return newScreen(kind, entity, {
    ...{ route, title, filter: filter ?? '', orderBy: order_by ?? '', groupBy: screen.group_by ?? '' },
    ...{ related: related ?? null, actions: actions ?? [], home: screen.home === true, place: screen.place ?? null },
    columns: isGiven('columns') ? columns : null,
    roles: isGiven('roles') ? roles : null,
    empty: screen.empty ?? '',
    ...(isGiven('span') && span && { starts: span.start, ends: span.end }),
    ...(isGiven('picture') && picture !== undefined && { picture }),
  });
}

/** Reads the definition of a page. Pure. */
export const readPage = ({ route, title, parts, roles, home, place }: Page): PageDefinition =>
  newPage({
    ...{ route, title, parts, home: home === true, place: place ?? null },
    roles: roles.length === 1 && roles[0] === MEMBERS ? null : roles,
  });

/** Reads all definitions of chapter 2. Pure. */
export const readDefinitions = ({ screens, pages = [], menus = [], labels = {} }: ScreensChapter): Definitions => ({
  items: [...screens.filter(({ origin }) => origin !== 'derived').map(readScreen), ...pages.map(readPage)],
  menus: menus.map(({ role, groups, home }) => ({ role, groups, home })),
  labels,
});
