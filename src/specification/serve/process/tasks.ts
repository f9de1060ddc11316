import { createHash } from 'node:crypto';
import { constants, gzipSync } from 'node:zlib';
import { LRUCache } from 'lru-cache';
import type { CallDetail } from '../../../../contract/call-detail.ts';
import type { BrokenDefinition, Change, VersionEntry } from '../../../../contract/changes.ts';
import type { ScreensChapter } from '../../../../contract/description.ts';
import type { RequestTrace } from '../../../../contract/observed.ts';
import type { OnePage } from '../../../../contract/one-page.ts';
import type { Specification } from '../../../../contract/specification.ts';
import type { CallEntry } from '../../../../contract/specification-calls.ts';
import type { Entity } from '../../../../contract/specification-entities.ts';
import type { PolicyEntry, RoleCell, RolesChapter } from '../../../../contract/specification-roles.ts';
import { type ParsedFacts, parseChangedFacts, parseFacts, type RawFacts } from '../../../catalog/facts.ts';
import { type CatalogJson, parseCatalog } from '../../../catalog/read-catalog.ts';
import type { SchemaCache } from '../../../catalog/schema-cache.ts';
import type { TypeNameFacts } from '../../../catalog/type-facts.ts';
import { compareDerivations, type DerivedSpecification } from '../../compare/compare-derivations.ts';
import { allowsCall } from '../../derive/chapters/calls/call-example.ts';
import { allEntities } from '../../derive/chapters/entities/entities.ts';
import { ErrorsOfCalls } from '../../derive/chapters/errors/call-errors.ts';
import { bucketCells } from '../../derive/chapters/roles/bucket-cells.ts';
import { type MemberCaller, policiesForRequest } from '../../derive/chapters/roles/roles.ts';
import { deriveChanged, type SpecificationApp } from '../../derive/specification.ts';
import { specificationHtml } from '../../render/html/specification.ts';
import { specificationMarkdown } from '../../render/markdown/specification.ts';
import { onePage } from '../../render/one-page/one-page.ts';
import { onePageHtml, onePageMarkdown } from '../../render/one-page/texts.ts';
import { openApiDocument } from '../../render/openapi/document.ts';
import { visibleTo } from '../../render/openapi/visible.ts';
import { memberScreens } from '../../render/portal/member-screens.ts';
import { fieldExamples, typeExamples } from '../../render/types/examples.ts';
import type { TypeFacts } from '../../render/types/facts.ts';
import { jsonSchemas } from '../../render/types/json-schema.ts';
import { typescriptOf, typescriptTypes } from '../../render/types/typescript.ts';
import { zodSchemas } from '../../render/types/zod.ts';
import type { EntityFigures } from '../figures/entities.ts';
import type { LiveFigures } from '../figures/figures.ts';
import { each, withFigures } from '../figures/with-figures.ts';
import { packFacts, unpackFacts } from '../versions/packed-facts.ts';
import { NotCachedError } from './not-cached.ts';
import { RecordingTurns } from './recording-turns.ts';

/** The data from which the process derives a specification. */
export interface Source {
  facts: RawFacts;
  /** Identifies the state of the catalog and the options with which the facts were read. */
  factsState: string;
  app: SpecificationApp;
  /** If the facts are partial: the state of the specification with the other facts. */
  basis?: string;
}

/** The key of a specification: an app, and one state of its catalog and its settings. */
export interface SpecificationKey {
  readonly ref: string;
  readonly state: string;
}

/** The facts of `loadTypeFacts`, and the relationships of the schema cache. */
export interface TypeSource {
  facts: RawFacts;
  names: CatalogJson<TypeNameFacts>;
  catalog: Pick<SchemaCache, 'relationships'>;
}

export type PageFormat = 'json' | 'markdown' | 'html';
/** The complete specification, or one page about it. */
export type PageExtent = 'complete' | 'one-page';
export type TypesFormat = 'typescript' | 'zod' | 'json-schema';

/** The bytes of a text in UTF-8, possibly compressed with gzip. */
export type Bytes = Uint8Array<ArrayBuffer>;

/**
 * The max number of cached specifications, and the max number of bytes of the facts that they were derived from. A
 * specification and its parsed facts take about eight times the memory of the facts as JSON.
 */
const HELD = 100;
const HELD_BYTES = 50_000_000;

