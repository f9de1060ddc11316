import type { User } from '@supabase/supabase-js';
import { useMutation } from '@tanstack/react-query';
import { useState } from 'react';
import { Segmented } from '../../../ui/segmented.tsx';
import styles from '../../forms/form.module.css';
import { FormDialog } from '../../forms/form-dialog.tsx';
import { updateUser } from '../../queries/users.ts';
import { nameOf } from './user-words.ts';

/** Durations in the format that the server reads (Go, time.ParseDuration). This format has no unit above hours. */
const durations = [
  ['1h', '1 hour'],
  ['24h', '1 day'],
  ['168h', '1 week'],
  ['876000h', 'For good'],
] as const;

/** Bans a user for a chosen duration. */
export function BanDialog({ appRef, user, onClose }: { appRef: string; user: User; onClose: () => void }) {
  const [duration, setDuration] = useState<(typeof durations)[number][0]>('24h');
  const { mutate, isPending, error } = useMutation(updateUser(appRef, user.id));
  return (
    <FormDialog
      title="Ban user"
      verb={['Ban', 'Banning']}
      danger
      pending={isPending}
      error={error}
      onSubmit={() => mutate({ ban_duration: duration }, { onSuccess: onClose })}
      onClose={onClose}
    >
      <p className={styles.words}>
        Every session of <b>{nameOf(user)}</b> ends now, and they cannot sign in until the ban is over or lifted. Their
        rows stay.
      </p>
      <div>
        <p className={styles.label} aria-hidden="true">
          For how long
        </p>
        <Segmented label="For how long" value={duration} options={durations} onChange={setDuration} />
      </div>
    </FormDialog>
  );
}
