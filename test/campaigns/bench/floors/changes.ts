import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import pg from 'pg';
import { Server } from 'socket.io';
import { changeSteadily, type ChangeRequest } from '../http/changes.ts';
import { answerParent, setting } from '../measure/child.ts';

/** The floor of P4: one process that updates a row, then emits to its room. */
const pool = new pg.Pool({ connectionString: setting('DATABASE_URL'), max: 10 });
const http = createServer();
const io = new Server(http, {
  serveClient: false,
  transports: ['websocket'],
  perMessageDeflate: false,
});
io.on('connection', (socket) => {
  socket.on('subscribe', ({ stream }: { stream: string }, answer: (result: unknown) => void) => {
    void socket.join(stream);
    answer({ ok: true, head: 0 });
  });
});
const sequences = new Map<string, number>();
const text = 'UPDATE trust_checks SET locale = $2 WHERE link_session_id = $1';

async function make(sessionId: string): Promise<number> {
  const sequence = (sequences.get(sessionId) ?? 0) + 1;
  sequences.set(sessionId, sequence);
  await pool.query({ name: 'floor', text, values: [sessionId, 'en'] });
  io.to(`trust-check:${sessionId}`).emit('event', {
    object_id: sessionId,
    position: sequence,
    data: { object: { sequence } },
  });
  return sequence;
}

http.listen(0, '127.0.0.1', () => {
  answerParent((http.address() as AddressInfo).port, (request: ChangeRequest) =>
    changeSteadily(request, make),
  );
});
