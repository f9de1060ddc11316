import { IconDeviceDesktop, IconDeviceMobile } from '@tabler/icons-react';
import type { UseQueryResult } from '@tanstack/react-query';
import { useQuery } from '@tanstack/react-query';
import { useEffect, useState } from 'react';
import type { MigrationTrialRequest } from '../../../../../contract/changes.ts';
import type { PortalScreens } from '../../../../../contract/portal.ts';
import { Icon } from '../../../../ui/icon.tsx';
import { asHeader, type PreviewCaller, screensOfCaller } from '../../../queries/preview.ts';
import type { TimedTrial } from '../../../queries/sql.ts';
import { MemberChoice } from '../caller-choice.tsx';
import { ScreenPreview } from '../preview/screen-preview.tsx';
import type { CallerChoice } from '../use-caller-choice.ts';
import styles from './editor.module.css';
import { languageName } from './editor-context.ts';

export type Device = 'desktop' | 'phone';

/** Returns the caller of a trial whose screens the preview shows; null until the caller is known. */
export const screensAs = (
  caller: PreviewCaller | undefined,
  language: string | null,
): MigrationTrialRequest['screens_as'] | null =>
  caller === undefined
    ? null
    : {
        caller: asHeader(caller),
        ...(typeof caller === 'object' && 'role' in caller && caller.role !== null && { role: caller.role }),
        ...(language !== null && { language }),
      };

/** Preview of the draft: the real page with the rows of the chosen caller. It keeps the last draft that the server could try. */
export function PreviewPane({
  appRef,
  choice,
  path,
  title,
  device,
  language,
  sql,
  trial,
}: {
  appRef: string;
  choice: CallerChoice;
  path: string;
  title: string;
  device: Device;
  language: string | null;
  /** The migration of the draft; empty without a change. */
  sql: string;
  trial: UseQueryResult<TimedTrial>;
}) {
  const { caller, kind } = choice;
  const draft = useDraftScreens(sql, trial);
  const { data: present } = useQuery({ ...screensOfCaller(appRef, caller ?? 'anon'), enabled: caller !== undefined });
  const shown = draft ?? present;
  if (!caller || !shown) return <div className={styles.glass} data-device={device} />;
  const hasPage =
    path === '/' ||
    shown.screens.some(({ route }) => route === path) ||
    shown.pages.some(({ route }) => route === path);
  // A new page is not known before the server has tried it.
  const isTried = sql === '' || trial.data !== undefined;
  return (
    <div className={styles.glass} data-device={device}>
      {hasPage ? (
        <ScreenPreview key={device} {...{ appRef, caller, path, title, device, language }} screens={draft} />
      ) : (
        <p className={styles.unseen}>{isTried && unseenWords(kind.one, trial.data?.failed != null)}</p>
      )}
    </div>
  );
}

/** Says why there is no preview of a page. */
const unseenWords = (one: string, isRefused: boolean): string =>
  isRefused
    ? 'PostgreSQL refuses the migration, so there is no page to show.'
    : `${one.charAt(0).toUpperCase() + one.slice(1)} does not get this page. Choose another kind of member above, or change “Who”.`;

function useDraftScreens(sql: string, { data }: UseQueryResult<TimedTrial>): PortalScreens | null {
  const [last, setLast] = useState<PortalScreens | null>(null);
  const tried = data && !data.failed ? (data.screens ?? null) : null;
  useEffect(() => {
    if (sql === '') setLast(null);
    else if (tried) setLast(tried);
  }, [sql, tried]);
  return sql === '' ? null : (tried ?? last);
}

/** Chooses the caller, the device and the language of the preview. */
export function PreviewTools({
  choice,
  device,
  onDevice,
  languages,
  language,
  onLanguage,
}: {
  choice: CallerChoice;
  device: Device;
  onDevice: (device: Device) => void;
  languages: readonly string[];
  language: string | null;
  onLanguage: (language: string | null) => void;
}) {
  return (
    <>
      {choice.kinds.length > 1 && (
        <select
          className={styles.select}
          aria-label="Show as"
          value={choice.kind.id}
          onChange={({ currentTarget: { value } }) => {
            const kind = choice.kinds.find(({ id }) => id === value);
            if (kind) choice.choose(kind);
          }}
        >
          {choice.kinds.map(({ id, one }) => (
            <option key={id} value={id}>
              as {one}
            </option>
          ))}
        </select>
      )}
      <MemberChoice choice={choice} />
      {languages.length > 0 && (
        <select
          className={styles.select}
          data-language
          aria-label="Language of the preview"
          value={language ?? ''}
          onChange={({ currentTarget: { value } }) => onLanguage(value === '' ? null : value)}
        >
          <option value="">their language</option>
          {languages.map((tag) => (
            <option key={tag} value={tag}>
              {languageName(tag)}
            </option>
          ))}
        </select>
      )}
      <DeviceChoice device={device} onDevice={onDevice} />
    </>
  );
}

const devices = [
  ['desktop', 'Desktop', IconDeviceDesktop],
  ['phone', 'Phone', IconDeviceMobile],
] as const;

function DeviceChoice({ device, onDevice }: { device: Device; onDevice: (device: Device) => void }) {
  return (
    <fieldset className={styles.devices} aria-label="Device">
      {devices.map(([one, label, icon]) => (
        <button key={one} type="button" aria-pressed={device === one} aria-label={label} onClick={() => onDevice(one)}>
          <Icon of={icon} small />
        </button>
      ))}
    </fieldset>
  );
}
