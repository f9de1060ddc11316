import { IconPlus } from '@tabler/icons-react';
import { useMutation, useQuery } from '@tanstack/react-query';
import { useNavigate, useParams, useSearch } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import type { SettingEntry } from '../../../../contract/admin.ts';
import { type ProviderName, providerNames, providerTitles } from '../../../../contract/providers.ts';
import { Button } from '../../../ui/button.tsx';
import { Failure, FailureNote } from '../../../ui/failure.tsx';
import { failureFacts } from '../../data/api-failure.ts';
import { connection } from '../../data/apps/connection.ts';
import { appSettings, changeSettings } from '../../data/settings/app-settings.ts';
import { type CustomProvider, customProviders, switchCustomProvider } from '../../data/settings/custom-providers.ts';
import { Page } from '../../frame/page.tsx';
import { CustomProviderPanel, NewProviderPanel } from './custom-provider-panel.tsx';
import { HookPanel } from './hook-panel.tsx';
import { HookList, hookOfMethod } from './hooks-section.tsx';
import { accountRules, isOn, type Method, ownMethods, PHONE } from './methods.ts';
import { PhonePanel } from './phone-panel.tsx';
import { ProviderPanel } from './provider-panel.tsx';
import styles from './sign-in-methods-page.module.css';
import { Switch } from './switch.tsx';

const NEW = 'new';

const isProvider = (name: string): name is ProviderName => Object.hasOwn(providerTitles, name);

/** Every way in with its switch and its effect; a provider opens in the panel. */
export function SignInMethodsPage() {
  const { ref } = useParams({ from: '/signed-in/app/$ref/sign-in-methods' });
  const { method = null } = useSearch({ from: '/signed-in/app/$ref/sign-in-methods' });
  const navigate = useNavigate({ from: '/app/$ref/sign-in-methods' });
  const settings = useQuery(appSettings(ref));
  const own = useQuery(customProviders(ref));
  const app = useQuery(connection(ref));
  const choose = (name: string | null) =>
    void navigate({ search: name === null ? {} : { method: name }, replace: true });
  const callback = app.data ? `${app.data.origin ?? app.data.url}/auth/v1/callback` : '';
  const close = () => choose(null);
  const hook = hookOfMethod(method);
  const custom = own.data?.find(({ identifier }) => identifier === method);
  return (
    <Page
      appRef={ref}
      crumbs={[{ text: 'Sign-in methods' }]}
      fetching={settings.isLoading || own.isLoading}
      panel={
        settings.data &&
        (method === NEW ? (
          <NewProviderPanel appRef={ref} callback={callback} onAdded={choose} onClose={close} />
        ) : hook !== null ? (
          <HookPanel key={method} appRef={ref} name={hook} settings={settings.data} onClose={close} />
        ) : method === PHONE ? (
          <PhonePanel appRef={ref} settings={settings.data} onClose={close} />
        ) : method !== null && isProvider(method) ? (
          <ProviderPanel
            key={method}
            appRef={ref}
            name={method}
            settings={settings.data}
            callback={callback}
            onClose={close}
          />
        ) : (
          custom && (
            <CustomProviderPanel key={method} appRef={ref} provider={custom} callback={callback} onClose={close} />
          )
        ))
      }
    >
      <div className={styles.page}>
        <h1 className={styles.title}>Sign-in methods</h1>
        {settings.error && <Failure facts={failureFacts(settings.error)} onRetry={() => void settings.refetch()} />}
        {settings.data && (
          <>
            <Switches
              appRef={ref}
              title="Own methods"
              methods={ownMethods}
              settings={settings.data}
              chosen={method}
              onChoose={choose}
            />
            <Providers
              appRef={ref}
              settings={settings.data}
              custom={own.data ?? []}
              chosen={method}
              onChoose={choose}
            />
            {own.error && <FailureNote facts={failureFacts(own.error)} />}
            <Switches appRef={ref} title="Accounts" methods={accountRules} settings={settings.data} />
            <Section title="Hooks">
              <HookList appRef={ref} settings={settings.data} chosen={method} onChoose={choose} />
            </Section>
          </>
        )}
      </div>
    </Page>
  );
}

