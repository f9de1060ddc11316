import type { PortalEntity } from '../../../../contract/portal.ts';
import { givenName } from '../../../fields/format.ts';
import { listParts, t } from '../../../language/messages.ts';
import { type Present, useRowPresence } from '../../queries/row-presence.ts';
import { useCaller } from '../shell/gate.tsx';
import styles from './company.module.css';

/** Says who else looks at a row, and who is writing. */
export function Company({ entity, rowKey }: { entity: PortalEntity; rowKey: Readonly<Record<string, unknown>> }) {
  const user = useCaller()?.user ?? null;
  const name = givenName(user?.user_metadata ?? {}) ?? user?.email?.split('@')[0];
  const others = useRowPresence(entity, rowKey, user && { id: user.id, name: name ?? t('someone') });
  const writing = others.filter(({ isWriting }) => isWriting);
  const reading = others.filter(({ isWriting }) => !isWriting);
  return (
    <span role="status" className={styles.company}>
      {writing.length > 0 && (
        <span data-writing>{t('presentWriting', { count: writing.length, names: namesOf(writing) })}</span>
      )}
      {reading.length > 0 && <span>{t('presentHere', { count: reading.length, names: namesOf(reading) })}</span>}
    </span>
  );
}

const namesOf = (members: readonly Present[]): string =>
  listParts(members.length)
    .map((part) => (typeof part === 'number' ? (members[part]?.name ?? '') : part))
    .join('');
