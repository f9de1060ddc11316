import type { User } from '@supabase/auth-js';
import { IconCamera } from '@tabler/icons-react';
import { useMutation } from '@tanstack/react-query';
import { useRef } from 'react';
import { failureWords } from '../../fields/file-words.ts';
import { initials, memberName } from '../../fields/format.ts';
import { t } from '../../language/messages.ts';
import { Button } from '../../ui/button.tsx';
import { avatarPath, changeAvatar } from '../queries/avatar.ts';
import { usePortal } from '../queries/client.ts';
import { isUnreachable } from '../queries/connection.ts';
import { Wrong } from '../sign-in/auth-layout.tsx';
import styles from './account.module.css';
import { buttonsClass, Section } from './account-layout.tsx';

/** The picture of a member, if the app has a bucket for pictures. */
export function Picture({ user }: { user: User }) {
  const portal = usePortal();
  const input = useRef<HTMLInputElement>(null);
  const { mutate, variables, isPending, error } = useMutation(changeAvatar(portal, user));
  const isRemoving = variables === null;
  const pending = isPending && t(isRemoving ? 'removing' : 'uploading');
  const hasOne = avatarPath(user, location.origin) !== null;
  return (
    <Section title={t('picture')} about={t('pictureAbout')}>
      <div className={styles.picture}>
        <Face user={user} />
        <div className={buttonsClass}>
          <Button
            icon={IconCamera}
            busy={!isRemoving && pending}
            offBecause={pending || null}
            onClick={() => input.current?.click()}
          >
            {t(hasOne ? 'filesReplace' : 'filesChoose')}
          </Button>
          {hasOne && (
            <Button kind="quiet" busy={isRemoving && pending} offBecause={pending || null} onClick={() => mutate(null)}>
              {t('remove')}
            </Button>
          )}
        </div>
        <input
          ref={input}
          type="file"
          hidden
          accept="image/*"
          onChange={({ currentTarget }) => {
            const [file] = currentTarget.files ?? [];
            if (file) mutate(file);
            currentTarget.value = '';
          }}
        />
      </div>
      <Wrong>
        {error && (error instanceof DOMException ? t('filesWrongType') : failureWords(error, isUnreachable))}
      </Wrong>
    </Section>
  );
}

/** The picture of a member, or the initials. */
function Face({ user }: { user: User }) {
  const name = memberName(user);
  const hasPicture = avatarPath(user, location.origin) !== null;
  return hasPicture ? (
    <img className={styles.face} src={String(user.user_metadata.avatar_url)} alt={t('picture')} />
  ) : (
    <span className={styles.face} aria-hidden="true">
      {initials(name)}
    </span>
  );
}
