import { useMutation } from '@tanstack/react-query';
import { languageNames, t } from '../../../language/messages.ts';
import { changeAccount } from '../../queries/account.ts';
import { usePortal } from '../../queries/client.ts';
import { chooseLanguage, chosenLanguage, isLanguage } from '../../queries/language.ts';
import styles from './choice.module.css';

/**
 * Chooses the language of the pages. For a member, the choice is also stored in the account, so that mails are in the
 * same language. The page is loaded again; drafts of forms are not lost.
 */
export function LanguageChoice({ isMember }: { isMember: boolean }) {
  const portal = usePortal();
  const storing = useMutation(changeAccount(portal));
  const choose = async (value: string) => {
    const language = isLanguage(value) ? value : null;
    chooseLanguage(language);
    if (isMember) await storing.mutateAsync({ data: { locale: language } }).catch(() => null);
    location.reload();
  };
  return (
    <label className={styles.choice}>
      <span>{t('language')}</span>
      <select value={chosenLanguage() ?? ''} onChange={({ currentTarget }) => void choose(currentTarget.value)}>
        <option value="">{t('asDevice')}</option>
        {Object.entries(languageNames).map(([language, name]) => (
          <option key={language} value={language} lang={language}>
            {name}
          </option>
        ))}
      </select>
    </label>
  );
}
