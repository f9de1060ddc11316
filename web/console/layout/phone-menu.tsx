import { Menu } from '@mantine/core';
import { IconLogout, IconMenu2, IconMoon, IconSun } from '@tabler/icons-react';
import { useQuery } from '@tanstack/react-query';
import { useNavigate, useParams } from '@tanstack/react-router';
import { Button } from '../../ui/button.tsx';
import { Icon } from '../../ui/icon.tsx';
import { nodePages } from '../navigation/node-pages.ts';
import { toolPages } from '../navigation/tool-pages.ts';
import { builder } from '../queries/session.ts';
import { useCommands } from './use-commands.ts';

/** Menu on a phone, with the tools and the other entries of the side bar. */
export function PhoneMenu() {
  const navigate = useNavigate();
  const { ref } = useParams({ strict: false });
  const { data } = useQuery(builder());
  const { scheme, toggleScheme, leave } = useCommands();
  return (
    <Menu withinPortal={false} position="bottom-end" width={220}>
      <Menu.Target>
        <Button kind="quiet" square icon={IconMenu2} aria-label="Tools" />
      </Menu.Target>
      <Menu.Dropdown>
        {ref !== undefined &&
          toolPages.map(({ name, to, icon }) => (
            <Menu.Item key={to} leftSection={<Icon of={icon} />} onClick={() => void navigate({ to, params: { ref } })}>
              {name}
            </Menu.Item>
          ))}
        {ref !== undefined && <Menu.Divider />}
        {nodePages(data).map(({ name, to, icon }) => (
          <Menu.Item key={to} leftSection={<Icon of={icon} />} onClick={() => void navigate({ to })}>
            {to === '/' ? 'All apps' : to === '/node' ? name : `${name} of the node`}
          </Menu.Item>
        ))}
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
