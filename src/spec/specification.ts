import { createHash } from 'node:crypto';
import type { Chapters, Specification } from '../../contract/specification.ts';
import { type CallsApp, callsChapter } from './calls.ts';
import { entitiesChapter } from './entities.ts';
import type { Facts } from './facts.ts';
import { rolesChapter } from './roles.ts';
import { rulesChapter } from './rules.ts';

/** What the specification says of an app that its database does not know. */
export interface SpecificationApp extends CallsApp {
  ref: string;
  name: string;
}

/** Derives the specification of an app. Pure: the same facts and settings give the same value, in the same order. */
export function deriveSpecification(facts: Facts, app: SpecificationApp): Specification {
  const entities = entitiesChapter(facts);
  const roles = rolesChapter(facts);
  const calls = callsChapter(facts, entities.entities, roles, app);
  const chapters: Chapters = { entities, rules: rulesChapter(facts), roles, calls };
  return { app: { ref: app.ref, name: app.name }, hash: contentHash(chapters), chapters };
}

/** SHA-256, hex, over what the chapters say, without the parts that change while the app stays the same. */
function contentHash({ entities, calls, ...rest }: Chapters): string {
  const lasting = {
    ...rest,
    entities: entities && { ...entities, entities: entities.entities.map(({ figures: _, ...entity }) => entity) },
    calls: calls && { ...calls, calls: calls.calls.map(({ snippets: _, ...call }) => call) },
  };
  return createHash('sha256').update(JSON.stringify(lasting)).digest('hex');
}
