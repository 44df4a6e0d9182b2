import { z } from 'zod';

const timestamp = z.iso.datetime();

export const eventBody = z
  .object({
    event_id: z
      .string()
      .describe('ID of the event, the same in every attempt and on every channel'),
    type: z.string(),
    api_version: z
      .string()
      .describe('Version of the interface that this body follows, as in `Trustcheck-Version`'),
    created_at: timestamp,
    account_id: z.int(),
    app_id: z.string().nullable().describe('App of the object; null if it has none'),
    livemode: z.boolean().describe('`false` for an app in test mode'),
    stream: z
      .string()
      .describe('Stream of the object, for example `trust-check:{link_session_id}`'),
    sequence: z
      .int()
      .describe(
        'Position in `stream`, without gaps. Of two events of one object, the higher is newer',
      ),
    object_id: z.string().describe('ID of the object, for example a link or session'),
    data: z.object({ object: z.record(z.string(), z.unknown()) }),
    previous: z
      .object({ status: z.string().optional() })
      .nullable()
      .describe(
        'Status before the event: of the object, or of the proof in `proof.updated`. Null if ' +
          'no status changed',
      ),
  })
  .meta({ id: 'Event' });

export const eventPage = z
  .object({
    items: z.array(eventBody),
    next_after: z.string().describe('Value of `after` for the next call'),
    has_more: z.boolean(),
  })
  .meta({ id: 'EventPage' });
