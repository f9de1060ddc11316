import { constants, gzipSync } from 'node:zlib';
import { LRUCache } from 'lru-cache';
import type { Change, VersionEntry } from '../../../contract/changes.ts';
import type { RequestTrace } from '../../../contract/observed.ts';
import type { Chapters, Specification } from '../../../contract/specification.ts';
import type { CallEntry } from '../../../contract/specification-calls.ts';
import type { Entity } from '../../../contract/specification-entities.ts';
import type { PolicyEntry, RoleCell, RolesChapter } from '../../../contract/specification-roles.ts';
import { type CatalogJson, parseCatalog } from '../../catalog/read-catalog.ts';
import type { SchemaCache } from '../../catalog/schema-cache.ts';
import type { TypeNameFacts } from '../../catalog/type-facts.ts';
import { allowsCall } from '../call-example.ts';
import { stableContent } from '../content-hash.ts';
import { diffChapters } from '../diff/diff.ts';
import { isObject, type JsonObject } from '../diff/differences.ts';
import { allEntities } from '../entities.ts';
import { fieldExamples, typeExamples } from '../examples.ts';
import { parseFacts, type RawFacts } from '../facts.ts';
import type { EntityFigures } from '../figures/entities.ts';
import type { LiveFigures } from '../figures/figures.ts';
import { each, withFigures } from '../figures/with-figures.ts';
import { gunzipJsonSync, gzipJsonSync } from '../gzip-json.ts';
import { specificationHtml } from '../html/specification.ts';
import { specificationMarkdown } from '../markdown/specification.ts';
import { memberScreens } from '../member-screens.ts';
import { openApiDocument } from '../openapi/document.ts';
import { visibleTo } from '../openapi/visible.ts';
import { policiesForRequest } from '../policies-for-request.ts';
import type { MemberCaller } from '../roles.ts';
import { deriveSpecification, type SpecificationApp } from '../specification.ts';
import type { TypeFacts } from '../types/facts.ts';
import { jsonSchemas } from '../types/json-schema.ts';
import { typescriptOf, typescriptTypes } from '../types/typescript.ts';
import { zodSchemas } from '../types/zod.ts';
import { type ObjectIds, objectIds, readObjectIds } from '../versions/object-ids.ts';
import { NotCachedError } from './not-cached.ts';
import { RecordingBackoff } from './recording-backoff.ts';

/** What a specification is derived from, as it goes to the process. */
export interface Source {
  facts: RawFacts;
  app: SpecificationApp;
}

/** Which specification of an app is meant: that of one state of its catalog and its settings. */
export interface SpecificationKey {
  readonly ref: string;
  readonly state: string;
}

/** What `loadTypeFacts` reads, and what of the schema cache tells what joins what. */
export interface TypeSource {
  facts: RawFacts;
  names: CatalogJson<TypeNameFacts>;
  catalog: Pick<SchemaCache, 'relationships'>;
}

export type PageFormat = 'json' | 'markdown' | 'html';
export type TypesFormat = 'typescript' | 'zod' | 'json-schema';

/** Text in UTF-8, perhaps packed. */
export type Bytes = Uint8Array<ArrayBuffer>;

/** A version as it is stored: chapters and object ids as JSON in gzip. */
export interface PackedVersion {
  packed: Bytes;
  ids: Bytes | null;
}

/** Apps of which the last specification is held, and what they may be derived from, in bytes: it takes four times the memory. */
const HELD = 100;
const HELD_BYTES = 100_000_000;

export interface FoundCall {
  call: CallEntry;
  entity?: Entity;
  cells: RoleCell[];
  /** As `CallReach` of call-example.ts has them. */
  examples: [string, unknown][];
}

interface Held {
  readonly state: string;
  /** What the specification is derived from. */
  readonly facts: RawFacts;
  readonly specification: Specification;
  readonly ids: ObjectIds;
  /** The same with the figures that were read last. */
  shown: Specification;
}

/**
 * What the specification's process does, one task after the other. It knows no database: it takes what was read as the JSON that PostgreSQL
 * made, holds what it derived, and answers with what is asked of it, so that neither a value of megabytes nor the making of one reaches the
 * process that answers calls.
 */
export class Tasks {
  readonly #held = new LRUCache<string, Held>({ max: HELD, maxSize: HELD_BYTES });
  readonly #backoff = new RecordingBackoff();

