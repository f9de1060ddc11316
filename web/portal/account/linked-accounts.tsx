import { useMutation, useQuery } from '@tanstack/react-query';
import { t } from '../../language/messages.ts';
import { Button } from '../../ui/button.tsx';
import { identities, linkIdentity, unlinkIdentity } from '../queries/account.ts';
import { addingWords } from '../queries/auth-words.ts';
import { usePortal } from '../queries/client.ts';
import { Wrong } from '../sign-in/auth-layout.tsx';
import { Row, rowsClass, Section } from './account-layout.tsx';

/** Lists the accounts of providers that can sign the member in. */
export function LinkedAccounts() {
  const portal = usePortal();
  const list = useQuery(identities(portal));
  const linking = useMutation(linkIdentity(portal));
  const unlinking = useMutation(unlinkIdentity(portal));
  const failed = list.error ?? linking.error ?? unlinking.error;
  const isLast = (list.data?.length ?? 0) < 2;
  return (
    <Section title={t('linkedAccounts')} about={t('linkedAccountsAbout')}>
      <ul className={rowsClass}>
        {portal.app.providers.map(({ id, title }) => {
          const linked = list.data?.find(({ provider }) => provider === id);
          return (
            <Row
              key={id}
              name={title}
              about={linked ? String(linked.identity_data?.email ?? t('linked')) : t('notLinked')}
            >
              {linked ? (
                <Button
                  small
                  kind="quiet"
                  aria-label={t('unlinkOne', { title })}
                  offBecause={isLast ? t('onlyWayIn') : null}
                  onClick={() => unlinking.mutate(linked.identity_id)}
                >
                  {t('unlink')}
                </Button>
              ) : (
                portal.app.linking && (
                  <Button small aria-label={t('linkOf', { title })} onClick={() => linking.mutate(id)}>
                    {t('link')}
                  </Button>
                )
              )}
            </Row>
          );
        })}
      </ul>
      <Wrong>{failed && addingWords(failed)}</Wrong>
    </Section>
  );
}
