import { randomInt, randomUUID } from 'node:crypto';
import type { CallRequest, Reply } from '../../../contract/call-request.ts';
import { auditEntry } from '../../accounts/audit/audit.ts';
import { pretendedMail, pretendToMail, requestMail } from '../../accounts/messages/one-time-tokens.ts';
import { commonDecoys } from '../../accounts/passwords/common-hashes.ts';
import type { CodeChallenge } from '../../accounts/providers/flow-states.ts';
import { runAsAuthAdmin, type SqlStatement } from '../../accounts/run-as-auth-admin.ts';
import { droppedPassword, signUp } from '../../accounts/users/users.ts';
import { NinefoldError } from '../../errors/ninefold-error.ts';
import { type AuthContext, timeOf } from '../context.ts';
import { beforeUserCreated, waitAsBeforeUserCreated } from '../hooks/before-user-created-hook.ts';
import { ignoreMissing, mailedLink, makeLink } from '../links/link-mails.ts';
import { linkTarget } from '../links/redirects.ts';
import { json } from '../reply.ts';
import { clientOf } from './token-reply.ts';

export interface SignUp {
  readonly email: string;
  readonly password: string;
  readonly userMetadata: Readonly<Record<string, unknown>>;
  readonly challenge: CodeChallenge | null;
}

/**
 * Handles POST /signup if addresses must be confirmed: creates an account and mails a link and a code. If an account
 * has the address already, the response is that of a new account, after the same time. If this account was never
 * confirmed, its owner gets another mail. If the two sign-ups have different passwords, both passwords are removed,
 * because the server does not know which of the two people owns the address.
 */
export async function signUpToConfirm(context: AuthContext, request: CallRequest, asked: SignUp): Promise<Reply> {
  const { database, settings } = context;
  const { email, userMetadata } = asked;
  const { wait, recipient } = await requestMail(database, 'confirmation', email, settings.smtp_max_frequency);
  const waiting = recipient?.isConfirmed === false ? recipient : null;
  const isSamePassword = await context.passwords.verify(
    asked.password,
    waiting?.passwordHash ?? null,
    await commonDecoys(context),
  );
  const passwordHash = await context.passwords.hash(asked.password);
  const planned = { id: randomUUID(), email, userMetadata };
  if (recipient === null) await beforeUserCreated(context, request.address, { ...planned, provider: 'email' });
  else await waitAsBeforeUserCreated(context);
  const redirectTo = linkTarget(context, request);
  const link = makeLink(context, request, { type: 'signup', address: email, redirectTo, challenge: asked.challenge });
  if (recipient === null) {
    const newUser = { ...planned, passwordHash };
    const made = await signUp(database, newUser, clientOf(request), (id) => mailedLink(id, link)).catch(ignoreTaken);
    if (made) {
      noteSignUp(context, request, made.user.id);
      return json(made.user);
    }
  }
  const statements: SqlStatement[] = [
    ...(waiting && !isSamePassword ? [droppedPassword(waiting.id)] : []),
    ...(waiting && wait === 0
      ? [...mailedLink(waiting.id, link), auditEntry('user_confirmation_requested', waiting.id, clientOf(request))]
      : []),
    ...(recipient?.isConfirmed
      ? [pretendedMail('confirmation', email), auditEntry('user_repeated_signup', recipient.id, clientOf(request))]
      : []),
  ];
  if (statements.length > 0) await runAsAuthAdmin(database, statements).catch(ignoreMissing);
  else await pretendToMail(database, 'confirmation', email);
  return json(nobody({ email }, userMetadata, timeOf(context)));
}

/** Reports that an account was created. */
export function noteSignUp({ app, events }: AuthContext, { address }: CallRequest, userId: string): void {
  events.emit({ type: 'auth', what: 'signed-up', app: app.ref, userId, address });
}

/** Returns null if another call has taken the address in the meantime. */
function ignoreTaken(error: unknown): null {
  if (error instanceof NinefoldError && error.code === 'email_exists') return null;
  throw error;
}

/**
 * Returns an account that does not exist but looks like a new account with this address or number, including the order
 * of its fields.
 */
export function nobody(
  login: { readonly email: string } | { readonly phone: string },
  userMetadata: Readonly<Record<string, unknown>>,
  now: number,
): unknown {
  const id = randomUUID();
  const microseconds = String(randomInt(1000)).padStart(3, '0');
  const at = new Date(now).toISOString().replace('Z', `${microseconds}Z`);
  const [provider, email, phone] = 'email' in login ? ['email', login.email, ''] : ['phone', '', login.phone];
  const subject = { sub: id, email_verified: false, phone_verified: false };
  const named = email === '' ? {} : { email };
  return inOrderOfJsonb({
    id,
    aud: 'authenticated',
    role: 'authenticated',
    email,
    phone,
    app_metadata: { provider, providers: [provider] },
    user_metadata: { ...userMetadata, ...subject, ...named },
    identities: [
      {
        identity_id: randomUUID(),
        id,
        user_id: id,
        identity_data: { ...userMetadata, ...subject, ...login },
        provider,
        last_sign_in_at: at,
        created_at: at,
        updated_at: at,
        ...named,
      },
    ],
    created_at: at,
    updated_at: at,
    confirmation_sent_at: at,
    is_anonymous: false,
  });
}

/** Orders the fields of objects as PostgreSQL does in jsonb: by the length of their names, then by bytes. */
function inOrderOfJsonb(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(inOrderOfJsonb);
  if (typeof value !== 'object' || value === null) return value;
  const entries = Object.entries(value).map(([key, entry]) => ({ key, bytes: Buffer.from(key), entry }));
  entries.sort((a, b) => a.bytes.length - b.bytes.length || Buffer.compare(a.bytes, b.bytes));
  return Object.fromEntries(entries.map(({ key, entry }) => [key, inOrderOfJsonb(entry)]));
}
