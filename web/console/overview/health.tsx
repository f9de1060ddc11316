import type { Activity } from '../../../contract/admin.ts';
import { Dot } from '../../ui/dot.tsx';
import { AsOf } from '../../ui/page-header.tsx';
import { KeyValues } from '../../ui/panel.tsx';
import { Skeleton } from '../../ui/table.tsx';
import styles from './overview.module.css';
import { SideSection } from './side-section.tsx';

/** Shows the server and database of the app and their health. */
export function Health({ activity, at }: { activity: Activity | undefined; at: number }) {
  return (
    <SideSection
      title="Health"
      least={activity ? undefined : 124}
      aside={activity && <AsOf at={at} live={false} verb="checked" />}
    >
      {activity ? (
        <KeyValues
          pairs={activity.health.map(({ name, ok, text }) => [
            name,
            <span key={name} className={ok ? styles.well : styles.unwell}>
              <Dot kind={ok ? 'ok' : 'bad'} />
              {text}
            </span>,
          ])}
        />
      ) : (
        <Skeleton width={336} />
      )}
    </SideSection>
  );
}
