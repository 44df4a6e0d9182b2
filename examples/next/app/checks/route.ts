import { createClient } from '@trustcheck/client';

/** `POST /checks`: makes a link for one person. The key stays on the server. */
export async function POST(request: Request): Promise<Response> {
  const { TRUSTCHECK_URL = '', TRUSTCHECK_KEY = '', TRUSTCHECK_APP = '' } = process.env;
  const { order } = (await request.json()) as { order: string };
  const client = createClient({ baseUrl: TRUSTCHECK_URL, token: TRUSTCHECK_KEY });
  const link = await client.links.create({
    app_id: TRUSTCHECK_APP,
    body: { single_use: true, required_proofs: ['phone'], reference_id: order },
  });
  return Response.json({ url: link.url });
}
