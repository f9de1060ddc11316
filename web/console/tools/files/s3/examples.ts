/** The values with which a client of the S3 protocol reaches an app. */
export interface S3Access {
  endpoint: string;
  region: string;
  keyId: string;
  secret: string;
  bucket: string;
}

/** Region of every app. The protocol needs one for its signatures. */
export const REGION = 'local';

const quote = (text: string): string => (/^[\w@%+=:,./-]+$/.test(text) ? text : `'${text.replaceAll("'", `'\\''`)}'`);

/** Returns commands that set the AWS CLI up and copy a bucket. Pure. */
export const awsCommands = ({ endpoint, region, keyId, secret, bucket }: S3Access): string =>
  [
    `export AWS_ACCESS_KEY_ID=${quote(keyId)}`,
    `export AWS_SECRET_ACCESS_KEY=${quote(secret)}`,
    `export AWS_REGION=${region} AWS_DEFAULT_REGION=${region} AWS_ENDPOINT_URL_S3=${quote(endpoint)}`,
    `aws s3 ls ${quote(`s3://${bucket}`)}`,
    `aws s3 sync ./folder ${quote(`s3://${bucket}/folder`)}`,
  ].join('\n');

/** Returns commands that set rclone up and copy a bucket. Pure. */
export const rcloneCommands = ({ endpoint, region, keyId, secret, bucket }: S3Access): string =>
  [
    'rclone config create ninefold s3 provider=Other \\',
    `  access_key_id=${quote(keyId)} secret_access_key=${quote(secret)} \\`,
    `  endpoint=${quote(endpoint)} region=${region} force_path_style=true`,
    `rclone ls ${quote(`ninefold:${bucket}`)}`,
    `rclone sync ./folder ${quote(`ninefold:${bucket}/folder`)}`,
  ].join('\n');
