import { useMutation, useQuery } from '@tanstack/react-query';
import { Button } from '../../ui/button.tsx';
import { Wrong } from '../auth/auth-layout.tsx';
import { identities, linkIdentity, unlinkIdentity } from '../data/account.ts';
import { authWords } from '../data/auth-words.ts';
import { usePortal } from '../data/client.ts';
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
    <Section title="Linked accounts" about="Other accounts that can sign you in.">
      <ul className={rowsClass}>
        {portal.app.providers.map(({ id, title }) => {
          const linked = list.data?.find(({ provider }) => provider === id);
          return (
            <Row key={id} name={title} about={linked ? String(linked.identity_data?.email ?? 'Linked') : 'Not linked'}>
              {linked ? (
                <Button
                  small
                  kind="quiet"
                  aria-label={`Unlink ${title}`}
                  offBecause={isLast ? 'It is the only way in that you have.' : null}
                  onClick={() => unlinking.mutate(linked.identity_id)}
                >
                  Unlink
                </Button>
              ) : (
                portal.app.linking && (
                  <Button small aria-label={`Link ${title}`} onClick={() => linking.mutate(id)}>
                    Link
                  </Button>
                )
              )}
            </Row>
          );
        })}
      </ul>
      <Wrong>{failed && authWords(failed)}</Wrong>
    </Section>
  );
}
