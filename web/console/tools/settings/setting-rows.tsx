import type { SettingEntry } from '../../../../contract/admin.ts';
import { allSettings } from '../../../../contract/all-settings.ts';
import { classNames } from '../../../ui/class-names.ts';
import { ApiFailure } from '../../queries/api-failure.ts';
import type { Draft } from './draft.ts';
import { SettingControl } from './setting-control.tsx';
import { effectOf, settingLabel } from './setting-words.ts';
import styles from './settings.module.css';

/** Shows a row for each setting: name, effect, control. */
export function SettingRows({ draft, keys }: { draft: Draft; keys: readonly string[] }) {
  return keys.map((key) => {
    const entry = draft.settings.get(key);
    return entry ? <SettingRow key={`${key} ${draft.round}`} entry={entry} draft={draft} /> : null;
  });
}

function SettingRow({ entry, draft }: { entry: SettingEntry; draft: Draft }) {
  const { key } = entry;
  const change = draft.changes.get(key);
  const value = draft.valueOf(key);
  const setting = allSettings[key];
  const [effect, stored] = [effectOf(setting, value), effectOf(setting, entry.value)];
  return (
    <div className={classNames(styles.row, change && styles.changed)}>
      <div>
        <b>{settingLabel(key)}</b>
        <p>{effect !== null && !change?.wrong ? effect : entry.meaning}</p>
        {change && stored !== effect && (
          <p>
            Was: <del>{stored}</del>
          </p>
        )}
      </div>
      <SettingControl
        entry={entry}
        label={settingLabel(key)}
        value={value}
        wrong={change?.wrong ?? refusalOf(draft.error, entry)}
        onChange={(next, wrong) => draft.set(key, next, wrong)}
      />
    </div>
  );
}

/** Returns the reason why the server refused the value of a setting, for the row of this setting; null if it refused another setting. */
function refusalOf(error: Error | null, { key, type }: SettingEntry): string | null {
  if (!(error instanceof ApiFailure) || error.code !== 'setting_invalid') return null;
  const { details } = error;
  const isThis = typeof details === 'object' && details !== null && 'key' in details && details.key === key;
  return isThis ? `The server refused this value. It takes: ${type}.` : null;
}
