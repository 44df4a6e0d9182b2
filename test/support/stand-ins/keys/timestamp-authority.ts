import 'reflect-metadata';
import * as x509 from '@peculiar/x509';
import * as asn1js from 'asn1js';
import { randomBytes } from 'node:crypto';
import { TimeStampReq } from 'pkijs';
import { oids } from '../../../../domain/pki/cms/write-cms.ts';
import { signCrl } from '../../../../domain/pki/revocation/sign-crl.ts';
import { signToken } from '../../../../domain/pki/timestamps/sign-token.ts';
import * as der from '../../../../domain/pki/write-der.ts';
import { keySigner } from '../../../../domain/pki/x509/key-signer.ts';
import { startProvider, type Provider, type ProviderAnswer } from '../provider.ts';
import { issueFreely, signerOf, wantedOf, type Held, type Wanted } from './authorities.ts';

/** All bits of PKIFailureInfo (RFC 3161 §2.4.2). */
export const failureBits = [0, 2, 5, 14, 15, 16, 17, 25] as const;
const hourMs = 3600_000;

/** Deviations of its answers, in effect until changed. */
export interface Mood {
  /** PKIStatus. Only the statuses 0 and 1 include a token. */
  readonly status?: number;
  /** A bit of PKIFailureInfo. */
  readonly failure?: number;
  readonly nonce?: Buffer | null;
  readonly imprint?: Buffer;
  readonly at?: Date;
  /** Selects the certificate that signs. */
  readonly signer?: 'usual' | 'expired' | 'two purposes' | 'not critical';
  readonly more?: readonly Buffer[];
  readonly contentType?: string;
  /** Sent instead of a reply. */
  readonly bytes?: Buffer;
  readonly crl?: 'usual' | 'none' | 'revoked' | 'revoked, of the future' | 'outdated';
}

export interface TimestampAuthorityStandIn extends Provider {
  readonly root: Held;
  behave(mood: Mood): void;
}

/** A time-stamp authority (RFC 3161 over HTTP). It accepts only what a client should send. */
export async function startTimestampAuthority(): Promise<TimestampAuthorityStandIn> {
  let mood: Mood = {};
  let chains: Awaited<ReturnType<typeof issueAll>> | null = null;
  const provider = await startProvider(async ({ method, path, headers, body }) => {
    if (!chains) return { status: 503 };
    if (method === 'GET') return listOf(chains, path, mood.crl ?? 'usual');
    const asked = method === 'POST' ? readQuery(body) : null;
    const isTyped = headers['content-type'] === 'application/timestamp-query';
    if (!asked || !isTyped) return { status: 400 };
    return {
      status: 200,
      headers: { 'Content-Type': mood.contentType ?? 'application/timestamp-reply' },
      bytes: mood.bytes ?? (await replyTo(asked, chains, mood)),
    };
  });
  const made = await issueAll(provider.url);
  chains = made;
  return { ...provider, root: made.root, behave: (next) => (mood = next) };
}

type Chains = Awaited<ReturnType<typeof issueAll>>;

async function issueAll(url: string) {
  const pointsTo = (name: string) =>
    new x509.CRLDistributionPointsExtension([`${url}/${name}.crl`]);
  const issue = (change: Partial<Wanted>, by: Held | null) =>
    issueFreely(wantedOf('tsa', { ...change, purposes: change.purposes ?? [stamping] }), by);
  const root = await issueFreely(wantedOf('root', { name: 'stamps root', purposes: [] }), null);
  const authority = wantedOf('services-ca', { name: 'stamps CA', purposes: [] });
  const ca = await issueFreely({ ...authority, more: [pointsTo('root')] }, root);
  const more = [pointsTo('ca')];
  const [usual, expired, two, loose] = await Promise.all([
    issue({ name: 'stamps', more }, ca),
    issue({ name: 'stamps', more, notAfter: new Date(Date.now() - 60_000) }, ca),
    issue({ name: 'stamps', more, purposes: [stamping, '1.3.6.1.5.5.7.3.4'] }, ca),
    issue({ name: 'stamps', more, arePurposesCritical: false }, ca),
  ]);
  const signers = { usual, expired, 'two purposes': two, 'not critical': loose } as const;
  return { root, ca, signers };
}

const stamping = '1.3.6.1.5.5.7.3.8';

interface Query {
  readonly imprint: Buffer;
  readonly nonce: Buffer;
}

/** Null for a query that is not DER, has another version, or lacks a required field. */
function readQuery(body: Buffer): Query | null {
  const parsed = asn1js.fromBER(new Uint8Array(body).buffer);
  if (parsed.offset !== body.length) return null;
  const query = new TimeStampReq({ schema: parsed.result });
  const { version, messageImprint, nonce, certReq } = query;
  const isDer = Buffer.from(query.toSchema().toBER()).equals(body);
  const imprint = Buffer.from(messageImprint.hashedMessage.valueBlock.valueHexView);
  const isOfSha256 = messageImprint.hashAlgorithm.algorithmId === oids.sha256;
  if (!isDer || version !== 1 || certReq !== true || !nonce) return null;
  if (!isOfSha256 || imprint.length !== 32) return null;
  const nonceDer = Buffer.from(nonce.toBER());
  return nonceDer.length < 10 ? null : { imprint, nonce: nonceDer };
}

async function replyTo(asked: Query, { ca, signers }: Chains, mood: Mood): Promise<Buffer> {
  const { status = 0, failure, nonce = asked.nonce, imprint = asked.imprint } = mood;
  const bits = Buffer.alloc(5);
  if (failure !== undefined) bits[1 + Math.floor(failure / 8)] = 0x80 >> (failure % 8);
  const info = der.sequence(
    der.integer(status),
    ...(failure === undefined ? [] : [der.tlv(3, bits)]),
  );
  if (status > 1) return der.sequence(info);
  const token = await signToken(signerOf([signers[mood.signer ?? 'usual'], ca]), {
    messageImprint: der.sequence(der.sequence(der.oid(oids.sha256)), der.octets(imprint)),
    serial: randomBytes(8),
    at: mood.at ?? new Date(),
    more: [...(nonce ? [nonce] : []), ...(mood.more ?? [])],
  });
  return der.sequence(info, token);
}

async function listOf(
  { root, ca, signers }: Chains,
  path: string,
  how: NonNullable<Mood['crl']>,
): Promise<ProviderAnswer> {
  const by = { '/root.crl': root, '/ca.crl': ca }[path];
  if (!by || how === 'none') return { status: 404 };
  const serial = signers.usual.certificate.serialNumber;
  const now = Date.now();
  const crl = await signCrl({
    issuer: keySigner(by.key, [by.der]),
    number: 1,
    thisUpdate: new Date(how === 'revoked, of the future' ? now + 60_000 : now - 60_000),
    nextUpdate: new Date(how === 'outdated' ? now - 1000 : now + hourMs),
    revoked:
      how.startsWith('revoked') && by === ca
        ? [
            {
              serial,
              kind: 'services',
              revoked_at: new Date(now - 120_000),
              revocation_reason: 'compromised',
              invalidity_date: null,
            },
          ]
        : [],
  });
  return { status: 200, bytes: crl };
}
