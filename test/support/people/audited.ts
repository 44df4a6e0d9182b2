import type { Seed } from '../../../cli/data-directory/seed.ts';
import { call } from '../http/client.ts';

/** A row of the audit log as the API returns it. */
export interface AuditLine {
  readonly seq: number;
  readonly at: string;
  readonly action: string;
  readonly actor: string;
  readonly actor_name: string | null;
  readonly object_id: string;
  readonly details: Readonly<Record<string, unknown>>;
  readonly previous_hash: string;
  readonly hash: string;
}

/** Returns the newest rows of an account's audit log, newest first, at most 100. */
export async function audited(account: Seed): Promise<AuditLine[]> {
  const path = `/v2/accounts/${account.account_id}/audit?page_size=100`;
  const { body } = await call('GET', path, { token: account.api_key });
  return body['items'] as AuditLine[];
}
