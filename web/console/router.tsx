import { createRootRoute, createRoute, createRouter, lazyRouteComponent, redirect } from '@tanstack/react-router';
import { readLogSearch } from './data/log.ts';
import { queryClient } from './data/query-client.ts';
import { signedInBuilder } from './data/session.ts';
import { setupState } from './data/setup.ts';
import { specification } from './data/specification.ts';
import { AppLayout } from './layout/app-layout.tsx';
import { PageLoading } from './layout/page-loading.tsx';
import { Root } from './layout/root.tsx';
import { NotFound, RouteFailure } from './layout/route-states.tsx';
import { code } from './recovery/code.ts';
import { readDataSearch } from './tools/data/data-search.ts';

/**
 * Reads an optional string parameter of the address. The router has parsed digits as numbers, which become strings
 * again.
 */
const text = (value: unknown): string | undefined =>
  typeof value === 'number' ? String(value) : typeof value === 'string' && value !== '' ? value : undefined;
const named = <K extends string>(name: K, value: unknown): { [name in K]?: string } => {
  const given = text(value);
  return given === undefined ? {} : ({ [name]: given } as { [name in K]?: string });
};

const root = createRootRoute({ component: Root });

const signIn = createRoute({
  getParentRoute: () => root,
  path: '/sign-in',
  validateSearch: (search) => named('next', search.next),
  component: lazyRouteComponent(
    code(() => import('./auth/sign-in.tsx')),
    'SignIn',
  ),
});

const setup = createRoute({
  getParentRoute: () => root,
  path: '/setup',
  loader: () => queryClient.ensureQueryData(setupState()),
  component: lazyRouteComponent(
    code(() => import('./auth/setup.tsx')),
    'Setup',
  ),
});

const invitation = createRoute({
  getParentRoute: () => root,
  path: '/invitation',
  component: lazyRouteComponent(
    code(() => import('./auth/invitation.tsx')),
    'Invitation',
  ),
});

const recovery = createRoute({
  getParentRoute: () => root,
  path: '/recovery',
  component: lazyRouteComponent(
    code(() => import('./auth/recovery.tsx')),
    'Recovery',
  ),
});

/** Parent of the pages that need a builder. Without a session, opens the sign-in, which returns to the page. */
const signedIn = createRoute({
  getParentRoute: () => root,
  id: 'signed-in',
  beforeLoad: async ({ location }) => {
    const builder = await signedInBuilder();
    if (builder && !builder.needs_second_factor && !builder.must_add_second_factor) return;
    const { needed } = await queryClient.ensureQueryData(setupState());
    if (needed) throw redirect({ to: '/setup' });
    throw redirect({ to: '/sign-in', search: location.href === '/' ? {} : { next: location.href } });
  },
  component: AppLayout,
});

const apps = createRoute({
  getParentRoute: () => signedIn,
  path: '/',
  validateSearch: (search): { make?: true } => (search.make ? { make: true } : {}),
  component: lazyRouteComponent(
    code(() => import('./apps/apps-page.tsx')),
    'AppsPage',
  ),
});

const account = createRoute({
  getParentRoute: () => signedIn,
  path: '/account',
  component: lazyRouteComponent(
    code(() => import('./account/account-page.tsx')),
    'AccountPage',
  ),
});

const builders = createRoute({
  getParentRoute: () => signedIn,
  path: '/builders',
  component: lazyRouteComponent(
    code(() => import('./node/builders-page.tsx')),
    'BuildersPage',
  ),
});

const nodeAudit = createRoute({
  getParentRoute: () => signedIn,
  path: '/audit',
  validateSearch: (search) => ({
    ...named('q', search.q),
    ...named('action', search.action),
    ...named('entry', search.entry),
  }),
  component: lazyRouteComponent(
    code(() => import('./node/node-audit-page.tsx')),
    'NodeAuditPage',
  ),
});

const app = createRoute({
  getParentRoute: () => signedIn,
  path: '/app/$ref',
  // Starts the request while the code of the page is loaded. The page shows its result.
  loader: ({ params: { ref } }) => void queryClient.prefetchQuery(specification(ref)),
});

