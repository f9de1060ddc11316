import { Outlet, useParams } from '@tanstack/react-router';
import { CommandsProvider } from './commands.tsx';
import styles from './frame.module.css';
import { Rail, Thumbs } from './rail.tsx';

/** Around every page of who is signed in: the rail, and what can be done from everywhere. */
export function Frame() {
  const { ref } = useParams({ strict: false });
  return (
    <CommandsProvider>
      <a className={styles.skip} href="#page">
        Skip to the page
      </a>
      <div className={styles.frame}>
        <Rail />
        <Outlet />
        {ref !== undefined && <Thumbs appRef={ref} />}
      </div>
    </CommandsProvider>
  );
}
