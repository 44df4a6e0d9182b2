import express from 'express';
import pg from 'pg';

/** The floor of P1: Express with one route and one prepared select, and nothing else. */
const [, , port = '0', url = ''] = process.argv;
const pool = new pg.Pool({ connectionString: url, max: 10 });
const app = express();
app.disable('etag');
app.disable('x-powered-by');
app.get('/v2/:link_uuid', (request, response, next) => {
  const text =
    'SELECT link_uuid, title, link_type, status, required_proofs FROM links WHERE link_uuid = $1';
  pool
    .query({ name: 'floor', text, values: [request.params.link_uuid] })
    .then(({ rows }) => response.json(rows[0]))
    .catch(next);
});
app.listen(Number(port), '127.0.0.1', () => process.stdout.write('listening\n'));