const contents = createRoute({
  getParentRoute: () => app,
  path: '/',
  component: lazyRouteComponent(
    code(() => import('./contents/contents-page.tsx')),
    'ContentsPage',
  ),
});

const purpose = createRoute({
  getParentRoute: () => app,
  path: '/purpose',
  component: lazyRouteComponent(
    code(() => import('./chapters/purpose/purpose-page.tsx')),
    'PurposePage',
  ),
});

const screens = createRoute({
  getParentRoute: () => app,
  path: '/screens',
  validateSearch: (search) => named('screen', search.screen),
  component: lazyRouteComponent(
    code(() => import('./chapters/screens/screens-page.tsx')),
    'ScreensPage',
  ),
});

const entities = createRoute({
  getParentRoute: () => app,
  path: '/entities',
  validateSearch: (search) => ({
    ...named('entity', search.entity),
    ...named('field', search.field),
    ...named('cluster', search.cluster),
  }),
  component: lazyRouteComponent(
    code(() => import('./chapters/entities/entities-page.tsx')),
    'EntitiesPage',
  ),
});

const states = createRoute({
  getParentRoute: () => app,
  path: '/states',
  validateSearch: (search) => ({
    ...named('machine', search.machine),
    ...named('state', search.state),
    ...named('way', search.way),
  }),
  component: lazyRouteComponent(
    code(() => import('./chapters/states/states-page.tsx')),
    'StatesPage',
  ),
});

const rules = createRoute({
  getParentRoute: () => app,
  path: '/rules',
  validateSearch: (search) => named('rule', search.rule),
  component: lazyRouteComponent(
    code(() => import('./chapters/rules/rules-page.tsx')),
    'RulesPage',
  ),
});

const roles = createRoute({
  getParentRoute: () => app,
  path: '/roles',
  validateSearch: (search) => ({ ...named('cell', search.cell), ...named('advice', search.advice) }),
  component: lazyRouteComponent(
    code(() => import('./chapters/roles/roles-page.tsx')),
    'RolesPage',
  ),
});

const calls = createRoute({
  getParentRoute: () => app,
  path: '/calls',
  validateSearch: (search) => named('call', search.call),
  component: lazyRouteComponent(
    code(() => import('./chapters/calls/calls-page.tsx')),
    'CallsPage',
  ),
});

const trace = createRoute({
  getParentRoute: () => app,
  path: '/calls/$requestId',
  component: lazyRouteComponent(
    code(() => import('./chapters/request/request-page.tsx')),
    'RequestPage',
  ),
});

const errors = createRoute({
  getParentRoute: () => app,
  path: '/errors',
  validateSearch: (search) => named('error', search.error),
  component: lazyRouteComponent(
    code(() => import('./chapters/errors/errors-page.tsx')),
    'ErrorsPage',
  ),
});

const limits = createRoute({
  getParentRoute: () => app,
  path: '/limits',
  validateSearch: (search) => named('limit', search.limit),
  component: lazyRouteComponent(
    code(() => import('./chapters/limits/limits-page.tsx')),
    'LimitsPage',
  ),
});

const changes = createRoute({
  getParentRoute: () => app,
  path: '/changes',
  validateSearch: (search) => ({ ...named('version', search.version), ...named('since', search.since) }),
  component: lazyRouteComponent(
    code(() => import('./changes/changes-page.tsx')),
    'ChangesPage',
  ),
});

const data = createRoute({
  getParentRoute: () => app,
  path: '/data',
  validateSearch: readDataSearch,
  component: lazyRouteComponent(
    code(() => import('./tools/data/data-page.tsx')),
    'DataPage',
  ),
});

const sql = createRoute({
  getParentRoute: () => app,
  path: '/sql',
  validateSearch: (search) => named('sql', search.sql),
  component: lazyRouteComponent(
    code(() => import('./tools/sql/sql-page.tsx')),
    'SqlPage',
  ),
});

const users = createRoute({
  getParentRoute: () => app,
  path: '/users',
  validateSearch: (search) => ({ ...named('user', search.user), ...named('q', search.q) }),
  component: lazyRouteComponent(
    code(() => import('./tools/users/users-page.tsx')),
    'UsersPage',
  ),
});

