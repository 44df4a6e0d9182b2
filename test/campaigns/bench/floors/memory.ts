import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import express from 'express';
import pg from 'pg';
import { Server } from 'socket.io';
import { answerParent, setting } from '../measure/child.ts';

/** The floor of P7: Express, a pool and Socket.IO with rooms, and nothing else. */
const max = Number(setting('DATABASE_CONNECTIONS_MAX'));
const pool = new pg.Pool({ connectionString: setting('DATABASE_URL'), max });
const app = express();
app.get('/v2/:link_uuid', (request, response, next) => {
  const text = 'SELECT link_uuid, link_type, status FROM links WHERE link_uuid = $1';
  pool
    .query({ name: 'floor', text, values: [request.params.link_uuid] })
    .then(({ rows }) => response.json(rows[0]))
    .catch(next);
});
const server = createServer(app);
const io = new Server(server, {
  serveClient: false,
  transports: ['websocket'],
  perMessageDeflate: false,
});
io.on('connection', (socket) => {
  socket.on('subscribe', ({ stream }: { stream: string }, answer: (given: object) => void) => {
    void socket.join(stream);
    answer({ ok: true });
  });
});
server.listen(0, '127.0.0.1', () => {
  answerParent((server.address() as AddressInfo).port, async () => undefined);
});
