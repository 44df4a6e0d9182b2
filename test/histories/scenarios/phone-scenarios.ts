import { transaction } from '../../../db/client.ts';
import { randomIds } from '../../../db/ids.ts';
import { accountOwner, createSealer } from '../../../db/sealing/sealed.ts';
import { masterWrapper } from '../../../db/sealing/wrapper.ts';
import { createDevice } from '../../../simulator/device/device.ts';
import type { PhoneFailure } from '../../../simulator/failures/failures.ts';
import { phoneCheck } from '../../../simulator/session/check.ts';
import { affidavitWorkflowId } from '../../../workflows/issue-affidavit/messages.ts';
import { trustCheckWorkflowId } from '../../../workflows/trust-check/messages.ts';
import type { TrustCheckReason } from '../../../workflows/trust-check/state.ts';
import { eventually } from '../../support/platform/harness.ts';
import { newLink, type Scenario, type Stage } from '../scenario.ts';

interface PhonePath {
  readonly scenario: string;
  readonly ends: { readonly status: string; readonly reason_code: TrustCheckReason | null };
  readonly proofs: readonly string[];
  readonly fail?: PhoneFailure;
}

const passed = { status: 'passed', reason_code: null };
const three = ['device', 'nfc_passport', 'phone'];
const paths: readonly PhonePath[] = [
  { scenario: 'passed', proofs: ['phone'], ends: passed },
  {
    scenario: 'wrong-code',
    proofs: ['phone'],
    fail: 'wrong_code',
    ends: { status: 'failed', reason_code: 'max_attempts_reached' },
  },
  { scenario: 'three-proofs', proofs: three, ends: passed },
  {
    scenario: 'clone',
    proofs: three,
    fail: 'nfc_clone',
    ends: { status: 'failed', reason_code: 'proof_failed' },
  },
  { scenario: 'face', proofs: ['biometric', 'nfc_passport'], ends: passed },
];

const checks: readonly Scenario[] = paths.flatMap((path, index): Scenario[] => [
  {
    type: 'trustCheck',
    scenario: path.scenario,
    play: async (stage) => trustCheckWorkflowId(await run(stage, path, 2 * index)),
    ends: path.ends,
  },
  {
    type: 'issueAffidavit',
    scenario: path.scenario,
    play: async (stage) => affidavitOf(stage, await run(stage, path, 2 * index + 1)),
    // As they were recorded, before there was an archive: those stand for good.
    ends: { pades_level: 'PAdES-B-T' },
  },
]);

/** Checks by the simulated phone, and the affidavit of each; and one that can never be issued. */
export const phoneScenarios: readonly Scenario[] = [
  ...checks,
  {
    type: 'issueAffidavit',
    scenario: 'given-up',
    play: givenUp,
    ends: { failure: 'affidavit_unmakeable' },
  },
];

async function run(stage: Stage, { proofs, fail }: PhonePath, index: number): Promise<string> {
  const { trust } = stage;
  const device = createDevice({ platform: 'ios', trust, now: () => new Date() });
  const { url: link } = await newLink(stage, { required_proofs: proofs });
  const number = `+4915112345${String(680 + index)}`;
  const say = (): void => undefined;
  return (await phoneCheck({ link, number, trust, device, say, fail })).link_session_id;
}

async function affidavitOf({ call, facts, client }: Stage, id: string): Promise<string> {
  const { affidavit } = await call<{ affidavit: { affidavit_id: string } }>(
    'GET',
    `/v2/trust-checks/${id}`,
    { token: facts.own.api_key },
  );
  const workflowId = affidavitWorkflowId(affidavit.affidavit_id);
  const handle = client.workflow.getHandle(workflowId);
  await eventually('its start', () => handle.describe().catch(() => null));
  return workflowId;
}

/** Planned anew, with a frozen content that is none. */
async function givenUp(stage: Stage): Promise<string> {
  const { db, keys, facts } = stage;
  const session = await run(stage, { scenario: 'passed', proofs: ['phone'], ends: passed }, 19);
  await stage.client.workflow.getHandle(await affidavitOf(stage, session)).result();
  const id = randomIds.make('aff');
  const sealer = createSealer(db, masterWrapper(keys.secret('data-keys')), keys.secret('blind-index'));
  const owner = accountOwner(facts.own.account_id);
  const content = await sealer.seal(owner, `affidavits|content|${id}`, '{"not":"an affidavit"}');
  await transaction(db, async (tx) => {
    await tx.query(
      `UPDATE trust_checks SET affidavit_status = 'pending', affidavit_id = $2
       WHERE link_session_id = $1`,
      [session, id],
    );
    await tx.query(
      `UPDATE affidavits SET affidavit_id = $2, status = 'pending', content_sealed = $3,
         affidavit_key = NULL, sha256 = NULL WHERE link_session_id = $1`,
      [session, id, content],
    );
    await tx.query(`SELECT pg_notify('affidavits', '')`);
  });
  const workflowId = affidavitWorkflowId(id);
  const handle = stage.client.workflow.getHandle(workflowId);
  await eventually('its start', () => handle.describe().catch(() => null));
  return workflowId;
}