type Settings = ReadonlyMap<string, SettingEntry>;

function Section({ title, tools, children }: { title: string; tools?: ReactNode; children: ReactNode }) {
  return (
    <section className={styles.section}>
      <h2 className={styles.heading}>
        {title}
        {tools}
      </h2>
      {children}
    </section>
  );
}

function Switches({
  appRef,
  title,
  methods,
  settings,
  chosen = null,
  onChoose,
}: {
  appRef: string;
  title: string;
  methods: readonly Method[];
  settings: Settings;
  chosen?: string | null;
  onChoose?: (name: string) => void;
}) {
  const { mutate, isPending, variables, error } = useMutation(changeSettings(appRef));
  return (
    <Section title={title}>
      <ul className={styles.list}>
        {methods.map((method) => {
          const on = isOn(method, settings.get(method.key)?.value);
          return (
            <li key={method.key} className={styles.row}>
              {method.opens && onChoose ? (
                <button
                  type="button"
                  className={styles.open}
                  aria-expanded={chosen === method.opens}
                  onClick={() => method.opens && onChoose(method.opens)}
                >
                  {method.name}
                </button>
              ) : (
                <b>{method.name}</b>
              )}
              <p>{on ? method.on : method.off}</p>
              <Switch
                label={method.name}
                isOn={on}
                isBusy={isPending && Object.hasOwn(variables, method.key)}
                onChange={(next) => mutate({ [method.key]: next !== (method.isInverted ?? false) })}
              />
            </li>
          );
        })}
      </ul>
      {error && <FailureNote facts={failureFacts(error)} />}
    </Section>
  );
}

function Providers({
  appRef,
  settings,
  custom,
  chosen,
  onChoose,
}: {
  appRef: string;
  settings: Settings;
  custom: readonly CustomProvider[];
  chosen: string | null;
  onChoose: (name: string) => void;
}) {
  const change = useMutation(changeSettings(appRef));
  const turn = useMutation(switchCustomProvider(appRef));
  const error = change.error ?? turn.error;
  const open = (name: string, title: string) => (
    <button type="button" className={styles.open} aria-expanded={chosen === name} onClick={() => onChoose(name)}>
      {title}
    </button>
  );
  return (
    <Section
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
          const isReady = Boolean(settings.get(`external_${name}_client_id`)?.value);
          const key = `external_${name}_enabled`;
          return (
            <li key={name} className={styles.row}>
              {open(name, title)}
              <p>
                {isReady ? `Members sign in with their ${title} account.` : 'Needs a client id and a secret first.'}
              </p>
              <Switch
                label={title}
                isOn={settings.get(key)?.value === true}
                isBusy={change.isPending && Object.hasOwn(change.variables, key)}
                onChange={(next) => (next && !isReady ? onChoose(name) : change.mutate({ [key]: next }))}
              />
            </li>
          );
        })}
        {custom.map((provider) => (
          <li key={provider.identifier} className={styles.row}>
            {open(provider.identifier, provider.name)}
            <p>Members sign in at {hostOf(provider)}.</p>
            <Switch
              label={provider.name}
              isOn={provider.enabled}
              isBusy={turn.isPending && turn.variables.identifier === provider.identifier}
              onChange={(enabled) => turn.mutate({ identifier: provider.identifier, enabled })}
            />
          </li>
        ))}
      </ul>
      {error && <FailureNote facts={failureFacts(error)} />}
    </Section>
  );
}

function hostOf({ issuer, authorization_url, name }: CustomProvider): string {
  const address = issuer ?? authorization_url ?? '';
  return URL.canParse(address) ? new URL(address).host : name;
}
