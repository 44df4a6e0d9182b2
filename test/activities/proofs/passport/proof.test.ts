import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { CountryCrls } from '../../../../activities/proofs/passport/country-crls.ts';
import type { PassportTrustCache } from '../../../../activities/proofs/passport/passport-trust-cache.ts';
import { createPassportJudge } from '../../../../activities/proofs/passport/proof.ts';
import { transaction, type Db } from '../../../../db/client.ts';
import { findTrustCheck } from '../../../../db/queries/trust-checks.ts';
import type { ProofRow } from '../../../../db/schema/trust-checks.ts';
import { judgeEvidence } from '../../../../domain/judging/judge.ts';
import { isOfSameIssuer, readCrl } from '../../../../domain/pki/revocation/crl.ts';
import { readCountryCertificate } from '../../../../domain/proofs/passport/signer/certificate.ts';
import { linkedStore } from '../../../../domain/proofs/passport/signer/links.ts';
import { createCscaStore } from '../../../../domain/proofs/passport/signer/master-list.ts';
import { dg2Of, faceRecord } from '../../../../simulator/passport/face-record.ts';
import { issueCrl } from '../../../../simulator/roots/crl.ts';
import { createDevCsca, linkCsca } from '../../../../simulator/roots/passport.ts';
import { jpeg } from '../../../support/fixtures/passports/faces.ts';
import {
  at,
  csca,
  heldTrust,
  mint,
  results,
} from '../../../support/fixtures/passports/fixtures.ts';
import { beginSession, newLink } from '../../../support/http/client.ts';
import { ownSecrets } from '../../../support/keys/own-secrets.ts';
import { openTestDb } from '../../../support/platform/harness.ts';
import { ownPlatform } from '../../../support/platform/own-platform.ts';

const elsewhere = createDevCsca(at, { commonName: 'CSCA Elsewhere' });
const held = heldTrust({
  published: createCscaStore([csca.certificate, elsewhere.certificate]),
});
const trust: PassportTrustCache = { ...held, current: async () => outside(await held.current()) };
const { passport } = mint({ chipKey: 'none' });
let isInTransaction = false;

let db: Db;
let sessionId = '';
beforeAll(async () => {
  db = openTestDb(ownPlatform().databaseUrl);
  sessionId = (await beginSession(await newLink())).id;
});
afterAll(() => db.end());

/** Judges the passport of a chip without a key, with only these CRLs available. */
async function judged(
  lists: readonly Uint8Array[] | null,
  isCrlRequired: boolean,
  by = trust,
  read = passport,
  asked: readonly ProofRow[] = [],
) {
  const held = lists?.map((der) => readCrl(der));
  const listsFor: CountryCrls['listsFor'] = async (one) =>
    outside((held ?? []).filter((crl) => isOfSameIssuer(one, crl)));
  const crls = held ? { listsFor } : null;
  const files = new Map([['sod', read.sod]]);
  for (const [name, file] of Object.entries(read.dataGroups)) files.set(name, file);
  const names = Object.keys(read.dataGroups);
  const data_groups = Object.fromEntries(names.map((name) => [name, name]));
  const given = { input: { sod: 'sod', data_groups }, files };
  const deps = {
    trust: by,
    crls,
    isCrlRequired,
    legacyAlgorithms: 'flag',
    keys: ownSecrets(),
  } as const;
  const found = await findTrustCheck(db, sessionId);
  if (!found) throw new Error('the session is gone');
  const session = { ...found, proofs: [...found.proofs, ...asked] };
  const ready = await createPassportJudge(deps).prepare({ ...given, session });
  return transaction(db, async (tx) => {
    isInTransaction = true;
    return ready
      .judge({ ...given, session, tx, now: at, handedInAt: at })
      .finally(() => (isInTransaction = false));
  });
}

/** Throws when data from the network is read within a transaction. */
const outside = <Value>(value: Value): Value => {
  if (isInTransaction) throw new Error('a transaction waits for the network');
  return value;
};

