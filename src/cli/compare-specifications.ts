import { existsSync, readFileSync, statSync } from 'node:fs';
import { z } from 'zod';
import type { Change, VersionComparison, VersionDetail, VersionList } from '../../contract/changes.ts';
import { limits } from '../../contract/limits.ts';
import type { Chapters, Specification } from '../../contract/specification.ts';
import { diffChapters } from '../specification/compare/diff.ts';
import { diffMarkdown, sameMarkdown } from '../specification/compare/markdown.ts';
import { stableContent } from '../specification/derive/content-hash.ts';
import type { JsonObject } from '../specification/derive/words/sentence-parts.ts';
import { specificationMarkdown } from '../specification/render/markdown/specification.ts';
import { CliError, type Client } from './client.ts';

/** One of the two specifications that are compared: its JSON value, or the text of a Markdown export. */
export type ComparisonInput =
  | { kind: 'value'; title: string; specification: Specification; version?: StoredAt }
  | { kind: 'markdown'; title: string; text: string };

/** A version of the specification of an app on a node: its number, or `latest` for the current one. */
interface StoredAt {
  ref: string;
  number: number | 'latest';
}

/** Returns the JSON of an export. It stays the same while the app stays the same, so that it can be committed. */
export const exportJson = ({ app, hash, chapters }: Specification): string =>
  `${JSON.stringify({ app, hash, chapters: stableContent(chapters) }, null, 2)}\n`;

/** Reads the current specification of an app. */
export const liveInput = async (client: Client, ref: string): Promise<ComparisonInput> => ({
  kind: 'value',
  title: ref,
  specification: await client.get<Specification>(`/apps/${encodeURIComponent(ref)}/specification`),
  version: { ref, number: 'latest' },
});

/**
 * Reads a specification by its name on the command line: FILE, REF or REF@VERSION.
 * @param client Connects to the node; called only if the node is needed.
 * @throws CliError
 */
export async function readInput(client: () => Client, name: string): Promise<ComparisonInput> {
  if (/\.(md|markdown|json)$/i.test(name) || name.includes('/') || existsSync(name)) return fileInput(name);
  const [ref = '', point, ...more] = name.split('@');
  if (more.length > 0 || point === '') throw new CliError(`${name} is not an app, a version or a file.`);
  if (point === undefined) return liveInput(client(), ref);
  const path = `/apps/${encodeURIComponent(ref)}/versions/${encodeURIComponent(point)}`;
  const { specification, number } = await client().get<VersionDetail>(path);
  return { kind: 'value', title: `${ref}@${number}`, specification, version: { ref, number } };
}

/**
 * Reads a committed export of an app. If the export is Markdown and the app still has the version from which it was
 * created, that stored version is used in place of the export, because its JSON has more details.
 */
export async function committedInput(client: Client, file: string, ref: string): Promise<ComparisonInput> {
  const side = fileInput(file);
  const hash =
    side.kind === 'markdown' ? /^What the app .* Version ([0-9a-f]{12})\.$/m.exec(side.text)?.[1] : undefined;
  if (side.kind !== 'markdown' || hash === undefined) return side;
  const path = `/apps/${encodeURIComponent(ref)}/versions/${hash}`;
  const version = await client.get<VersionDetail>(path).catch((error: unknown) => {
    if (error instanceof CliError && error.code === 'version_unknown') return null;
    throw error;
  });
  if (!version || !sameMarkdown(side.text, specificationMarkdown(version.specification))) return side;
  const { specification, number } = version;
  return { kind: 'value', title: file, specification, version: { ref, number } };
}

function fileInput(file: string): ComparisonInput {
  const text = readText(file);
  if (!text.trimStart().startsWith('{')) return { kind: 'markdown', title: file, text };
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    throw new CliError(`${file} is not JSON.`);
  }
  const parsed = exportSchema.safeParse(value);
  if (!parsed.success) throw new CliError(`${file} is not an export of a specification.`);
  const { app, hash, chapters } = parsed.data;
  return { kind: 'value', title: file, specification: { app, hash, chapters: chapters as Chapters } };
}

const exportSchema = z.object({
  app: z.object({ ref: z.string(), name: z.string() }),
  hash: z.string(),
  chapters: z.record(z.string(), z.unknown()),
});

function readText(file: string): string {
  const max = limits.specificationBytes.default;
  try {
    if (statSync(file).size > max) throw new CliError(`${file} is larger than ${max} bytes.`);
    return readFileSync(file, 'utf8');
  } catch (error) {
    if (error instanceof CliError) throw error;
    throw new CliError(`${file} cannot be read: ${error instanceof Error ? error.message : String(error)}`);
  }
}

/**
 * Returns the changes from one specification to another. If both are versions of one app, the node compares them,
 * because the node knows what was renamed. In the result, `isSame` is false even if only the text of an export was
 * changed.
 */
export async function compareInputs(
  client: () => Client,
  before: ComparisonInput,
  after: ComparisonInput,
): Promise<{ isSame: boolean; changes: Change[] }> {
  if (before.kind === 'value' && after.kind === 'value') {
    const known = await diffOnNode(client, before.version, after);
    const changes = known ?? diffChapters(comparable(before.specification), comparable(after.specification));
    return { isSame: changes.length === 0, changes };
  }
  const [old, fresh] = [textOf(before), textOf(after)];
  const changes = diffMarkdown(old, fresh);
  return { isSame: sameMarkdown(old, fresh), changes };
}

/**
 * Lets the node compare two versions. Returns null if the inputs are not stored versions of one app, or if the response
 * does not contain all changes.
 */
async function diffOnNode(
  client: () => Client,
  from: StoredAt | undefined,
  { version: to, specification }: Extract<ComparisonInput, { kind: 'value' }>,
): Promise<Change[] | null> {
  if (from === undefined || to === undefined || from.ref !== to.ref || from.number === 'latest') return null;
  const path = `/apps/${encodeURIComponent(to.ref)}/versions`;
  const [latest] = to.number === 'latest' ? (await client().get<VersionList>(path)).versions : [];
  const number = to.number === 'latest' ? latest?.number : to.number;
  if (number === undefined || (latest && latest.hash !== specification.hash)) return null;
  const compared = await client().get<VersionComparison>(`${path}/${number}/changes?since=${from.number}`);
  return compared.changes.length === compared.change_count ? compared.changes : null;
}

const comparable = ({ chapters }: Specification): JsonObject => JSON.parse(JSON.stringify(withoutFigures(chapters)));

/**
 * Returns the chapters without live figures, because exports have none. Exports of other versions of Ninefold may have
 * another structure; they are returned unchanged.
 */
function withoutFigures(chapters: Chapters): object {
  try {
    return stableContent(chapters);
  } catch {
    return chapters;
  }
}

function textOf(side: ComparisonInput): string {
  if (side.kind === 'markdown') return side.text;
  try {
    return specificationMarkdown(side.specification);
  } catch (error) {
    throw new CliError(`${side.title} cannot be compared with Markdown: ${String(error)}`);
  }
}
