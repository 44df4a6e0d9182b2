import type { AddressInfo } from 'node:net';
import express from 'express';
import pg from 'pg';
import { answerParent, setting } from '../measure/child.ts';

/** The floor of P1: Express with one route and one prepared select, and nothing else. */
const pool = new pg.Pool({ connectionString: setting('DATABASE_URL'), max: 10 });
const app = express();
app.disable('etag');
app.disable('x-powered-by');
app.get('/v2/:link_uuid', (request, response, next) => {
  const text =
    'SELECT link_uuid, link_type, status, required_proofs, created_at FROM links WHERE link_uuid = $1';
  pool
    .query({ name: 'floor', text, values: [request.params.link_uuid] })
    .then(({ rows }) => response.json(rows[0]))
    .catch(next);
});
const server = app.listen(0, '127.0.0.1', () => {
  answerParent((server.address() as AddressInfo).port, async () => undefined);
});
