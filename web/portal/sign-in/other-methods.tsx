import {
  IconBrandApple,
  IconBrandDiscord,
  IconBrandFacebook,
  IconBrandGithub,
  IconBrandGitlab,
  IconBrandGoogle,
  IconBrandWindows,
  IconFingerprint,
  IconMail,
  IconWorld,
  type Icon as TablerIcon,
} from '@tabler/icons-react';
import { useMutation } from '@tanstack/react-query';
import { t } from '../../language/messages.ts';
import { Button } from '../../ui/button.tsx';
import { authWords } from '../queries/auth-words.ts';
import { usePortal } from '../queries/client.ts';
import { signInWithPasskey, signInWithProvider } from '../queries/sign-in.ts';
import { Or, stackClass, Wrong } from './auth-layout.tsx';

const icons: Readonly<Record<string, TablerIcon>> = {
  apple: IconBrandApple,
  azure: IconBrandWindows,
  discord: IconBrandDiscord,
  facebook: IconBrandFacebook,
  github: IconBrandGithub,
  gitlab: IconBrandGitlab,
  google: IconBrandGoogle,
};

/** Returns the icon of a provider. */
const providerIcon = (id: string): TablerIcon => icons[id] ?? IconWorld;

/** Lists the sign-in methods besides the password: a passkey, providers, and a link by mail if `onMail` is set. */
export function OtherMethods({
  next,
  onSignedIn,
  onMail,
}: {
  next: string;
  onSignedIn?: () => void;
  onMail?: () => void;
}) {
  const portal = usePortal();
  const { passkey, providers } = portal.app;
  const byPasskey = useMutation(signInWithPasskey(portal));
  const byProvider = useMutation(signInWithProvider(portal));
  const error = byPasskey.error ?? byProvider.error;
  const offersPasskey = passkey && onSignedIn !== undefined && 'PublicKeyCredential' in window;
  if (!offersPasskey && providers.length === 0 && !onMail) return null;
  return (
    <>
      <Or />
      <div className={stackClass}>
        {offersPasskey && (
          <Button
            wide
            icon={IconFingerprint}
            busy={byPasskey.isPending && t('waitingForDevice')}
            onClick={() => byPasskey.mutate(undefined, { onSuccess: onSignedIn })}
          >
            {t('usePasskey')}
          </Button>
        )}
        {providers.map(({ id, title }) => (
          <Button
            key={id}
            wide
            icon={providerIcon(id)}
            busy={byProvider.isPending && byProvider.variables.id === id && t('opening', { title })}
            onClick={() => byProvider.mutate({ id, next })}
          >
            {t('continueWith', { title })}
          </Button>
        ))}
        {onMail && (
          <Button wide icon={IconMail} onClick={onMail}>
            {t('mailMeALink')}
          </Button>
        )}
      </div>
      <Wrong>{error && authWords(error)}</Wrong>
    </>
  );
}