/**
 * The max number of derived stored versions in the cache, and the max number of bytes of their facts. The next recording
 * compares with the version that was recorded last, so it usually finds that version here.
 */
const VERSIONS = 50;
const VERSIONS_BYTES = 10_000_000;

export interface FoundCall extends Pick<CallDetail, 'errors'> {
  call: CallEntry;
  /** The first bucket of the app; absent if it has none. */
  bucket?: string;
  entity?: Entity;
  cells: RoleCell[];
  /** The examples, as `CallReach` of call-example.ts expects them. */
  examples: [string, unknown][];
}

/** A specification with all values that it was derived from. */
interface Derived extends DerivedSpecification {
  readonly parsed: ParsedFacts;
}

interface Held extends Derived {
  state: string;
  factsState: string;
  /** The number of bytes of the facts as JSON. */
  readonly size: number;
  /** The specification with the latest figures. */
  shown: Specification;
}

/**
 * The tasks of the specification process, which run one at a time. They have no database connection: they receive facts
 * as the JSON that PostgreSQL built, cache the derived specifications and return the requested part. This keeps large
 * values, and the time to build them, away from the processes that serve calls.
 */
export class Tasks {
  readonly #held = new LRUCache<string, Held>({ max: HELD, maxSize: HELD_BYTES });
  /** Derived versions by the hash of their stored content. */
  readonly #versions = new LRUCache<string, Derived>({ max: VERSIONS, maxSize: VERSIONS_BYTES });
  readonly #turns = new RecordingTurns();

  /** Does nothing. Starts the process in advance for a caller who will send a task soon. */
  ready(_: null): void {}

  /**
   * Returns the hash of a specification that is cached, or that can be derived from the facts of the cached one. The
   * second case occurs after a change of a setting, which does not change the facts.
   * @throws NotCachedError
   */
  deriveFromCached({ of, factsState, app }: { of: SpecificationKey } & Omit<Source, 'facts'>): string {
    const known = this.#held.get(of.ref);
    const isUsable = known?.state === of.state || known?.factsState === factsState;
    if (!isUsable) throw new NotCachedError();
    if (known.state === of.state) return known.specification.hash;
    return this.#hold(of, factsState, known.size, () => derived(known.parsed, app, known));
  }

  /**
   * Derives the specification of an app unless it is cached, replaces the cached specification of this app, and returns
   * the hash.
   * @throws NotCachedError if the specification that the facts are based on is not cached.
   */
  derive({ of, source }: { of: SpecificationKey; source: Source }): string {
    const known = this.#held.get(of.ref);
    if (known?.state === of.state) return known.specification.hash;
    // If a specification is larger than the whole cache, it is the only one that stays cached.
    if (source.basis !== undefined && known?.state !== source.basis) throw new NotCachedError();
    const read = source.facts.parts.reduce((bytes, { length }) => bytes + length, 0);
    const size = Math.min(Math.max(read, source.facts.isPartial ? (known?.size ?? 0) : 0), HELD_BYTES);
    return this.#hold(of, source.factsState, size, () => derivedFrom(source, known ?? null));
  }

  /**
   * Sets the state by which a cached specification is found, and the state of its facts.
   * @throws NotCachedError
   */
  setState({ of, state, factsState }: { of: SpecificationKey; state: string; factsState: string }): void {
    if (this.#held.get(of.ref)?.state !== state) Object.assign(this.#of(of), { state, factsState });
  }

  #hold({ ref, state }: SpecificationKey, factsState: string, size: number, derive: () => Derived): string {
    const fresh = this.#turns.measure(ref, derive);
    this.#held.set(ref, { ...fresh, state, factsState, size, shown: fresh.specification }, { size });
    return fresh.specification.hash;
  }

  /**
   * Adds live figures to the cached specification.
   * @throws NotCachedError
   */
  addFigures({ of, figures, at }: { of: SpecificationKey; figures: LiveFigures; at: Date }): void {
    const cached = this.#of(of);
    cached.shown = withFigures(cached.specification, figures, at);
  }

