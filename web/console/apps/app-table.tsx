import { Menu } from '@mantine/core';
import { IconCopyPlus, IconDots, IconTrash } from '@tabler/icons-react';
import { Link, useNavigate } from '@tanstack/react-router';
import type { AppSummary } from '../../../contract/admin.ts';
import { Button } from '../../ui/button.tsx';
import { Icon } from '../../ui/icon.tsx';
import { LoadingRows, rowClass, Skeleton, Table } from '../../ui/table.tsx';
import { Verdict } from '../../ui/verdict.tsx';
import { ago, bytes, dateTime } from '../format/format.ts';
import styles from './apps.module.css';

/** Table of the apps. A click in a row opens the app; the row's menu clones and deletes it. */
export function AppTable({
  apps,
  sizes,
  stale,
  onClone,
  onDelete,
}: {
  /** Undefined until the list is loaded. */
  apps: readonly AppSummary[] | undefined;
  /** Sizes of the databases by ref; undefined until they are loaded. */
  sizes: ReadonlyMap<string, number> | undefined;
  stale: boolean;
  onClone: (ref: string) => void;
  onDelete: (ref: string) => void;
}) {
  const navigate = useNavigate();
  return (
    <Table label="Apps" stale={stale}>
      <thead>
        <tr>
          <th className={styles.name}>App</th>
          <th className={styles.wide}>Ref</th>
          <th className={styles.wide}>URL</th>
          <th className="num">Size</th>
          <th className={styles.made}>Created</th>
          <th className={styles.menu}>
            <span className="sr">More</span>
          </th>
        </tr>
      </thead>
      <tbody>
        {apps?.map(({ ref, name, url, created_at, outdated }) => (
          <tr key={ref} className={rowClass} onClick={() => void navigate({ to: '/app/$ref', params: { ref } })}>
            <td>
              <Link to="/app/$ref" params={{ ref }} className={styles.link}>
                {name}
              </Link>
              {outdated && (
                <>
                  {' '}
                  <Verdict of="disagrees" words="not served" />
                </>
              )}
            </td>
            <td className={styles.wide}>
              <code>{ref}</code>
            </td>
            <td className={styles.wide}>
              <code>{url}</code>
            </td>
            <td className="num">{sizes?.has(ref) ? bytes(sizes.get(ref) ?? 0) : <Skeleton width={40} />}</td>
            <td className={styles.made}>
              <time dateTime={created_at} title={dateTime(created_at)}>
                {ago(created_at, Date.now())}
              </time>
            </td>
            <td>
              <More appRef={ref} onClone={onClone} onDelete={onDelete} />
            </td>
          </tr>
        )) ?? <LoadingRows rows={3} widths={[80, 90, 240, 50, 80, 16]} />}
      </tbody>
    </Table>
  );
}

function More({
  appRef,
  onClone,
  onDelete,
}: {
  appRef: string;
  onClone: (ref: string) => void;
  onDelete: (ref: string) => void;
}) {
  return (
    <Menu position="bottom-end" width={160}>
      <Menu.Target>
        <Button
          kind="quiet"
          small
          square
          icon={IconDots}
          aria-label={`More about ${appRef}`}
          onClick={(event) => event.stopPropagation()}
        />
      </Menu.Target>
      <Menu.Dropdown onClick={(event) => event.stopPropagation()}>
        <Menu.Item leftSection={<Icon of={IconCopyPlus} />} onClick={() => onClone(appRef)}>
          Clone
        </Menu.Item>
        <Menu.Item
          leftSection={<Icon of={IconTrash} />}
          className={styles.danger ?? ''}
          onClick={() => onDelete(appRef)}
        >
          Delete
        </Menu.Item>
      </Menu.Dropdown>
    </Menu>
  );
}
