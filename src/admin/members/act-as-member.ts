import { randomUUID } from 'node:crypto';
import type { ActingToken } from '../../../contract/admin.ts';
import { runAsAuthAdmin } from '../../accounts/run-as-auth-admin.ts';
import { findUser } from '../../accounts/users/users.ts';
import { CONSOLE_REF } from '../../apps/registry/app-record.ts';
import { NinefoldError } from '../../errors/ninefold-error.ts';
import { issueActingToken } from '../../identity/acting-token.ts';
import { UUID } from '../../identity/uuid.ts';
import { actorOf } from '../authorise.ts';
import { type AdminCall, adminCall } from '../call.ts';
import { callerName } from '../caller-name.ts';
import { openApp } from '../open-app.ts';
import { json } from '../reply.ts';

const actAsMember = adminCall({
  route: 'POST /apps/:ref/members/:id/act',
  least: 'developer',
  sensitive: 'act as a member',
  audit: { action: 'acted_as_member', details: (_, { id }) => ({ user_id: id }) },
  summary:
    "Lets the builder read and write rows as this member for a few minutes, and records that in the app's audit log.",
  returns: '201 ActingToken',
  errors: ['user_not_found'],
  handle: async ({ context, caller, request, ref, id }) => {
    const app = await openApp(context, ref);
    const user = UUID.test(id) ? await findUser(app.database, id) : null;
    if (user === null || user.deleted_at !== undefined) throw new NinefoldError('user_not_found');
    const console = await openApp(context, CONSOLE_REF);
    const acting = { ref, userId: user.id, ...actorOf(caller) };
    const { token, expires } = issueActingToken(console.record, acting, Math.floor(Date.now() / 1000));
    const name = await callerName(context, caller);
    await runAsAuthAdmin(app.database, [
      [
        `insert into auth.audit_log_entries (instance_id, id, payload, created_at, ip_address)
       values ('00000000-0000-0000-0000-000000000000', $1::uuid, $2::json, pg_catalog.now(), $3)`,
        [
          randomUUID(),
          JSON.stringify({
            action: 'builder_acted_as',
            actor_id: acting.actor,
            actor_username: name,
            actor_via_sso: false,
            log_type: 'account',
            traits: { user_id: user.id, user_email: user.email },
          }),
          request.address,
        ],
      ],
    ]);
    context.events.emit({ type: 'auth', what: 'acted-as', app: ref, userId: user.id, address: request.address });
    return json(
      { token, user_id: user.id, expires_at: new Date(expires * 1000).toISOString() } satisfies ActingToken,
      201,
    );
  },
});

export const actAsMemberCalls: readonly AdminCall[] = [actAsMember];
