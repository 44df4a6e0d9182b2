import 'reflect-metadata';
import * as x509 from '@peculiar/x509';
import canonicalize from 'canonicalize';
import { randomBytes } from 'node:crypto';
import { beforeAll, describe, expect, it } from 'vitest';
import { verifyAffidavit } from '../../../../activities/affidavit/verify.ts';
import { sealAffidavit } from '../../../../domain/pdf/signature/seal.ts';
import { createTimestampAuthority } from '../../../../domain/pki/timestamps/sign-token.ts';
import { keyUsages, purposes } from '../../../../domain/pki/x509/profile.ts';
import { lightContent } from '../../../support/fixtures/affidavits/contents.ts';
import { foreignPages } from '../../../support/fixtures/affidavits/foreign-pages.ts';
import {
  issueFreely,
  signerOf,
  wantedOf,
  type Held,
  type Wanted,
} from '../../../support/stand-ins/keys/authorities.ts';

let pages: Uint8Array;
beforeAll(async () => {
  const said = { ...lightContent, renderer: 'trustcheck-pages/0 0000000000000000' };
  pages = await foreignPages(canonicalize(said) ?? '');
});

type Chain = readonly [Held, ...Held[]];
const now = new Date();

/** Seals with the first chain and stamps with the second; the file contains neither root. */
async function judge(seal: Chain, stamp: Chain, roots: readonly Held[]) {
  const authority = createTimestampAuthority(signerOf(stamp), () => now, randomBytes);
  const pdf = await sealAffidavit(pages, signerOf(seal), authority);
  const pinned = roots.map(({ certificate }) => certificate);
  const { result, reason_code } = await verifyAffidavit(pdf, pinned, new Date());
  return [result, reason_code];
}

// Everything else is valid: these CAs have no CRLs.
const valid = ['indeterminate', 'revocation_unknown'];
const invalid = (code: string) => ['invalid', code];

async function platform() {
  const root = await issueFreely(wantedOf('root'), null);
  const people = await issueFreely(wantedOf('people-ca'), root);
  const services = await issueFreely(wantedOf('services-ca'), root);
  return {
    root,
    people,
    services,
    seal: await issueFreely(wantedOf('seal'), services),
    tsa: await issueFreely(wantedOf('tsa'), services),
    user: await issueFreely(wantedOf('user', { name: 'pu_1' }), people),
  };
}

describe('the keys of a platform', () => {
  let own: Awaited<ReturnType<typeof platform>>;
  let other: typeof own;
  beforeAll(async () => {
    [own, other] = [await platform(), await platform()];
  });

  it('are valid for the seal and time stamp of the services CA', async () => {
    const { seal, tsa, services, root } = own;
    const roots = [other.root, root, root];
    expect(await judge([seal, services], [tsa, services], roots)).toEqual(valid);
  });

  it('cannot seal with any other key below the root', async () => {
    const { root, services, people, tsa, user } = own;
    const tokens = await issueFreely(wantedOf('tokens'), services);
    const stamp: Chain = [tsa, services];
    const found = [
      await judge([tokens, services], stamp, [root]),
      await judge([tsa, services], stamp, [root]),
      await judge([user, people], stamp, [root]),
      await judge([user, people], [other.tsa, other.services], [root, other.root]),
    ];
    expect(found).toEqual(found.map(() => invalid('certificate_purpose')));
  });

  it('cannot seal or stamp with certificates of the people CA, whatever purpose those name', async () => {
    const { root, services, people, seal, tsa, user } = own;
    const forgedSeal = await issueFreely(wantedOf('seal'), people);
    const forgedTsa = await issueFreely(wantedOf('tsa'), people);
    const underUser = await issueFreely(wantedOf('seal'), user);
    const below = await issueFreely(wantedOf('services-ca'), people);
    const deepSeal = await issueFreely(wantedOf('seal'), below);
    const stamp: Chain = [tsa, services];
    const purpose = invalid('certificate_purpose');
    expect(await judge([forgedSeal, people], [forgedTsa, people], [root])).toEqual(purpose);
    expect(await judge([forgedSeal, people], stamp, [root])).toEqual(purpose);
    expect(await judge([seal, services], [forgedTsa, people], [root])).toEqual(purpose);
    expect(await judge([underUser, user, people], stamp, [root])).toEqual(invalid('chain'));
    expect(await judge([deepSeal, below, people], stamp, [root])).toEqual(invalid('chain'));
  });

  it('are invalid when a seal and its time stamp are of two trusted platforms', async () => {
    const chains = [
      [own.seal, own.services],
      [other.tsa, other.services],
    ] as const;
    expect(await judge(...chains, [own.root, other.root])).toEqual(invalid('chain'));
    const unknown = ['indeterminate', 'root_not_trusted'];
    expect(await judge(...chains, [own.root])).toEqual(unknown);
    expect(await judge(...chains, [other.root])).toEqual(unknown);
    expect(await judge(...chains, [])).toEqual(unknown);
  });
});

