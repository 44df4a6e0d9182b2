import { statement, type Queryable } from '../../db/client.ts';
import type { Ids } from '../../db/ids.ts';

export interface OutboxMessage {
  readonly channel: 'mail' | 'sms';
  readonly recipient: string;
  readonly subject: string | null;
  readonly text: string;
  readonly html: string | null;
  readonly idempotencyKey: string;
}

const insert = statement<{ id: string }>(
  'outbox.insert',
  `INSERT INTO outbox_messages
     (id, channel, recipient, subject, text, html, idempotency_key, created_at)
   VALUES ($1, $2, $3, $4, $5, $6, $7, $8)
   ON CONFLICT (idempotency_key) DO UPDATE SET idempotency_key = excluded.idempotency_key
   RETURNING id`,
);

/**
 * The development box that stands where a provider would: one row per message, never in production.
 */
export interface Outbox {
  add(message: OutboxMessage): Promise<{ messageId: string }>;
}

export function createOutbox(db: Queryable, ids: Ids, clock: () => Date): Outbox {
  return {
    async add(message) {
      const [row] = await insert(db, [
        ids.make('msg'),
        message.channel,
        message.recipient,
        message.subject,
        message.text,
        message.html,
        message.idempotencyKey,
        clock(),
      ]);
      if (!row) throw new Error('a message was not kept');
      return { messageId: row.id };
    },
  };
}
