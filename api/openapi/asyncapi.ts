import { z } from 'zod';
import { apiVersion, eventTypes, type EventType } from '../../workflows/events.ts';
import type { FailureCode } from '../../workflows/failures.ts';
import { eventObjects, familyOfEvent, objectOfEvent } from '../events/payloads.ts';
import { streamKinds } from '../realtime/streams.ts';
import { proofBody } from '../trust-checks/schemas/proof-body.ts';
import { eventBody } from '../trust-checks/schemas/events.ts';

type Json = Record<string, unknown>;

const ref = (path: string): Json => ({ $ref: `#/${path}` });
const schemaRef = (name: string): Json => ref(`components/schemas/${name}`);
const signed = 'StandardWebhook';

const refusals = [
  'not_found',
  'role_required',
  'malformed_json',
  'invalid_state',
  'rate_limited',
  'dependency_unavailable',
  'unexpected',
] as const satisfies readonly FailureCode[];
const subscribeRequest = z.strictObject({
  stream: z.string().describe(
    Object.entries(streamKinds)
      .map(([kind, { parameter }]) => `\`${kind}:{${parameter}}\``)
      .join(', '),
  ),
  after: z
    .union([z.int().min(0), z.string().regex(/^\d{1,15}$/)])
    .default(0)
    .describe('Last position seen, as number or text; 0 replays from the start'),
});
const subscribeAnswer = z.union([
  z.object({ ok: z.literal(true), head: z.int() }),
  z.object({ ok: z.literal(false), code: z.enum(refusals) }),
]);
const bye = z.object({
  code: z.enum(['expired', 'rate_limited', 'revoked', 'shutdown', 'too_slow']),
});
const position = z.object({ position: z.int().describe('Position in the followed stream') });
const webhookHeaders = z.object({
  'webhook-id': z.string().describe('The event_id, the same in every attempt'),
  'webhook-timestamp': z.string().describe('Time of this attempt, in seconds since 1970'),
  'webhook-signature': z
    .string()
    .describe('`v1,` and the base64 signature, one for each signing secret, separated by spaces'),
});

/**
 * Returns the AsyncAPI 3.0 document of events, from the table of types and the schemas of their
 * objects.
 */
export function asyncApiDocument(): Json {
  const document = {
    asyncapi: '3.0.0',
    info: {
      title: 'trustcheck events',
      version: apiVersion,
      description:
        'One event log with three readers. A socket, a webhook and GET /v2/events carry the ' +
        'same event_id and body. Only a socket adds `position`.',
      license: { name: 'Apache-2.0' },
    },
    defaultContentType: 'application/json',
    servers: {
      socket: {
        host: '{host}',
        protocol: 'wss',
        description: 'Socket.IO 4, WebSocket transport only, default namespace',
        variables: { host: { default: '127.0.0.1:8080', description: 'Host of the base URL' } },
        security: [ref('components/securitySchemes/token')],
      },
    },
    channels: { socket: controlChannel(), ...streamChannels(), webhooks: webhookChannel() },
    operations: operations(),
    components: {
      securitySchemes: {
        token: {
          type: 'http',
          scheme: 'bearer',
          description:
            'API key, session token, check token or join token, as `auth.token` of the ' +
            'handshake. A check token needs a DPoP proof in `auth.proof`: ' +
            '/docs/reference/dpop-header',
        },
      },
      messageTraits: { [signed]: { headers: schemaRef('WebhookHeaders') } },
      messages: { ...controlMessages(), ...eventMessages() },
      schemas: { ...jsonSchemas(), ...eventSchemas() },
    },
  };
  return JSON.parse(JSON.stringify(document));
}

function controlChannel(): Json {
  return {
    address: '/socket.io/',
    description: 'Messages of a socket besides events',
    servers: [ref('servers/socket')],
    messages: channelMessages(['subscribe', 'subscribed', 'bye'], ''),
  };
}

function streamChannels(): Json {
  const channels = Object.entries(streamKinds).map(([kind, stream]) => [
    kind,
    {
      address: `${kind}:{${stream.parameter}}`,
      title: `The Socket.IO event \`event\` of the stream ${kind}`,
      description: stream.description,
      servers: [ref('servers/socket')],
      parameters: { [stream.parameter]: { description: `Name of the form ${stream.form}` } },
      messages: channelMessages(typesOn(kind), 'socket.'),
    },
  ]);
  return Object.fromEntries(channels);
}

