import type { Source } from './specification-source.ts';

/** Chapter 1 of the specification: the purpose of the app. A part without a description is null. */
export interface PurposeChapter {
  /** The name from ninefold.describe_app, or else the name with which the app was created. */
  name: string;
  purpose: string | null;
  audience: string | null;
  owner: string | null;
  sources: Source[];
  /** Live figures, not part of the hash. */
  figures?: PurposeFigures;
}

export interface PurposeFigures {
  /** Number of tables and views that clients can reach. */
  entities: number;
  /** Number of accounts. */
  members: number;
  /** Number of calls since midnight, UTC. */
  calls_today: number;
}

/** Chapter 2 of the specification: the screens of the portal. */
export interface ScreensChapter {
  /** The screens, sorted by route. */
  screens: Screen[];
  /** The pages of several parts, sorted by route; absent if there are none. */
  pages?: Page[];
  /** The menus that the app has set with ninefold.define_menu, sorted by role; absent if there are none. */
  menus?: Menu[];
  /** Labels that the app has set with ninefold.label; absent if there are none. */
  labels?: Labels;
  sources: Source[];
}

/**
 * Labels by language, then by the labelled object: `public.tickets`, `public.tickets.status`, `public.tickets.status =
 * open`, `public.tickets.status > take`, `/queue`, `role agent`, `action public.close`.
 */
export type Labels = Record<string, Record<string, LabelTexts>>;

export interface LabelTexts {
  label: string;
  /** For an entity: the label of one row. */
  one?: string;
  help?: string;
}

export type ScreenKind = 'list' | 'detail' | 'form' | 'board' | 'calendar' | 'gallery' | 'figures';

/** A property of a screen that follows from the entity if its definition does not set it. */
export type GivenProperty = 'columns' | 'roles' | 'span' | 'picture';

export interface Screen {
  /**
   * Path below the portal: `/tickets`, `/tickets/:id`, `/tickets/new`, `/tickets/board`. A part that starts with a
   * colon stands for the value of a field.
   */
  route: string;
  title: string;
  kind: ScreenKind;
  /** Id of the entity whose rows the screen shows. */
  entity: string;
  /**
   * `derived`: Ninefold derives the screen from the entity. `defined`: the app defines it with ninefold.define_screen,
   * possibly in place of a derived screen with the same route.
   */
  origin: 'derived' | 'defined' | 'defined in place of a derived one';
  columns: string[];
  /**
   * For forms that accept different fields for a new row and for a change: the fields of `columns` that the grants
   * allow for a new row (`insert`) and for a change (`update`).
   */
  fields?: { insert: string[]; update: string[] };
  /**
   * The filter of the rows, in the syntax of a data call; null if the screen shows all rows that the caller may read.
   */
  filter: string | null;
  /** The order of the rows, as the parameter `order` of a data call; null if the database decides the order. */
  order_by: string | null;
  /** The roles of the database and of members that may open the screen. Chapter 6 decides which rows they see in it. */
  roles: string[];
  /** For boards: the field whose states are the columns of the board. */
  state_field: string | null;
  /** For lists: the field by whose values the rows are grouped. */
  group_by?: string;
  /**
   * For details: ids of the entities whose related rows the screen lists, in this order. Absent if it lists all
   * entities that refer to the row.
   */
  related?: string[];
  /** Qualified names of the functions that the screen offers as buttons. */
  actions?: string[];
  /** For calendars: the fields with the start and the end of a row. */
  span?: { start: string; end: string };
  /** For galleries: the field with the picture of a row. Absent if the rows have no picture. */
  picture?: string;
  /** The words that stand in place of rows if there are none. */
  empty?: string;
  /**
   * For defined screens: those of the properties that could follow from the entity and from chapter 6 and that the
   * definition sets. Absent if it sets none of them, and for derived screens.
   */
  given?: GivenProperty[];
  /** True for the first page of the portal. */
  home?: true;
  /** Position in the navigation. Screens without a position come last. */
  place?: number;
  /** Reasons why the screen cannot be shown, in words; empty if it can be shown. */
  broken: string[];
}

/** A page of several parts, such as a dashboard or a page for visitors, defined by ninefold.define_page. */
export interface Page {
  route: string;
  title: string;
  parts: PagePart[];
  /** The roles of the database and of members that may open the page. */
  roles: string[];
  /** True for the first page of the portal. */
  home?: true;
  /** Position in the navigation. Pages without a position come after the screens with one. */
  place?: number;
  /** Reasons why a part of the page cannot be shown, in words. */
  broken: string[];
}

/** Titles by language, where they differ from `title`. */
type Titles = Record<string, string>;

/** A number that a part computes from rows: their count, or an aggregate of the field `of`. */
export interface PartValue {
  value: 'count' | 'sum' | 'avg' | 'min' | 'max';
  of?: string;
}

/** The rows of a part. */
interface PartRows {
  title: string;
  titles?: Titles;
  /** Id of the entity whose rows the part shows. */
  entity: string;
  /** The filter of the rows, in the syntax of a data call. */
  filter?: string;
}

export type PagePart =
  /** A text in Markdown. */
  | { kind: 'text'; text: string; texts?: Titles }
  /** Links to screens, pages and the account, by their routes. */
  | { kind: 'buttons'; routes: string[] }
  /** One number. With `over`, a time, it counts the rows of the chosen period and of the one before. */
  | ({ kind: 'number'; over?: string } & PartRows & PartValue)
  /** A number for each value of the field `by`, the largest first. */
  | ({ kind: 'bars'; by: string } & PartRows & PartValue)
  /** A number for each day or week of the time `over`, and for each value of `by`. */
  | ({ kind: 'line'; over: string; by?: string } & PartRows & PartValue)
  /** The first rows, at most 20. */
  | ({ kind: 'list'; order_by?: string; columns?: string[]; rows?: number } & PartRows);

/** The navigation and the first page of a role of members, of members without a role, or of visitors. */
export interface Menu {
  /** A role of members, `authenticated` or `anon`. */
  role: string;
  groups: MenuGroup[];
  /** Route of the first page; null for the page that says what needs the member. */
  home: string | null;
  /** Reasons why an entry is left out, in words. */
  broken: string[];
}

export interface MenuGroup {
  title: string | null;
  titles?: Titles;
  /** Routes of screens and pages, in their order. */
  routes: string[];
}
