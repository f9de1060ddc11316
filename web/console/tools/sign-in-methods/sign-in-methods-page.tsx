import { useQuery } from '@tanstack/react-query';
import { useNavigate, useParams, useSearch } from '@tanstack/react-router';
import type { SignInCounts } from '../../../../contract/admin.ts';
import { type ProviderName, providerNames, providerTitles } from '../../../../contract/providers.ts';
import { FailureNote } from '../../../ui/failure.tsx';
import { count, counted } from '../../format/format.ts';
import { Page } from '../../layout/page.tsx';
import { QueryFailure } from '../../layout/query-failure.tsx';
import { failureFacts } from '../../queries/api-failure.ts';
import { connection } from '../../queries/apps.ts';
import {
  type AppSettings,
  appSettings,
  type CustomProvider,
  customProviders,
  signInCounts,
} from '../../queries/settings.ts';
import { useDraft } from '../settings/draft.ts';
import { SettingRows } from '../settings/setting-rows.tsx';
import { sections } from '../settings/setting-words.ts';
import { SettingsFrame, SettingsPageBody, SettingsSection, settingsCrumbs } from '../settings/settings-frame.tsx';
import { CustomProviderPanel, NewProviderPanel } from './custom-provider-panel.tsx';
import { HookPanel } from './hook-panel.tsx';
import { HookList, hookOfMethod } from './hooks-section.tsx';
import { NEW, PHONE, signInsToApp } from './methods.ts';
import { OwnMethods, Providers } from './methods-list.tsx';
import { PhonePanel } from './phone-panel.tsx';
import { ProviderPanel } from './provider-panel.tsx';

const isProvider = (name: string): name is ProviderName => Object.hasOwn(providerTitles, name);

/**
 * Page of all sign-in methods with their switches and effects, and of the rules for accounts and sessions. Methods with
 * their own settings open in the panel.
 */
export function SignInMethodsPage() {
  const { ref } = useParams({ from: '/signed-in/app/$ref/sign-in-methods' });
  const { method = null } = useSearch({ from: '/signed-in/app/$ref/sign-in-methods' });
  const navigate = useNavigate({ from: '/app/$ref/sign-in-methods' });
  const settings = useQuery(appSettings(ref));
  const own = useQuery(customProviders(ref));
  const app = useQuery(connection(ref));
  const choose = (name: string | null) =>
    void navigate({ search: name === null ? {} : { method: name }, replace: true });
  return (
    <Page
      bare
      appRef={ref}
      crumbs={settingsCrumbs(ref, 'Sign-in methods')}
      fetching={settings.isLoading || own.isLoading}
      panel={
        settings.data &&
        method !== null &&
        methodPanel(method, {
          appRef: ref,
          settings: settings.data,
          custom: own.data ?? [],
          callback: app.data ? `${app.data.origin ?? app.data.url}/auth/v1/callback` : '',
          onChoose: choose,
        })
      }
    >
      <SettingsFrame appRef={ref} ready={settings.data !== undefined}>
        {settings.data ? (
          <Sections
            key={ref}
            appRef={ref}
            settings={settings.data}
            custom={own.data ?? []}
            customError={own.error}
            chosen={method}
            onChoose={choose}
          />
        ) : (
          <QueryFailure query={settings} />
        )}
      </SettingsFrame>
    </Page>
  );
}

function Sections({
  appRef,
  settings,
  custom,
  customError,
  ...choice
}: {
  appRef: string;
  settings: AppSettings;
  custom: readonly CustomProvider[];
  customError: Error | null;
  chosen: string | null;
  onChoose: (method: string) => void;
}) {
  const draft = useDraft(appRef, settings);
  const signIns = useQuery(signInCounts(appRef)).data;
  const switches = [...sections.methods, ...providerNames.map((name) => `external_${name}_enabled`)];
  const on =
    switches.filter((key) => settings.get(key)?.value === true).length + custom.filter(({ enabled }) => enabled).length;
  const rows = (keys: readonly string[]) => <SettingRows draft={draft} keys={keys} />;
  return (
    <SettingsPageBody
      title="Sign-in methods"
      sentence={`${on} of ${counted(switches.length + custom.length, 'method')} ${on === 1 ? 'is' : 'are'} on.${signIns ? ` Members signed in ${timesIn(signIns)}.` : ''}`}
      draft={draft}
    >
      <OwnMethods draft={draft} signIns={signIns} {...choice} />
      <Providers appRef={appRef} draft={draft} custom={custom} signIns={signIns} {...choice} />
      {customError && <FailureNote facts={failureFacts(customError)} />}
      <SettingsSection id="accounts" title="Accounts">
        {rows(sections.accounts)}
      </SettingsSection>
      <SettingsSection id="passwords" title="Passwords">
        {rows(sections.passwords)}
      </SettingsSection>
      <SettingsSection id="second-factor" title="Second factor" aside="and passkeys">
        {rows(sections.secondFactor)}
        {rows(sections.passkeys)}
      </SettingsSection>
      <SettingsSection id="session-rules" title="Session rules">
        {rows(sections.sessions)}
      </SettingsSection>
      <SettingsSection id="hooks" title="Hooks" aside="code of the app that sign-in calls">
        <HookList appRef={appRef} settings={settings} {...choice} />
      </SettingsSection>
      <SettingsSection id="applications" title="Other applications" aside="sign members in with this app">
        {rows(sections.provider)}
      </SettingsSection>
      <SettingsSection id="notices" title="Notices" aside="mails about changes">
        {rows(sections.notices)}
      </SettingsSection>
    </SettingsPageBody>
  );
}

/** Returns a text such as “3,749 times in 30 days”. */
function timesIn({ days, ways }: SignInCounts): string {
  const number = signInsToApp(ways);
  return `${number === 1 ? 'once' : `${count(number)} times`} in ${days} days`;
}

/** Returns the panel with the settings of a method; null for an unknown method. */
function methodPanel(
  method: string,
  {
    appRef,
    settings,
    custom,
    callback,
    onChoose,
  }: {
    appRef: string;
    settings: AppSettings;
    custom: readonly CustomProvider[];
    callback: string;
    onChoose: (method: string | null) => void;
  },
) {
  const common = { appRef, onClose: () => onChoose(null) };
  const hook = hookOfMethod(method);
  if (method === NEW) return <NewProviderPanel key={method} {...common} callback={callback} onAdded={onChoose} />;
  if (hook !== null) return <HookPanel key={method} {...common} name={hook} settings={settings} />;
  if (method === PHONE) return <PhonePanel key={method} {...common} settings={settings} />;
  if (isProvider(method)) {
    return <ProviderPanel key={method} {...common} name={method} settings={settings} callback={callback} />;
  }
  const provider = custom.find(({ identifier }) => identifier === method);
  return provider ? <CustomProviderPanel key={method} {...common} provider={provider} callback={callback} /> : null;
}
