import { useMutation, useQuery } from '@tanstack/react-query';
import { t } from '../../language/messages.ts';
import { Button } from '../../ui/button.tsx';
import { rightsOf } from '../consent/scope-words.ts';
import { applications, revokeApplication } from '../queries/applications.ts';
import { authWords } from '../queries/auth-words.ts';
import { usePortal } from '../queries/client.ts';
import { Wrong } from '../sign-in/auth-layout.tsx';
import { aboutClass, Row, rowsClass, Section } from './account-layout.tsx';
import { since } from './times.ts';

/** Lists the applications that the member allowed to sign them in, each with a button that revokes the consent. */
export function Applications() {
  const portal = usePortal();
  const list = useQuery(applications(portal));
  const revoking = useMutation(revokeApplication(portal));
  const failed = list.error ?? revoking.error;
  return (
    <Section title={t('applications')} about={t('applicationsAbout')}>
      {list.data?.length === 0 && <p className={aboutClass}>{t('applicationsNone')}</p>}
      <ul className={rowsClass}>
        {list.data?.map(({ client, scopes, granted_at }) => {
          const name = client.name || t('applicationNameless');
          return (
            <Row
              key={client.id}
              name={name}
              about={t('applicationSince', {
                time: since(granted_at),
                rights: [t('applicationSignsIn'), ...rightsOf(scopes)].join(', '),
              })}
            >
              <Button
                small
                aria-label={t('revokeOne', { name })}
                busy={revoking.isPending && revoking.variables === client.id && t('revoking')}
                onClick={() => revoking.mutate(client.id)}
              >
                {t('revoke')}
              </Button>
            </Row>
          );
        })}
      </ul>
      <Wrong>{failed && authWords(failed)}</Wrong>
    </Section>
  );
}
