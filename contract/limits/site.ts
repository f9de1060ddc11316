import type { Limit } from './limit.ts';

export const siteLimits = {
  siteFiles: {
    group: 'builders',
    unit: 'count',
    default: 5000,
    meaning: 'Files of one version of an app’s own front end.',
    code: 'validation_invalid',
  },
  sitePathCharacters: {
    group: 'builders',
    unit: 'characters',
    default: 512,
    meaning: 'The longest path of a file of a front end.',
    code: 'validation_invalid',
  },
  siteBytes: {
    group: 'builders',
    unit: 'bytes',
    default: 200 * 1024 * 1024,
    meaning: 'The size of all files of one version. One file is at most as large as bodyBytes.',
    code: 'site_too_large',
  },
  siteVersions: {
    group: 'builders',
    unit: 'count',
    default: 10,
    meaning: 'Published versions that an app stores. Publishing another version deletes the oldest.',
  },
  siteUploadHours: {
    group: 'builders',
    unit: 'hours',
    default: 24,
    meaning: 'How long a version that was not published is stored.',
  },
  siteCacheBytes: {
    group: 'builders',
    unit: 'bytes',
    default: 32 * 1024 * 1024,
    meaning: 'Files of front ends that a worker holds in memory, for all apps together.',
  },
} as const satisfies Record<string, Limit>;
