import { execFile } from 'node:child_process';
import { mkdir, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { expect, it } from 'vitest';
import { makeTestFolder } from '../../test/support/test-folder.ts';
import { withTemplates } from './project-templates.ts';

it('withTemplates reads no file that is a link out of the project, a folder, a pipe or a very large file', async () => {
  const outside = await makeTestFolder('outside');
  await writeFile(join(outside, 'key'), 'of the builder');
  const folder = await makeTestFolder('project');
  await mkdir(join(folder, 'supabase/mails'), { recursive: true });
  const at = (name: string) => join(folder, 'supabase/mails', name);
  await writeFile(at('invite.html'), 'Come in');
  await symlink(at('invite.html'), at('recovery.html'));
  await symlink(join(outside, 'key'), at('confirmation.html'));
  await symlink(outside, at('linked'));
  await promisify(execFile)('mkfifo', [at('email_change.html')]);
  await writeFile(at('large.html'), 'x'.repeat(2 * 1024 * 1024));
  const paths = {
    invite: 'invite.html',
    recovery: 'recovery.html',
    confirmation: 'confirmation.html',
    magic_link: 'linked/key',
    email_change: 'email_change.html',
    reauthentication: '../mails',
    password_changed: 'large.html',
  };
  const keys = Object.entries(paths).map(
    ([kind, path]) => [`auth.email.template.${kind}.content_path`, `./supabase/mails/${path}`] as const,
  );
  const config = withTemplates(join(folder, 'supabase'), new Map(keys));
  const contents = [...config].filter(([key]) => key.endsWith('.content')).map(([, value]) => value);
  expect(contents).toEqual(['Come in', 'Come in']);
  expect(config.size).toBe(keys.length);
});
