import type { AppConnection } from '../../contract/admin.ts';
import { superuserUrl, withClient } from './database.ts';
import type { NodeAddress } from './node.ts';

/** A mail with a link, as the table of queued mails contains it. */
export interface LinkMail {
  readonly kind: string;
  readonly data: {
    readonly ConfirmationURL: string;
    readonly Token: string;
    readonly TokenHash: string;
    readonly RedirectTo?: string;
  };
}

/**
 * Returns the mails that an app has queued for an address, oldest first. Reads them as the superuser, because no role
 * of the app can read them.
 */
export async function mailsTo(
  node: NodeAddress,
  app: Pick<AppConnection, 'ref'>,
  address: string,
): Promise<LinkMail[]> {
  return withClient(await superuserUrl(node, `app_${app.ref}`), async (client) => {
    const text = 'select kind, data from ninefold.mails where recipient = $1 order by created_at, id';
    const { rows } = await client.query<LinkMail>(text, [address]);
    return rows;
  });
}