describe('the passport judge', () => {
  it.each([
    ['was not read', undefined, 'portrait_missing'],
    ['holds no portrait', dg2Of([]), 'portrait_missing'],
    ['has one', dg2Of([faceRecord(jpeg(413, 531))]), null],
  ])('requires DG2 when a face is compared with it: %s', async (_, DG2, reason) => {
    const files = DG2 ? { DG2 } : {};
    const { passport: read } = mint({ csca, chipKey: 'none', files });
    const face = { type: 'biometric', status: 'ready', attempt: 0, max_attempts: 3 } as const;
    const unjudged = { reason_code: null, provider: null, evidence_hash: null };
    const found = await judged(null, false, trust, read, [{ ...face, ...unjudged }]);
    expect([found.reason_code, found.retryable]).toEqual([reason, reason !== null]);
    expect((await judged(null, false, trust, read)).outcome).toBe('passed');
  });

  it('requires the answer and DG14 of a chip with a key for chip authentication', async () => {
    const chipAuth = { group: 'brainpoolP256r1', cipher: 'aes-128' } as const;
    const { passport: original } = mint({ csca, chipKey: 'none', chipAuth });
    const { DG14: _, ...dataGroups } = original.dataGroups;
    for (const read of [original, { ...original, dataGroups }]) {
      const found = await judged(null, false, trust, read);
      expect(found).toMatchObject({ outcome: 'rejected', reason_code: 'chip_auth_missing' });
      expect(found.retryable).toBe(true);
    }
  });

  const current = issueCrl(csca, [], at);
  const outdated = issueCrl(csca, [], new Date(at.getTime() - 91 * 24 * 3600_000));
  const revoking = issueCrl(csca, [passport.signer.serial], at);
  it.each([
    ['no lists', null, false, 'passed', null, 'skipped'],
    ['an outdated list', [outdated], false, 'passed', null, 'skipped'],
    ['a current list', [current], false, 'passed', null, 'ok'],
    ['a list with its signer', [revoking], false, 'rejected', 'dsc_revoked', 'failed'],
    ['no list, and one is required', [], true, 'unsure', 'revocation_unknown', 'skipped'],
    ['an outdated one, and', [outdated], true, 'unsure', 'revocation_unknown', 'skipped'],
    ['a current one, and', [current], true, 'passed', null, 'ok'],
  ] as const)(
    'judges revocation with %s',
    async (_what, lists, isRequired, outcome, reason_code, result) => {
      const judgement = await judged(lists, isRequired);
      expect(judgement).toMatchObject({ outcome, reason_code });
      const [file] = judgement.evidenceFiles ?? [];
      const again = judgeEvidence(JSON.parse(JSON.stringify(file)));
      expect(again).toEqual(judgement.verdict);
      expect(results(again)['revocation']).toBe(result);
      const base64 = (bytes: Uint8Array): string => Buffer.from(bytes).toString('base64');
      const crl = lists?.length ? { crl: lists.map(base64) } : {};
      const require = isRequired ? ['crl'] : [];
      expect(file?.['policy']).toEqual({
        csca: [base64(csca.certificate)],
        ...crl,
        require,
        legacy_algorithms: 'flag',
      });
    },
  );
});

it('names the link certificates of a passport and the certificate they start from', async () => {
  const next = createDevCsca(at, { commonName: 'CSCA Utopia next' });
  const link = linkCsca(csca, next, at);
  const published = createCscaStore([csca.certificate]);
  const renewed = heldTrust({ published, linked: linkedStore(published, [link]) });
  const { passport: under } = mint({ chipKey: 'none' }, next);
  const judgement = await judged(null, false, renewed, under);
  expect(judgement).toMatchObject({ outcome: 'passed', reason_code: null });
  const [file] = judgement.evidenceFiles ?? [];
  expect(file?.['policy']).toMatchObject({
    csca: [Buffer.from(csca.certificate).toString('base64')],
    csca_links: [Buffer.from(link).toString('base64')],
  });
  expect(judgeEvidence(JSON.parse(JSON.stringify(file)))).toEqual(judgement.verdict);
  const revoking = issueCrl(csca, [Buffer.from(readCountryCertificate(link).serial, 'hex')], at);
  const revoked = await judged([revoking], false, renewed, under);
  expect(revoked).toMatchObject({ outcome: 'rejected', reason_code: 'csca_revoked' });
});
