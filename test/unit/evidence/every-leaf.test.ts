import { describe, expect, it } from 'vitest';
import { imageReaders } from '../../../activities/proofs/image-readers.ts';
import { nameImages } from '../../../domain/evidence/binding.ts';
import { createAndroidPhone } from '../../../simulator/android/phone.ts';
import { licenceText } from '../../../simulator/document/licence.ts';
import { mrzOf } from '../../../simulator/passport/mrz.ts';
import { issueCrl } from '../../../simulator/roots/crl.ts';
import * as android from '../../support/fixtures/devices/android-fixtures.ts';
import * as apple from '../../support/fixtures/devices/apple-fixtures.ts';
import * as play from '../../support/fixtures/devices/play-fixtures.ts';
import { at, csca, holder, mint } from '../../support/fixtures/passports/fixtures.ts';
import { referencePicture } from '../../support/stand-ins/faces/face-sessions.ts';
import { outlivedOf, weaker } from './leaves.ts';

const base64 = (value: Uint8Array): string => Buffer.from(value).toString('base64');
const appPolicy = { team_id: apple.app.teamId, bundle_id: apple.app.bundleId };
const { phone, input: attested } = apple.mintAttestation();
const spki = base64(phone.publicKeySpki);
const [, second = apple.mintAssertion(phone)] = [1, 2].map(() => apple.mintAssertion(phone));
const { passport, input: chip } = mint();
const receiptRoot = apple.roots.receiptRootPem;
const keys = play.newPlayKeys();
const Bytes = referencePicture.toString('base64');
const request = Buffer.from('{"nonce":"n","method":"GET","path":"/v2/devices"}');
const androidPhone = createAndroidPhone({ root: android.root, app: android.app, now: () => at });

/** A passed file of each kind that is judged without reading images, with all optional fields. */
const files: Readonly<Record<string, { policy?: object; input: object; at?: Date }>> = {
  emrtd: {
    policy: {
      csca: [base64(csca.certificate)],
      crl: [base64(issueCrl(csca, [], at))],
      require: ['active', 'crl'],
      legacy_algorithms: 'refuse',
      age_over: 18,
    },
    input: {
      sod: base64(passport.sod),
      data_groups: Object.fromEntries(
        Object.entries(chip.dataGroups).map(([name, file]) => [name, base64(file)]),
      ),
      active_auth: {
        nonce: base64(chip.activeAuth?.nonce ?? new Uint8Array()),
        signature: base64(chip.activeAuth?.signature ?? new Uint8Array()),
      },
    },
  },
  'apple-attestation': {
    policy: { ...appPolicy, environment: 'production', root_pem: apple.rootPem },
    input: {
      attestation: base64(attested.attestation),
      key_id: base64(phone.keyId),
      client_data: base64(apple.clientData),
    },
  },
  'apple-assertion': {
    policy: { ...appPolicy, environment: 'production', counter_last: 1 },
    input: {
      assertion: base64(second.input.assertion),
      public_key_spki: spki,
      client_data: base64(apple.clientData),
    },
  },
  'apple-receipt': {
    policy: { ...appPolicy, public_key_spki: spki, risk_metric_max: 2, root_pem: receiptRoot },
    input: { receipt: base64(phone.receipt('RECEIPT', 2)) },
  },
  'android-key-attestation': {
    policy: {
      security_level_min: 'TRUSTED_ENVIRONMENT',
      require_locked: true,
      packages: [android.app.packageName],
      signature_digests: [base64(android.app.signatureDigest)],
      patch_level_min: 202_611,
      revocation: { entries: {} },
      root_pems: [android.root.rootPem],
    },
    input: { chain: android.mint().map(base64), challenge: base64(android.challenge) },
  },
  'android-assertion': {
    input: {
      signature: base64(androidPhone.sign(request)),
      public_key_spki: base64(androidPhone.publicKeySpki),
      client_data: base64(request),
    },
  },
  'play-integrity': {
    at: play.at,
    policy: {
      package: play.packageName,
      certificate_digests: [base64(play.certificateDigest)],
      version_min: 42,
      verdicts: ['MEETS_DEVICE_INTEGRITY'],
      verification_key: base64(keys.verificationKey),
    },
    input: {
      token: (await play.mintToken(keys, play.payloadOf())).signed,
      request_hash: play.requestHash,
    },
  },
  'device-recall': { input: { platform: 'ios', answer: '{"bit0":true,"bit1":false}' } },
  mrz: {
    policy: { development: true },
    input: { lines: mrzOf({ holder, documentNumber: 'L898902C3', expiresOn: '2032-04-15' }) },
  },
  aamva: {
    input: {
      text: licenceText({
        version: 10,
        issuerNumber: '636014',
        type: 'DL',
        country: 'USA',
        surname: 'ERIKSSON',
        givenNames: 'ANNA MARIA',
        documentNumber: 'D1234567',
        dateOfBirth: '1974-08-12',
        issuedOn: '2022-04-15',
        expiresOn: '2030-08-12',
        sex: 'F',
      }),
    },
  },
  'face-claim': {
    policy: {
      confidence_percent_min: 90,
      similarity_percent_min: 99,
      similarity_percent_review: 90,
    },
    input: {
      provider: 'rekognition',
      session: 's-1',
      key: 'ch_1',
      expires_at: new Date(at.getTime() + 1).toISOString(),
      portrait: Bytes,
      portrait_of: 'a'.repeat(64),
      answers: {
        liveness: {
          SessionId: 's-1',
          Status: 'SUCCEEDED',
          Confidence: 95,
          ReferenceImage: { Bytes },
        },
        comparison: { FaceMatches: [{ Similarity: 99.5 }], UnmatchedFaces: [] },
      },
    },
  },
};

