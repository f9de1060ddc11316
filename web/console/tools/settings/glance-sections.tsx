import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import type { LimitLine } from '../../../../contract/specification.ts';
import { FailureNote } from '../../../ui/failure.tsx';
import { Skeleton, Table } from '../../../ui/table.tsx';
import { amount, isChanged } from '../../chapters/limits/limit-words.ts';
import { count, counted, listed } from '../../format/format.ts';
import { failureFacts } from '../../queries/api-failure.ts';
import { apiKeys } from '../../queries/api-keys.ts';
import { signingKeys } from '../../queries/signing-keys.ts';
import { specification } from '../../queries/specification.ts';
import { lastUseWords } from '../api-keys/api-key-words.ts';
import { SettingsSection } from './settings-frame.tsx';

/** Section with the valid API keys and the number of signing keys. Their pages change them. */
export function KeysSection({ appRef }: { appRef: string }) {
  const { data, error } = useQuery(apiKeys(appRef));
  const signing = useQuery(signingKeys(appRef));
  const valid = data?.filter(({ revoked_at: revoked }) => revoked === null);
  return (
    <SettingsSection
      id="keys-at-a-glance"
      title="Keys"
      aside={valid && counted(valid.length, 'valid API key')}
      tools={
        <>
          <Link to="/app/$ref/api-keys" params={{ ref: appRef }}>
            API keys
          </Link>{' '}
          ·{' '}
          <Link to="/app/$ref/keys" params={{ ref: appRef }}>
            {signing.data ? counted(signing.data.length, 'signing key') : 'Signing keys'}
          </Link>
        </>
      }
    >
      {error && <FailureNote facts={failureFacts(error)} />}
      {!valid && !error && <Skeleton width={240} />}
      {valid && (
        <Table label="Valid API keys">
          <thead>
            <tr>
              <th scope="col">Name</th>
              <th scope="col">Kind</th>
              <th scope="col">Begins with</th>
              <th scope="col">Last used</th>
            </tr>
          </thead>
          <tbody>
            {valid.map((key) => (
              <tr key={key.id}>
                <td>{key.name}</td>
                <td>{key.kind}</td>
                <td>
                  <code>{key.hint}…</code>
                </td>
                <td>{lastUseWords(key)}</td>
              </tr>
            ))}
          </tbody>
        </Table>
      )}
    </SettingsSection>
  );
}

/** Number of limits that the section shows. */
const SHOWN = 6;

/** Section with the limits that were reached within the last week, followed by the limits with a changed value. */
export function LimitsSection({ appRef }: { appRef: string }) {
  const { data, error } = useQuery(specification(appRef));
  const all = data?.chapters.limits?.limits ?? [];
  const reached = all.filter((line) => weekOf(line) > 0).sort((a, b) => weekOf(b) - weekOf(a));
  const changed = all.filter((line) => isChanged(line) && weekOf(line) === 0);
  const shown = [...reached, ...changed].slice(0, SHOWN);
  return (
    <SettingsSection
      id="limits-at-a-glance"
      title="Limits at a glance"
      aside={
        data &&
        listed([
          reached.length === 0 ? 'none reached within a week' : `${count(reached.length)} reached within a week`,
          `${count(changed.length + reached.filter(isChanged).length)} of ${count(all.length)} changed`,
        ])
      }
      tools={
        <Link to="/app/$ref/limits" params={{ ref: appRef }}>
          Chapter 9
        </Link>
      }
    >
      {error && !data && <FailureNote facts={failureFacts(error)} />}
      {!data && !error && <Skeleton width={240} />}
      {shown.length > 0 && (
        <Table label="Limits at a glance">
          <thead>
            <tr>
              <th scope="col">Limit</th>
              <th scope="col" className="num">
                In force
              </th>
              <th scope="col" className="num">
                Reached in a week
              </th>
              <th scope="col">
                <span className="sr">Change</span>
              </th>
            </tr>
          </thead>
          <tbody>
            {shown.map((line) => (
              <tr key={line.id}>
                <td>{line.meaning}</td>
                <td className="num">{amount(line.value, line.unit)}</td>
                <td className="num">{count(weekOf(line))}</td>
                <td className="num">
                  <Link to="/app/$ref/limits" params={{ ref: appRef }} search={{ limit: line.id }}>
                    {line.change === null ? 'Show' : 'Change'}
                    <span className="sr"> {line.id}</span>
                  </Link>
                </td>
              </tr>
            ))}
          </tbody>
        </Table>
      )}
      {data && shown.length === 0 && (
        <p className="soft">Every limit is at its default, and no request reached a limit within the last week.</p>
      )}
    </SettingsSection>
  );
}

const weekOf = ({ figures }: LimitLine): number => figures?.week ?? 0;