  /** Does nothing: who will ask soon has the process started. */
  ready(_: null): void {}

  /** The hash of what is held, whichever worker it was derived for. */
  hash({ of }: { of: SpecificationKey }): string {
    return this.#of(of).specification.hash;
  }

  /** Derives what an app does, where it is not held yet, and holds it in place of what was held of this app. Its hash. */
  derive({ of, source }: { of: SpecificationKey; source: Source }): string {
    const known = this.#held.get(of.ref);
    if (known?.state === of.state) return known.specification.hash;
    const { specification, ids } = this.#backoff.measure(of.ref, () => derived(source));
    // One that is larger than all may be is held by itself.
    const read = source.facts.parts.reduce((bytes, { length }) => bytes + length, 0);
    const size = Math.min(read, HELD_BYTES);
    const cached = { state: of.state, facts: source.facts, specification, ids, shown: specification };
    this.#held.set(of.ref, cached, { size });
    return specification.hash;
  }

  /** Puts live figures beside what they are about. */
  addFigures({ of, figures, at }: { of: SpecificationKey; figures: LiveFigures; at: Date }): void {
    const cached = this.#of(of);
    cached.shown = withFigures(cached.specification, figures, at);
  }

  /** The specification with its figures, as people or programs read it; `isGzipped`: in gzip. */
  page({ of, format, isGzipped }: { of: SpecificationKey; format: PageFormat; isGzipped: boolean }): Bytes {
    const text = Buffer.from(write[format](this.#of(of).shown));
    return toBytes(isGzipped ? gzipSync(text, { level: constants.Z_BEST_SPEED }) : text);
  }

  /** A call of chapter 7 with what it reaches and what an example of it may give; null where the app has no such call. */
  call({ of, id }: { of: SpecificationKey; id: string }): FoundCall | null {
    const { calls, entities, roles, rules } = this.#of(of).specification.chapters;
    const call = calls?.calls.find((one) => one.id === id);
    if (!call) return null;
    const entity = entities?.entities.find((one) => call.area === 'rest' && one.id === call.entity);
    const types = call.area === 'rpc' ? (call.parameters ?? []).map(({ type }) => type) : [];
    const examples = entity
      ? fieldExamples(entity, rules?.rules.filter((rule) => rule.entity === entity.id) ?? [])
      : typeExamples(types, entities?.entities ?? [], rules?.rules ?? []);
    const cells = roles?.cells.filter((cell) => allowsCall(cell, call)) ?? [];
    return { call, ...(entity && { entity }), cells, examples };
  }

  /** The calls of chapter 7 by their names alone. */
  callNames({ of }: { of: SpecificationKey }): Pick<CallEntry, 'id' | 'area' | 'method' | 'path'>[] {
    const calls = this.#of(of).specification.chapters.calls?.calls ?? [];
    return calls.map(({ id, area, method, path }) => ({ id, area, method, path }));
  }

  /** The policies that were behind a call, and how long such a call takes of late. */
  behind({ of, story }: { of: SpecificationKey; story: Pick<RequestTrace, 'call' | 'touched' | 'who'> }): {
    policies: PolicyEntry[];
    usual: NonNullable<CallEntry['figures']>['hour'] | null;
  } {
    const { calls, roles } = this.#of(of).shown.chapters;
    const usual = calls?.calls.find(({ id }) => id === story.call)?.figures?.hour ?? null;
    return { policies: roles ? policiesForRequest(story, roles) : [], usual };
  }

  cells({ of }: { of: SpecificationKey }): Pick<RolesChapter, 'cells'> {
    return { cells: this.#of(of).specification.chapters.roles?.cells ?? [] };
  }

  /** What would change if the app came to be what `source` says, in words. */
  changesTo({ of, source }: { of: SpecificationKey; source: Source }): Change[] {
    const [now, then] = [this.#of(of), derived(source)];
    const ids = { before: now.ids, after: then.ids };
    return diffChapters(exported(now.specification.chapters), exported(then.specification.chapters), ids);
  }

  /** The specification as the version after `previous`, or as the first. */
  version({ of, previous }: { of: SpecificationKey; previous: PackedVersion | null }): {
    changes: Change[];
    packed: string;
    ids: string;
  } {
    const { specification, ids } = this.#of(of);
    const { chapters } = specification;
    return this.#backoff.measure(of.ref, () => {
      const text = JSON.stringify(stableContent(chapters));
      const before = previous && unpackedChapters(previous.packed);
      const both = { before: previous && unpackedIds(previous), after: ids };
      const changes = before ? diffChapters(before, JSON.parse(text), both) : [];
      return { changes, packed: gzipJsonSync(text), ids: gzipJsonSync(JSON.stringify(ids)) };
    });
  }

  /** The object ids of a specification, packed. */
  packIds({ of }: { of: SpecificationKey }): string {
    return gzipJsonSync(JSON.stringify(this.#of(of).ids));
  }

  /** For how many milliseconds the app's changes are to be let alone by whoever records them in the background. */
  recordingDelay({ ref }: { ref: string }): number {
    return this.#backoff.remainingMilliseconds(ref);
  }

  /** A packed version as JSON, beside what its row says of it; null where it holds no chapters. */
  versionPage({ entry, packed, app }: { entry: VersionEntry; packed: Bytes; app: Specification['app'] }): Bytes | null {
    const chapters = unpackedChapters(packed);
    return chapters && json({ ...entry, specification: { app, hash: entry.hash, chapters } });
  }

  /** From one packed version to another, in words; or which of them holds no chapters. */
  changesBetween({
    before,
    after,
  }: {
    before: PackedVersion;
    after: PackedVersion;
  }): Change[] | { spoilt: 'before' | 'after' } {
    const [from, to] = [unpackedChapters(before.packed), unpackedChapters(after.packed)];
    if (!from) return { spoilt: 'before' };
    const ids = { before: unpackedIds(before), after: unpackedIds(after) };
    return to ? diffChapters(from, to, ids) : { spoilt: 'after' };
  }

  /** The OpenAPI 3.1 document of what a role may call; of everything where no role is named. */
  openApi(asked: { of: SpecificationKey; types: TypeSource; role: string | null; url: string }): string {
    const { specification } = this.#of(asked.of);
    const visible = asked.role === null ? specification : visibleTo(specification, asked.role);
    return JSON.stringify(openApiDocument(visible, typeFacts(asked.types), asked.url));
  }

  /** The screens that one caller may open (`PortalScreens`), as JSON. */
  memberScreens({
    of,
    names,
    caller,
  }: {
    of: SpecificationKey;
    names: CatalogJson<TypeNameFacts>;
    caller: MemberCaller;
  }): Bytes {
    const { facts, specification } = this.#of(of);
    const types = { ...parseCatalog(names), facts: parseFacts(facts) };
    return json(memberScreens(types, specification.chapters, caller));
  }

  /** The app's entities for programs, or one of them by its id. */
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

  /** The relations of every schema, with their figures, as JSON. */
  entities({ facts, figures }: { facts: RawFacts; figures: EntityFigures }): Bytes {
    return json(each(allEntities(parseFacts(facts)), ({ id }) => figures.get(id)));
  }

  #of({ ref, state }: SpecificationKey): Held {
    const cached = this.#held.get(ref);
    if (cached?.state !== state) throw new NotCachedError();
    return cached;
  }
}

function derived({ facts: raw, app }: Source): { specification: Specification; ids: ObjectIds } {
  const facts = parseFacts(raw);
  return { specification: deriveSpecification(facts, app), ids: objectIds(facts) };
}

const write: Readonly<Record<PageFormat, (specification: Specification) => string>> = {
  json: (specification) => JSON.stringify(specification),
  markdown: specificationMarkdown,
  html: specificationHtml,
};

const typeFacts = ({ facts, names, catalog }: TypeSource): TypeFacts => ({
  ...parseCatalog(names),
  facts: parseFacts(facts),
  catalog,
});

/** As the JSON of an export holds them. */
const exported = (chapters: Chapters): JsonObject => JSON.parse(JSON.stringify(stableContent(chapters)));

/** The app's own code can reach where versions are kept: null for what is none. */
function unpackedChapters(packed: Bytes): (Chapters & JsonObject) | null {
  const value = gunzipJsonSync(Buffer.from(packed));
  return isObject(value) ? (value as Chapters & JsonObject) : null;
}

const unpackedIds = ({ ids }: PackedVersion): ObjectIds | null =>
  readObjectIds(ids && gunzipJsonSync(Buffer.from(ids)));

const json = (value: unknown): Bytes => toBytes(Buffer.from(JSON.stringify(value)));

/** In memory of its own: small buffers share theirs. */
const toBytes = (buffer: Buffer): Bytes => new Uint8Array(buffer);