  /**
   * Returns the specification with its figures in a format.
   * @param isGzipped True to compress the result with gzip.
   * @throws NotCachedError
   */
  page({
    of,
    format,
    extent,
    isGzipped,
  }: {
    of: SpecificationKey;
    format: PageFormat;
    extent: PageExtent;
    isGzipped: boolean;
  }): Bytes {
    const { shown, entries } = this.#of(of);
    if (extent === 'one-page') {
      const text = Buffer.from(writeOnePage[format](onePage(shown)));
      return toBytes(isGzipped ? gzipSync(text, { level: constants.Z_BEST_SPEED }) : text);
    }
    return written(shown, entries, format, isGzipped);
  }

  /**
   * Returns the specification in a format as an export has it: without live figures.
   * @throws NotCachedError
   */
  export({ of, format, isGzipped }: { of: SpecificationKey; format: PageFormat; isGzipped: boolean }): Bytes {
    const { specification, entries } = this.#of(of);
    return written(specification, entries, format, isGzipped);
  }

  /**
   * Returns a stored version in a format as an export has it. Returns null if its facts cannot be read.
   * @param hash The hash of the version.
   */
  exportVersion({
    packed,
    hash,
    app,
    format,
    isGzipped,
  }: {
    packed: Bytes;
    hash: string;
    app: Specification['app'];
    format: PageFormat;
    isGzipped: boolean;
  }): Bytes | null {
    const found = this.#stored(packed, this.#held.get(app.ref) ?? null);
    if (!found) return null;
    return written({ app, hash, chapters: found.specification.chapters }, found.entries, format, isGzipped);
  }

  /**
   * Returns a call of chapter 7 with its entity, the cells that allow it, example values and its errors. Returns null if
   * the app has no such call.
   * @throws NotCachedError
   */
  call({ of, id }: { of: SpecificationKey; id: string }): FoundCall | null {
    const { chapters } = this.#of(of).specification;
    const { calls, entities, roles, rules } = chapters;
    const call = calls?.calls.find((one) => one.id === id);
    if (!call) return null;
    const entity = entities?.entities.find((one) => call.area !== 'rpc' && one.id === call.entity);
    const types = call.area === 'rpc' ? (call.parameters ?? []).map(({ type }) => type) : [];
    const examples = entity
      ? fieldExamples(entity, rules?.rules.filter((rule) => rule.entity === entity.id) ?? [])
      : typeExamples(types, entities?.entities ?? [], rules?.rules ?? []);
    const cells = roles?.cells.filter((cell) => allowsCall(cell, call)) ?? [];
    const errors = new ErrorsOfCalls(chapters).of(call);
    const bucket = entities?.buckets?.[0]?.id;
    return { call, ...(entity && { entity }), ...(bucket !== undefined && { bucket }), cells, examples, errors };
  }

  /**
   * Returns the names of the calls of chapter 7.
   * @throws NotCachedError
   */
  callNames({ of }: { of: SpecificationKey }): Pick<CallEntry, 'id' | 'area' | 'method' | 'path'>[] {
    const calls = this.#of(of).specification.chapters.calls?.calls ?? [];
    return calls.map(({ id, area, method, path }) => ({ id, area, method, path }));
  }

  /**
   * Returns the policies that applied to a request, and the recent durations of requests for the same call.
   * @throws NotCachedError
   */
  behind({ of, trace }: { of: SpecificationKey; trace: Pick<RequestTrace, 'call' | 'touched' | 'who'> }): {
    policies: PolicyEntry[];
    usual: NonNullable<CallEntry['figures']>['hour'] | null;
  } {
    const { calls, roles } = this.#of(of).shown.chapters;
    const usual = calls?.calls.find(({ id }) => id === trace.call)?.figures?.hour ?? null;
    return { policies: roles ? policiesForRequest(trace, roles) : [], usual };
  }

  cells({ of }: { of: SpecificationKey }): Pick<RolesChapter, 'cells' | 'files' | 'topics'> {
    const { cells = [], files = [], topics = [] } = this.#of(of).specification.chapters.roles ?? {};
    return { cells, files, topics };
  }

