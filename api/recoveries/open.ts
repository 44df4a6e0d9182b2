import { assertMailsLeft } from '../../activities/identity/members/mails.ts';
import {
  openNoticeAddresses,
  queueNotices,
  type NoticeAddress,
} from '../../activities/identity/members/notices.ts';
import { recoveryLifeMs, reportRecovery } from '../../activities/identity/recovery.ts';
import { derivedId } from '../../db/ids.ts';
import { findApp } from '../../db/queries/credentials.ts';
import { linkEvent } from '../../db/queries/link-leases.ts';
import { insertLink, type NewLink } from '../../db/queries/links.ts';
import {
  findRecovery,
  findPresentedDocument,
  hasApprover,
  insertRecovery,
  type RecoveryRow,
} from '../../db/queries/recoveries.ts';
import { Failure } from '../../workflows/failures.ts';
import {
  withAccountTransaction,
  type AccountTransaction,
} from '../accounts/access/account-transaction.ts';
import { lockMemberOrThrow } from '../accounts/access/grant.ts';
import { handler, type Input } from '../http/contract.ts';
import { InvalidRequest } from '../http/problem/problem.ts';
import { draftLink, type CreateDeps } from '../links/create.ts';
import { recoveryContracts } from './contract.ts';
import { personOrThrow } from './person-or-throw.ts';
import { presentRecovery } from './present.ts';

type OpenInput = Input<typeof recoveryContracts.open>;

const unavailable = (reason: 'no_device' | 'no_address' | 'no_earlier_check'): Failure =>
  new Failure('recovery_unavailable', { extra: { reason } });

/** Opens a recovery and queues its link and notices in one transaction; relays mail them. */
export const open = handler(recoveryContracts.open)(async (input, deps: CreateDeps) => {
  const { account_id: accountId, poly_user_id: polyUserId } = input.path;
  const { now } = input.call;
  input.authorizeIn(accountId);
  personOrThrow(input.caller);
  const recoveryId = derivedId('rec', input.seed);
  const addresses = await openNoticeAddresses(deps, polyUserId, accountId);
  const shown = await findPresentedDocument(deps.db, accountId, polyUserId);
  const drafted = shown && addresses[0] && (await draft(deps, input, addresses[0].address, shown));
  const recovery = await withAccountTransaction(deps, input, accountId, async (administered) => {
    const member = await lockMemberOrThrow(administered, polyUserId);
    const known = await findRecovery(administered.tx, recoveryId);
    if (known) return known;
    if (member.kind !== 'cert') throw unavailable('no_device');
    if (!shown) throw unavailable('no_earlier_check');
    if (!drafted) throw unavailable('no_address');
    return openAt(deps, administered, { recoveryId, input, link: drafted, addresses });
  });
  return { status: 201, body: await presentRecovery(deps.db, recovery, now) };
});

/**
 * Drafts the link of the check: the kind of document the person presented earlier, and their face.
 */
async function draft(
  deps: CreateDeps,
  { path, body, caller, seed, call: { now } }: OpenInput,
  email: string,
  document: 'nfc_passport' | 'document',
): Promise<NewLink> {
  const app = await findApp(deps.db, body.app_id);
  if (!app || app.account_id !== path.account_id || !app.livemode) {
    const msg = 'must be a live app of the account';
    throw new InvalidRequest([{ loc: ['body', 'app_id'], msg, type: 'custom' }]);
  }
  const asked = {
    required_proofs: [document, 'biometric'] as const,
    expires_at: new Date(now.getTime() + recoveryLifeMs),
    locale: body.locale,
  };
  const about = { linkType: 'trust_check' as const, caller, seed, now, recipient: { email } };
  return draftLink(deps, app, { ...asked, required_proofs: [...asked.required_proofs] }, about);
}

interface Opening {
  readonly recoveryId: string;
  readonly input: OpenInput;
  readonly link: NewLink;
  readonly addresses: readonly NoticeAddress[];
}

async function openAt(
  deps: CreateDeps,
  { tx }: AccountTransaction,
  { recoveryId, input, link: drafted, addresses }: Opening,
): Promise<RecoveryRow> {
  const { path, body, caller, call } = input;
  const { account_id, poly_user_id } = path;
  const { now } = call;
  const opener = personOrThrow(caller);
  if (!(await hasApprover(tx, account_id, opener, poly_user_id))) {
    throw new Failure('second_admin_required');
  }
  await assertMailsLeft(tx, account_id, now);
  const link = await insertLink(tx, drafted);
  const row = {
    recovery_id: recoveryId,
    account_id,
    poly_user_id,
    link_uuid: drafted.link_uuid,
    status: 'open' as const,
    locale: body.locale ?? null,
    opened_by: opener,
    decided_by: null,
    created_at: now,
    expires_at: new Date(now.getTime() + recoveryLifeMs),
    decided_at: null,
  };
  const recovery = await insertRecovery(tx, row);
  if (!recovery || !link) throw new Failure('recovery_open');
  const noticeDeps = { ids: deps.ids, sealer: deps.sealer, now };
  await queueNotices(tx, noticeDeps, recovery, 'recovery_opened', addresses, now);
  const events = [linkEvent(link, 'link.created')];
  const details = { link_uuid: link.link_uuid };
  await reportRecovery(tx, noticeDeps, recovery, { actor: opener, details, events });
  return recovery;
}
