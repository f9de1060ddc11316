import { createRootRoute, createRoute, createRouter, Link, Outlet } from '@tanstack/react-router';
import { AccountPage } from './account/account-page.tsx';
import { HomePage } from './account/home-page.tsx';
import { ConsentRoute } from './consent/consent-route.tsx';
import { Cover } from './cover/cover.tsx';
import { ArrivePage } from './sign-in/arrive-page.tsx';
import { NewPasswordPage, RecoverPage } from './sign-in/recovery-pages.tsx';
import { SignInPage } from './sign-in/sign-in-page.tsx';
import { SignUpPage } from './sign-in/sign-up-page.tsx';
import { SignedIn } from './sign-in/signed-in.tsx';

/**
 * Where to go after sign-in: a path of this origin only. A browser reads `//` and `/\` as the beginning of a host. What is refused is
 * undefined, not left out: the router would give the page the text of the address.
 */
const next = ({ next: path }: Record<string, unknown>): { next?: string | undefined } => ({
  next: typeof path === 'string' && /^\/(?![/\\])/.test(path) ? path : undefined,
});

const root = createRootRoute({ component: Outlet, notFoundComponent: Missing });
const page = <Path extends string>(path: Path, component: () => React.ReactNode) =>
  createRoute({ getParentRoute: () => root, path, component });

const signIn = createRoute({
  getParentRoute: () => root,
  path: '/sign-in',
  validateSearch: next,
  component: SignInPage,
});
const signUp = createRoute({
  getParentRoute: () => root,
  path: '/sign-up',
  validateSearch: next,
  component: SignUpPage,
});
const arrive = createRoute({
  getParentRoute: () => root,
  path: '/arrive',
  validateSearch: next,
  component: ArrivePage,
});
const home = page('/', () => (
  <SignedIn>
    <HomePage />
  </SignedIn>
));
const account = page('/account', () => (
  <SignedIn>
    <AccountPage />
  </SignedIn>
));
const newPassword = page('/new-password', () => (
  <SignedIn>
    <NewPasswordPage />
  </SignedIn>
));
const consent = page('/consent', ConsentRoute);
const recover = page('/recover', RecoverPage);

function Missing() {
  return (
    <Cover title="There is no such page" lead="The address may be old, or mistyped.">
      <p>
        <Link to="/">Go to the first page</Link>
      </p>
    </Cover>
  );
}

export const router = createRouter({
  routeTree: root.addChildren([home, signIn, signUp, arrive, recover, newPassword, account, consent]),
  scrollRestoration: true,
});

declare module '@tanstack/react-router' {
  interface Register {
    router: typeof router;
  }
}
