import {
  IconApps,
  IconFileText,
  IconHistory,
  IconKeyboard,
  IconListSearch,
  IconLogout,
  IconMoon,
  IconPlus,
} from '@tabler/icons-react';
import { useQuery } from '@tanstack/react-query';
import { useNavigate, useParams } from '@tanstack/react-router';
import { useMemo } from 'react';
import { useAppName } from '../layout/use-app-name.ts';
import { useCommands } from '../layout/use-commands.ts';
import { toolPages } from '../navigation/tool-pages.ts';
import { appList } from '../queries/apps.ts';
import { specification } from '../queries/specification.ts';
import { destinations } from './destinations.ts';
import type { Entry } from './entries.ts';
import { requestIdIn } from './request-id.ts';

/** Returns all entries of the palette for the current page. If the query is a request id, one entry opens the trace of this request. */
export function useEntries(query: string): Entry[] {
  const { ref } = useParams({ strict: false });
  const app = useAppEntries(ref);
  const apps = useAppsEntries();
  const general = useGeneralEntries();
  const trace = useTraceEntry(ref, query);
  return useMemo(() => [...trace, ...app, ...apps, ...general], [trace, app, apps, general]);
}

function useTraceEntry(ref: string | undefined, query: string): Entry[] {
  const navigate = useNavigate();
  const requestId = requestIdIn(query);
  return useMemo(() => {
    if (ref === undefined || requestId === null) return [];
    return [
      {
        group: 'A request',
        title: requestId,
        about: 'Trace of the request with this id',
        sign: IconListSearch,
        run: () => void navigate({ to: '/app/$ref/calls/$requestId', params: { ref, requestId } }),
      },
    ];
  }, [ref, requestId, navigate]);
}

function useAppEntries(ref: string | undefined): Entry[] {
  const navigate = useNavigate();
  const { data } = useQuery({ ...specification(ref ?? ''), enabled: ref !== undefined });
  const appName = useAppName(ref ?? '');
  return useMemo(() => {
    if (ref === undefined) return [];
    const params = { ref };
    const places = destinations(data).map(
      ({ chapter, title, about, target }): Entry => ({
        group: 'In the specification',
        title,
        about,
        sign: chapter,
        ...(about.endsWith('?') && { keys: [String(chapter)] }),
        run: () => void navigate({ ...target, params }),
      }),
    );
    return [
      {
        group: 'In the specification',
        title: 'Explain this app in one page',
        about: `What does ${appName} do?`,
        sign: IconFileText,
        keys: ['0'],
        run: () => void navigate({ to: '/app/$ref/one-page', params }),
      },
      ...places,
      {
        group: 'In the specification',
        title: 'Changes',
        about: 'Changes of the specification, with date and author',
        sign: IconHistory,
        run: () => void navigate({ to: '/app/$ref/changes', params }),
      },
      ...toolPages.map(
        ({ name, to, icon, letter }): Entry => ({
          group: 'Tools',
          title: name,
          about: '',
          sign: icon,
          keys: ['G', letter.toUpperCase()],
          run: () => void navigate({ to, params }),
        }),
      ),
    ];
  }, [ref, appName, data, navigate]);
}

function useAppsEntries(): Entry[] {
  const navigate = useNavigate();
  const { data = [] } = useQuery(appList());
  return useMemo(
    () =>
      data.map(
        ({ ref, name }): Entry => ({
          group: 'Apps',
          title: name,
          about: name === ref ? '' : ref,
          sign: IconApps,
          run: () => void navigate({ to: '/app/$ref', params: { ref } }),
        }),
      ),
    [data, navigate],
  );
}

function useGeneralEntries(): Entry[] {
  const navigate = useNavigate();
  const { toggleScheme, openHelp, leave } = useCommands();
  return useMemo(() => {
    const entry = (title: string, sign: Entry['sign'], run: () => void, keys: readonly string[] = []): Entry => ({
      group: 'Do',
      title,
      about: '',
      sign,
      keys,
      run,
    });
    return [
      entry('All apps', IconApps, () => void navigate({ to: '/' })),
      entry('Create app', IconPlus, () => void navigate({ to: '/', search: { make: true } })),
      entry('Light or dark', IconMoon, toggleScheme, ['T']),
      entry('Keyboard', IconKeyboard, openHelp, ['?']),
      entry('Sign out', IconLogout, leave),
    ];
  }, [navigate, toggleScheme, openHelp, leave]);
}
