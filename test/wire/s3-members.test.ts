import { beforeAll, expect, inject, it } from 'vitest';
import type { AppConnection } from '../../contract/admin.ts';
import { createAppWith } from '../support/apps.ts';
import { clientOf, type Member, signUpMember } from '../support/clients.ts';
import { S3Client, textsOf } from '../support/s3-client.ts';

const node = inject('node');

/** Each member has a folder of their own; everybody who is signed in reads the folder `shared`. */
const schema = `insert into storage.buckets (id, name) values ('docs', 'docs');
  create policy "buckets" on storage.buckets for select to authenticated using (true);
  create policy "own folder" on storage.objects for all to authenticated
    using (bucket_id = 'docs' and (storage.foldername(name))[1] = auth.uid()::text);
  create policy "shared" on storage.objects for select to authenticated
    using (bucket_id = 'docs' and (storage.foldername(name))[1] = 'shared');
  create table public.operations (name text);
  create function public.note_operation() returns trigger language plpgsql security definer as
    $$ begin insert into public.operations values (storage.operation()); return new; end $$;
  create trigger note before insert on storage.objects for each row execute function public.note_operation();`;

let app: AppConnection;
let ada: Member;
let gus: Member;
beforeAll(async () => {
  app = await createAppWith(node, schema);
  [ada, gus] = [await signUpMember(app), await signUpMember(app)];
});

const clientFor = (member: Member, secret = app.publishable_key) =>
  new S3Client({
    endpoint: `${app.url}/storage/v1/s3`,
    accessKey: app.ref,
    secret,
    sessionToken: member.session.access_token,
  });
const errorOf = ({ status, body }: { status: number; body: string }) => ({ status, code: textsOf(body, 'Code')[0] });

it('a member with a session token reads and writes what the policies allow', async () => {
  const s3 = clientFor(ada);
  const own = `/docs/${ada.user.id}/a.txt`;
  expect(await s3.send('PUT', own, { body: 'mine' })).toMatchObject({ status: 200 });
  expect(await s3.send('GET', own)).toMatchObject({ status: 200, body: 'mine' });
  expect(await clientFor(ada, app.anon_key).send('GET', own)).toMatchObject({ status: 200 });
  expect(errorOf(await s3.send('PUT', `/docs/${gus.user.id}/a.txt`, { body: 'x' }))).toEqual({
    status: 403,
    code: 'AccessDenied',
  });
  expect(errorOf(await clientFor(gus).send('GET', own))).toEqual({ status: 404, code: 'NoSuchKey' });
  expect(await clientFor(gus).send('HEAD', own)).toMatchObject({ status: 404 });
  expect(errorOf(await s3.send('PUT', '/other'))).toEqual({ status: 403, code: 'AccessDenied' });

  const { data } = await ada.client.storage.from('docs').info(`${ada.user.id}/a.txt`);
  expect(data).toMatchObject({ name: `${ada.user.id}/a.txt`, size: 4 });
  const list = await clientFor(gus).send('GET', '/docs', { query: 'list-type=2' });
  expect(textsOf(list.body, 'Key')).toEqual([]);
  expect(textsOf((await s3.send('GET', '/docs', { query: 'list-type=2' })).body, 'Key')).toEqual([
    own.slice('/docs/'.length),
  ]);
});

it('a copy needs the policies of both its source and its destination', async () => {
  const own = `${ada.user.id}/source.txt`;
  await clientFor(ada).send('PUT', `/docs/${own}`, { body: 'x' });
  const copy = (member: Member, to: string) =>
    clientFor(member).send('PUT', `/docs/${to}`, { headers: { 'x-amz-copy-source': `/docs/${own}` } });
  expect(await copy(ada, `${ada.user.id}/copy.txt`)).toMatchObject({ status: 200 });
  expect(errorOf(await copy(gus, `${gus.user.id}/copy.txt`))).toEqual({ status: 404, code: 'NoSuchKey' });
  expect(errorOf(await copy(ada, `${gus.user.id}/copy.txt`))).toEqual({ status: 403, code: 'AccessDenied' });
});

