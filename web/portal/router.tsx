import {
  createRootRoute,
  createRoute,
  createRouter,
  lazyRouteComponent,
  Outlet,
  type RouteComponent,
} from '@tanstack/react-router';
import { lazy, type ReactNode, Suspense, useEffect } from 'react';
import { code } from '../ui/recovery/code.ts';
import { PageFailure } from './page-failure.tsx';
import { usePortal } from './queries/client.ts';
import type { NotificationTab } from './queries/notifications.ts';
import { Gate, ToSignIn, useCaller } from './screens/shell/gate.tsx';
import { SignedIn } from './sign-in/signed-in.tsx';

// A member opens only a few of these pages, so the code of each is loaded when it is opened.
const HomePage = lazy(code(() => import('./screens/home/home-page.tsx').then((all) => ({ default: all.HomePage }))));
const ScreenPage = lazy(
  code(() => import('./screens/shell/screen-page.tsx').then((all) => ({ default: all.ScreenPage }))),
);
const AccountPage = lazy(
  code(() => import('./account/account-page.tsx').then((all) => ({ default: all.AccountPage }))),
);
const ContinuePage = lazy(
  code(() => import('./sign-in/continue-page.tsx').then((all) => ({ default: all.ContinuePage }))),
);
const NewPasswordPage = lazy(
  code(() => import('./sign-in/recovery-pages.tsx').then((all) => ({ default: all.NewPasswordPage }))),
);

const NotificationsPage = lazy(
  code(() => import('./notifications/notifications-page.tsx').then((all) => ({ default: all.NotificationsPage }))),
);
const ChoicesPage = lazy(
  code(() => import('./notifications/choices-page.tsx').then((all) => ({ default: all.ChoicesPage }))),
);
const OpenPage = lazy(code(() => import('./notifications/open-page.tsx').then((all) => ({ default: all.OpenPage }))));

/**
 * Reads the path to open after the sign-in. It must be a path of this origin: browsers read `//` and `/\` as the
 * beginning of a host. An invalid path is set to undefined, because otherwise the router would pass the text in the
 * address on to the page.
 */
const next = ({ next: path }: Record<string, unknown>): { next?: string | undefined } => ({
  next: typeof path === 'string' && /^\/(?![/\\])/.test(path) ? path : undefined,
});

const root = createRootRoute({ component: Outlet });
const page = <Path extends string>(path: Path, component: RouteComponent) =>
  createRoute({ getParentRoute: () => root, path, component });

const signIn = createRoute({
  getParentRoute: () => root,
  path: '/account/sign-in',
  validateSearch: next,
  component: lazyRouteComponent(
    code(() => import('./sign-in/sign-in-page.tsx')),
    'SignInPage',
  ),
});
const signUp = createRoute({
  getParentRoute: () => root,
  path: '/account/sign-up',
  validateSearch: next,
  component: lazyRouteComponent(
    code(() => import('./sign-in/sign-up-page.tsx')),
    'SignUpPage',
  ),
});
const arrive = createRoute({
  getParentRoute: () => root,
  path: '/account/arrive',
  validateSearch: next,
  component: lazyRouteComponent(
    code(() => import('./sign-in/arrive-page.tsx')),
    'ArrivePage',
  ),
});

/**
 * Shows a page outside /account. If the app has a front end of its own, the address belongs to that front end, so the
 * browser loads it from the server.
 */
function PageOfApp({ children }: { children: ReactNode }) {
  const { app } = usePortal();
  useEffect(() => {
    if (app.has_site) location.reload();
  }, [app]);
  if (app.has_site) return null;
  return (
    <Gate>
      <Suspense>{children}</Suspense>
    </Gate>
  );
}

const home = page('/', () => (
  <PageOfApp>
    <HomePage />
  </PageOfApp>
));
const screen = page('/$', () => (
  <PageOfApp>
    <ScreenPage />
  </PageOfApp>
));
const account = page('/account', () => (
  <Suspense>
    <SignedIn>
      <AccountPage />
    </SignedIn>
  </Suspense>
));
/** Shows a page with the screens around it to a member who is signed in. */
function PageOfMember({ show }: { show: (userId: string) => ReactNode }) {
  return (
    <Gate>
      <ForMember show={show} />
    </Gate>
  );
}

function ForMember({ show }: { show: (userId: string) => ReactNode }) {
  const caller = useCaller();
  return caller ? <Suspense>{show(caller.user.id)}</Suspense> : <ToSignIn />;
}

const tabs: readonly NotificationTab[] = ['unread', 'mention', 'assignment'];
const notifications = createRoute({
  getParentRoute: () => root,
  path: '/account/notifications',
  validateSearch: ({ tab }: Record<string, unknown>): { tab?: NotificationTab } => {
    const found = tabs.find((known) => known === tab);
    return found === undefined ? {} : { tab: found };
  },
  component: () => <PageOfMember show={(userId) => <NotificationsPage userId={userId} />} />,
});
const choices = page('/account/notifications/choices', () => (
  <PageOfMember show={(userId) => <ChoicesPage userId={userId} />} />
));
const openNotification = createRoute({
  getParentRoute: () => root,
  path: '/account/notifications/$id',
  component: function OpenRoute() {
    const { id } = openNotification.useParams();
    return <PageOfMember show={(userId) => <OpenPage key={id} userId={userId} id={id} />} />;
  },
});
const newPassword = page('/account/new-password', () => (
  <Suspense>
    <SignedIn>
      <NewPasswordPage />
    </SignedIn>
  </Suspense>
));
const continueElsewhere = page('/account/continue', () => (
  <Suspense>
    <SignedIn>
      <ContinuePage />
    </SignedIn>
  </Suspense>
));
const consent = page(
  '/account/consent',
  lazyRouteComponent(
    code(() => import('./consent/consent-route.tsx')),
    'ConsentRoute',
  ),
);
const recover = page(
  '/account/recover',
  lazyRouteComponent(
    code(() => import('./sign-in/recovery-pages.tsx')),
    'RecoverPage',
  ),
);

export const router = createRouter({
  routeTree: root.addChildren([
    home,
    screen,
    signIn,
    signUp,
    arrive,
    recover,
    newPassword,
    account,
    notifications,
    choices,
    openNotification,
    continueElsewhere,
    consent,
  ]),
  scrollRestoration: true,
  defaultErrorComponent: PageFailure,
});

declare module '@tanstack/react-router' {
  interface Register {
    router: typeof router;
  }
}
