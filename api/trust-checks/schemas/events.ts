import { z } from 'zod';

const timestamp = z.iso.datetime();

export const eventBody = z
  .object({
    event_id: z.string().describe('The same at every attempt and by every way'),
    type: z.string(),
    api_version: z
      .string()
      .describe('The version of the interface that this body follows, as `Trustcheck-Version`'),
    created_at: timestamp,
    account_id: z.int(),
    app_id: z.string().nullable().describe('Null where no app is concerned'),
    livemode: z.boolean().describe('false for an app in test mode'),
    stream: z.string().describe('The object’s own stream, as `trust-check:{link_session_id}`'),
    sequence: z
      .int()
      .describe('The place in `stream`, without a gap: of two of one object the higher is newer'),
    object_id: z.string().describe('The link or session it is about'),
    data: z.object({ object: z.record(z.string(), z.unknown()) }),
    previous: z
      .object({ status: z.string().optional() })
      .nullable()
      .describe(
        'What the event changed, as it was before: the status of the object, of the proof in ' +
          '`proof.updated`; null where nothing was',
      ),
  })
  .meta({ id: 'Event' });

export const eventPage = z
  .object({
    items: z.array(eventBody),
    next_after: z.string().describe('The `after` of the next call'),
    has_more: z.boolean(),
  })
  .meta({ id: 'EventPage' });
