import { NativeSelect, NumberInput, Textarea, TextInput } from '@mantine/core';
import { useMutation } from '@tanstack/react-query';
import { useState } from 'react';
import { Panel, VerdictLine } from '../../../ui/panel.tsx';
import { Form } from '../../forms/form.tsx';
import { type AppSettings, changeSettings } from '../../queries/settings.ts';
import styles from './sign-in-methods-page.module.css';

const NONE = 'none';

const providers = [
  { value: NONE, label: 'None: store texts on the page Mail' },
  { value: 'twilio', label: 'Twilio' },
  { value: 'webhook', label: 'Webhook' },
];

/** The fields of each provider: key, label, and whether the value is a secret. */
const fields: Readonly<Record<string, readonly (readonly [key: string, label: string, isSecret?: true])[]>> = {
  twilio: [
    ['sms_twilio_account_sid', 'Account SID'],
    ['sms_twilio_auth_token', 'Auth token', true],
    ['sms_twilio_message_service_sid', 'Sender'],
    ['sms_twilio_api_url', 'API address'],
  ],
  webhook: [
    ['sms_webhook_url', 'Webhook address'],
    ['sms_webhook_secret', 'Webhook secret', true],
  ],
};

const templates = [
  ['sms_template', 'Text with a sign-in code'],
  ['mfa_phone_template', 'Text with a second factor'],
] as const;

const numbers = [
  ['sms_otp_exp', 'Code valid for (seconds)'],
  ['sms_otp_length', 'Digits of a code'],
  ['sms_max_frequency', 'Pause between two texts (seconds)'],
  ['rate_limit_sms_sent', 'Texts in an hour'],
  ['rate_limit_sms_network', 'Texts in an hour, by network'],
  ['rate_limit_sms_number', 'Texts in an hour, by number'],
] as const;

/** Panel of the SMS provider, the wording of messages and their limits. Secrets can be written but not read. */
export function PhonePanel({
  appRef,
  settings,
  onClose,
}: {
  appRef: string;
  settings: AppSettings;
  onClose: () => void;
}) {
  const [typed, setTyped] = useState<Readonly<Record<string, string | number>>>({});
  const { mutate, isPending, isSuccess, error } = useMutation(changeSettings(appRef));
  const stored = (key: string) => settings.get(key)?.value;
  const [provider, setProvider] = useState(String(stored('sms_provider') ?? NONE));
  const set = (key: string, value: string | number) => setTyped((before) => ({ ...before, [key]: value }));
  const chosen = provider === NONE ? null : provider;
  const changes = changesOf(settings, typed, chosen);
  const isChanged = Object.keys(changes).length > 0;
  return (
    <Panel label="Phone" title="Phone" onClose={onClose}>
      <VerdictLine>
        {chosen === null
          ? 'Texts are stored on the page Mail, where you can copy their codes.'
          : 'Texts are sent by the provider, and listed on the page Mail.'}
      </VerdictLine>
      <Form
        className={styles.form}
        verb={['Save', 'Saving']}
        pending={isPending}
        offBecause={isChanged ? null : 'Nothing is changed.'}
        error={error}
        aside={<span role="status">{isSuccess && !isChanged ? 'Saved' : ''}</span>}
        onSubmit={() => mutate(changes, { onSuccess: () => setTyped({}) })}
      >
        <NativeSelect
          label="Provider"
          data={providers}
          value={provider}
          onChange={(event) => setProvider(event.currentTarget.value)}
        />
        {(fields[provider] ?? []).map(([key, label, isSecret]) => (
          <TextInput
            key={key}
            label={label}
            description={settings.get(key)?.meaning}
            type={isSecret ? 'password' : 'text'}
            autoComplete={isSecret ? 'new-password' : 'off'}
            placeholder={isSecret ? (settings.get(key)?.is_set ? 'stored, not shown' : 'none') : undefined}
            value={String(typed[key] ?? (isSecret ? '' : (stored(key) ?? '')))}
            onChange={(event) => set(key, event.currentTarget.value)}
          />
        ))}
        {templates.map(([key, label]) => (
          <Textarea
            key={key}
            label={label}
            description={settings.get(key)?.meaning}
            autosize
            value={String(typed[key] ?? stored(key) ?? '')}
            onChange={(event) => set(key, event.currentTarget.value)}
          />
        ))}
        {numbers.map(([key, label]) => (
          <NumberInput
            key={key}
            label={label}
            description={settings.get(key)?.meaning}
            allowDecimal={false}
            allowNegative={false}
            hideControls
            value={Number(typed[key] ?? stored(key))}
            onChange={(value) => set(key, Number(value))}
          />
        ))}
      </Form>
    </Panel>
  );
}

/** Returns the settings whose values in the form differ from the stored values. */
function changesOf(
  settings: AppSettings,
  typed: Readonly<Record<string, string | number>>,
  provider: string | null,
): Record<string, unknown> {
  const stored = (key: string) => settings.get(key)?.value;
  const changed = Object.entries(typed).flatMap(([key, value]) => {
    const next = typeof value === 'string' ? value.trim() : value;
    // An empty field resets the setting; an empty secret leaves the stored secret unchanged.
    if (settings.get(key)?.is_secret) return next === '' ? [] : [[key, next]];
    return next === (stored(key) ?? '') ? [] : [[key, next === '' ? undefined : next]];
  });
  return {
    ...Object.fromEntries(changed),
    ...(provider !== (stored('sms_provider') ?? null) && { sms_provider: provider ?? undefined }),
  };
}
