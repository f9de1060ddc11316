import type { PurposeFigures } from '../../contract/description.ts';
import type { Chapters, Specification } from '../../contract/specification.ts';
import { type CallsApp, callsChapter } from './calls.ts';
import { entitiesChapter } from './entities.ts';
import type { Facts } from './facts.ts';
import { contentHash, lasting } from './lasting.ts';
import { purposeChapter } from './purpose.ts';
import { rolesChapter } from './roles.ts';
import { rulesChapter } from './rules.ts';
import { screensChapter } from './screens.ts';
import { type StateFigures, statesChapter } from './states.ts';

/** What the specification says of an app that its database does not know. */
export interface SpecificationApp extends CallsApp {
  ref: string;
  name: string;
  /** Live figures of chapters 1 and 4; none when missing. */
  figures?: { purpose: Omit<PurposeFigures, 'entities'>; states: StateFigures };
}

/** Derives the specification of an app. Pure: the same facts and settings give the same value, in the same order. */
export function deriveSpecification(facts: Facts, app: SpecificationApp): Specification {
  const entities = entitiesChapter(facts);
  const roles = rolesChapter(facts);
  const calls = callsChapter(facts, entities.entities, roles, app);
  const states = statesChapter(facts, app.figures?.states);
  const chapters: Chapters = {
    purpose: purposeChapter(facts, entities.entities, app.name, app.figures?.purpose),
    screens: screensChapter(facts, entities.entities, states.machines, roles),
    entities, states, rules: rulesChapter(facts), roles, calls };
  return { app: { ref: app.ref, name: app.name }, hash: contentHash(lasting(chapters)), chapters };
}
