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
   VALUES (:id, :channel, :recipient, :subject, :text, :html, :idempotencyKey, :created_at)
   ON CONFLICT (idempotency_key) DO UPDATE SET idempotency_key = excluded.idempotency_key
   RETURNING id`,
);

/**
 * Stores messages in the database instead of sending them, one row per message. Development only.
 */
export interface Outbox {
  add(message: OutboxMessage): Promise<{ messageId: string }>;
}

export function createOutbox(db: Queryable, ids: Ids, clock: () => Date): Outbox {
  return {
    async add(message) {
      const [row] = await insert(db, {
        id: ids.make('msg'),
        channel: message.channel,
        recipient: message.recipient,
        subject: message.subject,
        text: message.text,
        html: message.html,
        idempotencyKey: message.idempotencyKey,
        created_at: clock(),
      });
      if (!row) throw new Error('a message was not kept');
      return { messageId: row.id };
    },
  };
}
