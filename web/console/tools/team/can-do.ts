import { type AdminRoute, type AppRole, appRoles, leastRoles } from '../../../../contract/least-roles.ts';
import type { Mark } from '../../../ui/verdict.tsx';

/** Groups of calls on an app, each with a description for builders. */
const groups: readonly (readonly [words: string, routes: readonly AdminRoute[]])[] = [
  [
    'Read the nine chapters, versions, figures, settings and logs',
    ['GET /apps/:ref/specification', 'GET /apps/:ref/versions', 'GET /apps/:ref/settings', 'GET /apps/:ref/logs'],
  ],
  [
    'See members, sessions, mails and the audit log, act as a member',
    ['POST /apps/:ref/members/:id/act', 'GET /apps/:ref/sessions', 'GET /apps/:ref/mails', 'GET /apps/:ref/audit'],
  ],
  [
    'Run SQL, apply migrations, change settings',
    ['POST /apps/:ref/sql', 'POST /apps/:ref/migrations', 'PUT /apps/:ref/settings/:key'],
  ],
  [
    'Share the specification by links, and withdraw them',
    ['POST /apps/:ref/specification/links', 'DELETE /apps/:ref/specification/links/:id'],
  ],
  [
    'Deploy edge functions, read their code and output, set their secrets',
    [
      'PUT /apps/:ref/functions/:name',
      'GET /apps/:ref/functions/:name/source',
      'GET /apps/:ref/function-logs',
      'PUT /apps/:ref/function-secrets',
    ],
  ],
  [
    'Create, reveal and revoke secret keys; add, rotate and revoke signing keys',
    [
      'POST /apps/:ref/api-keys',
      'POST /apps/:ref/api-keys/:id/reveal',
      'POST /apps/:ref/api-keys/:id/revoke',
      'POST /apps/:ref/keys',
      'POST /apps/:ref/keys/rotate',
      'POST /apps/:ref/keys/:kid/revoke',
    ],
  ],
  [
    'Invite and remove builders, change roles',
    ['POST /apps/:ref/team/invitations', 'DELETE /apps/:ref/team/:id', 'PUT /apps/:ref/team/:id'],
  ],
  ['Clone or delete the app', ['POST /apps/:ref/clone', 'DELETE /apps/:ref']],
];

export interface CanDo {
  readonly words: string;
  readonly marks: Readonly<Record<AppRole, Mark>>;
}

const ranks: readonly string[] = appRoles;

const mayCall = (role: AppRole, route: AdminRoute): boolean => ranks.indexOf(role) <= ranks.indexOf(leastRoles[route]);

const markOf = (role: AppRole, routes: readonly AdminRoute[]): Mark =>
  routes.every((route) => mayCall(role, route))
    ? 'always'
    : routes.some((route) => mayCall(role, route))
      ? 'when'
      : 'never';

/** The permissions of each role on an app, derived from `leastRoles`, by which the server decides. */
export const canDo: readonly CanDo[] = groups.map(([words, routes]) => ({
  words,
  marks: Object.fromEntries(appRoles.map((role) => [role, markOf(role, routes)])) as Record<AppRole, Mark>,
}));
