import './styles.ts';
import './portal.css';
import { MantineProvider } from '@mantine/core';
import { createRoot } from 'react-dom/client';
import { cssVariablesResolver, theme } from '../ui/theme.tsx';
import { PortalRoot, showAccent } from './portal-root.tsx';
import { makePortal, readApp, StartError } from './queries/client.ts';
import { loadLanguage } from './queries/language.ts';
import { followConnection, followSession } from './queries/session.ts';
import { StartFailure } from './start-failure.tsx';

const element = document.getElementById('root');
if (!element) throw new Error('The page has no element #root.');
const view = createRoot(element);

readApp(loadLanguage()).then(
  (app) => {
    const portal = makePortal(app);
    showAccent(app);
    followSession(portal.auth);
    followConnection();
    view.render(<PortalRoot portal={portal} />);
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
