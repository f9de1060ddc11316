import { Menu } from '@mantine/core';
import { IconKeyboard, IconLogout, IconMoon, IconSun, IconUser } from '@tabler/icons-react';
import { useQuery } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import { Button } from '../../ui/button.tsx';
import { Icon } from '../../ui/icon.tsx';
import { builder } from '../queries/session.ts';
import { initials } from './initials.ts';
import styles from './layout.module.css';
import { useCommands } from './use-commands.ts';

/** Shows the builder who is signed in, at the bottom of the sidebar, with the choice of light or dark. */
export function UserMenu() {
  const { data } = useQuery(builder());
  const { scheme, toggleScheme, openHelp, leave } = useCommands();
  const navigate = useNavigate();
  if (!data) return <div className={styles.me} />;
  return (
    <div className={styles.me}>
      <Menu withinPortal={false} position="top-start" width={204}>
        <Menu.Target>
          <button type="button" className={styles.who} aria-label={`Signed in as ${data.name}`}>
            <span className={styles.face} aria-hidden="true">
              {initials(data.name)}
            </span>
            <span className="cut">{data.name}</span>
          </button>
        </Menu.Target>
        <Menu.Dropdown>
          <Menu.Label className="cut">{data.email}</Menu.Label>
          <Menu.Item leftSection={<Icon of={IconUser} />} onClick={() => void navigate({ to: '/account' })}>
            Your account
          </Menu.Item>
          <Menu.Item leftSection={<Icon of={IconKeyboard} />} onClick={openHelp}>
            Keyboard
          </Menu.Item>
          <Menu.Item leftSection={<Icon of={IconLogout} />} onClick={leave}>
            Sign out
          </Menu.Item>
        </Menu.Dropdown>
      </Menu>
      <Button
        kind="quiet"
        small
        square
        icon={scheme === 'dark' ? IconSun : IconMoon}
        label={scheme === 'dark' ? 'Light' : 'Dark'}
        onClick={toggleScheme}
      />
    </div>
  );
}
