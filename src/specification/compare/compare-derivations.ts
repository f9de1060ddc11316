import type { Change } from '../../../contract/changes.ts';
import type { Facts } from '../../catalog/facts.ts';
import { compareText } from '../../catalog/names.ts';
import { type Derivation, deriveChanged, type SpecificationApp } from '../derive/specification.ts';
import { isObject, items, type JsonObject, text } from '../derive/words/sentence-parts.ts';
import { describeDifferences, diffChapters } from './diff.ts';
import { followMembers } from './follow-members.ts';
import { objectIds } from './object-ids.ts';
import { isQualified, namesOf, type Rename } from './object-names.ts';
import { type RenamedFacts, renameFacts } from './rename-facts.ts';
import { marksOf, noteMarkedNames } from './rename-marks.ts';
import { notesOf, type RenameSentences } from './rename-sentences.ts';
import { renamesBetween } from './renames.ts';

/** A specification with the values that it was derived from. */
export interface DerivedSpecification extends Derivation {
  readonly facts: Facts;
  readonly app: SpecificationApp;
}

/**
 * Returns the changes between two specifications of one app in words. Finds renamed objects by their ids. The older
 * specification is derived again from facts with the newer names, so that only other differences remain. Pure.
 */
export function compareDerivations(before: DerivedSpecification, after: DerivedSpecification): Change[] {
  const [old, fresh] = [asJson(before), asJson(after)];
  const renames = renamesBetween(objectIds(before.facts), objectIds(after.facts));
  if (renames === null) return diffChapters(old, fresh);
  const notes = notesOf(fresh);
  const byMembers = new Set(renames.filter(isFollowedInMembers(before.facts, after.facts)));
  const byFacts = renames.filter((rename) => !byMembers.has(rename));
  const followed = byFacts.length === 0 ? old : withNewerNames(before, after, { byFacts, byMembers }, notes);
  return describeDifferences(followMembers(followed, fresh, [...byMembers], notes), fresh, notes);
}

const asJson = ({ specification }: Derivation): JsonObject => specification.chapters as unknown as JsonObject;

/**
 * Returns a function that returns true for the rename of a role, and of an object that moved to another schema. With
 * such names in the older facts, a changed access would be lost: texts refer to the role of a member by its name, and
 * the new schema may be out of reach.
 */
function isFollowedInMembers(before: Facts, after: Facts): (rename: Rename) => boolean {
  const now = new Map(after.schemas.map(({ oid, name }) => [oid, name]));
  const renamed = new Map(before.schemas.map(({ oid, name }) => [name, now.get(oid) ?? name]));
  return (rename) => {
    if (rename.kind === 'role') return true;
    if (!isQualified(rename.kind)) return false;
    const [was, is] = [namesOf(rename.before).schema, namesOf(rename.after).schema];
    return was !== is && renamed.get(was) !== is;
  };
}

/** Derives the chapters with the newer names, and notes which chapter contains which renamed object. */
function withNewerNames(
  before: DerivedSpecification,
  after: DerivedSpecification,
  { byFacts, byMembers }: { byFacts: readonly Rename[]; byMembers: ReadonlySet<Rename> },
  notes: ReadonlyMap<string, RenameSentences>,
): JsonObject {
  const unmoved = new Map([...byMembers].map((rename) => [rename.after, rename.before]));
  const renames = byFacts.map((one) => ({ ...one, of: unmoved.get(one.of) ?? one.of }));
  const renamed = renameFacts(before.facts, { after: after.facts, unchanged: after.facts }, renames);
  const derivation = deriveChanged(renamed.facts, before.app, after.entries);
  const { marks, byMark } = marksOf(renames);
  const { facts } = renameFacts(renamed.facts, { after: null, unchanged: before.facts }, marks);
  const marked = deriveChanged(facts, before.app, derivation.entries);
  noteMarkedNames(asJson(marked), asJson(after), byMark, notes);
  return withWrittenTexts(asJson(derivation), renamed, asJson(before));
}

/** Returns chapters of renamed facts with the texts that persons wrote as they were. */
function withWrittenTexts(chapters: JsonObject, { written, screens }: RenamedFacts, old: JsonObject): JsonObject {
  const original = written.size === 0 ? chapters : (withOriginals(chapters, '', written) as JsonObject);
  const earlier = new Map(items(old.screens, 'screens').map((screen) => [text(screen, 'route'), screen]));
  const restored = items(original.screens, 'screens').map((screen) => {
    const fact = text(screen, 'origin').startsWith('defined') ? screens.get(text(screen, 'route')) : undefined;
    const was = fact && earlier.get(fact.route);
    if (!fact || !was) return screen;
    const { route, entity, filter, order_by, group_by, related, actions, columns } = was;
    const defined = { route, entity, filter, order_by, group_by, related, actions, ...(fact.columns && { columns }) };
    return { ...screen, ...Object.fromEntries(Object.entries(defined).filter(([name]) => name in was)) };
  });
  const inOrder = restored.sort((a, b) => compareText(text(a, 'route'), text(b, 'route')));
  const { screens: chapter } = original;
  return { ...original, ...(isObject(chapter) && { screens: { ...chapter, screens: inOrder } }) };
}

const writtenMembers: ReadonlySet<string> = new Set(['body', 'command', 'sql']);

function withOriginals(value: unknown, key: string, written: ReadonlyMap<string, string>): unknown {
  if (typeof value === 'string') return (writtenMembers.has(key) && written.get(value)) || value;
  if (Array.isArray(value)) {
    const all = value.map((item) => withOriginals(item, key, written));
    return all.some((item, i) => item !== value[i]) ? all : value;
  }
  if (!isObject(value)) return value;
  const entries = Object.entries(value).map(([name, member]) => [name, withOriginals(member, name, written)]);
  return entries.some(([name, member]) => member !== value[name as string]) ? Object.fromEntries(entries) : value;
}
