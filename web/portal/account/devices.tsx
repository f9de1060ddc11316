import { useMutation, useQuery } from '@tanstack/react-query';
import { t } from '../../language/messages.ts';
import { Button } from '../../ui/button.tsx';
import { Tag } from '../../ui/tag.tsx';
import { devices, endDevice, endOtherDevices } from '../queries/account.ts';
import { authWords } from '../queries/auth-words.ts';
import { usePortal } from '../queries/client.ts';
import { Wrong } from '../sign-in/auth-layout.tsx';
import { buttonsClass, Row, rowsClass, Section } from './account-layout.tsx';
import { since } from './times.ts';

/** Lists the sessions of the member. */
export function Devices() {
  const portal = usePortal();
  const list = useQuery(devices(portal));
  const ending = useMutation(endDevice(portal));
  const endingOthers = useMutation(endOtherDevices(portal));
  const others = list.data?.filter(({ is_current }) => !is_current).length ?? 0;
  const failed = list.error ?? ending.error ?? endingOthers.error;
  return (
    <Section title={t('devices')} about={t('devicesAbout')}>
      <ul className={rowsClass}>
        {list.data?.map(({ id, device, network, created_at, last_used_at, is_current }) => (
          <Row
            key={id}
            name={
              <>
                {device} {is_current && <Tag kind="ok">{t('thisDevice')}</Tag>}
              </>
            }
            about={t(network ? 'deviceFrom' : 'deviceSince', {
              network: network ?? '',
              created: since(created_at),
              used: since(last_used_at),
            })}
          >
            {!is_current && (
              <Button
                small
                aria-label={t('signOutOne', { name: device })}
                busy={ending.isPending && ending.variables === id && t('signingOut')}
                onClick={() => ending.mutate(id)}
              >
                {t('signOut')}
              </Button>
            )}
          </Row>
        ))}
      </ul>
      {others > 1 && (
        <div className={buttonsClass}>
          <Button busy={endingOthers.isPending && t('signingOut')} onClick={() => endingOthers.mutate()}>
            {t('signOutOthers', { count: others })}
          </Button>
        </div>
      )}
      <Wrong>{failed && authWords(failed)}</Wrong>
    </Section>
  );
}
