import type { ReactNode } from 'react';
import type { AppRole } from '../../../../contract/least-roles.ts';
import { TimeAgo } from '../../format/time-ago.tsx';
import styles from './team.module.css';

/** Shows the name and the address of a builder. */
export function BuilderName({ name, email, isOwn }: { name: ReactNode; email: string; isOwn: boolean }) {
  return (
    <span className={styles.name}>
      <b>{name}</b> {isOwn && <span className="soft">you</span>}
      <small className="soft">{email}</small>
    </span>
  );
}

/** Shows whether a builder has a second factor. `has` is null if the caller may not see that. */
export function SecondFactorWord({ has }: { has: boolean | null }) {
  if (has === null) return <span className="soft">not shown</span>;
  return has ? 'yes' : <span className={styles.missing}>none</span>;
}

/** Lists the apps of a builder: all apps for an owner of the node, otherwise the apps on which the builder has a role. */
export const appsInWords = (ownsNode: boolean, apps: Readonly<Record<string, AppRole>>): string =>
  ownsNode ? 'all apps' : Object.keys(apps).join(', ');

/** Shows the last activity of a builder. */
export function Seen({ at }: { at: string | null }) {
  return at === null ? <span className="soft">never</span> : <TimeAgo iso={at} />;
}
