import {
  type AnyRoute,
  createRootRoute,
  createRoute,
  createRouter,
  lazyRouteComponent,
  type RouteComponent,
  redirect,
} from '@tanstack/react-router';
import { code } from '../ui/recovery/code.ts';
import { AppLayout } from './layout/app-layout.tsx';
import { Root } from './layout/root.tsx';
import { NotFound, PageLoading, RouteFailure } from './layout/route-states.tsx';
import { readLogSearch } from './queries/log.ts';
import { queryClient } from './queries/query-client.ts';
import { signedInBuilder } from './queries/session.ts';
import { setupState } from './queries/setup.ts';
import { specification } from './queries/specification.ts';
import { readDataSearch } from './tools/data/data-search.ts';

type Search = Record<string, unknown>;

/**
 * Reads an optional string parameter of the address. The router parses a parameter of digits as a number, so this
 * function converts numbers back to strings.
 */
const text = (value: unknown): string | undefined =>
  typeof value === 'number' ? String(value) : typeof value === 'string' && value !== '' ? value : undefined;

/** Returns a function that reads the string parameters with these names from the address. */
const strings =
  <Name extends string>(...names: readonly Name[]) =>
  (search: Search): { [name in Name]?: string } => {
    const given = names.map((name) => [name, text(search[name])] as const);
    return Object.fromEntries(given.filter(([, value]) => value !== undefined)) as { [name in Name]?: string };
  };

/**
 * Returns a function that creates the pages below a route. The code of a page is loaded when the page is opened, or
 * when the pointer is over a link to it.
 * @returns a function that takes the path, the reader of the search parameters, the module of the page, and the name of
 * the component in this module
 */
const pagesOf =
  <Parent extends AnyRoute>(parent: Parent) =>
  <Path extends string, Read extends object, Name extends string, Module extends { [name in Name]: RouteComponent }>(
    path: Path,
    validateSearch: (search: Search) => Read,
    load: () => Promise<Module>,
    name: Name,
  ) =>
    createRoute({
      getParentRoute: () => parent,
      path,
      validateSearch,
      component: lazyRouteComponent(code(load), name) as RouteComponent,
    });

const root = createRootRoute({ component: Root });
const page = pagesOf(root);

const setup = createRoute({
  getParentRoute: () => root,
  path: '/setup',
  loader: () => queryClient.ensureQueryData(setupState()),
  component: lazyRouteComponent(
    code(() => import('./sign-in/setup.tsx')),
    'Setup',
  ),
});

/** Parent of the pages that need a builder. Without a session, opens the sign-in page, which later returns to the requested page. */
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
const nodePage = pagesOf(signedIn);
const makesApp = (search: Search): { make?: true } => (search.make ? { make: true } : {});

const app = createRoute({
  getParentRoute: () => signedIn,
  path: '/app/$ref',
  // Starts the request while the code of the page is still being loaded. The page shows the result of the request.
  loader: ({ params: { ref } }) => void queryClient.prefetchQuery(specification(ref)),
});
const appPage = pagesOf(app);

