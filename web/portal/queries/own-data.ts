import { mutationOptions } from '@tanstack/react-query';
import type { PortalEntity, PortalScreens } from '../../../contract/portal.ts';
import { quoted } from '../../rows/query.ts';
import type { Portal } from './client.ts';
import { isPerson } from './member-names.ts';
import { callRest, type Row } from './rest.ts';
import { entityIn } from './screens.ts';
import { callAuth, orThrow, queryClient } from './session.ts';

/** Number of rows that one request reads. */
const PAGE = 1000;

/**
 * Returns the fields of an entity that identify a member: ids of accounts, and references to an entity that has one row
 * for each member.
 */
const ownerFields = (all: PortalScreens, { fields }: PortalEntity): string[] =>
  fields
    .filter(({ readable, editor, reference }) => {
      const target = reference && entityIn(all, reference.entity);
      return readable && (editor === 'member' || (target ? isPerson(all, target, 0) : false));
    })
    .map(({ name }) => name);

/** Reads the rows of an entity in which a field identifies the member. Reads them page by page in the order of the key. */
async function ownRows(portal: Portal, all: PortalScreens, entity: PortalEntity, userId: string): Promise<Row[]> {
  const owners = ownerFields(all, entity);
  if (owners.length === 0 || !entity.access.select.open) return [];
  const params = new URLSearchParams({
    select: entity.fields
      .filter(({ readable }) => readable)
      .map(({ name }) => quoted(name))
      .join(','),
    or: `(${owners.map((name) => `${quoted(name)}.eq.${userId}`).join(',')})`,
    limit: String(PAGE),
  });
  if (entity.key.length > 0) params.set('order', entity.key.map(quoted).join(','));
  const found: Row[] = [];
  for (;;) {
    params.set('offset', String(found.length));
    const { rows } = await callRest(portal, entity, { params });
    found.push(...rows);
    if (rows.length < PAGE) return found;
  }
}

interface OwnFile {
  readonly bucket_id: string;
  readonly name: string;
  readonly size: number | null;
  readonly type: string | null;
  readonly created_at: string;
  readonly signedURL: string;
}

/** Reads the files that the member uploaded, each with a link that works for a week. An app without storage has none. */
async function ownFiles(portal: Portal): Promise<object[]> {
  const found: OwnFile[] = [];
  for (;;) {
    const { session } = orThrow(await portal.auth.getSession());
    const response = await fetch(`/storage/v1/object/own?offset=${found.length}`, {
      headers: { apikey: portal.app.publishable_key, authorization: `Bearer ${session?.access_token}` },
    });
    if (response.status === 404) return [];
    const page = await response.json();
    if (!response.ok) throw new Error(page.message);
    found.push(...(page as OwnFile[]));
    if (page.length < PAGE) break;
  }
  return found.map(({ bucket_id: bucket, name: path, size, type, created_at, signedURL }) => ({
    bucket,
    path,
    size,
    type,
    created_at,
    link: `${location.origin}/storage/v1${encodeURI(signedURL)}`,
  }));
}

/**
 * Downloads the data of the member as JSON: the account, its sessions, the rows in which a field identifies the member,
 * as far as the member may read them, and links to the files that the member uploaded.
 */
export const downloadOwnData = (portal: Portal, all: PortalScreens) =>
  mutationOptions({
    mutationFn: async () => {
      const { user } = orThrow(await portal.auth.getUser());
      const { sessions } = await callAuth<{ sessions: unknown[] }>(portal, '/sessions');
      const rows: Record<string, Row[]> = {};
      for (const entity of all.entities) {
        const own = await ownRows(portal, all, entity, user.id);
        if (own.length > 0) rows[entity.id] = own;
      }
      const text = JSON.stringify(
        {
          app: portal.app.ref,
          at: new Date().toISOString(),
          account: user,
          sessions,
          rows,
          files: await ownFiles(portal),
        },
        null,
        2,
      );
      const link = document.createElement('a');
      link.href = URL.createObjectURL(new Blob([text], { type: 'application/json' }));
      link.download = `${portal.app.ref}-data.json`;
      link.click();
      setTimeout(() => URL.revokeObjectURL(link.href), 60_000);
    },
  });

/** Deletes the account. The server requires a recent sign-in, so the member signs in again first if a password is given. */
export const deleteAccount = (portal: Portal) =>
  mutationOptions({
    mutationFn: async ({ email, password }: { email: string; password: string }) => {
      if (password !== '') orThrow(await portal.auth.signInWithPassword({ email, password }));
      await callAuth(portal, '/user', { method: 'DELETE' });
      await portal.auth.signOut({ scope: 'local' });
    },
    onSuccess: () => queryClient.resetQueries(),
  });
