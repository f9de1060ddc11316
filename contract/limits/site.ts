import { limitsOf } from './limit.ts';

export const siteLimits = limitsOf('builders', {
  siteFiles: {
    unit: 'count',
    default: 5000,
    meaning: 'Files of one version of an app’s own front end.',
    code: 'validation_invalid',
  },
  sitePathCharacters: {
    unit: 'characters',
    default: 512,
    meaning: 'The longest path of a file of a front end.',
    code: 'validation_invalid',
  },
  siteBytes: {
    unit: 'bytes',
    default: 200 * 1024 * 1024,
    meaning: 'The size of all files of one version. One file is at most as large as bodyBytes.',
    code: 'site_too_large',
  },
  siteVersions: {
    unit: 'count',
    default: 10,
    meaning: 'Published versions that an app stores. Publishing another version deletes the oldest.',
  },
  siteUploadHours: {
    unit: 'hours',
    default: 24,
    meaning: 'How long a version that was not published is stored.',
  },
  siteCacheBytes: {
    unit: 'bytes',
    default: 32 * 1024 * 1024,
    meaning: 'Files of front ends that a worker holds in memory, for all apps together.',
  },
});