  /**
   * Returns who may do what with the files of each bucket.
   * @throws NotCachedError
   */
  bucketCells({ of, buckets }: { of: SpecificationKey; buckets: readonly string[] }): RoleCell[] {
    return bucketCells(this.#of(of).entries, buckets);
  }

  /**
   * Returns in words the changes from the cached specification to the one that `source` gives, and the screens of a
   * caller in the latter (`PortalScreens`) as JSON, with the definitions that cannot be shown.
   * @throws NotCachedError
   */
  stateOf({
    of,
    source,
    asked,
  }: {
    of: SpecificationKey;
    source: Pick<Source, 'facts' | 'app'>;
    asked: { names: CatalogJson<TypeNameFacts>; caller: MemberCaller; language: string } | null;
  }): { changes: Change[]; screens: Bytes | null; broken: BrokenDefinition[] } {
    const now = this.#of(of);
    const next = derivedFrom(source, now);
    const broken = asked ? brokenIn(next.specification.chapters.screens) : [];
    return { changes: compareDerivations(now, next), screens: asked && screensOf(next, asked), broken };
  }

  /**
   * Returns the content of the version after `previous` with the changes since `previous`, or of the first version if
   * `previous` is null.
   * @throws NotCachedError
   */
  version({ of, previous }: { of: SpecificationKey; previous: Bytes | null }): { changes: Change[]; packed: string } {
    const now = this.#of(of);
    return this.#turns.measure(of.ref, () => {
      const before = previous && this.#stored(previous, now);
      const packed = packFacts(now);
      this.#rememberVersion(packed, now);
      return { changes: before ? compareDerivations(before, now) : [], packed: asBytea(packed) };
    });
  }

  /**
   * Returns the facts of a specification as the content of a version.
   * @throws NotCachedError
   */
  packFacts({ of }: { of: SpecificationKey }): string {
    const now = this.#of(of);
    const packed = packFacts(now);
    this.#rememberVersion(packed, now);
    return asBytea(packed);
  }

  /** Gives a worker the turn to record changes of the app, as `RecordingTurns.take` does. */
  takeRecordingTurn({ ref }: { ref: string }): number {
    return this.#turns.take(ref);
  }

  /**
   * Returns a stored version as JSON, together with the other columns of its row. Returns null if its facts cannot be
   * read.
   */
  versionPage({ entry, packed, app }: { entry: VersionEntry; packed: Bytes; app: Specification['app'] }): Bytes | null {
    const found = this.#stored(packed, this.#held.get(app.ref) ?? null);
    return (
      found && json({ ...entry, specification: { app, hash: entry.hash, chapters: found.specification.chapters } })
    );
  }

  /**
   * Returns in words the changes from one stored version of an app to another. If the facts of a version cannot be read,
   * returns which one.
   */
  changesBetween({
    ref,
    before,
    after,
  }: {
    ref: string;
    before: Bytes;
    after: Bytes;
  }): Change[] | { spoilt: 'before' | 'after' } {
    const from = this.#stored(before, this.#held.get(ref) ?? null);
    if (!from) return { spoilt: 'before' };
    const to = this.#stored(after, from);
    return to ? compareDerivations(from, to) : { spoilt: 'after' };
  }

  /**
   * Derives a stored version unless it is cached. Returns null if its facts cannot be read.
   * @param earlier A specification of the same app.
   */
  #stored(packed: Bytes, earlier: Derived | null): Derived | null {
    const known = this.#versions.get(hashOf(packed));
    if (known) return known;
    const stored = unpackFacts(packed, earlier?.parsed ?? null);
    const found = stored && derived(stored.parsed, stored.app, earlier);
    if (found) this.#rememberVersion(packed, found);
    return found;
  }

  #rememberVersion(packed: Uint8Array, version: Derived): void {
    const size = [...version.parsed.results.values()].reduce((sum, { bytes }) => sum + bytes.length, 1);
    this.#versions.set(hashOf(packed), version, { size });
  }

  /**
   * Returns the OpenAPI 3.1 document of the calls that a role may send, or of all calls if `role` is null.
   * @throws NotCachedError
   */
  openApi(asked: { of: SpecificationKey; types: TypeSource; role: string | null; url: string }): string {
    const { specification } = this.#of(asked.of);
    const [types, { url }] = [typeFacts(asked.types), asked];
    if (asked.role === null) return JSON.stringify(openApiDocument(specification, types, url));
    const visible = visibleTo(specification, asked.role);
    return JSON.stringify(openApiDocument(visible.specification, types, url, visible.rights));
  }

  /**
   * Returns the screens that one caller may open (`PortalScreens`), as JSON.
   * @throws NotCachedError
   */
  memberScreens({
    of,
    ...asked
  }: {
    of: SpecificationKey;
    names: CatalogJson<TypeNameFacts>;
    caller: MemberCaller;
    language: string;
  }): Bytes {
    return screensOf(this.#of(of), asked);
  }

  /** Returns generated types of all entities of the app, or of the entity with the id `only`. */
  types({
    types,
    ref,
    format,
    only,
  }: {
    types: TypeSource;
    ref: string;
    format: TypesFormat;
    only: string | null;
  }): Bytes {
    const facts = typeFacts(types);
    switch (format) {
      case 'typescript':
        return toBytes(Buffer.from(only === null ? typescriptTypes(facts) : typescriptOf(facts, only)));
      case 'zod':
        return toBytes(Buffer.from(zodSchemas(facts, only)));
      case 'json-schema':
        return toBytes(Buffer.from(jsonSchemas(facts, ref, only)));
    }
  }

  /** Returns the relations of every schema, with their figures, as JSON. */
  entities({ facts, figures }: { facts: RawFacts; figures: EntityFigures }): Bytes {
    return json(each(allEntities(parseFacts(facts)), ({ id }) => figures.get(id)));
  }

  #of({ ref, state }: SpecificationKey): Held {
    const cached = this.#held.get(ref);
    if (cached?.state !== state) throw new NotCachedError();
    return cached;
  }
}

