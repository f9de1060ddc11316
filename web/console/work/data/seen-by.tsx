import { Menu } from '@mantine/core';
import { IconChevronDown, IconKey, IconUser, IconUserOff } from '@tabler/icons-react';
import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { Button } from '../../../ui/button.tsx';
import { Icon } from '../../../ui/icon.tsx';
import type { Seat } from '../../data/rows/row.ts';
import { user } from '../../data/users/user.ts';
import { ChooseMember } from './choose-member.tsx';

/** As whom the rows are read and written: the service key, nobody in particular, or a member. */
export function SeenBy({ appRef, seat, onSeat }: { appRef: string; seat: Seat; onSeat: (seat: Seat) => void }) {
  const [choosing, setChoosing] = useState(false);
  const name = useSeatName(appRef, seat);
  return (
    <>
      <Menu position="bottom-end" width={260}>
        <Menu.Target>
          <Button
            small
            icon={seat === 'service' ? IconKey : seat === 'anon' ? IconUserOff : IconUser}
            aria-label={`Rows as seen by ${name}`}
          >
            <span className="cut">{name}</span>
            <Icon of={IconChevronDown} small />
          </Button>
        </Menu.Target>
        <Menu.Dropdown>
          <Menu.Item leftSection={<Icon of={IconKey} />} onClick={() => onSeat('service')}>
            service key, past all policies
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

/** What a seat is called: "service key", "anonymous", the member's address. */
function useSeatName(appRef: string, seat: Seat): string {
  const isMember = seat !== 'service' && seat !== 'anon';
  const { data } = useQuery({ ...user(appRef, seat), enabled: isMember });
  if (!isMember) return seat === 'service' ? 'service key' : 'anonymous';
  return data?.email ?? `member ${seat.slice(0, 8)}`;
}
