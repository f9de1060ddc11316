import type { VersionEntry } from '../../../contract/changes.ts';
import { Button } from '../../ui/button.tsx';
import { KeyValues, Panel, PanelSection, type PanelSteps, VerdictLine } from '../../ui/panel.tsx';
import { count, dateTime } from '../format/format.ts';
import { ChangeList } from './change-list.tsx';
import { causeWords, summary, whoMade } from './change-words.ts';
import styles from './changes.module.css';

/** Panel of a version: its changes since the previous version, and the authors and causes of these changes. */
export function VersionPanel({
  appRef,
  version,
  latest,
  onCompare,
  ...steps
}: {
  appRef: string;
  version: VersionEntry;
  /** Number of the latest version. */
  latest: number;
  onCompare: (from: number, to: number) => void;
} & PanelSteps) {
  return (
    <Panel
      label={`Version ${version.number}`}
      title={
        <>
          <b>v{version.number}</b> <code className="soft">{version.hash.slice(0, 7)}</code>
        </>
      }
      {...steps}
    >
      <VerdictLine>{summary(version)}.</VerdictLine>
      <ChangeList appRef={appRef} changes={version.changes} all={version.change_count} />
      <PanelSection title="Causes">
        <KeyValues
          pairs={[
            ['When', dateTime(version.at)],
            ['Who', whoMade(version) || 'not known'],
            ['Cause', causeWords(version)],
            version.causes.length > 1 && ['Steps', count(version.causes.length)],
            ['Hash', <code key="hash">{version.hash.slice(0, 12)}</code>],
          ]}
        />
      </PanelSection>
      {version.number < latest && (
        <p className={styles.foot}>
          <Button small onClick={() => onCompare(version.number, latest)}>
            Compare with v{latest}
          </Button>
        </p>
      )}
    </Panel>
  );
}
