import { useMutation, useQuery } from '@tanstack/react-query';
import { Button } from '../../ui/button.tsx';
import { Wrong } from '../auth/auth-layout.tsx';
import { rightsOf } from '../consent/scope-words.ts';
import { applications, revokeApplication } from '../data/applications.ts';
import { authWords } from '../data/auth-words.ts';
import { usePortal } from '../data/client.ts';
import { aboutClass, Row, rowsClass, Section } from './account-layout.tsx';
import { since } from './times.ts';

/** Lists the applications that the member has consented to, each with a button that revokes the consent. */
export function Applications() {
  const portal = usePortal();
  const list = useQuery(applications(portal));
  const revoking = useMutation(revokeApplication(portal));
  const failed = list.error ?? revoking.error;
  return (
    <Section title="Applications" about="Other applications that you sign in to with this account.">
      {list.data?.length === 0 && <p className={aboutClass}>No application has access to your account.</p>}
      <ul className={rowsClass}>
        {list.data?.map(({ client, scopes, granted_at }) => {
          const name = client.name || 'An application without a name';
          return (
            <Row
              key={client.id}
              name={name}
              about={`Since ${since(granted_at)}. ${['It can sign you in', ...rightsOf(scopes)].join(', ')}.`}
            >
              <Button
                small
                aria-label={`Revoke ${name}`}
                busy={revoking.isPending && revoking.variables === client.id && 'Revoking'}
                onClick={() => revoking.mutate(client.id)}
              >
                Revoke
              </Button>
            </Row>
          );
        })}
      </ul>
      <Wrong>{failed && authWords(failed)}</Wrong>
    </Section>
  );
}
