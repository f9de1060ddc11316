import { useMutation } from '@tanstack/react-query';
import { useState } from 'react';
import { type AppSettings, changeSettings, type SettingChanges } from '../../queries/settings.ts';

/** An unsaved value, or a typed text that is not a valid value. */
export interface DraftValue {
  value: unknown;
  /** The reason why the text is invalid; null for a value that can be saved. */
  wrong: string | null;
}

/** The unsaved changes of a page, by the key of the setting. */
export type DraftChanges = ReadonlyMap<string, DraftValue>;

/** The settings of a page: the stored settings, and the unsaved changes, which are saved together. */
export interface Draft {
  settings: AppSettings;
  changes: DraftChanges;
  /**
   * Number of times that the changes were discarded or saved. A control whose React key contains this number shows the
   * stored value again.
   */
  round: number;
  isSaving: boolean;
  error: Error | null;
  /** Returns the value of a setting: the unsaved value if there is one, otherwise the stored value. */
  valueOf: (key: string) => unknown;
  set: (key: string, value: unknown, wrong?: string | null) => void;
  discard: () => void;
  save: () => void;
}

/** Holds the changes to the settings of an app until they are saved or discarded. */
export function useDraft(appRef: string, settings: AppSettings): Draft {
  const [changes, setChanges] = useState<DraftChanges>(new Map());
  const [round, setRound] = useState(0);
  const { mutate, isPending, error, reset } = useMutation(changeSettings(appRef));
  const open = new Map([...changes].filter(([key, change]) => isChanged(change, settings.get(key)?.value)));
  const clear = () => {
    setChanges(new Map());
    setRound((before) => before + 1);
  };
  return {
    settings,
    changes: open,
    round,
    isSaving: isPending,
    error,
    valueOf: (key) => (changes.has(key) ? changes.get(key)?.value : settings.get(key)?.value),
    set: (key, value, wrong = null) => {
      if (error) reset();
      setChanges((before) => new Map(before).set(key, { value, wrong }));
    },
    discard: () => {
      reset();
      clear();
    },
    save: () => {
      if (!isPending) mutate(asSaved(open, settings), { onSuccess: clear });
    },
  };
}

/** Returns true unless the value is the stored one. Settings hold JSON, so their order in lists counts. */
const isChanged = ({ value, wrong }: DraftValue, stored: unknown): boolean =>
  wrong !== null || JSON.stringify(value) !== JSON.stringify(stored);

/** Returns the changes to send. A setting with its default value is reset instead. */
function asSaved(changes: DraftChanges, settings: AppSettings): SettingChanges {
  const values = [...changes].map(([key, { value }]) => {
    const isDefault = JSON.stringify(value) === JSON.stringify(settings.get(key)?.default);
    return [key, isDefault ? undefined : value] as const;
  });
  return Object.fromEntries(values);
}
