import type { AppRole } from '../../contract/team.ts';
import { NinefoldError } from '../errors/ninefold-error.ts';
import { requireApp } from './authorise.ts';
import type { Caller } from './context.ts';
import type { Params, Route } from './router.ts';

/** The least that a caller must be: any builder, one who may create apps, an owner of the node, the operator, or a role on the app. */
type Least = 'builder' | 'creator' | 'node owner' | 'operator' | AppRole;

/**
 * The least role for each route of the management API. A route without an entry answers nobody. Calls of a reader show no rows, no mails
 * and nothing else that members entered.
 */
export const leastRoles: Readonly<Record<string, Least>> = {
  'GET /status': 'builder',
  'GET /apps': 'builder',
  'POST /apps': 'creator',
  'GET /builders': 'operator',
  'PUT /builders/password': 'operator',
  'POST /builders/recover': 'operator',
  'GET /account/sessions': 'builder',
  'DELETE /account/sessions/:id': 'builder',
  'PUT /account/password': 'builder',
  'GET /team': 'node owner',
  'POST /team/invitations': 'node owner',
  'DELETE /team/invitations/:id': 'node owner',
  'PUT /team/:id': 'node owner',
  'DELETE /team/:id': 'node owner',
  'GET /apps/:ref': 'reader',
  'DELETE /apps/:ref': 'owner',
  'POST /apps/:ref/clone': 'owner',
  'GET /apps/:ref/connection': 'reader',
  'GET /apps/:ref/activity': 'reader',
  'GET /apps/:ref/calls': 'reader',
  'GET /apps/:ref/call': 'reader',
  'GET /apps/:ref/calls/:requestId': 'developer',
  'GET /apps/:ref/logs': 'reader',
  'GET /apps/:ref/errors': 'reader',
  'POST /apps/:ref/sql': 'developer',
  'POST /apps/:ref/migrations': 'developer',
  'POST /apps/:ref/migrations/trial': 'developer',
  'POST /apps/:ref/migrations/saved': 'developer',
  'GET /apps/:ref/journal': 'developer',
  'GET /apps/:ref/entities': 'reader',
  'GET /apps/:ref/specification': 'reader',
  'GET /apps/:ref/probe': 'reader',
  'POST /apps/:ref/probe': 'developer',
  'GET /apps/:ref/types': 'reader',
  'GET /apps/:ref/versions': 'reader',
  'GET /apps/:ref/versions/:n': 'reader',
  'GET /apps/:ref/versions/:n/changes': 'reader',
  'GET /apps/:ref/settings': 'reader',
  'PUT /apps/:ref/settings/:key': 'developer',
  'DELETE /apps/:ref/settings/:key': 'developer',
  'GET /apps/:ref/keys': 'reader',
  'POST /apps/:ref/keys': 'owner',
  'POST /apps/:ref/keys/rotate': 'owner',
  'POST /apps/:ref/keys/:kid/revoke': 'owner',
  'GET /apps/:ref/sessions': 'developer',
  'DELETE /apps/:ref/sessions': 'developer',
  'DELETE /apps/:ref/sessions/:id': 'developer',
  'GET /apps/:ref/mails': 'developer',
  'POST /apps/:ref/mails/test': 'developer',
  'GET /apps/:ref/mails/:id': 'developer',
  'DELETE /apps/:ref/mails/:id': 'developer',
  'POST /apps/:ref/mails/:id/resend': 'developer',
  'GET /apps/:ref/mail-templates': 'reader',
  'POST /apps/:ref/mail-templates/preview': 'developer',
  'GET /apps/:ref/team': 'reader',
  'POST /apps/:ref/team/invitations': 'owner',
  'DELETE /apps/:ref/team/invitations/:id': 'owner',
  'PUT /apps/:ref/team/:id': 'owner',
  'DELETE /apps/:ref/team/:id': 'owner',
};

/** Throws unless the caller has the least role of the route: `operator_required`, `role_insufficient`, and what `requireApp` throws. */
export function requireLeast(
  caller: Caller,
  { method, path }: Pick<Route<never>, 'method' | 'path'>,
  params: Params,
): void {
  const least = leastRoles[`${method} ${path}`];
  if (least === undefined) throw new Error(`${method} ${path} has no least role`);
  if (least === 'owner' || least === 'developer' || least === 'reader') requireApp(caller, params.ref ?? '', least);
  else if (least === 'operator' && caller.kind !== 'operator') throw new NinefoldError('operator_required');
  else if (least === 'creator') requireCreator(caller);
  else if (least === 'node owner') requireNodeOwner(caller);
}

/** Throws `role_insufficient` for a builder who may not create apps. */
export function requireCreator(caller: Caller): void {
  if (caller.kind === 'builder' && !caller.createsApps) throw insufficient('may create apps');
}

/** Throws `role_insufficient` for a builder who does not own the node. */
export function requireNodeOwner(caller: Caller): void {
  if (caller.kind === 'builder' && !caller.ownsNode) throw insufficient('owner of the node');
}

export const ownsApp = (caller: Caller, ref: string): boolean =>
  caller.kind === 'operator' || caller.apps.get(ref) === 'owner';

export const isReader = (caller: Caller, ref: string): boolean =>
  caller.kind === 'builder' && caller.apps.get(ref) === 'reader';

const insufficient = (needed: string): NinefoldError => new NinefoldError('role_insufficient', { details: { needed } });
