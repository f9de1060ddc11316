import type { Source } from './specification-source.ts';

/** Chapter 1. What is not said is null. */
export interface PurposeChapter {
  /** What ninefold.describe_app said, else the name under which the app was made. */
  name: string;
  purpose: string | null;
  audience: string | null;
  owner: string | null;
  sources: Source[];
  /** Live figures, not part of the hash. */
  figures?: PurposeFigures;
}

export interface PurposeFigures {
  /** Tables and views that clients reach. */
  entities: number;
  /** Accounts. */
  members: number;
  /** Calls answered since midnight, UTC. */
  calls_today: number;
}

/** Chapter 2. */
export interface ScreensChapter {
  /** By route. */
  screens: Screen[];
  /** Labels of ninefold.label; absent without one. */
  labels?: Labels;
  sources: Source[];
}

/**
 * Labels by language, then by what they name: `public.tickets`, `public.tickets.status`, `public.tickets.status = open`,
 * `public.tickets.status > take`, `/queue`, `role agent`, `action public.close`.
 */
export type Labels = Record<string, Record<string, LabelTexts>>;

export interface LabelTexts {
  label: string;
  /** Of an entity: the label of one row. */
  one?: string;
  help?: string;
}

export type ScreenKind = 'list' | 'detail' | 'form' | 'board' | 'calendar' | 'figures';

export interface Screen {
  /** Below the portal: `/tickets`, `/tickets/:id`, `/tickets/new`, `/tickets/board`. A part that starts with a colon is a field. */
  route: string;
  title: string;
  kind: ScreenKind;
  /** Id of the entity whose rows it shows. */
  entity: string;
  /** It follows from the entity, or ninefold.define_screen defined it, perhaps in place of one that follows. */
  origin: 'derived' | 'defined' | 'defined in place of a derived one';
  columns: string[];
  /** Forms where a new row takes other fields than a change does: those of `columns` that the grants let each give. */
  fields?: { insert: string[]; update: string[] };
  /** Which rows, as in the query of a data call; null for all that the caller may read. */
  filter: string | null;
  /** As the parameter order of a data call; null where it is left to the database. */
  order_by: string | null;
  /** Who gets to see it: roles of the database and of members. What its rows are is decided by chapter 6. */
  roles: string[];
  /** Boards: the field whose states are its columns. */
  state_field: string | null;
  /** Lists: the field by whose values the rows are grouped. */
  group_by?: string;
  /** Details: ids of the entities whose rows it lists, in this order. Absent: all that refer to the row. */
  related?: string[];
  /** Qualified names of the functions that it offers as buttons. */
  actions?: string[];
  /** Calendars: the fields with the start and the end of a row. */
  span?: { start: string; end: string };
  /** It is the first page. */
  home?: true;
  /** Its place in the navigation, before the screens without a place. */
  place?: number;
  /** Why it cannot be shown; empty where it can. */
  broken: string[];
}