const appPages = app.addChildren([
  appPage('/', strings(), () => import('./overview/overview-page.tsx'), 'OverviewPage'),
  appPage('/one-page', strings(), () => import('./overview/one-page.tsx'), 'OnePagePage'),
  // The address that links of earlier versions contain.
  appPage('/purpose', strings(), () => import('./overview/purpose-address.tsx'), 'PurposeAddress'),
  appPage(
    '/screens',
    strings('screen', 'view', 'as', 'member', 'open', 'edit', 'kind', 'of', 'from', 'menu'),
    () => import('./chapters/screens/screens-page.tsx'),
    'ScreensPage',
  ),
  appPage(
    '/screens/labels',
    strings('language'),
    () => import('./chapters/screens/labels/labels-page.tsx'),
    'LabelsPage',
  ),
  appPage(
    '/entities',
    strings('entity', 'field', 'cluster'),
    () => import('./chapters/entities/entities-page.tsx'),
    'EntitiesPage',
  ),
  appPage(
    '/states',
    strings('machine', 'state', 'way', 'edit'),
    () => import('./chapters/states/states-page.tsx'),
    'StatesPage',
  ),
  appPage('/rules', strings('rule'), () => import('./chapters/rules/rules-page.tsx'), 'RulesPage'),
  appPage('/roles', strings('cell', 'advice', 'role'), () => import('./chapters/roles/roles-page.tsx'), 'RolesPage'),
  appPage('/calls', strings('call'), () => import('./chapters/calls/calls-page.tsx'), 'CallsPage'),
  appPage('/calls/$requestId', strings(), () => import('./chapters/request/request-page.tsx'), 'RequestPage'),
  appPage('/errors', strings('error'), () => import('./chapters/errors/errors-page.tsx'), 'ErrorsPage'),
  appPage('/limits', strings('limit'), () => import('./chapters/limits/limits-page.tsx'), 'LimitsPage'),
  appPage('/changes', strings('version', 'since'), () => import('./changes/changes-page.tsx'), 'ChangesPage'),
  appPage('/jobs', strings(), () => import('./tools/jobs/jobs-page.tsx'), 'JobsPage'),
  appPage('/data', readDataSearch, () => import('./tools/data/data-page.tsx'), 'DataPage'),
  appPage(
    '/files',
    strings('bucket', 'path', 'file', 'q', 'sort', 'view'),
    () => import('./tools/files/files-page.tsx'),
    'FilesPage',
  ),
  appPage('/realtime', strings(), () => import('./tools/realtime/realtime-page.tsx'), 'RealtimePage'),
  appPage(
    '/functions',
    strings('function', 'tab'),
    () => import('./tools/functions/functions-page.tsx'),
    'FunctionsPage',
  ),
  appPage('/queues', strings('queue', 'view', 'message'), () => import('./tools/queues/queues-page.tsx'), 'QueuesPage'),
  appPage('/sql', strings('sql'), () => import('./tools/sql/sql-page.tsx'), 'SqlPage'),
  appPage('/users', strings('user', 'q'), () => import('./tools/users/users-page.tsx'), 'UsersPage'),
  appPage('/users/$id', strings(), () => import('./tools/users/member-page.tsx'), 'MemberPage'),
  appPage('/import-users', strings(), () => import('./tools/users/import-page.tsx'), 'ImportPage'),
  appPage('/sessions', strings('user', 'session'), () => import('./tools/sessions/sessions-page.tsx'), 'SessionsPage'),
  appPage(
    '/mail',
    strings('view', 'mail', 'q', 'kind', 'language'),
    () => import('./tools/mail/mail-page.tsx'),
    'MailPage',
  ),
  appPage('/api-keys', strings(), () => import('./tools/api-keys/api-keys-page.tsx'), 'ApiKeysPage'),
  appPage('/keys', strings(), () => import('./tools/signing-keys/signing-keys-page.tsx'), 'SigningKeysPage'),
  appPage('/applications', strings(), () => import('./tools/applications/applications-page.tsx'), 'ApplicationsPage'),
  appPage(
    '/sign-in-methods',
    strings('method'),
    () => import('./tools/sign-in-methods/sign-in-methods-page.tsx'),
    'SignInMethodsPage',
  ),
  appPage('/logs', readLogSearch, () => import('./tools/logs/logs-page.tsx'), 'LogsPage'),
  appPage('/team', strings('builder'), () => import('./tools/team/team-page.tsx'), 'TeamPage'),
  appPage('/settings', strings(), () => import('./tools/settings/settings-page.tsx'), 'SettingsPage'),
  appPage(
    '/audit',
    strings('kind', 'q', 'action', 'member', 'entry'),
    () => import('./tools/audit/audit-page.tsx'),
    'AuditPage',
  ),
]);

export const router = createRouter({
  routeTree: root.addChildren([
    setup,
    page('/sign-in', strings('next'), () => import('./sign-in/sign-in.tsx'), 'SignIn'),
    page('/invitation', strings(), () => import('./sign-in/invitation.tsx'), 'Invitation'),
    page('/recovery', strings(), () => import('./sign-in/recovery.tsx'), 'Recovery'),
    signedIn.addChildren([
      nodePage('/', makesApp, () => import('./apps/apps-page.tsx'), 'AppsPage'),
      nodePage('/account', strings(), () => import('./account/account-page.tsx'), 'AccountPage'),
      nodePage('/node', strings('sort'), () => import('./node/node-page.tsx'), 'NodePage'),
      nodePage('/backups', strings(), () => import('./node/backups-page.tsx'), 'BackupsPage'),
      nodePage('/builders', strings(), () => import('./node/builders-page.tsx'), 'BuildersPage'),
      nodePage('/audit', strings('q', 'action', 'entry'), () => import('./node/node-audit-page.tsx'), 'NodeAuditPage'),
      appPages,
    ]),
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
