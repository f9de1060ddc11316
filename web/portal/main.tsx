import './styles.ts';
import './portal.css';
import { DirectionProvider, MantineProvider } from '@mantine/core';
import { QueryClientProvider } from '@tanstack/react-query';
import { RouterProvider } from '@tanstack/react-router';
import { StrictMode } from 'react';
import { createRoot } from 'react-dom/client';
import { currentDirection } from '../language/messages.ts';
import { hueOf } from '../ui/accent.ts';
import { colorSchemeManager, cssVariablesResolver, theme } from '../ui/theme.tsx';
import { makePortal, PortalContext, readApp, StartError } from './queries/client.ts';
import { loadLanguage } from './queries/language.ts';
import { followConnection, followSession, queryClient } from './queries/session.ts';
import { router } from './router.tsx';
import { StartFailure } from './start-failure.tsx';

const element = document.getElementById('root');
if (!element) throw new Error('The page has no element #root.');
const view = createRoot(element);

readApp(loadLanguage()).then(
  (app) => {
    const portal = makePortal(app);
    const hue = app.accent === null ? null : hueOf(app.accent);
    if (hue !== null) document.documentElement.style.setProperty('--hue', String(hue));
    followSession(portal.auth);
    followConnection();
    view.render(
      <StrictMode>
        <DirectionProvider initialDirection={currentDirection()} detectDirection={false}>
          <MantineProvider
            theme={theme}
            cssVariablesResolver={cssVariablesResolver}
            colorSchemeManager={colorSchemeManager}
            defaultColorScheme="auto"
          >
            <QueryClientProvider client={queryClient}>
              <PortalContext value={portal}>
                <RouterProvider router={router} />
              </PortalContext>
            </QueryClientProvider>
          </MantineProvider>
        </DirectionProvider>
      </StrictMode>,
    );
  },
  (error: Error) => {
    // Without the messages of a language, the page has only the words of its HTML.
    if (error instanceof StartError) showFailure(error);
    else document.getElementById('load-failure')?.removeAttribute('hidden');
  },
);

const showFailure = (error: StartError) =>
  view.render(
    <MantineProvider theme={theme} cssVariablesResolver={cssVariablesResolver} defaultColorScheme="auto">
      <StartFailure error={error} />
    </MantineProvider>,
  );
