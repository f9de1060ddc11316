import { storageLimits } from './limits/storage.ts';
import { defaultsOf, defineSettings, settingsOf, type ValuesOf } from './setting.ts';

/** The settings of an app's `/storage/v1`. */
export const storageSettings = defineSettings({
  storage_quarantine: {
    kind: 'boolean',
    default: false,
    meaning:
      'Whether only the service role may read a new content until ninefold.release_file releases it, for example after a virus scan.',
    row: { section: 'files', label: 'Quarantine of new files' },
  },
  storage_url_generation: {
    kind: 'number',
    default: 1,
    unit: 'count',
    noun: 'keys',
    range: [1, 2_000_000_000],
    meaning: 'The number of the key that signs URLs of files. Another number ends all signed URLs.',
  },

  ...settingsOf(storageLimits),
});

export type StorageSettings = ValuesOf<typeof storageSettings>;

/** All settings with their default values. */
export const defaultStorageSettings = defaultsOf(storageSettings);
