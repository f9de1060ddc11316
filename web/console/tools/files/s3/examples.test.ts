import { describe, expect, it } from 'vitest';
import { awsCommands, rcloneCommands } from './examples.ts';

const access = {
  endpoint: 'https://shop.example.org/storage/v1/s3',
  region: 'local',
  keyId: 'NFKEY',
  secret: 'abc_-1',
};

describe('awsCommands', () => {
  it('sets key, secret, region and endpoint and names the bucket', () => {
    expect(awsCommands({ ...access, bucket: 'photos' })).toBe(`export AWS_ACCESS_KEY_ID=NFKEY
export AWS_SECRET_ACCESS_KEY=abc_-1
export AWS_REGION=local AWS_DEFAULT_REGION=local AWS_ENDPOINT_URL_S3=https://shop.example.org/storage/v1/s3
aws s3 ls s3://photos
aws s3 sync ./folder s3://photos/folder`);
  });

  it('quotes a bucket that a shell would split or run', () => {
    expect(awsCommands({ ...access, bucket: "my $(id) o'clock" })).toContain(`aws s3 ls 's3://my $(id) o'\\''clock'`);
  });
});

describe('rcloneCommands', () => {
  it('uses path-style addresses', () => {
    const commands = rcloneCommands({ ...access, bucket: 'photos' });
    expect(commands).toContain('force_path_style=true');
    expect(commands).toContain('rclone ls ninefold:photos');
  });
});
