import { expect, it } from 'vitest';
import { storageCalls } from '../../../../../contract/calls.ts';
import { storageExample } from './storage-example.ts';

const example = (id: string) => {
  const call = storageCalls.find((one) => one.id === id);
  if (!call) throw new Error(`there is no call ${id}`);
  return storageExample(call, 'my photos');
};

it('storageExample names a bucket and an object of the app in the path, the body and the expression', () => {
  expect(example('storage.object.upload')).toEqual({
    path: '/storage/v1/object/my%20photos/folder/file.txt',
    ...{ query: '', headers: {}, body: { content_type: 'text/plain', text: 'hello' }, notes: [] },
    expression:
      "supabase.storage.from('my photos').upload('folder/file.txt', new Blob(['hello'], { type: 'text/plain' }))",
  });
  expect(example('storage.object.move')).toMatchObject({
    expression: "supabase.storage.from('my photos').move('folder/file.txt', 'folder/new.txt')",
    body: { text: '{"bucketId":"my photos","sourceKey":"folder/file.txt","destinationKey":"folder/new.txt"}' },
  });
  expect(example('storage.object.get_signed')).toMatchObject({ query: 'token=TOKEN', notes: [expect.any(String)] });
});

it('storageExample leaves no placeholder in any call but the token of a signed URL', () => {
  for (const { id } of storageCalls) {
    const { path, expression, body } = example(id);
    expect([id, [path, expression?.replace('TOKEN', ''), body?.text].join(' ')]).toEqual([
      id,
      expect.not.stringMatching(/\b(?:BUCKET|PATH|OLD|NEW|FOLDER)\b|[{](?:bucket|path)[}]/),
    ]);
  }
});
