import { IconArrowBackUp, IconArrowForwardUp } from '@tabler/icons-react';
import { type ComponentProps, type ReactNode, useEffect, useMemo, useRef } from 'react';
import type { Entity } from '../../../../../contract/specification-entities.ts';
import { Button } from '../../../../ui/button.tsx';
import { classNames } from '../../../../ui/class-names.ts';
import { Panel } from '../../../../ui/panel.tsx';
import type { Binding } from '../../../../ui/shortcuts/bindings.ts';
import { useKeys } from '../../../../ui/shortcuts/keyboard.tsx';
import { Tabs } from '../../../../ui/tabs.tsx';
import { Page } from '../../../layout/page.tsx';
import { EffectTabs } from '../../../migrations/effect-panel.tsx';
import {
  EditedNote,
  effectProps,
  isPhone,
  MigrationBar,
  type useMigrationPage,
} from '../../../migrations/migration-page.tsx';
import styles from './editor.module.css';
import type { Steps } from './use-steps.ts';

/** Editor beside its preview: the options and what they will change stand at the right, the bar below applies them. */
export function EditorFrame({
  appRef,
  crumbs,
  entities,
  title,
  tools,
  preview,
  steps,
  page,
  tab,
  onDiscard,
  children,
}: {
  appRef: string;
  crumbs: ComponentProps<typeof Page>['crumbs'];
  entities: readonly Entity[];
  title: ReactNode;
  tools: ReactNode;
  preview: ReactNode;
  steps: Pick<Steps<unknown>, 'undo' | 'redo'>;
  page: ReturnType<typeof useMigrationPage>;
  /** Name of the tab with the options. */
  tab: string;
  onDiscard: () => void;
  children: ReactNode;
}) {
  useKeys(useStepKeys(steps));
  const options = <OptionsPanel {...{ appRef, entities, page, tab }}>{children}</OptionsPanel>;
  return (
    <Page appRef={appRef} crumbs={crumbs} fetching={page.trial.isFetching} bare panel={isPhone ? undefined : options}>
      <div className={classNames(styles.frame, isPhone && styles.phone)}>
        <div className={styles.bar}>
          {title}
          <span className={styles.tools}>
            {tools}
            <Button
              small
              square
              kind="quiet"
              icon={IconArrowBackUp}
              label="Undo"
              offBecause={steps.undo ? null : 'Nothing is changed.'}
              onClick={() => steps.undo?.()}
            />
            <Button
              small
              square
              kind="quiet"
              icon={IconArrowForwardUp}
              label="Redo"
              offBecause={steps.redo ? null : 'Nothing was undone.'}
              onClick={() => steps.redo?.()}
            />
          </span>
        </div>
        <div className={styles.stage}>{preview}</div>
        <MigrationBar page={page} onDiscard={onDiscard} />
        {isPhone && options}
      </div>
    </Page>
  );
}

/** Panel with the options of an editor, and with what they will change. */
function OptionsPanel({
  appRef,
  entities,
  page,
  tab,
  children,
}: {
  appRef: string;
  entities: readonly Entity[];
  page: ReturnType<typeof useMigrationPage>;
  tab: string;
  children: ReactNode;
}) {
  const changes = page.sql === '' ? 0 : (page.trial.data?.changes.length ?? 0);
  return (
    <Panel label="Options" title={null} tall>
      <div className={styles.tabs}>
        <Tabs
          label="Options and changes"
          tabs={[
            {
              name: tab,
              content: (
                <>
                  {page.isEdited && <EditedNote onDiscard={() => page.edit(null)} />}
                  <div inert={page.isEdited}>{children}</div>
                </>
              ),
            },
            {
              name: changes > 0 ? `What will change ${changes}` : 'What will change',
              content: (
                <div className={styles.effect}>
                  <EffectTabs {...effectProps(page)} {...{ appRef, entities }} />
                </div>
              ),
            },
          ]}
        />
      </div>
    </Panel>
  );
}

function useStepKeys(steps: Pick<Steps<unknown>, 'undo' | 'redo'>): readonly Binding[] {
  const latest = useRef(steps);
  useEffect(() => {
    latest.current = steps;
  });
  return useMemo(
    () => [
      { keys: 'mod+z', group: 'Form', does: 'Undo a step', run: () => latest.current.undo?.() },
      { keys: 'mod+y', group: 'Form', does: 'Redo a step', run: () => latest.current.redo?.() },
    ],
    [],
  );
}
