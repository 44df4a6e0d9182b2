import { firstOf, statement, type Db } from '../../db/client.ts';
import type { Ids } from '../../db/ids.ts';
import { findApp } from '../../db/queries/credentials.ts';
import { admitLinkMail, findLink, type LinkRow } from '../../db/queries/links.ts';
import type { Sealer } from '../../db/sealing/sealed.ts';
import { writtenLanguage } from '../../domain/languages/spoken.ts';
import { linkToken } from '../../domain/tokens/link-token.ts';
import { Failure } from '../../workflows/failures.ts';
import type { DeliveryState } from '../../workflows/link-invitation/state.ts';
import type { Mailer } from '../delivery/mail/port.ts';
import type { MasterSecrets } from '../keys/directory/master-secrets.ts';
import { noteDelivery } from './note-delivery.ts';
import { openLinkValue } from './sealed-values.ts';
import { writeInvitation } from './write.ts';

export interface InvitationActivities {
  sendInvitation(input: { link_uuid: string }): Promise<{ status: DeliveryState }>;
  recordDelivery(input: { link_uuid: string; status: DeliveryState }): Promise<void>;
}

export interface InvitationDeps {
  readonly db: Db;
  readonly ids: Ids;
  readonly sealer: Sealer;
  readonly mailer: Mailer;
  readonly clock: () => Date;
  readonly baseUrl: string;
  readonly keys: Pick<MasterSecrets, 'secret'>;
}

interface Recipient {
  readonly email: string;
  readonly name?: string;
  readonly note?: string;
}

/**
 * Mails per day to one address. A mail over the limit is not sent, and its link has status
 * `failed`.
 */
export const dailyMails = { byAccount: 5, byAll: 20 } as const;

const deliveryOf = statement<{ delivery: LinkRow['delivery'] }>(
  'invitations.delivery',
  'SELECT delivery FROM links WHERE link_uuid = :linkUuid',
);

/** Returns the activities that mail the invitation of a link and record its delivery. */
export function createInvitationActivities(deps: InvitationDeps): InvitationActivities {
  return {
    sendInvitation: (input) => send(deps, input.link_uuid),
    recordDelivery: (input) => noteDelivery(deps, input.link_uuid, { status: input.status }),
  };
}

/** Sends the mail. The token in the URL is derived, so a repeated send has the same URL. */
async function send(deps: InvitationDeps, linkUuid: string): Promise<{ status: DeliveryState }> {
  const link = await findLink(deps.db, linkUuid);
  if (!link?.recipient_sealed) throw new Failure('not_found');
  if (link.status === 'deleted') return { status: 'failed' };
  const known = firstOf(await deliveryOf(deps.db, { linkUuid }))?.delivery;
  if (known && known.status !== 'queued') {
    return { status: known.status === 'failed' ? 'failed' : 'sent' };
  }
  if (!(await admitLinkMail(deps.db, linkUuid, deps.clock(), dailyMails))) {
    await noteDelivery(deps, linkUuid, { status: 'failed' });
    return { status: 'failed' };
  }
  const app = await findApp(deps.db, link.app_id);
  const { sealer } = deps;
  const recipient = await openLinkValue<Recipient>(
    sealer,
    link,
    'recipient',
    link.recipient_sealed,
  );
  const token = linkToken(deps.keys.secret('link-token'), linkUuid);
  const url = `${deps.baseUrl}/v2/${link.app_id}/${linkUuid}#t=${token}`;
  const letter = writeInvitation({
    language: writtenLanguage(link.locale),
    url,
    requester: app?.account_name ?? link.app_id,
    appName: app?.name ?? link.app_id,
    ...(recipient.name ? { recipientName: recipient.name } : {}),
    ...(recipient.note ? { note: recipient.note } : {}),
    until: link.expires_at,
  });
  try {
    const sent = await deps.mailer.send({
      to: recipient.email,
      ...letter,
      idempotencyKey: `link-invite/${linkUuid}`,
    });
    await noteDelivery(deps, linkUuid, { status: 'sent', message_id: sent.messageId });
    return { status: 'sent' };
  } catch (error) {
    if (!(error instanceof Failure && error.code === 'mail_rejected')) throw error;
    await noteDelivery(deps, linkUuid, { status: 'failed' });
    return { status: 'failed' };
  }
}
