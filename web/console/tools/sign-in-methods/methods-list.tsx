import { IconPlus } from '@tabler/icons-react';
import { useMutation } from '@tanstack/react-query';
import type { SignInCounts } from '../../../../contract/admin.ts';
import { allSettings } from '../../../../contract/all-settings.ts';
import { providerNames, providerTitles } from '../../../../contract/providers.ts';
import { Button } from '../../../ui/button.tsx';
import { FailureNote } from '../../../ui/failure.tsx';
import { Switch } from '../../../ui/switch.tsx';
import { count } from '../../format/format.ts';
import { failureFacts } from '../../queries/api-failure.ts';
import { type CustomProvider, switchCustomProvider } from '../../queries/settings.ts';
import type { Draft } from '../settings/draft.ts';
import { effectOf, sections, settingLabel } from '../settings/setting-words.ts';
import { SettingsSection } from '../settings/settings-frame.tsx';
import { NEW, PHONE, signInsBy } from './methods.ts';
import styles from './sign-in-methods-page.module.css';

interface ChooseProps {
  /** The method whose panel is open. */
  chosen: string | null;
  onChoose: (method: string) => void;
}

interface CountProps {
  /** Undefined until the counts are loaded. */
  signIns: SignInCounts | undefined;
}

/** The names of the columns. */
function Head({ signIns }: CountProps) {
  return (
    <div className={styles.head} aria-hidden="true">
      <span>Method</span>
      <span>Effect</span>
      <span>{signIns && `${signIns.days} days`}</span>
    </div>
  );
}

/** Shows the number of sign-ins by a method; nothing for a disabled method without sign-ins. */
function SignIns({ signIns, method, isOn }: CountProps & { method: string; isOn: boolean }) {
  const number = signIns ? signInsBy(method, signIns.ways) : 0;
  if (!signIns || (number === 0 && !isOn)) return <span className={styles.count} />;
  return (
    <span className={styles.count} role="img" aria-label={`${count(number)} sign-ins in ${signIns.days} days`}>
      {count(number)}
    </span>
  );
}

function Open({ method, title, chosen, onChoose }: ChooseProps & { method: string; title: string }) {
  return (
    <button type="button" className={styles.open} aria-expanded={chosen === method} onClick={() => onChoose(method)}>
      {title}
    </button>
  );
}

/** Lists the methods that need no provider. */
export function OwnMethods({ draft, signIns, ...choice }: ChooseProps & CountProps & { draft: Draft }) {
  return (
    <SettingsSection id="own-methods" title="Own methods">
      <Head signIns={signIns} />
      <ul className={styles.list}>
        {sections.methods.map((key) => {
          const isOn = draft.valueOf(key) === true;
          const title = settingLabel(key);
          return (
            <li key={key} className={styles.row} data-changed={draft.changes.has(key) || undefined}>
              {key === 'external_phone_enabled' ? <Open method={PHONE} title={title} {...choice} /> : <b>{title}</b>}
              <p>{effectOf(allSettings[key], isOn)}</p>
              <SignIns signIns={signIns} method={key} isOn={isOn} />
              <Switch label={title} isOn={isOn} onChange={(next) => draft.set(key, next)} />
            </li>
          );
        })}
      </ul>
    </SettingsSection>
  );
}

/** Lists the known providers and those that were added to the app. */
export function Providers({
  appRef,
  draft,
  custom,
  signIns,
  ...choice
}: ChooseProps & CountProps & { appRef: string; draft: Draft; custom: readonly CustomProvider[] }) {
  const turn = useMutation(switchCustomProvider(appRef));
  const { onChoose } = choice;
  return (
    <SettingsSection
      id="providers"
      title="Providers"
      tools={
        <Button small icon={IconPlus} onClick={() => onChoose(NEW)}>
          Add provider
        </Button>
      }
    >
      <ul className={styles.list}>
        {providerNames.map((name) => {
          const title = providerTitles[name];
          const isReady = Boolean(draft.settings.get(`external_${name}_client_id`)?.value);
          const key = `external_${name}_enabled`;
          const isOn = draft.valueOf(key) === true;
          return (
            <li key={name} className={styles.row} data-changed={draft.changes.has(key) || undefined}>
              <Open method={name} title={title} {...choice} />
              <p>
                {isReady ? `Members sign in with their ${title} account.` : 'Needs a client id and a secret first.'}
              </p>
              <SignIns signIns={signIns} method={name} isOn={isOn} />
              <Switch
                label={title}
                isOn={isOn}
                onChange={(next) => (next && !isReady ? onChoose(name) : draft.set(key, next))}
              />
            </li>
          );
        })}
        {custom.map((provider) => (
          <li key={provider.identifier} className={styles.row}>
            <Open method={provider.identifier} title={provider.name} {...choice} />
            <p>Members sign in at {hostOf(provider)}.</p>
            <SignIns signIns={signIns} method={provider.identifier} isOn={provider.enabled} />
            <Switch
              label={provider.name}
              isOn={provider.enabled}
              isBusy={turn.isPending && turn.variables.identifier === provider.identifier}
              onChange={(enabled) => turn.mutate({ identifier: provider.identifier, enabled })}
            />
          </li>
        ))}
      </ul>
      {turn.error && <FailureNote facts={failureFacts(turn.error)} />}
    </SettingsSection>
  );
}

function hostOf({ issuer, authorization_url, name }: CustomProvider): string {
  const address = issuer ?? authorization_url ?? '';
  return URL.canParse(address) ? new URL(address).host : name;
}
