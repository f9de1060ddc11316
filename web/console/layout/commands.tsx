import { useComputedColorScheme, useMantineColorScheme } from '@mantine/core';
import { useNavigate, useParams, useRouter, useRouterState } from '@tanstack/react-router';
import { type ReactNode, useCallback, useMemo, useState } from 'react';
import type { Binding } from '../../ui/shortcuts/bindings.ts';
import { useKeys } from '../../ui/shortcuts/keyboard.tsx';
import { chapterPages } from '../navigation/chapter-pages.ts';
import { toolPages } from '../navigation/tool-pages.ts';
import { Palette } from '../palette/palette.tsx';
import { queryClient } from '../queries/query-client.ts';
import { signOut } from '../queries/session.ts';
import { Help } from '../shortcuts/help.tsx';
import { useChapterNumber } from './use-chapter-number.ts';
import { type Commands, CommandsContext } from './use-commands.ts';

/** Contains the palette and the list of keys, and binds the keys that work everywhere. */
export function CommandsProvider({ children }: { children: ReactNode }) {
  const [open, setOpen] = useState<'palette' | 'help' | null>(null);
  const scheme = useComputedColorScheme('light');
  const { setColorScheme } = useMantineColorScheme();
  const navigate = useNavigate();

  const toggleScheme = useCallback(
    () => setColorScheme(scheme === 'dark' ? 'light' : 'dark'),
    [scheme, setColorScheme],
  );
  const leave = useCallback(() => {
    signOut().then(
      () => navigate({ to: '/sign-in' }),
      // The server did not respond, so the builder is still signed in. The page repeats its queries and shows their failure.
      () => queryClient.invalidateQueries(),
    );
  }, [navigate]);

  const commands = useMemo<Commands>(
    () => ({
      scheme,
      toggleScheme,
      openPalette: () => setOpen('palette'),
      openHelp: () => setOpen('help'),
      leave,
    }),
    [scheme, toggleScheme, leave],
  );

  useKeys(useGeneralBindings(commands));
  useKeys(useAppBindings());

  const close = useCallback(() => setOpen(null), []);
  return (
    <CommandsContext value={commands}>
      {children}
      {open === 'palette' && <Palette onClose={close} />}
      {open === 'help' && <Help onClose={close} />}
    </CommandsContext>
  );
}

/** Returns the bindings that work on every page. */
function useGeneralBindings({ openPalette, openHelp, toggleScheme }: Commands): readonly Binding[] {
  return useMemo(
    () => [
      { keys: 'mod+k', group: 'Everywhere', does: 'Search or jump', run: openPalette, inFields: true },
      { keys: '/', group: 'Everywhere', does: 'Search or jump', run: openPalette },
      { keys: 't', group: 'Everywhere', does: 'Light or dark', run: toggleScheme },
      { keys: '?', group: 'Everywhere', does: 'This list', run: openHelp },
    ],
    [openPalette, openHelp, toggleScheme],
  );
}

/**
 * Returns the chapter before a number. A page outside of the chapters has no number: no chapter is before it, and the
 * first chapter follows it.
 */
const chapterBefore = (number: number | undefined) =>
  number === undefined ? undefined : chapterPages(undefined).findLast((page) => page.number < number);
const chapterAfter = (number: number | undefined) =>
  chapterPages(undefined).find((page) => page.number > (number ?? 0));

/** Returns the number of the chapter whose page has this address. */
const chapterAt = (ref: string, pathname: string): number | undefined =>
  chapterPages(undefined).find(({ to }) => to.replace('$ref', ref) === pathname)?.number;

/**
 * Returns the key bindings of the current app: a number opens a chapter, a bracket opens the previous or next chapter,
 * and G followed by a letter opens a tool. Returns none if the page is outside of an app.
 */
function useAppBindings(): readonly Binding[] {
  const navigate = useNavigate();
  const { ref } = useParams({ strict: false });
  const here = useChapterNumber();
  const router = useRouter();
  const ahead = useRouterState({ select: ({ location }) => chapterAt(ref ?? '', location.pathname) });
  return useMemo(() => {
    if (ref === undefined) return [];
    const params = { ref };
    const pages = chapterPages(undefined);
    const bindings: Binding[] = [
      {
        keys: '0',
        group: 'Chapters',
        does: 'Explain this app in one page',
        run: () => void navigate({ to: '/app/$ref/one-page', params }),
      },
      ...pages.map(({ number, name, to }) => ({
        keys: String(number),
        group: 'Chapters',
        does: name,
        run: () => void navigate({ to, params }),
      })),
      ...toolPages.map(({ name, to, letter }) => ({
        keys: `g ${letter}`,
        group: 'Tools',
        does: name,
        run: () => void navigate({ to, params }),
      })),
    ];
    const turns = [
      { keys: '[', does: 'Previous chapter', from: chapterBefore },
      { keys: ']', does: 'Next chapter', from: chapterAfter },
    ];
    for (const { keys, does, from } of turns) {
      if (!from(here) && !from(ahead)) continue;
      // Starts from the page that the previous key press opened, even if that page is not shown yet.
      const run = () => {
        const { latestLocation, state } = router;
        const underway = latestLocation.pathname !== state.resolvedLocation?.pathname;
        const to = from(underway ? chapterAt(ref, latestLocation.pathname) : here)?.to;
        if (to) void navigate({ to, params });
      };
      bindings.push({ keys, group: 'Chapters', does, run });
    }
    return bindings;
  }, [ref, here, ahead, navigate, router]);
}