const past = new Date(now.getTime() - 1800_000);
const future = new Date(now.getTime() + 1800_000);
const { purposes: all } = wantedOf('services-ca');
const without = (purpose: string) => all.filter((one) => one !== purpose);
const nameConstraints = new x509.Extension('2.5.29.30', false, Buffer.from('3000', 'hex'));
const unheardOf = new x509.Extension('1.3.6.1.4.1.58969.9', true, Buffer.from('0500', 'hex'));

interface Mutation {
  readonly root?: Partial<Wanted>;
  readonly services?: Partial<Wanted>;
  /** A CA between the services CA and the leaves. */
  readonly sub?: Partial<Wanted>;
  readonly seal?: Partial<Wanted>;
  readonly tsa?: Partial<Wanted>;
}

async function judgeMutated({ root, services, sub, seal, tsa }: Mutation) {
  const top = await issueFreely(wantedOf('root', root), null);
  const ca = await issueFreely(wantedOf('services-ca', services), top);
  const low = sub ? await issueFreely(wantedOf('services-ca', { name: 'sub', ...sub }), ca) : null;
  const above: Held[] = low ? [low, ca] : [ca];
  const sealLeaf = await issueFreely(wantedOf('seal', seal), low ?? ca);
  const stampLeaf = await issueFreely(wantedOf('tsa', tsa), low ?? ca);
  return judge([sealLeaf, ...above], [stampLeaf, ...above], [top]);
}

