import { DirectionProvider, MantineProvider } from '@mantine/core';
import { QueryClientProvider } from '@tanstack/react-query';
import { RouterProvider } from '@tanstack/react-router';
import { StrictMode } from 'react';
import { hueOf } from '../../contract/accent.ts';
import type { PortalApp } from '../../contract/portal.ts';
import { currentDirection } from '../language/messages.ts';
import { colorSchemeManager, cssVariablesResolver, theme } from '../ui/theme.tsx';
import { type Portal, PortalContext } from './queries/client.ts';
import { queryClient } from './queries/session.ts';
import { router } from './router.tsx';

/**
 * The pages for members with everything around them.
 * @param scheme The colour scheme; absent for the choice of the member.
 */
export const PortalRoot = ({ portal, scheme }: { portal: Portal; scheme?: 'light' | 'dark' }) => (
  <StrictMode>
    <DirectionProvider initialDirection={currentDirection()} detectDirection={false}>
      <MantineProvider
        theme={theme}
        cssVariablesResolver={cssVariablesResolver}
        colorSchemeManager={colorSchemeManager}
        defaultColorScheme="auto"
        {...(scheme && { forceColorScheme: scheme })}
      >
        <QueryClientProvider client={queryClient}>
          <PortalContext value={portal}>
            <RouterProvider router={router} />
          </PortalContext>
        </QueryClientProvider>
      </MantineProvider>
    </DirectionProvider>
  </StrictMode>
);

/** Shows the pages in the accent of the app. */
export function showAccent({ accent }: PortalApp): void {
  const hue = accent === null ? null : hueOf(accent);
  if (hue !== null) document.documentElement.style.setProperty('--hue', String(hue));
}
