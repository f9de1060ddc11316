import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { createAppWith } from '../support/apps.ts';
import { clientOf } from '../support/clients.ts';
import { mailsTo } from '../support/mails.ts';
import { uniqueEmail } from '../support/unique.ts';
import { type Console, openConsole } from './console.ts';

let site: Console;
let server: Server;
let siteUrl: string;
beforeAll(async () => {
  site = await openConsole();
  server = createServer((_request, response) =>
    response.setHeader('content-type', 'text/html').end('<h1>The site</h1>'),
  );
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  siteUrl = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
});
afterAll(async () => {
  server.close();
  await site.close();
});

it('the link of a mail and the button of its page sign a member in, and open the site', async () => {
  const app = await createAppWith(
    site.node,
    `insert into ninefold.settings (key, value) values ('mailer_autoconfirm', 'false'), ('site_url', '"${siteUrl}"')`,
  );
  const email = uniqueEmail();
  await clientOf(app).auth.signUp({ email, password: 'correct horse' });
  const [mail] = await mailsTo(site.node, app, email);
  const link = mail?.data.ConfirmationURL ?? '';
  const { page, context, problems } = await site.visit(link, { signedIn: false, locale: 'de-DE' });
  await page.getByRole('heading', { name: 'E-Mail-Adresse bestätigen' }).waitFor();
  await page.getByRole('button', { name: 'Adresse bestätigen' }).click();
  await page.getByRole('heading', { name: 'The site' }).waitFor();
  const fragment = new URLSearchParams(new URL(page.url()).hash.slice(1));
  const { data } = await clientOf(app).auth.getUser(fragment.get('access_token') ?? '');
  expect(data.user?.email).toBe(email);
  expect(problems.filter((problem) => !problem.includes('favicon'))).toEqual([]);
  await context.close();
});
