import type { MenuGroup, PagePart, ScreenKind } from '../../contract/description.ts';
import type { CatalogQueries } from './read-catalog.ts';

/** Descriptions in schema ninefold, for which PostgreSQL's catalog has no place. */
export interface DescriptionFacts {
  /** Arguments of ninefold.describe_app; null if it was never called. */
  description: { name: string | null; purpose: string | null; audience: string | null; owner: string | null } | null;
  /** Screens of ninefold.define_screen, by route. */
  screens: ScreenFact[];
  /** Pages of ninefold.define_page, by route. */
  pages: PageFact[];
  /** Menus of ninefold.define_menu, by role. */
  menus: MenuFact[];
  /** Labels of ninefold.label. */
  labels: LabelFact[];
}

/** A label of the app in one language. */
export interface LabelFact {
  language: string;
  kind: 'entity' | 'screen' | 'role' | 'action';
  /** Qualified name of an entity or a function, quoted where necessary; a route; a role. */
  subject: string;
  /**
   * Name of the labelled field; empty if the label is not of a field. `value` and `transition` are empty if the label
   * is not of a value or of a transition.
   */
  field: string;
  value: string;
  transition: string;
  label: string;
  one: string | null;
  help: string | null;
}

/** A screen that the app defines. */
export interface ScreenFact {
  route: string;
  title: string;
  kind: ScreenKind;
  /** Qualified name of the entity at the time of the definition, quoted where necessary. */
  entity: string;
  columns: string[] | null;
  filter: string | null;
  order_by: string | null;
  roles: string[] | null;
  /** The column by whose values a list groups its rows. */
  group_by: string | null;
  /** Qualified names of the entities whose rows a detail lists. */
  related: string[] | null;
  /** Qualified names of the functions that the screen offers as actions. */
  actions: string[] | null;
  home: boolean;
  place: number | null;
  empty: string | null;
  /** The columns of a calendar with the start and the end of a row. */
  starts: string | null;
  ends: string | null;
  /** The column of a gallery with the picture of a row. */
  picture: string | null;
}

/** A page of several parts. */
export interface PageFact {
  route: string;
  title: string;
  /** The parts; `entity` is a qualified name at the time of the definition. */
  parts: PagePart[];
  /** Number of further parts, which are left out because ninefold.define_page would refuse them; absent if there are none. */
  malformed?: number;
  roles: string[] | null;
  home: boolean;
  place: number | null;
}

/** The menu of a role. */
export interface MenuFact {
  role: string;
  groups: MenuGroup[];
  home: string | null;
}

/** Queries of DescriptionFacts. */
export const descriptionQueries: CatalogQueries<DescriptionFacts> = {
  description: `select json_build_object('name', a.name, 'purpose', a.purpose, 'audience', a.audience, 'owner', a.owner)
    from ninefold.app a`,
  screens: `select coalesce(json_agg(row_to_json(s) order by s.route), '[]') from ninefold.screens s`,
  pages: `select coalesce(json_agg(row_to_json(p) order by p.route), '[]') from ninefold.pages p`,
  menus: `select coalesce(json_agg(row_to_json(m) order by m.role), '[]') from ninefold.menus m`,
  labels: `select coalesce(json_agg(row_to_json(l) order by l.language, l.kind, l.subject, l.field, l.value, l.transition), '[]')
    from ninefold.labels l`,
};
