import { Menu } from '@mantine/core';
import { IconApps, IconLogout, IconMenu2, IconMoon, IconSun } from '@tabler/icons-react';
import { useNavigate, useParams } from '@tanstack/react-router';
import { Button } from '../../ui/button.tsx';
import { Icon } from '../../ui/icon.tsx';
import { workPages } from '../work/work-pages.ts';
import { useCommands } from './commands.tsx';

/** On a phone: the workshop, and what else stands in the rail. */
export function PhoneMenu() {
  const navigate = useNavigate();
  const { ref } = useParams({ strict: false });
  const { scheme, toggleScheme, leave } = useCommands();
  return (
    <Menu withinPortal={false} position="bottom-end" width={220}>
      <Menu.Target>
        <Button kind="quiet" square icon={IconMenu2} aria-label="Workshop" />
      </Menu.Target>
      <Menu.Dropdown>
        {ref !== undefined &&
          workPages.map(({ name, to, icon }) => (
            <Menu.Item key={to} leftSection={<Icon of={icon} />} onClick={() => void navigate({ to, params: { ref } })}>
              {name}
            </Menu.Item>
          ))}
        {ref !== undefined && <Menu.Divider />}
        <Menu.Item leftSection={<Icon of={IconApps} />} onClick={() => void navigate({ to: '/' })}>
          All apps
        </Menu.Item>
        <Menu.Item leftSection={<Icon of={scheme === 'dark' ? IconSun : IconMoon} />} onClick={toggleScheme}>
          {scheme === 'dark' ? 'Light' : 'Dark'}
        </Menu.Item>
        <Menu.Item leftSection={<Icon of={IconLogout} />} onClick={leave}>
          Sign out
        </Menu.Item>
      </Menu.Dropdown>
    </Menu>
  );
}
