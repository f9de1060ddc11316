import { createHash } from 'node:crypto';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { defaultAuthSettings } from '../../../contract/settings-auth.ts';
import { LeakedPasswordRange } from '../../accounts/passwords/leaked-passwords.ts';
import { Events, eventTypes, type NinefoldEvent } from '../../observe/events.ts';
import { refuseLeakedPassword } from './check-password.ts';

const sha1 = (password: string) => createHash('sha1').update(password).digest('hex').toUpperCase();

/**
 * A service that implements the protocol of Have I Been Pwned. `behave` decides how it responds to the next request.
 */
let server: Server;
let url: string;
let behave: 'answer' | 'fail' | 'hang' | 'flood' | 'redirect' = 'answer';
const asked: string[] = [];
beforeAll(async () => {
  server = createServer((request, response) => {
    asked.push(`${request.url} ${request.headers['add-padding']}`);
    if (behave === 'hang') return;
    if (behave === 'fail') return void response.writeHead(503).end();
    if (behave === 'redirect') return void response.writeHead(302, { location: '/elsewhere' }).end();
    if (behave === 'flood') return void response.end('0'.repeat(2_000_000));
    const lines = [
      `${sha1('kestrel over the weir').slice(5)}:3`,
      `${sha1('padding only').slice(5)}:0`,
      '0'.repeat(35).concat(':7'),
    ];
    response.end(lines.join('\r\n'));
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/range/`;
});
afterAll(() => {
  server.closeAllConnections();
  server.close();
});

async function check(password: string, isOn = true) {
  const events = new Events();
  const heard: NinefoldEvent[] = [];
  events.listen(eventTypes, (event) => heard.push(event));
  const settings = { ...defaultAuthSettings, ...(isOn && { password_hibp_enabled: true }) };
  const context = { settings, events, leakedPasswords: new LeakedPasswordRange(url) };
  const error = await refuseLeakedPassword(context, password, 'r').then(
    () => null,
    (refused: unknown) => refused,
  );
  return { error, heard };
}

it('refuseLeakedPassword refuses a leaked password, and sends only five digits of its hash to the service', async () => {
  behave = 'answer';
  expect((await check('kestrel over the weir')).error).toMatchObject({
    code: 'weak_password',
    details: { reasons: ['pwned'] },
  });
  expect(asked).toEqual([`/range/${sha1('kestrel over the weir').slice(0, 5)} true`]);
  expect(await check('heron over the weir')).toEqual({ error: null, heard: [] });
  expect((await check('padding only')).error).toBeNull();
});

it('refuseLeakedPassword sends no request by default', async () => {
  asked.length = 0;
  expect((await check('kestrel over the weir', false)).error).toBeNull();
  expect(asked).toEqual([]);
});

it.each(['fail', 'hang', 'flood', 'redirect'] as const)(
  'refuseLeakedPassword accepts the password and reports a fault if the service responds in the way %s',
  async (how) => {
    behave = how;
    const { error, heard } = await check('kestrel over the weir');
    expect(error).toBeNull();
    expect(heard).toMatchObject([{ type: 'fault', where: 'the check for leaked passwords' }]);
  },
);