describe('a certificate path to the root', () => {
  it.each<[string, Mutation]>([
    ['with a services CA of any name', { services: { name: 'another' } }],
    ['without key usage', { services: { usages: 0 }, seal: { usages: 0 } }],
    ['without path length limits', { root: { pathLength: null }, services: { pathLength: null } }],
    ['with a second CA', { root: { pathLength: 2 }, services: { pathLength: 1 }, sub: {} }],
    ['with a root that has all purposes', { root: { purposes: all } }],
    ['with a seal for document signing only', { seal: { purposes: [purposes.documentSigning] } }],
  ])('is valid %s', async (_what, mutation) => {
    expect(await judgeMutated(mutation)).toEqual(valid);
  });

  it.each<[string, string, Mutation]>([
    ['CA for people', 'certificate_purpose', { services: { purposes: [purposes.clientAuth] } }],
    [
      'CA for anything',
      'certificate_purpose',
      { services: { purposes: ['2.5.29.37.0'], name: 'trustcheck services CA' } },
    ],
    [
      'CA for all but documents',
      'certificate_purpose',
      { services: { purposes: without(purposes.documentSigning) } },
    ],
    [
      'CA for all but time stamps',
      'certificate_purpose',
      { services: { purposes: without(purposes.timeStamping) } },
    ],
    ['CA that names no purpose', 'certificate_purpose', { services: { purposes: [] } }],
    [
      'second CA that names no purpose',
      'certificate_purpose',
      { root: { pathLength: 2 }, services: { pathLength: 1 }, sub: { purposes: [] } },
    ],
    ['root for people', 'certificate_purpose', { root: { purposes: [purposes.clientAuth] } }],
    ['CA without keyCertSign', 'chain', { services: { usages: keyUsages.cRLSign } }],
    ['root without keyCertSign', 'chain', { root: { usages: keyUsages.cRLSign } }],
    ['services CA that is no CA', 'chain', { services: { isCa: false, pathLength: null } }],
    [
      'CA with non-critical basic constraints',
      'chain',
      { services: { areConstraintsCritical: false } },
    ],
    ['CA with name constraints', 'chain', { services: { more: [nameConstraints] } }],
    ['CA with an unknown critical extension', 'chain', { services: { more: [unheardOf] } }],
    ['seal with an unknown critical extension', 'chain', { seal: { more: [unheardOf] } }],
    ['CA below a CA with path length 0', 'chain', { root: { pathLength: 2 }, sub: {} }],
    ['CA below a root with path length 0', 'chain', { root: { pathLength: 0 } }],
    ['CA expired at the time stamp', 'chain', { services: { notAfter: past } }],
    ['CA not yet valid at the time stamp', 'chain', { services: { notBefore: future } }],
    ['root expired at the time stamp', 'chain', { root: { notAfter: past } }],
    ['seal expired at the time stamp', 'chain', { seal: { notAfter: past } }],
    ['TSA not yet valid at the time stamp', 'chain', { tsa: { notBefore: future } }],
    ['CA signed over SHA-1', 'chain', { services: { hash: 'SHA-1' } }],
    ['seal that names another issuer', 'chain', { seal: { issuerName: 'CN=another' } }],
    ['seal that is a CA', 'chain', { seal: { isCa: true, usages: 0 } }],
    ['seal without digitalSignature', 'chain', { seal: { usages: keyUsages.cRLSign } }],
    ['seal for no purpose', 'certificate_purpose', { seal: { purposes: [] } }],
    [
      'seal for email only',
      'certificate_purpose',
      { seal: { purposes: [purposes.emailProtection] } },
    ],
    ['TSA with a non-critical purpose', 'timestamp', { tsa: { arePurposesCritical: false } }],
    [
      'TSA with a second purpose',
      'timestamp',
      { tsa: { purposes: [purposes.timeStamping, purposes.documentSigning] } },
    ],
    ['TSA for no purpose', 'timestamp', { tsa: { purposes: [] } }],
  ])('is invalid with a %s', async (_what, code, mutation) => {
    expect(await judgeMutated(mutation)).toEqual(invalid(code));
  });

  it('is invalid for a seal that is self-signed or signed by the root', async () => {
    const { root, services, tsa } = await platform();
    const alone = await issueFreely(wantedOf('seal'), null);
    const direct = await issueFreely(wantedOf('seal'), root);
    const stamp: Chain = [tsa, services];
    expect(await judge([alone, services], stamp, [root])).toEqual(invalid('chain'));
    expect(await judge([alone, services], stamp, [root, alone])).toEqual(invalid('chain'));
    expect(await judge([direct, services], stamp, [root])).toEqual(invalid('chain'));
  });

  it('uses all sent certificates in their order, and is limited in their number', async () => {
    const { root, services, seal, tsa, people } = await platform();
    const stamp: Chain = [tsa, services];
    const few: Chain = [seal, people, root, tsa, people, people, people, services];
    expect(await judge([seal, services], stamp, [root])).toEqual(valid);
    // A seal may contain the root, once and last; a time stamp may not.
    expect(await judge([seal, services, root], stamp, [root])).toEqual(valid);
    for (const chain of [
      [seal, services, root, root],
      [seal, root, services],
      [seal, services, people, root],
    ] as const) {
      expect(await judge(chain, stamp, [root])).toEqual(invalid('chain'));
    }
    expect(await judge([seal, services], [...stamp, root], [root])).toEqual(invalid('chain'));
    expect(await judge(few, stamp, [root])).toEqual(invalid('chain'));
    expect(await judge([seal, services], [tsa, services, people], [root])).toEqual(
      invalid('chain'),
    );
    const open = ['indeterminate', 'root_not_trusted'];
    expect(await judge(few, stamp, [])).toEqual(open);
    expect(await judge([...few, people] as const, stamp, [])).toEqual(invalid('chain'));
  });
});
