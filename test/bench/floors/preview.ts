import express from 'express';
import pg from 'pg';

/** The floor of P1: Express with one route and one prepared select, and nothing else. */
const [, , port = '0', url = ''] = process.argv;
const pool = new pg.Pool({ connectionString: url, max: 10 });
const app = express();
app.disable('etag');
app.disable('x-powered-by');
app.get('/v2/:link_uuid', async (request, response) => {
  const found = await pool.query({
    name: 'floor',
    text: 'SELECT link_uuid, title, link_type, status, required_proofs FROM links WHERE link_uuid = $1',
    values: [request.params.link_uuid],
  });
  response.json(found.rows[0]);
});
app.listen(Number(port), '127.0.0.1', () => process.stdout.write('listening\n'));