it('a member deletes only objects that the policies allow, and learns of those that the member only sees', async () => {
  const [mine, theirs, shared] = [`${ada.user.id}/d.txt`, `${gus.user.id}/d.txt`, 'shared/d.txt'];
  await clientFor(ada).send('PUT', `/docs/${mine}`, { body: 'x' });
  await clientFor(gus).send('PUT', `/docs/${theirs}`, { body: 'x' });
  await clientOf(app, app.secret_key).storage.from('docs').upload(shared, 'x');
  const keys = [mine, theirs, shared].map((key) => `<Object><Key>${key}</Key></Object>`).join('');
  const { body } = await clientFor(ada).send('POST', '/docs', { query: 'delete=', body: `<Delete>${keys}</Delete>` });
  expect(/<Error>.*<\/Error>/.exec(body)?.[0]).toMatch(/^<Error><Key>shared\/d.txt<\/Key><Code>AccessDenied<\/Code>/);
  const one = await clientFor(ada).send('DELETE', `/docs/${shared}`);
  expect(errorOf(one)).toEqual({ status: 403, code: 'AccessDenied' });
  expect(await clientFor(ada).send('HEAD', `/docs/${mine}`)).toMatchObject({ status: 404 });
  expect(await clientFor(gus).send('HEAD', `/docs/${theirs}`)).toMatchObject({ status: 200 });
  expect(await clientFor(gus).send('HEAD', `/docs/${shared}`)).toMatchObject({ status: 200 });
});

it('an upload in parts belongs to the member who began it', async () => {
  const path = `/docs/${ada.user.id}/parts`;
  const began = await clientFor(ada).send('POST', path, { query: 'uploads=' });
  const [id] = textsOf(began.body, 'UploadId');
  const query = `partNumber=1&uploadId=${id}`;
  expect(errorOf(await clientFor(gus).send('PUT', path, { query, body: 'x' }))).toEqual({
    status: 404,
    code: 'NoSuchUpload',
  });
  const { headers } = await clientFor(ada).send('PUT', path, { query, body: 'parts' });
  const uploads = await clientFor(gus).send('GET', '/docs', { query: 'uploads=' });
  expect(textsOf(uploads.body, 'UploadId')).toEqual([]);
  const body = `<CompleteMultipartUpload><Part><PartNumber>1</PartNumber><ETag>${headers.etag}</ETag></Part></CompleteMultipartUpload>`;
  const finish = (member: Member) => clientFor(member).send('POST', path, { query: `uploadId=${id}`, body });
  expect(errorOf(await finish(gus))).toEqual({ status: 404, code: 'NoSuchUpload' });
  expect(await finish(ada)).toMatchObject({ status: 200 });
  const denied = await clientFor(gus).send('POST', path, { query: 'uploads=' });
  expect(errorOf(denied)).toEqual({ status: 403, code: 'AccessDenied' });
});

it('policies and triggers read the operation of the S3 protocol', async () => {
  await clientFor(ada).send('PUT', `/docs/${ada.user.id}/operation.txt`, { body: 'x'.repeat(10) });
  const { data } = await ada.client.from('operations').select('name').eq('name', 'storage.s3.object.upload').limit(1);
  expect(data).toEqual([{ name: 'storage.s3.object.upload' }]);
});

it('a session that has ended, another app’s token and a wrong key are refused', async () => {
  const member = await signUpMember(app);
  const s3 = clientFor(member);
  expect(await s3.send('GET', '/docs')).toMatchObject({ status: 200 });
  await member.client.auth.signOut();
  // Another worker learns a moment later that the session has ended.
  const refusal = async () => errorOf(await s3.send('GET', '/docs'));
  await expect.poll(refusal).toEqual({ status: 400, code: 'ExpiredToken' });
  expect(errorOf(await clientFor(ada, app.secret_key).send('GET', '/docs'))).toEqual({
    status: 403,
    code: 'SignatureDoesNotMatch',
  });
  const other = new S3Client({
    endpoint: `${app.url}/storage/v1/s3`,
    accessKey: 'other',
    secret: app.publishable_key,
    sessionToken: ada.session.access_token,
  });
  expect(errorOf(await other.send('GET', '/docs'))).toEqual({ status: 403, code: 'InvalidAccessKeyId' });
  const forged = new S3Client({
    endpoint: `${app.url}/storage/v1/s3`,
    accessKey: app.ref,
    secret: app.publishable_key,
    sessionToken: `${ada.session.access_token.slice(0, -4)}AAAA`,
  });
  expect(errorOf(await forged.send('GET', '/docs'))).toEqual({ status: 400, code: 'InvalidToken' });
});
