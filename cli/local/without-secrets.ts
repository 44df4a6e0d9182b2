import type { PlatformStatus } from '../data-directory/state.ts';

type Person = Pick<PlatformStatus['admin'], 'poly_user_id' | 'email'>;
type Secret = 'api_key' | 'codec_operator_token';
type People = 'admin' | 'member' | 'subject';

/** Status of a platform without API keys, tokens, and passwords in URLs. */
export type PublicStatus = Omit<PlatformStatus, Secret | People> & Readonly<Record<People, Person>>;

export function withoutSecrets(status: PlatformStatus): PublicStatus {
  const { api_key: _key, codec_operator_token: _token, ...rest } = status;
  const { admin, member, subject } = status;
  return {
    ...rest,
    admin: withoutToken(admin),
    member: withoutToken(member),
    subject: withoutToken(subject),
    database_url: withoutPassword(status.database_url),
  };
}

const withoutToken = ({ poly_user_id, email }: PlatformStatus['admin']): Person => ({
  poly_user_id,
  email,
});

/** Removes the password from a URL. Returns nothing of a URL that cannot be parsed. */
function withoutPassword(address: string): string {
  const url = URL.parse(address);
  if (!url) return 'not a URL';
  url.password = '';
  url.searchParams.delete('password');
  return url.href;
}