/** Derives a specification, and takes the unchanged parts from an earlier one. */
function derived(parsed: ParsedFacts, given: SpecificationApp, earlier: Derived | null): Derived {
  const app = earlier && JSON.stringify(earlier.app) === JSON.stringify(given) ? earlier.app : given;
  const derivation = deriveChanged(parsed.facts, app, earlier?.entries ?? null);
  return { ...derivation, app, facts: parsed.facts, parsed };
}

const derivedFrom = ({ facts, app }: Pick<Source, 'facts' | 'app'>, earlier: Derived | null): Derived =>
  derived(parseChangedFacts(facts, earlier?.parsed ?? null), app, earlier);

/** Returns the definitions of chapter 2 that cannot be shown completely. */
function brokenIn(chapter: ScreensChapter | undefined): BrokenDefinition[] {
  const { screens = [], pages = [], menus = [] } = chapter ?? {};
  const all = [
    ...[...screens, ...pages].map(({ route, broken }) => ({ of: route, reasons: broken })),
    ...menus.map(({ role, broken }) => ({ of: `menu ${role}`, reasons: broken })),
  ];
  return all.filter(({ reasons }) => reasons.length > 0);
}

/** Returns the screens of one caller as JSON. */
function screensOf(
  { parsed, specification: { chapters }, entries }: Derived,
  { names, caller, language }: { names: CatalogJson<TypeNameFacts>; caller: MemberCaller; language: string },
): Bytes {
  const types = { ...parseCatalog(names), facts: parsed.facts };
  return json(memberScreens(types, { chapters, entries }, caller, language));
}

const write: Readonly<Record<Exclude<PageFormat, 'json'>, (specification: Specification) => string>> = {
  markdown: specificationMarkdown,
  html: specificationHtml,
};

/** Returns a specification in a format, compressed with gzip if `isGzipped` is true. */
function written(
  specification: Specification,
  { writer }: Derived['entries'],
  format: PageFormat,
  isGzipped: boolean,
): Bytes {
  const text =
    format === 'json' ? Buffer.concat(writer.json(specification)) : Buffer.from(write[format](specification));
  return toBytes(isGzipped ? gzipSync(text, { level: constants.Z_BEST_SPEED }) : text);
}

const writeOnePage: Readonly<Record<PageFormat, (page: OnePage) => string>> = {
  json: JSON.stringify,
  markdown: onePageMarkdown,
  html: onePageHtml,
};

const typeFacts = ({ facts, names, catalog }: TypeSource): TypeFacts => ({
  ...parseCatalog(names),
  facts: parseFacts(facts),
  catalog,
});

const hashOf = (packed: Uint8Array): string => createHash('sha256').update(packed).digest('base64');

/** Returns bytes in the text format of bytea. */
const asBytea = (bytes: Buffer): string => `\\x${bytes.toString('hex')}`;

const json = (value: unknown): Bytes => toBytes(Buffer.from(JSON.stringify(value)));

/** Copies the bytes, because small buffers of Node share one block of memory, which must not be sent as a whole. */
const toBytes = (buffer: Buffer): Bytes => new Uint8Array(buffer);
