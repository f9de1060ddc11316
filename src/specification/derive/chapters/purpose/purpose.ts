import type { PurposeChapter } from '../../../../../contract/description.ts';
import type { Facts } from '../../../../catalog/facts.ts';

/** Builds chapter 1: the purpose and the audience of the app. `name` is the name with which the app was created. */
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
