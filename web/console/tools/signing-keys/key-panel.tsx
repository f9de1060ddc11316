import type { SigningKeyEntry } from '../../../../contract/admin.ts';
import { Button } from '../../../ui/button.tsx';
import { CopiedCode } from '../../../ui/copy-button.tsx';
import { KeyValues, Panel, PanelSection, VerdictLine } from '../../../ui/panel.tsx';
import { dateTime } from '../../format/format.ts';
import styles from '../sessions/session-panel.module.css';

/** Describes the effect of each key state on tokens. */
const stateWords: Readonly<Record<SigningKeyEntry['state'], string>> = {
  standby: 'Published. It signs nothing before you make it current.',
  current: 'Signs every new access token.',
  previous: 'Signs no new tokens. Its tokens stay valid until they expire.',
  revoked: 'Its tokens are refused. Its private half is erased.',
};

/** Panel of a key, with the buttons that change its state. */
export function KeyPanel({
  signingKey,
  rotating,
  onRotate,
  onRevoke,
  onClose,
}: {
  signingKey: SigningKeyEntry;
  rotating: boolean;
  onRotate: () => void;
  onRevoke: () => void;
  onClose: () => void;
}) {
  const { kid, alg, state, created_at: made, changed_at: changed } = signingKey;
  return (
    <Panel label="Selected key" title={kid} onClose={onClose}>
      <VerdictLine>{stateWords[state]}</VerdictLine>
      {(state === 'standby' || state === 'previous') && (
        <div className={styles.actions}>
          <Button small busy={rotating && 'Changing'} onClick={onRotate}>
            Make current
          </Button>
          <Button small kind="danger" onClick={onRevoke}>
            Revoke
          </Button>
        </div>
      )}
      <PanelSection title="Key">
        <KeyValues
          pairs={[
            ['Id', <CopiedCode key="id" text={kid} what="the key id" />],
            ['Algorithm', alg],
            ['State', state],
            ['Created', made ? dateTime(made) : 'with the app'],
            ['In this state since', changed ? dateTime(changed) : 'the app was created'],
          ]}
        />
      </PanelSection>
    </Panel>
  );
}
