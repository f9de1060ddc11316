import '../styles.ts';
import '../portal.css';
import { createMemoryHistory } from '@tanstack/react-router';
import { createRoot } from 'react-dom/client';
import type { FromPreview, PreviewMember, PreviewStart, PreviewTheme, ToPreview } from '../../../contract/preview.ts';
import { PortalRoot, showAccent } from '../portal-root.tsx';
import { makePortal, type Portal, readApp } from '../queries/client.ts';
import { chooseLanguage, isLanguage, loadLanguage } from '../queries/language.ts';
import { list } from '../queries/row-pages.ts';
import { entityIn, listFor, rowPath, screens } from '../queries/screens.ts';
import { followSession, queryClient } from '../queries/session.ts';
import { router } from '../router.tsx';
import { PreviewBridge } from './bridge.ts';
import { standStill } from './sandbox.ts';

/** Pause in ms between two looks whether the page is complete, and how often it must be. */
const LOOK_MILLISECONDS = 80;
const LOOKS = 2;

/** Seconds for which the session of the member seems to be valid, so that the client never renews it. */
const SESSION_SECONDS = 1_000_000;

/** The page that a preview shows, in a theme, with the screens of a draft. */
type Shown = Pick<PreviewStart, 'path' | 'theme' | 'screens'>;

/** Starts the pages for members as the chosen caller. */
export async function startPreview(start: PreviewStart, port: MessagePort): Promise<void> {
  const { member, isPicture, language } = start;
  if (isPicture) standStill();
  const send = (message: FromPreview) => port.postMessage(message);
  const bridge = new PreviewBridge(port, member);
  let draft = start.screens;
  window.fetch = async (input, init) =>
    draft && isOfScreens(input) ? Response.json(draft) : bridge.fetch(input, init);
  // A message that arrives while the pages start replaces the page, theme and draft that they start with.
  let first: Shown = start;
  let shows: ((shown: Shown) => Promise<void>) | null = null;
  port.onmessage = ({ data }: MessageEvent<ToPreview>) => {
    if (data.kind === 'reply') bridge.onReply(data);
    else if (shows) void shows(data);
    else first = data;
  };
  // A chosen language, because the pages would otherwise load themselves again in the language of the account.
  const wanted = [language, member?.user_metadata.locale, ...navigator.languages.map((tag) => tag.slice(0, 2))];
  chooseLanguage(wanted.find(isLanguage) ?? 'en');
  const app = { ...(await readApp(loadLanguage())), has_site: false };
  const portal = makePortal(app, { embedsLinks: false });
  if (member) await portal.auth.setSession(sessionOf(member));
  showAccent(app);
  followSession(portal.auth);
  const view = createRoot(document.getElementById('root') as HTMLElement);
  let theme: PreviewTheme | null = null;
  let path: string | null = null;
  shows = async ({ path: route, theme: nextTheme, screens: nextDraft }) => {
    const isChanged = draft !== nextDraft;
    draft = nextDraft;
    if (isChanged) await queryClient.invalidateQueries({ queryKey: ['screens'] });
    if (path !== route) {
      path = route;
      const address = await addressOf(portal, route, member?.id ?? null);
      if (address === null) send({ kind: 'no-row' });
      const initialEntries = [address ?? '/'];
      if (theme === null) router.update({ ...router.options, history: createMemoryHistory({ initialEntries }) });
      else if (address !== null) await router.navigate({ to: address });
    }
    if (theme !== nextTheme) {
      theme = nextTheme;
      view.render(<PortalRoot portal={portal} scheme={theme} />);
    }
    await whenComplete();
    send({ kind: 'painted' });
  };
  router.subscribe('onResolved', ({ toLocation }) => send({ kind: 'at', path: toLocation.href }));
  await shows(first);
}

/** Returns true for the request whose reply a draft replaces. */
const isOfScreens = (input: RequestInfo | URL): boolean => input === '/portal/v1/screens';

/** Returns a session that no server has issued. The client reads the level of its sign-in from the token. */
function sessionOf(member: PreviewMember) {
  const exp = Math.floor(Date.now() / 1000) + SESSION_SECONDS;
  const part = (value: object) =>
    btoa(JSON.stringify(value)).replaceAll('=', '').replaceAll('+', '-').replaceAll('/', '_');
  const token = [part({ alg: 'none' }), part({ sub: member.id, aal: 'aal1', exp }), part({})].join('.');
  return { access_token: token, refresh_token: 'none' };
}

/**
 * Returns the address of a page. A route with the key of a row leads to the first readable row, in the order of its list.
 * Returns null if there is none.
 */
async function addressOf(portal: Portal, route: string, userId: string | null): Promise<string | null> {
  if (!/\/:/.test(route)) return route;
  const all = await queryClient.fetchQuery(screens(portal, userId));
  const entity = entityIn(all, all.screens.find((screen) => screen.route === route)?.entity ?? '');
  if (!entity) return route;
  const { filter = null, order = null } = listFor(all, entity) ?? {};
  const query = { filter, order, conditions: {}, search: '' };
  const { pages } = await queryClient.fetchInfiniteQuery(list(portal, all, { entity, columns: [], query }));
  return pages[0]?.rows.flatMap((row) => rowPath(all, entity, row) ?? [])[0] ?? null;
}

/** Resolves when the page and its rows are loaded. */
async function whenComplete(): Promise<void> {
  for (let looks = 0; looks < LOOKS; ) {
    await new Promise((resolve) => setTimeout(resolve, LOOK_MILLISECONDS));
    looks = queryClient.isFetching() === 0 && router.state.status === 'idle' ? looks + 1 : 0;
  }
}
