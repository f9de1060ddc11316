import { randomUUID } from 'node:crypto';
import { BytesMissingError } from '../files/byte-store.ts';
import type { OpenStore } from '../files/open-store.ts';
import { SealedStore } from './sealed-store.ts';
import type { ServerIdentity } from './wal-receiver.ts';

/** Folder in a target with one folder for each series. */
const ALL = 'ninefold-backups';
const ID = /^[\da-f]{8}-[\da-f]{4}-4[\da-f]{3}-[\da-f]{4}-[\da-f]{12}$/;

/**
 * A series: the base backups and the WAL of one data folder, without a change of the timeline. A restored data folder
 * begins a series of its own, so two nodes never write to the same one.
 */
export interface Series extends ServerIdentity {
  readonly format: 1;
  readonly id: string;
  readonly createdAt: string;
  /** The URL or the name of the machine of the node, for people. */
  readonly node: string;
}

/** The position up to which a series has all WAL, and the time until which it therefore can be restored. */
export interface Reach {
  readonly lsn: string;
  /** ISO 8601. */
  readonly at: string;
}

/** A series with its objects. */
export interface OpenSeries {
  readonly series: Series;
  readonly store: SealedStore;
}

/** Begins a series in a target. */
export async function createSeries(
  target: Pick<OpenStore, 'store' | 'spool'>,
  key: Buffer,
  identity: ServerIdentity,
  node: string,
): Promise<OpenSeries> {
  const series: Series = { format: 1, id: randomUUID(), createdAt: new Date().toISOString(), node, ...identity };
  const store = storeOf(target, key, series.id);
  await store.putPlain('series', Buffer.from(`${JSON.stringify(series)}\n`));
  return { series, store };
}

/** Opens a series by its id; null if the target does not have it. @param key The key of its backups. */
export async function openSeries(
  target: Pick<OpenStore, 'store' | 'spool'>,
  key: Buffer,
  id: string,
): Promise<OpenSeries | null> {
  const store = storeOf(target, key, id);
  const text = await orNull(store.readPlain('series'));
  return text === null ? null : { series: JSON.parse(text.toString()) as Series, store };
}

/** Returns all series of a target, the newest first. */
export async function listSeries(target: Pick<OpenStore, 'store' | 'spool'>): Promise<Series[]> {
  const found: Series[] = [];
  for await (const { key } of target.store.list(`${ALL}/`)) {
    const [, id = '', name] = key.split('/');
    if (name !== 'series' || !ID.test(id)) continue;
    // The facts of a series are not encrypted, so no key is needed.
    const series = await readableSeries(target, id);
    if (series) found.push(series);
  }
  return found.sort((a, b) => b.createdAt.localeCompare(a.createdAt));
}

/** Returns null for an object that is no series: whoever can write to the target must not prevent a restore of the others. */
async function readableSeries(target: Pick<OpenStore, 'store' | 'spool'>, id: string): Promise<Series | null> {
  const opened = await openSeries(target, Buffer.alloc(0), id).catch((error: unknown) => {
    if (error instanceof SyntaxError) return null;
    throw error;
  });
  const series: Partial<Series> | null | undefined = opened?.series;
  return opened && series?.id === id && typeof series.createdAt === 'string' ? opened.series : null;
}

/** Returns the sealed secrets of a series, as `sealSecrets` makes them; null if it has none. */
export const readSealedSecrets = async (store: SealedStore): Promise<string | null> =>
  (await orNull(store.readPlain('secrets')))?.toString() ?? null;

export const writeSealedSecrets = (store: SealedStore, text: string): Promise<void> =>
  store.putPlain('secrets', Buffer.from(text));

export const readReach = async (store: SealedStore): Promise<Reach | null> => {
  const bytes = await orNull(store.readWhole('reach'));
  return bytes === null ? null : (JSON.parse(bytes.toString()) as Reach);
};

export const writeReach = (store: SealedStore, reach: Reach): Promise<number> =>
  store.put('reach', Buffer.from(JSON.stringify(reach)));

/** Returns the process that writes a series, as it last registered itself; null if there is none. */
export const readWriter = async (store: SealedStore): Promise<string | null> =>
  (await orNull(store.readWhole('writer')))?.toString() ?? null;

export const registerWriter = (store: SealedStore, id: string): Promise<number> => store.put('writer', Buffer.from(id));

const storeOf = (target: Pick<OpenStore, 'store' | 'spool'>, key: Buffer, id: string): SealedStore =>
  new SealedStore(target, key, `${ALL}/${id}/`);

async function orNull(reading: Promise<Buffer>): Promise<Buffer | null> {
  try {
    return await reading;
  } catch (error) {
    if (error instanceof BytesMissingError) return null;
    throw error;
  }
}
