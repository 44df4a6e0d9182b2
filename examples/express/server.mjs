// A shop whose customers confirm who they are: it makes a link, displays the check in its own page,
// and acts on the webhook.
//
//   TRUSTCHECK_URL=... TRUSTCHECK_KEY=... TRUSTCHECK_APP=... TRUSTCHECK_WEBHOOK_SECRET=... \
//     node server.mjs
//
// It needs Node 24; in this repository that is `../../node_modules/.bin/node`.
//
// `allowed_origins` of the app lists the origin of this server. A webhook endpoint of the account has
// the address of `/webhooks` here.
import { createClient, verifyWebhook } from '@trustcheck/client';
import express from 'express';
import { readFileSync } from 'node:fs';

const {
  TRUSTCHECK_URL: baseUrl,
  TRUSTCHECK_KEY: token,
  TRUSTCHECK_APP: app_id,
  TRUSTCHECK_WEBHOOK_SECRET: secret,
  PORT = '3000',
} = process.env;
const client = createClient({ baseUrl, token });
// A real shop keeps both in its database.
const statusOfOrders = new Map();
const seenEvents = new Set();
/** One link for each order: a person who closed the check goes on with it. */
const linkOfOrders = new Map();

const page = readFileSync(new URL('index.html', import.meta.url), 'utf8').replaceAll(
  'https://trust.example.com',
  baseUrl,
);
const policy = [
  "default-src 'none'",
  `script-src 'self' ${baseUrl}`,
  `frame-src ${baseUrl}`,
  "connect-src 'self'",
].join('; ');

const app = express();

app.get('/', (_request, response) => {
  response.set('Content-Security-Policy', policy).type('html').send(page);
});

app.get('/shop.js', (_request, response) => {
  const script = readFileSync(new URL('shop.js', import.meta.url), 'utf8');
  response.type('js').send(script.replaceAll('https://trust.example.com', baseUrl));
});

/** Makes a link. The browser gets its address alone, never the key. */
app.post('/orders/:order/check', async (request, response) => {
  const { order } = request.params;
  const body = { single_use: true, required_proofs: ['phone'], reference_id: order };
  const known = linkOfOrders.get(order);
  const isOver = known?.expires_at && Date.parse(known.expires_at) < Date.now();
  const link = known && !isOver ? known : await client.links.create({ app_id, body });
  linkOfOrders.set(order, link);
  response.json({ url: link.url });
});

/** The page asks its own server what came of the check: a browser proves nothing. */
app.get('/orders/:order', (request, response) => {
  response.json({ status: statusOfOrders.get(request.params.order) ?? 'open' });
});

// The signature is of the bytes as they came.
app.post('/webhooks', express.raw({ type: '*/*' }), async (request, response) => {
  const { headers, body } = request;
  const event = await verifyWebhook({ secret, headers, body }).catch(() => null);
  if (!event) return response.sendStatus(400);
  // The same event can come more than once.
  if (!seenEvents.has(event.event_id)) {
    await receive(event);
    seenEvents.add(event.event_id);
  }
  response.sendStatus(204);
});

/** A check is in review until a person decides it, which is a second event. */
const outcomes = ['passed', 'failed', 'declined', 'in_review', 'expired', 'abandoned', 'canceled'];

async function receive({ type, object_id: id }) {
  if (!type.startsWith('trust_check.')) return;
  const { reference_id: order, link_uuid, status } = await client.trustChecks.get({ id });
  // An event of another check of this order can come late.
  if (!outcomes.includes(status) || statusOfOrders.get(order) === 'passed') return;
  statusOfOrders.set(order, status);
  const isOwn = linkOfOrders.get(order)?.link_uuid === link_uuid;
  if (isOwn && status !== 'in_review') linkOfOrders.delete(order);
}

const server = app.listen(Number(PORT), '127.0.0.1', () => {
  console.log(`listening at http://localhost:${server.address().port}`);
});
