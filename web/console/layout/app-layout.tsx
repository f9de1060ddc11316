import { Outlet, useParams } from '@tanstack/react-router';
import { CommandsProvider } from './commands.tsx';
import styles from './layout.module.css';
import { BottomNav, Sidebar } from './sidebar.tsx';

/** Layout of every page after sign-in: the sidebar, and the commands that work everywhere. */
export function AppLayout() {
  const { ref } = useParams({ strict: false });
  return (
    <CommandsProvider>
      <a className={styles.skip} href="#page">
        Skip to the page
      </a>
      <div className={styles.frame}>
        <Sidebar />
        <Outlet />
        {ref !== undefined && <BottomNav appRef={ref} />}
      </div>
    </CommandsProvider>
  );
}
