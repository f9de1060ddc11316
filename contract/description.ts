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

export type ScreenKind = 'list' | 'detail' | 'form' | 'board' | 'calendar' | 'figures';

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
  /** True for the first page of the portal. */
  home?: true;
  /** Position in the navigation. Screens without a position come last. */
  place?: number;
  /** Reasons why the screen cannot be shown, in words; empty if it can be shown. */
  broken: string[];
}
