import type { PurposeChapter } from '../../contract/description.ts';
import type { Facts } from './facts.ts';

/** Chapter 1: what the app is, and for whom. `name` is the one under which the app was made. */
export function purposeChapter(facts: Facts, name: string): PurposeChapter {
  const said = facts.description;
  return {
    name: said?.name ?? name,
    purpose: said?.purpose ?? null,
    audience: said?.audience ?? null,
    owner: said?.owner ?? null,
    sources: [
      {
        kind: 'catalog',
        label: 'ninefold.app, set by ninefold.describe_app',
        sql: 'select name, purpose, audience, owner from ninefold.app',
      },
    ],
  };
}
