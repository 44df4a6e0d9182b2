import { z } from 'zod';
import canonicalize from 'canonicalize';

const text = z.string().max(2000);

/** What an affidavit says: the pages show it and the attachment carries it, canonical (RFC 8785). */
export const affidavitContent = z.object({
  schema: z.literal('trustcheck-affidavit/1'),
  affidavit_id: text,
  verify_url: text,
  issued_at: z.iso.datetime(),
  livemode: z.boolean(),
  subject: z.object({ poly_user_id: text.nullable(), claims: z.record(text, text) }),
  requester: z.object({
    account_id: z.int(),
    account_name: text,
    app_id: text,
    app_name: text,
    link_uuid: text,
    title: text.nullable(),
    reference_id: text.nullable(),
  }),
  consent: z.object({ tos_version: text, claims: z.array(text), at: text }).nullable(),
  session: z.object({ link_session_id: text, workflow_id: text }),
  decision: z.object({ outcome: text, reason_code: text.nullable(), decided_at: text }),
  proofs: z.array(
    z.object({
      type: text,
      status: text,
      attempts: z.int(),
      provider: text.nullable(),
      reason_code: text.nullable(),
      evidence_sha256: text.nullable(),
      checks: z.array(z.object({ name: text, result: text })),
    }),
  ),
  matching: z.record(text, text),
  timeline: z.array(z.object({ at: text, event: text, state: text })),
  policy: z.object({ framework: text, version: text }),
  keys: z.object({ seal_sha256: text, tsa_sha256: text, root_sha256: text }),
});

export type AffidavitContent = z.output<typeof affidavitContent>;

/** The attachment: one spelling of the content, whoever writes it. */
export function canonicalJson(content: AffidavitContent): string {
  const json = canonicalize(content);
  if (json === undefined) throw new Error('the content has no canonical form');
  return json;
}
