import { afterAll, afterEach, beforeAll, expect, it, vi } from 'vitest';
import { answerPreview, type PreviewCaller } from './preview.ts';

const MEMBER = '4f2c7a52-6a0e-4f0c-9d43-1f0f5f0a7f11';
const sent = vi.fn<typeof fetch>();
beforeAll(() => void vi.stubGlobal('fetch', sent));
afterAll(() => void vi.unstubAllGlobals());
afterEach(() => sent.mockReset());

const ask = (
  method: string,
  target: string,
  headers: [string, string][] = [],
  caller: PreviewCaller = { member: MEMBER },
) => answerPreview('desk', caller, { kind: 'request', id: 7, method, target, headers });

it.each([
  ['POST', '/rest/v1/tickets'],
  ['DELETE', '/rest/v1/tickets?id=eq.1'],
  ['get', '/rest/v1/tickets'],
  ['GET', '/auth/v1/user'],
  ['GET', '/admin/v1/apps'],
  ['GET', '/functions/v1/hello'],
  ['GET', '/realtime/v1/websocket'],
  ['GET', '/portal/v1/'],
  ['GET', '/portal/v1/screens/'],
  ['GET', '/portal/v2/screens'],
  ['GET', '//evil.example/rest/v1/tickets'],
  ['GET', 'https://evil.example/rest/v1/tickets'],
  ['GET', '/\\evil.example/rest/v1/tickets'],
  ['GET', '/rest/v1/../../admin/v1/apps'],
  ['GET', '/rest/v1/..'],
  ['GET', '/rest/v1/%2e%2e'],
  ['GET', '/rest/v1/%2E%2E/auth/v1/admin/users'],
  ['GET', '/rest/v1/..%2f..%2fauth'],
  ['GET', '/rest/v1/..%5cauth'],
  ['GET', '/rest/v1/tickets%00'],
  ['GET', '/rest/v1/%ff'],
  ['GET', '/rest%2Fv1/tickets'],
  ['GET', '/%72est/v1/tickets'],
  ['GET', '/rest/v1/tickets#x'],
  ['GET', '/rest/v1/tick ets'],
  ['GET', '/rest/v1/tickets\r\nx-ninefold-as: anon'],
  ['GET', '/storage/v1/object/sign/files/a.png'],
  ['GET', '/storage/v1/object/authenticated/../../../auth/v1/user'],
  ['GET', `/rest/v1/tickets?select=${'a'.repeat(20_000)}`],
])('answerPreview refuses %s %s without a request', async (method, target) => {
  const reply = await ask(method, target);
  expect([reply.status, new TextDecoder().decode(reply.body ?? undefined)]).toEqual([
    400,
    expect.stringContaining('A preview changes nothing.'),
  ]);
  expect(sent).not.toHaveBeenCalled();
});

it('answerPreview reads the app of the preview as its caller, with no other header than those of a read', async () => {
  sent.mockResolvedValue(
    new Response('[]', { headers: { 'content-range': '0-0/3', 'set-cookie': 'a=b', 'x-more': '1' } }),
  );
  const reply = await ask('GET', '/rest/v1/tickets?select=id', [
    ['Prefer', 'count=exact'],
    ['Accept-Profile', 'desk'],
    ['x-ninefold-as', 'anon'],
    ['authorization', 'Bearer x'],
    ['cookie', 'a=b'],
  ]);
  expect(sent.mock.calls[0]).toEqual([
    '/admin/v1/apps/desk/rest/v1/tickets?select=id',
    expect.objectContaining({
      method: 'GET',
      redirect: 'error',
      headers: { prefer: 'count=exact', 'accept-profile': 'desk', 'x-ninefold-as': MEMBER, 'x-ninefold-console': '1' },
    }),
  ]);
  expect(reply).toMatchObject({ id: 7, status: 200 });
  expect(reply.headers.map(([name]) => name).sort()).toEqual(['content-range', 'content-type']);

  sent.mockResolvedValue(Response.json([]));
  await ask('GET', '/rest/v1/tickets', [['prefer', 'explain=access']], 'anon');
  expect(sent.mock.lastCall?.[1]?.headers).toEqual({ 'x-ninefold-as': 'anon', 'x-ninefold-console': '1' });
  await ask('GET', '/portal/v1/screens', [], { role: 'lead & more' });
  expect(sent.mock.lastCall?.[0]).toBe('/admin/v1/apps/desk/portal/v1/screens?role=lead+%26+more');
  await ask('GET', '/portal/v1/figures?route=%2Fdesk&days=7&role=x', [], { role: 'lead' });
  expect(sent.mock.lastCall?.[0]).toBe('/admin/v1/apps/desk/portal/v1/figures?route=%2Fdesk&days=7&role=lead');
});

it('answerPreview returns neither a reply that is too large nor the end of the builder’s session', async () => {
  sent.mockResolvedValue(new Response(new Uint8Array(10_000_001)));
  expect((await ask('GET', '/rest/v1/tickets')).status).toBe(400);
  sent.mockResolvedValue(new Response('{}', { status: 401 }));
  expect((await ask('GET', '/rest/v1/tickets')).status).toBe(403);
  sent.mockRejectedValue(new TypeError('no network'));
  expect(await ask('GET', '/rest/v1/tickets')).toMatchObject({ status: 503, body: null });
});
