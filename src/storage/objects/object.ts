import type { CallRequest } from '../../../contract/call-request.ts';
import { firstJson, type Statement } from '../../database/statement.ts';
import { NinefoldError } from '../../errors/ninefold-error.ts';
import type { StorageContext } from '../context.ts';
import { isoTime } from '../iso-time.ts';
import { type Act, runActs } from '../run.ts';

/** The longest entity tag in characters, with its quotes. SQL can write any text into the metadata. */
const ENTITY_TAG = 200;

/** A bucket and the path of an object in it. */
export interface ObjectPlace {
  readonly bucket: string;
  readonly name: string;
}

/** The metadata of an object, with the keys of Supabase Storage. SQL can write anything into the column. */
export interface ObjectMetadata {
  readonly eTag?: unknown;
  readonly size?: unknown;
  readonly mimetype?: unknown;
  readonly cacheControl?: unknown;
  readonly contentEncoding?: unknown;
}

/** The bytes of an object. */
export interface ContentFacts {
  readonly id: string;
  readonly sha256: string;
  readonly size: number;
  readonly is_quarantined: boolean;
}

/** A row of storage.objects, with the bytes that the node stores for it. */
export interface StoredObject {
  readonly id: string;
  readonly bucket_id: string;
  readonly name: string;
  readonly owner_id: string | null;
  readonly version: string | null;
  readonly metadata: ObjectMetadata | null;
  readonly user_metadata: Readonly<Record<string, unknown>> | null;
  readonly created_at: string;
  readonly updated_at: string;
  readonly last_accessed_at: string | null;
  readonly content: ContentFacts | null;
}

/** The columns of a StoredObject as JSON; the table is `o`. */
export const OBJECT_JSON = `json_build_object('id', o.id, 'bucket_id', o.bucket_id, 'name', o.name, 'owner_id', o.owner_id,
  'version', o.version, 'metadata', o.metadata, 'user_metadata', o.user_metadata, 'created_at', ${isoTime('o.created_at')},
  'updated_at', ${isoTime('o.updated_at')}, 'last_accessed_at', ${isoTime('o.last_accessed_at')},
  'content', (select row_to_json(f) from ninefold.stored_file(o.version) f where f.id is not null))`;

/** Statement that reads an object. */
export const readObject = ({ bucket, name }: ObjectPlace): Statement => ({
  text: `select ${OBJECT_JSON} from storage.objects o where o.bucket_id = $1 and o.name = $2`,
  params: [bucket, name],
});

/**
 * Returns an object as a caller sees it.
 * @throws NinefoldError NoSuchKey
 */
export async function findObject(
  context: StorageContext,
  request: CallRequest,
  place: ObjectPlace,
  { act, operation }: { act: (statement: Statement) => Act; operation: string },
): Promise<StoredObject> {
  const [result] = await runActs(context, request, { operation }, act(readObject(place)));
  const object = result && firstJson<StoredObject>(result);
  if (!object) throw new NinefoldError('NoSuchKey');
  return object;
}

/** Returns the entity tag of an object: the one in its metadata, or its hash. */
export function entityTagOf({ metadata, content }: Pick<StoredObject, 'metadata' | 'content'>): string {
  const tag = metadata?.eTag;
  if (typeof tag === 'string' && tag.length <= ENTITY_TAG && /^"[\w-]+"$/.test(tag)) return tag;
  return `"${content?.sha256 ?? ''}"`;
}
