import '../ui/styles.ts';
import { MantineProvider } from '@mantine/core';
import { QueryClientProvider } from '@tanstack/react-query';
import { RouterProvider } from '@tanstack/react-router';
import { StrictMode } from 'react';
import { createRoot } from 'react-dom/client';
import { en } from '../language/en.ts';
import { setLanguage } from '../language/messages.ts';
import { KeyboardProvider } from '../ui/shortcuts/keyboard.tsx';
import { colorSchemeManager, cssVariablesResolver, theme } from '../ui/theme.tsx';
import { queryClient, setSignedOutHandler } from './queries/query-client.ts';
import { forgetAnswers } from './queries/session.ts';
import { router } from './router.tsx';

// The fields that console and portal share have their texts in the catalogue of messages.
setLanguage('en', en);

// The session has ended, on this or another device, or it needs a second factor. Clears the cached data and opens the sign-in page.
setSignedOutHandler(() => {
  const { pathname, href } = router.state.location;
  if (pathname === '/sign-in') return;
  forgetAnswers();
  void router.navigate({ to: '/sign-in', search: { next: href } });
});

// Earlier releases stored the builder's tokens here and let apps register service workers. Removes what they left.
localStorage.removeItem('ninefold-console');
void navigator.serviceWorker?.getRegistrations().then((all) => Promise.all(all.map((one) => one.unregister())));

const element = document.getElementById('root');
if (!element) throw new Error('The page has no element #root.');

createRoot(element).render(
  <StrictMode>
    <MantineProvider
      theme={theme}
      cssVariablesResolver={cssVariablesResolver}
      colorSchemeManager={colorSchemeManager}
      defaultColorScheme="auto"
    >
      <QueryClientProvider client={queryClient}>
        <KeyboardProvider>
          <RouterProvider router={router} />
        </KeyboardProvider>
      </QueryClientProvider>
    </MantineProvider>
  </StrictMode>,
);
