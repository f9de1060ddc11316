import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { type LimitName, limits } from '../../contract/limits.ts';
import { clone } from '../../test/support/clone.ts';

/** Numbers in SQL of schema files that are also in contract/limits, with a pattern of the text around the number. */
const places: [file: string, limit: LimitName, pattern: RegExp][] = [
  ['0014_jobs.sql', 'jobCommandBytes', /octet_length\(new\.command\) > (\d+)/],
  ['0014_jobs.sql', 'jobCommandBytes', /the command of a job may have (\d+) bytes/],
  ['0014_jobs.sql', 'appJobs', /count\(\*\) from cron\.job\) >= (\d+)/],
  ['0014_jobs.sql', 'appJobs', /an app may have (\d+) scheduled jobs/],
  ['0015_http.sql', 'httpUrlBytes', /octet_length\(encoded\) > (\d+)/],
  ['0015_http.sql', 'httpUrlBytes', /the URL has more than (\d+) bytes/],
  ['0015_http.sql', 'httpHeaderBytes', /octet_length\(headers::text\) > (\d+)/],
  ['0015_http.sql', 'httpHeaderBytes', /the headers have more than (\d+) bytes/],
  ['0015_http.sql', 'httpRequestBytes', /octet_length\(body\) > (\d+)/],
  ['0015_http.sql', 'httpRequestBytes', /the body has more than (\d+) bytes/],
  ['0015_http.sql', 'queuedHttpRequests', /from net\.http_request_queue\) >= (\d+)/],
  ['0015_http.sql', 'queuedHttpRequests', /'(\d+) requests of the app wait'/],
  ['0016_project.sql', 'realtimeMessageDays', /oldest constant timestamp .* interval '(\d+) days'/],
  ['0025_vault.sql', 'vaultSecretBytes', /octet_length\(secret\) > (\d+)/],
  ['0025_vault.sql', 'vaultSecretBytes', /a secret of the Vault may have (\d+) bytes/],
  ['0026_pgmq.sql', 'queueNameCharacters', /length\(queue_name\) not between 1 and (\d+)/],
  ['0026_pgmq.sql', 'queueNameCharacters', /a queue name has 1 to (\d+) characters/],
  ['0027_roles.sql', 'appDatabaseRoles', /r\.rolname <> create_database_role\.name\) >= (\d+)/],
  ['0027_roles.sql', 'appDatabaseRoles', /an app may have (\d+) database roles/],
  ['0027_roles.sql', 'serverDatabaseRoles', /r\.rolconnlimit = 0\) >= (\d+)/],
  ['0027_roles.sql', 'serverDatabaseRoles', /the apps of a server may have (\d+) database roles/],
  ['0027_roles.sql', 'databaseRoleLockSeconds', /set lock_timeout = '(\d+)s'/],
  ['0031_pages.sql', 'pageParts', /jsonb_array_length\(parts\) between 1 and (\d+)/],
  ['0031_pages.sql', 'pageListRows', /::numeric not between 1 and (\d+) then/],
  ['0031_pages.sql', 'pageListRows', /a part of kind list has between 1 and (\d+) rows/],
  ['0033_notifications.sql', 'notificationsPerTransaction', /exit when counted >= (\d+)/],
  ['0033_notifications.sql', 'notificationsPerMember', /order by o\.id desc offset (\d+)/],
  ['0033_notifications.sql', 'notificationMentions', /return result\[1:(\d+)\]/],
  ['0033_notifications.sql', 'notificationMailSeconds', /clock_timestamp\(\) \+ interval '(\d+) seconds'/],
  ['0033_notifications.sql', 'notificationMailHour', /\+ interval '(\d+) hours'\) at time zone/],
  ['0020_changes.sql', 'realtimeChangedRows', /if counted operator\(pg_catalog\.<=\) (\d+)/],
  ['0020_changes.sql', 'realtimeChangeBytes', /is_too_large := largest operator\(pg_catalog\.>\) (\d+)/],
];

it.each(places)('SQL uses in %s the number of the limit %s: %s', (file, limit, pattern) => {
  const sql = readFileSync(join(clone, 'src/schema', file), 'utf8');
  const numbers = [...sql.matchAll(new RegExp(pattern, 'g'))].map(([, number]) => Number(number));
  expect(numbers).toEqual([limits[limit].default]);
});

it.each(['0014_jobs.sql', '0015_http.sql', '0025_vault.sql', '0027_roles.sql'])(
  'raises 54000 in %s only with numbers of contract/limits',
  (file) => {
    const sql = readFileSync(join(clone, 'src/schema', file), 'utf8');
    const raised = [...sql.matchAll(/raise exception '([^']*)' using errcode = '54000'/g)].map(
      ([, text]) => text ?? '',
    );
    const known = places.filter(([of]) => of === file);
    expect(raised.filter((text) => !known.some(([, , pattern]) => pattern.test(text)))).toEqual([]);
  },
);
