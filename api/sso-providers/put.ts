import {
  lockSsoProvider,
  putSsoProvider,
  ssoSecretContext,
  type SsoProviderRow,
} from '../../db/queries/sso-providers.ts';
import { accountOwner } from '../../db/sealing/sealed.ts';
import { nativeProvider } from '../../domain/names.ts';
import { Failure } from '../../workflows/failures.ts';
import { withAccountTransaction } from '../accounts/access/account-transaction.ts';
import { changesOf } from '../accounts/access/changes.ts';
import { mayGrant } from '../accounts/access/grant.ts';
import type { Deps } from '../deps.ts';
import { handler } from '../http/contract.ts';
import { checkTarget } from '../http/fields/check-target.ts';
import { InvalidRequest } from '../http/problem/problem.ts';
import { ssoProviderContracts } from './contract.ts';
import { presentSsoProvider } from './present.ts';

type PutDeps = Pick<Deps, 'db' | 'sealer' | 'settings' | 'outside'>;

const auditedFields = [
  'kind',
  'enabled',
  'issuer',
  'client_id',
  'audience',
  'client_ids',
  'token_type',
  'email_domains',
  'group_claim',
  'group_roles',
  'role_ceiling',
] as const satisfies readonly (keyof SsoProviderRow)[];

/** Adds or replaces a provider. Seals the secret before the transaction, which waits for no key. */
export const put = handler(ssoProviderContracts.put)(async (input, deps: PutDeps) => {
  const { account_id, provider } = input.path;
  const { client_secret: secret, ...given } = input.body;
  input.authorizeIn(account_id);
  await checkTarget(deps, given.issuer, 'issuer');
  const { now } = input.call;
  const sealed = secret === undefined ? null : await seal(deps, account_id, provider, secret);
  const { row, isNew } = await withAccountTransaction(
    deps,
    input,
    account_id,
    async ({ tx, caller, note }) => {
      mayGrant(caller, [given.role_ceiling]);
      const before = await lockSsoProvider(tx, account_id, provider);
      // The old ceiling limits who may change the row, because it bounds other people's sign-ins.
      if (before) mayGrant(caller, [before.role_ceiling]);
      if (isOfOperator(provider, before, given)) mayGrant(caller, ['POLYADMIN']);
      const secretSealed = sealed ?? storedSecret(before, given);
      if (given.kind === 'introspection' && !secretSealed) {
        const msg = 'must be given: by it the issuer is asked';
        throw new InvalidRequest([{ loc: ['body', 'client_secret'], msg, type: 'missing' }]);
      }
      const after = await putSsoProvider(tx, {
        ...given,
        account_id,
        provider,
        client_secret_sealed: secretSealed,
        created_at: now,
        updated_at: now,
      });
      if (!after) throw new Failure('provider_taken');
      const changes = before ? changesOf(before, after, auditedFields) : { to: given };
      const isSecretNew = sealed !== null;
      if (changes || isSecretNew) {
        await note('sso_provider.put', provider, { ...changes, secret_replaced: isSecretNew });
      }
      return { row: after, isNew: before === null };
    },
  );
  return { status: isNew ? 201 : 200, body: presentSsoProvider(row) };
});

function seal(
  { sealer }: Pick<PutDeps, 'sealer'>,
  accountId: number,
  provider: string,
  secret: string,
): Promise<Buffer> {
  return sealer.seal(accountOwner(accountId), ssoSecretContext(provider), secret);
}

/**
 * The fields by which a token is trusted. The email domains were approved for exactly these values.
 */
const trustFields = [
  'issuer',
  'kind',
  'client_id',
  'client_ids',
  'audience',
  'token_type',
] as const satisfies readonly (keyof SsoProviderRow)[];
type Trusted = Pick<SsoProviderRow, 'email_domains' | (typeof trustFields)[number]>;

/**
 * Whether only a POLYADMIN may make the change: the platform's own provider, new email domains, and
 * a change of `trustFields` while there are domains. Removing domains needs no POLYADMIN.
 */
function isOfOperator(provider: string, before: SsoProviderRow | null, given: Trusted): boolean {
  if (provider === nativeProvider) return true;
  if (given.email_domains.length === 0) return false;
  if (!before || changesOf<Trusted>(before, given, trustFields)) return true;
  return given.email_domains.some((domain) => !before.email_domains.includes(domain));
}

/**
 * Returns the stored secret only for an unchanged issuer and client: it must not be sent to another
 * issuer.
 */
function storedSecret(
  before: SsoProviderRow | null,
  given: Pick<SsoProviderRow, 'issuer' | 'client_id' | 'kind'>,
): Buffer | null {
  const isSame = before && !changesOf<typeof given>(before, given, ['issuer', 'client_id', 'kind']);
  return isSame ? before.client_secret_sealed : null;
}