function webhookChannel(): Json {
  return {
    address: null,
    title: 'A webhook endpoint of an account',
    description:
      'Sends POST to the address of the endpoint, signed by Standard Webhooks 1.0. A 2xx ' +
      'response accepts the event, 410 disables the endpoint, and anything else is ' +
      'retried. Redirects are not followed.',
    messages: channelMessages(eventTypes, 'webhook.'),
  };
}

function typesOn(kind: string): readonly EventType[] {
  const carries = streamKinds[kind]?.carries;
  return carries ? eventTypes.filter((type) => carries.includes(familyOfEvent(type))) : eventTypes;
}

function channelMessages(names: readonly string[], prefix: string): Json {
  return Object.fromEntries(
    names.map((name) => [name, ref(`components/messages/${prefix}${name}`)]),
  );
}

function operations(): Json {
  const sends = Object.keys(streamKinds).map((kind) => [
    `send.${kind}`,
    {
      action: 'send',
      channel: ref(`channels/${kind}`),
      summary: 'Replay the events after `after`, then send each new event, without gap or repeat',
    },
  ]);
  return {
    subscribe: {
      action: 'receive',
      channel: ref('channels/socket'),
      summary: 'Follow a stream; the response is the acknowledgement of the Socket.IO event',
      description:
        'A socket can follow 50 streams, and can have one request for a stream open at a ' +
        'time. It can send 100 requests at once, then ten per second. Requests above this ' +
        'limit get `rate_limited`; after 100 of them, the service sends `bye` and closes the ' +
        'socket. After `rate_limited` or `dependency_unavailable`, wait and try again.',
      messages: [ref('channels/socket/messages/subscribe')],
      reply: {
        channel: ref('channels/socket'),
        messages: [ref('channels/socket/messages/subscribed')],
      },
    },
    bye: {
      action: 'send',
      channel: ref('channels/socket'),
      summary: 'Report why the socket closes',
      messages: [ref('channels/socket/messages/bye')],
    },
    ...Object.fromEntries(sends),
    deliver: {
      action: 'send',
      channel: ref('channels/webhooks'),
      summary: 'Deliver an event to an endpoint, and retry until it is accepted',
    },
  };
}

function controlMessages(): Json {
  return {
    subscribe: { name: 'subscribe', payload: schemaRef('SubscribeRequest') },
    subscribed: { name: 'subscribed', payload: schemaRef('SubscribeAnswer') },
    bye: { name: 'bye', payload: schemaRef('Bye') },
  };
}

function eventMessages(): Json {
  const messages = eventTypes.flatMap((type) => [
    [
      `socket.${type}`,
      { name: 'event', title: type, payload: { allOf: [schemaRef(type), schemaRef('Position')] } },
    ],
    [
      `webhook.${type}`,
      {
        name: type,
        title: type,
        payload: schemaRef(type),
        traits: [ref(`components/messageTraits/${signed}`)],
      },
    ],
  ]);
  return Object.fromEntries(messages);
}

/** Returns one schema per type: the envelope, with the type as a constant and its own object. */
function eventSchemas(): Json {
  const schemas = eventTypes.map((type) => {
    const object = objectOfEvent(type);
    const data = {
      type: 'object',
      required: ['object'],
      properties: { object: objectRef(object) },
    };
    const own = { type: 'object', properties: { type: { const: type }, data } };
    return [type, { allOf: [schemaRef('Event'), own] }];
  });
  return Object.fromEntries(schemas);
}

function objectRef(object: { readonly name: string } | null): Json {
  if (object) return schemaRef(object.name);
  return { type: 'object', description: 'Not emitted yet; its members are not fixed' };
}

function jsonSchemas(): Json {
  const registry = z.registry<{ id: string }>();
  registry.add(eventBody, { id: 'Event' });
  registry.add(proofBody, { id: 'Proof' });
  registry.add(subscribeRequest, { id: 'SubscribeRequest' });
  registry.add(subscribeAnswer, { id: 'SubscribeAnswer' });
  registry.add(bye, { id: 'Bye' });
  registry.add(position, { id: 'Position' });
  registry.add(webhookHeaders, { id: 'WebhookHeaders' });
  for (const { name, schema } of eventObjects) registry.add(schema, { id: name });
  const { schemas } = z.toJSONSchema(registry, {
    target: 'draft-7',
    io: 'input',
    uri: (id) => `#/components/schemas/${id}`,
    override: ({ jsonSchema }) => {
      // The format is enough; the pattern adds half a kilobyte each time.
      if (jsonSchema.format === 'date-time') delete jsonSchema.pattern;
    },
  });
  const named = Object.entries(schemas).map(
    ([name, { $schema: _form, $id: _address, ...schema }]) => [name, schema],
  );
  return Object.fromEntries(named);
}
