import { Menu } from '@mantine/core';
import { IconApps, IconCheck, IconSelector } from '@tabler/icons-react';
import { useQuery } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import { Dot } from '../../ui/dot.tsx';
import { Icon } from '../../ui/icon.tsx';
import { Verdict } from '../../ui/verdict.tsx';
import { activity, appList } from '../queries/apps.ts';
import styles from './layout.module.css';
import { useAppName } from './use-app-name.ts';

/** Shows the current app and a menu of the other apps. The dot shows the app's health. */
export function AppSwitcher({ appRef }: { appRef: string }) {
  const navigate = useNavigate();
  const { data: apps = [] } = useQuery(appList());
  const { data, isError } = useQuery(activity(appRef));
  const name = useAppName(appRef);
  const unwell = isError || data?.health.some(({ ok }) => !ok);
  return (
    <Menu withinPortal={false} position="bottom-start" width={204}>
      <Menu.Target>
        <button type="button" className={styles.switch} aria-label={`App ${name}. Switch to another`}>
          <Dot kind={unwell ? 'bad' : data ? 'ok' : 'unknown'} />
          <b className="cut">{name}</b>
          <Icon of={IconSelector} />
        </button>
      </Menu.Target>
      <Menu.Dropdown>
        {apps.map((app) => (
          <Menu.Item
            key={app.ref}
            rightSection={
              <>
                {app.outdated && <Verdict of="disagrees" words="not served" />}
                {app.ref === appRef && <Icon of={IconCheck} small />}
              </>
            }
            onClick={() => void navigate({ to: '/app/$ref', params: { ref: app.ref } })}
          >
            {app.name}
            {app.name !== app.ref && <code className={styles.ref}>{app.ref}</code>}
          </Menu.Item>
        ))}
        <Menu.Divider />
        <Menu.Item leftSection={<Icon of={IconApps} />} onClick={() => void navigate({ to: '/' })}>
          All apps
        </Menu.Item>
      </Menu.Dropdown>
    </Menu>
  );
}
