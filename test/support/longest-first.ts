import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { BaseSequencer, type TestSpecification } from 'vitest/node';
import { clone } from './clone.ts';

/**
 * Files that take longer than their size lets one expect, the longest first. Without this list, a clean clone would begin some of
 * them last, and all other cores would wait for them.
 */
const longest = [
  'test/e2e/accessibility-chapters.test.ts',
  'test/e2e/accessibility-tools.test.ts',
  'test/e2e/portal.test.ts',
  'test/e2e/portal-files.test.ts',
  'test/e2e/portal-designs.test.ts',
  'test/e2e/package.test.ts',
  'test/e2e/stranger.test.ts',
  'test/fault/backup.test.ts',
  'test/fault/scheduled-work.test.ts',
  'test/fault/kill-during-writes.test.ts',
  'test/fault/uploads.test.ts',
  'test/fault/cold-apps.test.ts',
  'test/wire/specification-changes/never-lies.test.ts',
  'test/wire/matrix.test.ts',
  'test/wire/matrix-templates.test.ts',
  'test/wire/versions.test.ts',
  'test/wire/portal-truth.test.ts',
  'test/wire/matrix-before-rights.test.ts',
  'test/wire/specification-changes/renames.test.ts',
  'test/wire/vector-search.test.ts',
  'test/wire/specification.test.ts',
  'test/wire/probe.test.ts',
  'test/wire/settings.test.ts',
  'test/wire/templates/create.test.ts',
  'test/wire/s3-clients.test.ts',
  'test/wire/start.test.ts',
  'test/wire/specification-changes/settings.test.ts',
].map((file) => join(clone, file));

/** Orders the files of each project: the longest ones first, and then the largest ones. */
export class LongestFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const missing = longest.filter((file) => !existsSync(file));
    if (missing.length > 0) throw new Error(`longest-first.ts lists files that do not exist: ${missing.join(', ')}`);
    const sorted = await super.sort(files);
    const projects = [...new Set(sorted.map(({ project }) => project))];
    return projects.flatMap((project) => {
      const own = sorted.filter((file) => file.project === project);
      const early = longest.flatMap((path) => own.filter(({ moduleId }) => moduleId === path));
      return [...early, ...own.filter((file) => !early.includes(file))];
    });
  }
}
