import { describe, expect, it } from 'vitest';
import { readConfig } from './config.ts';
import { ConfigError } from './config-error.ts';

const credentials = { NINEFOLD_STORAGE_KEY: 'key', NINEFOLD_STORAGE_SECRET: 'secret' };
const read = (url: string) => readConfig({ ...credentials, NINEFOLD_STORAGE_URL: url }).storageUrl;

describe('NINEFOLD_STORAGE_URL', () => {
  it.each([
    [
      's3://files',
      {
        endpoint: 'https://s3.us-east-1.amazonaws.com',
        bucket: 'files',
        prefix: '',
        region: 'us-east-1',
        isPathStyle: false,
      },
    ],
    [
      's3://my.files/node-1/apps/?region=eu-central-1',
      {
        endpoint: 'https://s3.eu-central-1.amazonaws.com',
        bucket: 'my.files',
        prefix: 'node-1/apps/',
        region: 'eu-central-1',
        isPathStyle: true,
      },
    ],
    [
      's3://files/a?endpoint=http://127.0.0.1:9000/&region=garage',
      { endpoint: 'http://127.0.0.1:9000', bucket: 'files', prefix: 'a/', region: 'garage', isPathStyle: true },
    ],
    [
      's3://files?endpoint=https://s3.example.com&style=host',
      { endpoint: 'https://s3.example.com', bucket: 'files', prefix: '', region: 'us-east-1', isPathStyle: false },
    ],
  ])('reads %s', (url, location) => {
    expect(read(url)).toEqual(location);
  });

  it.each([
    ['files', 'must be a URL of an S3 bucket'],
    ['https://files', 'must begin with s3://'],
    ['s3://', 'must name a bucket'],
    ['s3://Files', 'must name a bucket'],
    ['s3://files:80', 'must name a bucket'],
    ['s3://user:hidden@files', 'must not contain credentials'],
    ['s3://files/a b', 'must have a prefix'],
    ['s3://files/a//b', 'must have a prefix'],
    ['s3://files/.a', 'must have a prefix'],
    ['s3://files?key=hidden', 'may have only the parameters'],
    ['s3://files?region=EU West', 'must have a region'],
    ['s3://files?style=other', 'must have the style'],
    ['s3://files?endpoint=ftp://host', 'as its endpoint'],
    ['s3://files?endpoint=https://host/path', 'as its endpoint'],
    ['s3://files?endpoint=https://user:hidden@host', 'as its endpoint'],
  ])('rejects %s with one sentence that does not repeat it', (url, reason) => {
    expect(() => read(url)).toThrow(ConfigError);
    expect(() => read(url)).toThrow(reason);
    expect(() => read(url)).not.toThrow('hidden');
  });

  it('needs the key and the secret', () => {
    for (const name of ['NINEFOLD_STORAGE_KEY', 'NINEFOLD_STORAGE_SECRET']) {
      const env = { ...credentials, NINEFOLD_STORAGE_URL: 's3://files', [name]: '' };
      expect(() => readConfig(env)).toThrow(`NINEFOLD_STORAGE_URL needs ${name}.`);
    }
    expect(readConfig({}).storageUrl).toBeNull();
  });
});
