import { IconAlertCircle, IconX } from '@tabler/icons-react';
import type { ReactNode } from 'react';
import { Button } from '../../../ui/button.tsx';
import { Icon } from '../../../ui/icon.tsx';
import { SideGroup, SideList, sideFigureClass, sideItemClass } from '../../../ui/workbench.tsx';
import { ago } from '../../format/format.ts';
import styles from './sql-page.module.css';
import { oneLine, type SqlPageState } from './statements.ts';

/** Lists the saved statements and the history. */
export function StatementList({
  kept,
  onOpen,
  onForget,
  children,
}: {
  kept: SqlPageState;
  onOpen: (sql: string, name: string | null) => void;
  onForget: (name: string) => void;
  /** Groups that follow the saved statements. */
  children?: ReactNode;
}) {
  const now = Date.now();
  return (
    <SideList label="Statements">
      <SideGroup title="Saved">
        {kept.saved.length === 0 && (
          <p className={styles.none}>No saved statements yet. Save a statement to see it here.</p>
        )}
        {kept.saved.map(({ name, sql }) => (
          <div key={name} className={styles.saved}>
            <button
              type="button"
              className={sideItemClass}
              aria-current={kept.open === name ? 'true' : undefined}
              onClick={() => onOpen(sql, name)}
            >
              <span>{name}</span>
            </button>
            <span className={styles.forget}>
              <Button small square kind="quiet" icon={IconX} label={`Delete ${name}`} onClick={() => onForget(name)} />
            </span>
          </div>
        ))}
      </SideGroup>
      {children}
      <SideGroup title="History">
        {kept.history.length === 0 && <p className={styles.none}>No statements yet. Run one to see it here.</p>}
        {kept.history.map(({ sql, at, failed }) => (
          <button
            key={sql}
            type="button"
            className={sideItemClass}
            title={`${ago(new Date(at).toISOString(), now)}${failed ? ', failed' : ''}`}
            onClick={() => onOpen(sql, null)}
          >
            <code>{oneLine(sql)}</code>
            {failed && (
              <span className={`${sideFigureClass} ${styles.failed}`}>
                <Icon of={IconAlertCircle} small />
                <span className="sr">failed</span>
              </span>
            )}
          </button>
        ))}
      </SideGroup>
    </SideList>
  );
}
