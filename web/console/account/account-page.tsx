import { useState } from 'react';
import { Button } from '../../ui/button.tsx';
import { PanelSection } from '../../ui/panel.tsx';
import { Page } from '../layout/page.tsx';
import styles from './account-page.module.css';
import { OwnPasskeys } from './own-passkeys.tsx';
import { OwnPasswordDialog } from './own-password-dialog.tsx';
import { OwnSecondFactor } from './own-second-factor.tsx';
import { OwnSessions } from './own-sessions.tsx';

/** The account of the builder who is signed in: password, second factor, passkeys and sessions. */
export function AccountPage() {
  const [changing, setChanging] = useState(false);
  return (
    <Page crumbs={[{ text: 'Your account' }]}>
      <article className={styles.account}>
        <h1 className={styles.title}>Your account</h1>
        <h2 className={styles.words}>How you sign in, and where you are signed in</h2>
        <PanelSection title="Password">
          <p className={styles.words}>A new password ends every session but this one.</p>
          <Button small onClick={() => setChanging(true)}>
            Change password
          </Button>
        </PanelSection>
        <PanelSection title="Second factor">
          <OwnSecondFactor />
        </PanelSection>
        <PanelSection title="Passkeys">
          <OwnPasskeys />
        </PanelSection>
        <PanelSection title="Sessions">
          <OwnSessions />
        </PanelSection>
      </article>
      {changing && <OwnPasswordDialog onClose={() => setChanging(false)} />}
    </Page>
  );
}
