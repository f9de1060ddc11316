import { Menu } from '@mantine/core';
import { IconChevronDown, IconKey, IconUser, IconUserOff } from '@tabler/icons-react';
import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { Button } from '../../../ui/button.tsx';
import { Icon } from '../../../ui/icon.tsx';
import type { RequestRole } from '../../queries/rows/row.ts';
import { user } from '../../queries/users.ts';
import { ChooseMember } from './choose-member.tsx';

/** Chooses the caller who reads and writes the rows: the service key, a caller without a session, or a member. */
export function ViewAsMenu({
  appRef,
  requestRole,
  what = 'Rows',
  onSeat,
}: {
  appRef: string;
  requestRole: RequestRole;
  /** The things that the caller sees, for the label of the button. */
  what?: string;
  onSeat: (requestRole: RequestRole) => void;
}) {
  const [choosing, setChoosing] = useState(false);
  const name = useSeatName(appRef, requestRole);
  return (
    <>
      <Menu position="bottom-end" width={260}>
        <Menu.Target>
          <Button
            small
            icon={requestRole === 'service' ? IconKey : requestRole === 'anon' ? IconUserOff : IconUser}
            aria-label={`${what} as seen by ${name}`}
          >
            <span className="cut">{name}</span>
            <Icon of={IconChevronDown} small />
          </Button>
        </Menu.Target>
        <Menu.Dropdown>
          <Menu.Item leftSection={<Icon of={IconKey} />} onClick={() => onSeat('service')}>
            service key, bypasses all policies
          </Menu.Item>
          <Menu.Item leftSection={<Icon of={IconUserOff} />} onClick={() => onSeat('anon')}>
            anonymous, without a session
          </Menu.Item>
          <Menu.Item leftSection={<Icon of={IconUser} />} onClick={() => setChoosing(true)}>
            a member…
          </Menu.Item>
        </Menu.Dropdown>
      </Menu>
      {choosing && (
        <ChooseMember
          appRef={appRef}
          onChoose={(id) => {
            setChoosing(false);
            onSeat(id);
          }}
          onClose={() => setChoosing(false)}
        />
      )}
    </>
  );
}

/** Returns the name of a caller: "service key", "anonymous", or the member's address. */
function useSeatName(appRef: string, requestRole: RequestRole): string {
  const isMember = requestRole !== 'service' && requestRole !== 'anon';
  const { data } = useQuery({ ...user(appRef, requestRole), enabled: isMember });
  if (!isMember) return requestRole === 'service' ? 'service key' : 'anonymous';
  return data?.email ?? `member ${requestRole.slice(0, 8)}`;
}