const whole = Object.entries(files).map(([kind, { at: when = at, ...rest }]) => {
  const form = { format: 'trustcheck-evidence/1', kind, at: when.toISOString(), ...rest };
  return [kind, nameImages(form)] as const;
});

/**
 * Alterations that a file by itself survives, by kind; only its hash reveals them
 * (docs/protocols/evidence.md). They relax a policy, leave out optional fields, or change unsigned
 * data.
 */
const unjudged: Readonly<Record<string, readonly string[]>> = {
  emrtd: [
    // Only an active authentication answer needs it: the hash follows the curve of the key.
    'input.data_groups.DG14 removed',
    ...weaker('age_over', ['removed', 'altered', 'lowered']),
    // A missing value means refusal.
    ...weaker('legacy_algorithms', ['removed']),
    // Without `crl`, an included list is still checked against the signer.
    ...weaker('require.0', ['removed']),
    ...weaker('require.1', ['removed']),
  ],
  'apple-assertion': [
    ...weaker('counter_last', ['lowered']),
    // Without it, every environment without a category is accepted.
    ...weaker('environment', ['removed']),
  ],
  'apple-receipt': [
    ...weaker('public_key_spki', ['removed']),
    ...weaker('risk_metric_max', ['removed', 'altered']),
  ],
  'android-key-attestation': [
    ...weaker('patch_level_min', ['removed', 'lowered']),
    // Locked is the default, and this phone is locked.
    ...weaker('require_locked', ['removed', 'altered']),
    ...weaker('security_level_min', ['removed']),
  ],
  'play-integrity': [
    ...weaker('verdicts.0', ['removed']),
    ...weaker('version_min', ['removed', 'lowered']),
  ],
  // Letters of a name, which no check digit covers; specimens are accepted by default.
  mrz: ['input.lines.0 altered', ...weaker('development', ['removed'])],
  // A barcode has no signature.
  aamva: ['input.text altered'],
  'face-claim': [
    // The unsigned result of a provider, and the source of its portrait.
    'input.answers.comparison.UnmatchedFaces removed',
    'input.answers.liveness.Confidence altered',
    'input.answers.liveness.Confidence lowered',
    'input.key altered',
    'input.portrait_of altered',
    'input.portrait_of removed',
    ...weaker('confidence_percent_min', ['altered', 'lowered']),
    ...weaker('similarity_percent_min', ['lowered']),
    ...weaker('similarity_percent_review', ['altered', 'lowered']),
  ],
};

describe('every leaf of passed evidence', () => {
  it.each(whole)('is judged or bound to others in %s', async (kind, file) => {
    const outlived = await outlivedOf(file, imageReaders);
    expect(outlived).toEqual((unjudged[kind] ?? []).toSorted());
  });
});
