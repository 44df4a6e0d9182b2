import { describe, expect, it } from 'vitest';
import type { DevicePlatform } from '../../../domain/names.ts';
import { createDevice } from '../../../simulator/device/device.ts';
import { isOfPhone, type PhoneFailure } from '../../../simulator/failures/failures.ts';
import { shownDocuments, type ShownDocument } from '../../../simulator/failures/shown-document.ts';
import { phoneCheck } from '../../../simulator/session/check.ts';
import { CallFailed, createClient } from '../../../simulator/session/client.ts';
import { devTrust } from '../../support/checks/phone.ts';
import { call, clientOf, fetchFromTest, newNumber } from '../../support/http/client.ts';
import { openTestDb } from '../../support/platform/harness.ts';
import { ownPlatform } from '../../support/platform/own-platform.ts';
import { wholeSetting } from './campaign.ts';
import { causes, type Cause } from './causes.ts';

const { own, baseUrl, databaseUrl } = ownPlatform();
const isWhole = process.env[wholeSetting] !== undefined;

interface Row extends Cause {
  readonly fail: PhoneFailure;
  readonly platform: DevicePlatform;
}

/** The suite tries only faults of the phone itself with each platform. */
const platformsOf = (fail: PhoneFailure, { platforms }: Cause) =>
  isWhole || isOfPhone(fail) ? platforms : platforms.slice(0, 1);

const names = Object.keys(causes) as PhoneFailure[];
const rows = names.flatMap((fail) =>
  causes[fail]
    .filter(({ isDear }) => isWhole || !isDear)
    .flatMap((cause): Row[] =>
      platformsOf(fail, cause).map((platform) => ({ ...cause, fail, platform })),
    ),
);

/** Runs a check as the command does; returns the session, or the error. */
async function run(
  platform: DevicePlatform,
  proofs: Cause['proofs'],
  { fail, document }: { fail?: PhoneFailure; document?: ShownDocument },
) {
  const { url } = await clientOf(own.api_key).links.create({
    app_id: own.app_id,
    body: {
      required_proofs: [...proofs],
      max_attempts: 1,
      policy: { review_on_unsure: true },
    },
  });
  const trust = await devTrust();
  const said: string[] = [];
  const idIn = (): string => /^session (tc_\w+)/m.exec(said.join('\n'))?.[1] ?? '';
  const ended = await phoneCheck({
    link: url,
    // Uses an own caller address, because one address may begin 120 checks per minute.
    call: createClient(baseUrl, fetchFromTest),
    number: newNumber(),
    trust,
    device: createDevice({ platform, trust, now: () => new Date(), fail }),
    fail,
    document,
    say: (line) => said.push(line),
    waitUntil: () => endAnswers(idIn()),
  }).catch((error: unknown) => error);
  // Without a session this is the cause, which the comparison below would hide.
  if (idIn() === '' && ended instanceof Error) throw ended;
  const { body } = await call('GET', `/v2/trust-checks/${idIn()}`, { token: own.api_key });
  return { ended, session: body };
}

/** Expires the pending answer of a session now. */
async function endAnswers(session: string): Promise<void> {
  const db = openTestDb(databaseUrl);
  for (const table of ['phone_codes', 'proof_challenges']) {
    const past = "expires_at = now() - interval '1 second'";
    await db.query(`UPDATE ${table} SET ${past} WHERE link_session_id = $1`, [session]);
  }
  await db.end();
}

describe('phone check --fail', () => {
  it.each(rows)('$fail by $platform ends with $reason for $proofs', async (row) => {
    const { fail, platform, proofs, reason, ends } = row;
    const { ended, session } = await run(platform, proofs, { fail });
    if ('refused' in ends) {
      expect(ended).toBeInstanceOf(CallFailed);
      expect(ended).toMatchObject({ status: 403, code: ends.refused });
      const told = ended instanceof CallFailed ? (ended.reasonCode ?? ended.code) : null;
      expect(told).toBe(reason);
      const isEnrolled = ends.refused !== 'attestation_refused';
      expect(session['status']).toBe(isEnrolled ? 'collecting' : 'canceled');
      return;
    }
    expect(session).toMatchObject({ status: ends.status, reason_code: ends.why });
    const told = (session['proofs'] as { reason_code: string | null }[]).map(
      ({ reason_code }) => reason_code,
    );
    expect(told.filter((code) => code !== null)).toEqual(reason === null ? [] : [reason]);
  });

  it('nfc_passive passes at a low level, because the chip may be a copy', async () => {
    const levelOf = async (fail?: PhoneFailure) => {
      const { session } = await run('ios', ['device', 'nfc_passport'], fail ? { fail } : {});
      return [session['status'], session['decision']];
    };
    expect(await levelOf('nfc_passive')).toMatchObject(['passed', { level: 'low' }]);
    expect(await levelOf()).toMatchObject(['passed', { level: 'substantial' }]);
  });
});

describe('phone check --document', () => {
  const shown = isWhole ? shownDocuments : shownDocuments.filter((each) => each !== 'passport');
  it.each(shown)('%s passes with evidence of a document image', async (document) => {
    const { session } = await run('android', ['document'], { document });
    expect(session).toMatchObject({ status: 'passed', reason_code: null });
    const { text } = await call(
      'GET',
      `/v2/trust-checks/${String(session['link_session_id'])}/evidence`,
      { token: own.api_key },
    );
    expect(text).toContain('"kind":"document-image"');
  });
});
