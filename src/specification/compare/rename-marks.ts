import { isObject, type JsonObject, text } from '../derive/words/sentence-parts.ts';
import { namesOf, type Rename } from './object-names.ts';
import type { RenameSentences } from './rename-sentences.ts';
import { marked as markedName } from './renames.ts';

/**
 * Characters for private use, which mark the newer names of renamed objects. Chapters that are derived from marked
 * names show which of their texts name a renamed object.
 */
const FIRST = 0xe001;
const LAST = 0xf8ff;
const markPattern = /[\ue001-\uf8ff]/g;
/** A marked name has quotes in SQL even if the name itself needs none. */
const quotedMark = /"([a-z_][a-z0-9_]*)[\ue001-\uf8ff]"/g;

/** A mark in an address. */
const encodedMark = /%E[EF]%[89AB][0-9A-F]%[89AB][0-9A-F]/g;

const withoutMarks = (marked: string): string => marked.replaceAll(quotedMark, '$1').replaceAll(markPattern, '');

/** Returns renames that mark the newer names of renamed objects, and these objects by their marks. */
export function marksOf(renames: readonly Rename[]): { marks: Rename[]; byMark: ReadonlyMap<string, Rename> } {
  const reported = renames.filter(({ isDisplaced }) => !isDisplaced).slice(0, LAST - FIRST);
  const byMark = new Map(reported.map((rename, i) => [String.fromCharCode(FIRST + i), rename]));
  const marks = [...byMark].map(([mark, one]) => ({
    ...one,
    before: one.after,
    after: markedName(one.kind, one.after, mark),
  }));
  const owners = new Map(marks.map(({ kind, before, after }) => [`${kind} ${before}`, after]));
  const ownerOf = ({ kind, of }: Rename) => owners.get(`${kind === 'label' ? 'type' : 'entity'} ${of}`) ?? of;
  return { marks: marks.map((one) => ({ ...one, of: ownerOf(one) })), byMark };
}

/**
 * Notes for each chapter the renamed objects that it contains, and the addresses that changed with their names. Ignores
 * texts that are not in the newer chapter, because other sentences report their change.
 * @param chapters The older chapters with marked names.
 */
export function noteMarkedNames(
  chapters: JsonObject,
  after: JsonObject,
  byMark: ReadonlyMap<string, Rename>,
  notes: ReadonlyMap<string, RenameSentences>,
): void {
  for (const [key, sentences] of notes) {
    const walk = new MarkWalk(byMark, sentences, textsIn(after[key]));
    walk.value(chapters[key], '');
    for (const [mark, rename] of byMark) if (walk.found.has(mark)) sentences.use(rename);
  }
}

class MarkWalk {
  readonly found = new Set<string>();
  readonly #byMark: ReadonlyMap<string, Rename>;
  readonly #sentences: RenameSentences;
  readonly #now: ReadonlySet<string>;

  /** @param now The texts of the newer chapter. */
  constructor(byMark: ReadonlyMap<string, Rename>, sentences: RenameSentences, now: ReadonlySet<string>) {
    this.#byMark = byMark;
    this.#sentences = sentences;
    this.#now = now;
  }

  /** @param key The name of the member that contains the value. */
  value(value: unknown, key: string): void {
    if (typeof value === 'string') this.#text(value, key);
    else if (Array.isArray(value)) for (const item of value) this.value(item, key);
    else if (isObject(value)) this.#object(value, key);
  }

  #object(value: JsonObject, list: string): void {
    // A person wrote the names in a defined screen.
    if (text(value, 'origin').startsWith('defined')) return;
    const [mark = ''] = text(value, 'name').match(markPattern) ?? [];
    const rename = this.#byMark.get(mark);
    if (rename) this.#sentences.announce(rename, list, JSON.parse(JSON.stringify(value, withoutMarksIn)));
    for (const [key, member] of Object.entries(value)) this.value(member, key);
  }

  #text(value: string, key: string): void {
    if (key === 'path' || key === 'route') this.#address(value);
    const marks = value.match(markPattern);
    if (marks && this.#now.has(withoutMarks(value))) for (const mark of marks) this.found.add(mark);
  }

  /** Notes an address in which one part is the name of a renamed entity, function or field. */
  #address(address: string): void {
    const parts = address.split('/');
    const at = parts.findIndex((part) => decoded(part).search(markPattern) >= 0);
    const [mark = ''] = decoded(parts[at] ?? '').match(markPattern) ?? [];
    const rename = this.#byMark.get(mark);
    const after = address.replaceAll(encodedMark, '');
    if (!rename || !this.#now.has(after)) return;
    this.found.add(mark);
    const isField = rename.kind === 'field';
    const was = encodeURIComponent(isField ? rename.before : namesOf(rename.before).name);
    const before = parts
      .with(at, isField ? `:${was}` : was)
      .join('/')
      .replaceAll(encodedMark, '');
    if (before !== after) this.#sentences.moveAddress(rename, before, after);
  }
}

const withoutMarksIn = (_: string, value: unknown): unknown =>
  typeof value === 'string' ? withoutMarks(value) : value;

function textsIn(value: unknown, found = new Set<string>()): Set<string> {
  if (typeof value === 'string') found.add(value);
  else if (typeof value === 'object' && value !== null) for (const one of Object.values(value)) textsIn(one, found);
  return found;
}

function decoded(part: string): string {
  try {
    return decodeURIComponent(part);
  } catch {
    return part;
  }
}
