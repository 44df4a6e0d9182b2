import { createHash, createHmac } from 'node:crypto';
import type { ProviderRequest } from '../provider.ts';

/** Credentials and region of a caller. */
export interface AwsAccount {
  readonly region: string;
  readonly accessKeyId: string;
  readonly secretAccessKey: string;
}

const apartMsMax = 5 * 60_000;

const sha256 = (data: string | Buffer): string => createHash('sha256').update(data).digest('hex');
const hmac = (key: string | Buffer, data: string): Buffer =>
  createHmac('sha256', key).update(data).digest();

/**
 * Verifies Signature Version 4 of an AWS service in the `Authorization` header, over the host, the
 * target and the body. The clocks may differ by at most five minutes.
 */
export function isSignedFor(
  service: string,
  { region, accessKeyId, secretAccessKey }: AwsAccount,
  { method, path, headers, body }: ProviderRequest,
  now: Date,
): boolean {
  const form =
    /^AWS4-HMAC-SHA256 Credential=([^,]+), SignedHeaders=([a-z0-9;-]+), Signature=([0-9a-f]{64})$/;
  const [, credential, signedNames = '', signature] = form.exec(headers.authorization ?? '') ?? [];
  const stamp = String(headers['x-amz-date']);
  const [, day = '', time = ''] = /^(\d{8})T(\d{6})Z$/.exec(stamp) ?? [];
  const at = Date.parse(
    `${day.replace(/(....)(..)(..)/, '$1-$2-$3')}T${time.replace(/(..)(..)(..)/, '$1:$2:$3')}Z`,
  );
  const scope = `${day}/${region}/${service}/aws4_request`;
  const names = signedNames.split(';');
  const isWhole = ['host', 'x-amz-date', 'x-amz-target'].every((name) => names.includes(name));
  if (credential !== `${accessKeyId}/${scope}` || !isWhole) return false;
  if (!(Math.abs(now.getTime() - at) <= apartMsMax)) return false;
  const lines = names.map((name) => `${name}:${String(headers[name]).trim()}\n`).join('');
  const canonical = [method, path, '', lines, signedNames, sha256(body)].join('\n');
  const toSign = ['AWS4-HMAC-SHA256', stamp, scope, sha256(canonical)].join('\n');
  const ofDay = hmac(`AWS4${secretAccessKey}`, day);
  const key = hmac(hmac(hmac(ofDay, region), service), 'aws4_request');
  return hmac(key, toSign).toString('hex') === signature;
}
