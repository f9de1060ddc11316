import type { ApiKeyEntry } from '../../../../contract/admin.ts';
import { Button } from '../../../ui/button.tsx';
import { KeyValues, Panel, PanelSection, VerdictLine } from '../../../ui/panel.tsx';
import { counted, dateTime } from '../../format/format.ts';
import styles from '../sessions/session-panel.module.css';
import { isOlderKind, lastUseWords, meaningOf } from './api-key-words.ts';

/** Panel of an API key, with the buttons that rotate or revoke it. */
export function ApiKeyPanel({
  apiKey,
  isPublishable,
  rotating,
  onRotate,
  onRevoke,
  onClose,
}: {
  apiKey: ApiKeyEntry;
  /** True for the key that the pages for members use. */
  isPublishable: boolean;
  rotating: boolean;
  onRotate: () => void;
  onRevoke: () => void;
  onClose: () => void;
}) {
  const { name, hint, created_at: created, revoked_at: revoked, uses } = apiKey;
  return (
    <Panel label="Selected key" title={name} onClose={onClose}>
      <VerdictLine>{meaningOf(apiKey)}</VerdictLine>
      {revoked === null && (
        <div className={styles.actions}>
          {!isOlderKind(apiKey) && (
            <Button small busy={rotating && 'Rotating'} onClick={onRotate}>
              Rotate
            </Button>
          )}
          <Button
            small
            kind="danger"
            offBecause={isPublishable ? 'The pages for members use this key. Rotate it instead.' : null}
            onClick={onRevoke}
          >
            Revoke
          </Button>
        </div>
      )}
      <PanelSection title="Key">
        <KeyValues
          pairs={[
            ['Begins with', <code key="hint">{hint}</code>],
            ['Created', created ? dateTime(created) : 'with the app'],
            ['Last used', lastUseWords(apiKey)],
            ['In 30 days', counted(uses, 'use')],
            revoked !== null && ['Revoked', dateTime(revoked)],
          ]}
        />
      </PanelSection>
    </Panel>
  );
}
