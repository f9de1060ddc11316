import type { CatalogueQueries } from './read-catalogue.ts';

/** What PostgreSQL has no word for, as schema ninefold holds it. */
export interface DescriptionFacts {
  /** What ninefold.describe_app said; null where it was never called. */
  description: { name: string | null; purpose: string | null; audience: string | null; owner: string | null } | null;
  /** What ninefold.define_screen said, by route. */
  screens: ScreenFact[];
}

export interface ScreenFact {
  route: string;
  title: string;
  kind: 'list' | 'detail' | 'form' | 'board';
  /** The qualified name that the entity had when the screen was defined, quoted where it must be. */
  entity: string;
  columns: string[] | null;
  filter: string | null;
  order_by: string | null;
  roles: string[] | null;
}

export const descriptionQueries: CatalogueQueries<DescriptionFacts> = {
  description: `select json_build_object('name', a.name, 'purpose', a.purpose, 'audience', a.audience, 'owner', a.owner)
    from ninefold.app a`,
  screens: `select coalesce(json_agg(row_to_json(s) order by s.route), '[]') from ninefold.screens s`,
};
