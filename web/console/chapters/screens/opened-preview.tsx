import { useMediaQuery } from '@mantine/hooks';
import { IconArrowLeft, IconExternalLink } from '@tabler/icons-react';
import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { useState } from 'react';
import { buttonClass } from '../../../ui/button.tsx';
import { Icon } from '../../../ui/icon.tsx';
import { Segmented } from '../../../ui/segmented.tsx';
import { Page } from '../../layout/page.tsx';
import { connection } from '../../queries/apps.ts';
import { CallerChoiceFields } from './caller-choice.tsx';
import styles from './pictures.module.css';
import { ScreenPreview } from './preview/screen-preview.tsx';
import { addressIn, HOME } from './screen-groups.ts';
import { useCallerChoice } from './use-caller-choice.ts';

/** One page of the app as large as the console, which a builder operates as the chosen member. Nothing can be changed. */
export function OpenedPreview({ appRef, path }: { appRef: string; path: string }) {
  const choice = useCallerChoice(appRef);
  const { caller, member, kind } = choice;
  const isPhone = useMediaQuery('(max-width: 760px)', undefined, { getInitialValueInEffect: false }) ?? false;
  const [device, setDevice] = useState<'desktop' | 'phone'>(isPhone ? 'phone' : 'desktop');
  const [shown, setShown] = useState(path);
  const { data } = useQuery(connection(appRef));
  const name = member?.name ?? kind.one;
  const back = { as: kind.id, ...(member && { member: member.id }) };
  return (
    <Page
      appRef={appRef}
      crumbs={[
        { text: '2 Screens', link: { to: '/app/$ref/screens', params: { ref: appRef }, search: back } },
        { text: `As ${name}` },
      ]}
      bare
    >
      <div className={styles.opened}>
        <div className={styles.openedBar}>
          <Link
            className={buttonClass({ kind: 'quiet', square: true })}
            to="/app/$ref/screens"
            params={{ ref: appRef }}
            search={back}
            aria-label="All screens"
          >
            <Icon of={IconArrowLeft} />
          </Link>
          <h1 className={styles.openedTitle}>As {name}</h1>
          <code className="cut">{shown}</code>
          <span className={styles.tools}>
            <CallerChoiceFields appRef={appRef} choice={choice} />
            <Segmented
              label="Device"
              value={device}
              options={[
                ['desktop', 'Desktop'],
                ['phone', 'Phone'],
              ]}
              onChange={setDevice}
            />
            {data?.origin != null && (
              <a
                className={buttonClass()}
                href={addressIn(data.origin, shown.includes('/:') ? HOME : (shown.split('?', 1)[0] ?? HOME))}
                target="_blank"
                rel="noreferrer"
              >
                <Icon of={IconExternalLink} />
                Open the app
              </a>
            )}
          </span>
        </div>
        <div className={styles.stage} data-device={device}>
          {caller && (
            <ScreenPreview
              key={device}
              {...{ appRef, caller, path, device }}
              title={`the app as ${name}`}
              onPath={setShown}
            />
          )}
        </div>
      </div>
    </Page>
  );
}
