import { expect } from 'vitest';
import { jpeg, sha256Of } from '../../../support/checks/photographed.ts';
import { call, collecting, newLink, type Session } from '../../../support/http/client.ts';

/** Uploads a file to a check. */
export async function uploadTo(session: Session): Promise<{ evidenceId: string; sha256: string }> {
  const raw = jpeg();
  const sent = await call('PUT', `/v2/trust-checks/${session.id}/evidence/page`, {
    token: session.token,
    raw,
    headers: { 'content-type': 'application/octet-stream' },
  });
  expect(sent.status).toBe(200);
  return { evidenceId: String(sent.body['evidence_id']), sha256: sha256Of(raw) };
}

/** Returns a check in the state `collecting` with an uploaded file that was never submitted. */
export async function uploaded() {
  const session = await collecting(await newLink({ requested_claims: ['phone_number'] }));
  return { session, ...(await uploadTo(session)) };
}