const member = createRoute({
  getParentRoute: () => app,
  path: '/users/$id',
  component: lazyRouteComponent(
    code(() => import('./tools/users/member-page.tsx')),
    'MemberPage',
  ),
});

const importMembers = createRoute({
  getParentRoute: () => app,
  path: '/import-users',
  component: lazyRouteComponent(
    code(() => import('./tools/users/import-page.tsx')),
    'ImportPage',
  ),
});

const sessions = createRoute({
  getParentRoute: () => app,
  path: '/sessions',
  validateSearch: (search) => ({ ...named('user', search.user), ...named('session', search.session) }),
  component: lazyRouteComponent(
    code(() => import('./tools/sessions/sessions-page.tsx')),
    'SessionsPage',
  ),
});

const mail = createRoute({
  getParentRoute: () => app,
  path: '/mail',
  validateSearch: (search) => ({
    ...named('view', search.view),
    ...named('mail', search.mail),
    ...named('q', search.q),
    ...named('kind', search.kind),
    ...named('language', search.language),
  }),
  component: lazyRouteComponent(
    code(() => import('./tools/mail/mail-page.tsx')),
    'MailPage',
  ),
});

const settings = createRoute({
  getParentRoute: () => app,
  path: '/settings',
  component: lazyRouteComponent(
    code(() => import('./tools/settings/settings-page.tsx')),
    'SettingsPage',
  ),
});

const apiKeys = createRoute({
  getParentRoute: () => app,
  path: '/api-keys',
  component: lazyRouteComponent(
    code(() => import('./tools/api-keys/api-keys-page.tsx')),
    'ApiKeysPage',
  ),
});

const keys = createRoute({
  getParentRoute: () => app,
  path: '/keys',
  component: lazyRouteComponent(
    code(() => import('./tools/keys/keys-page.tsx')),
    'KeysPage',
  ),
});

const applications = createRoute({
  getParentRoute: () => app,
  path: '/applications',
  component: lazyRouteComponent(
    code(() => import('./tools/applications/applications-page.tsx')),
    'ApplicationsPage',
  ),
});

const signInMethods = createRoute({
  getParentRoute: () => app,
  path: '/sign-in-methods',
  validateSearch: (search) => named('method', search.method),
  component: lazyRouteComponent(
    code(() => import('./tools/sign-in-methods/sign-in-methods-page.tsx')),
    'SignInMethodsPage',
  ),
});

const logs = createRoute({
  getParentRoute: () => app,
  path: '/logs',
  validateSearch: readLogSearch,
  component: lazyRouteComponent(
    code(() => import('./tools/logs/logs-page.tsx')),
    'LogsPage',
  ),
});

const audit = createRoute({
  getParentRoute: () => app,
  path: '/audit',
  validateSearch: (search) => ({
    ...named('kind', search.kind),
    ...named('q', search.q),
    ...named('action', search.action),
    ...named('member', search.member),
    ...named('entry', search.entry),
  }),
  component: lazyRouteComponent(
    code(() => import('./tools/audit/audit-page.tsx')),
    'AuditPage',
  ),
});

const team = createRoute({
  getParentRoute: () => app,
  path: '/team',
  validateSearch: (search) => named('builder', search.builder),
  component: lazyRouteComponent(
    code(() => import('./tools/team/team-page.tsx')),
    'TeamPage',
  ),
});

const inApp = app.addChildren([
  contents,
  purpose,
  screens,
  entities,
  states,
  rules,
  roles,
  calls,
  trace,
  errors,
  limits,
  changes,
  data,
  sql,
  users,
  sessions,
  mail,
  apiKeys,
  keys,
  applications,
  signInMethods,
  logs,
  member,
  importMembers,
  team,
  settings,
  audit,
]);

export const router = createRouter({
  routeTree: root.addChildren([
    signIn,
    setup,
    invitation,
    recovery,
    signedIn.addChildren([apps, account, builders, nodeAudit, inApp]),
  ]),
  defaultPreload: 'intent',
  defaultPendingMs: 100,
  defaultPendingMinMs: 0,
  defaultPendingComponent: PageLoading,
  defaultErrorComponent: RouteFailure,
  defaultNotFoundComponent: NotFound,
});

declare module '@tanstack/react-router' {
  interface Register {
    router: typeof router;
  }
}
