import { createPublicKey, generateKeyPairSync, randomUUID, sign, verify } from 'node:crypto';
import type { AddressInfo } from 'node:net';
import express from 'express';
import pg from 'pg';
import { answerParent, setting } from '../measure/child.ts';

/** The floor of P2: Express that verifies, selects, inserts and signs once each, and nothing else. */
const pool = new pg.Pool({ connectionString: setting('DATABASE_URL'), max: 10 });
const ofUser = createPublicKey({ key: JSON.parse(setting('USER_KEY')), format: 'jwk' });
const { privateKey: ours } = generateKeyPairSync('ec', { namedCurve: 'P-256' });
const es256 = { dsaEncoding: 'ieee-p1363' } as const;
const lifeSeconds = 3600;

const encode = (value: unknown): string => Buffer.from(JSON.stringify(value)).toString('base64url');

async function exchange(jwt: string): Promise<string> {
  const [head = '', body = '', signature = ''] = jwt.split('.');
  const signed = Buffer.from(`${head}.${body}`);
  const isGood = verify(
    'sha256',
    signed,
    { key: ofUser, ...es256 },
    Buffer.from(signature, 'base64url'),
  );
  if (!isGood) throw new Error('not signed by the user');
  const claims = JSON.parse(Buffer.from(body, 'base64url').toString()) as {
    sub: string;
    jti: string;
  };
  const { rows } = await pool.query({
    name: 'member',
    text: 'SELECT account_id, roles FROM memberships WHERE poly_user_id = $1',
    values: [claims.sub],
  });
  await pool.query({
    name: 'session',
    text: 'INSERT INTO floor_sessions (sid, jti, poly_user_id) VALUES ($1, $2, $3)',
    values: [randomUUID(), claims.jti, claims.sub],
  });
  const exp = Math.floor(Date.now() / 1000) + lifeSeconds;
  const input = `${encode({ alg: 'ES256' })}.${encode({ sub: claims.sub, exp, ...rows[0] })}`;
  const made = sign('sha256', Buffer.from(input), { key: ours, ...es256 });
  return `${input}.${made.toString('base64url')}`;
}

await pool.query(
  `CREATE TABLE IF NOT EXISTS floor_sessions
     (sid text PRIMARY KEY, jti text NOT NULL UNIQUE, poly_user_id text NOT NULL)`,
);
const app = express();
app.disable('etag');
app.disable('x-powered-by');
app.post('/api/v1/auth/token', express.json(), (request, response, next) => {
  exchange(String(request.body.jwt))
    .then((token) => response.json({ session_token: token }))
    .catch(next);
});
const server = app.listen(0, '127.0.0.1', () => {
  answerParent((server.address() as AddressInfo).port, async () => undefined);
});
