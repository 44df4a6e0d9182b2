import { wordBytes, wordOf, type Cryptoki } from './cryptoki.ts';
import { CustodyError } from './custody-error.ts';
import type { TokenReference } from './key-reference.ts';
import { checked } from './pkcs11-results.ts';

const slotsMax = 256;
const labelBytes = 32;
/** Size of CK_TOKEN_INFO, with room for fields of later versions. */
const tokenInfoBytes = 256;
const attribute = { class: 0, label: 3, id: 0x102 } as const;
const classes = { public: 2, private: 3 } as const;
const flags = { lockByThreads: 2, serialSession: 4 } as const;
const user = 1;
const already = { initialized: 0x191, loggedIn: 0x100 } as const;

/**
 * Logs in to the only token with a name. The session is read-only.
 * @throws CustodyError
 */
export async function openSession(on: Cryptoki, name: string, pin: () => string): Promise<bigint> {
  // CK_C_INITIALIZE_ARGS: no lock functions, but flags that request those of the system.
  const how = Buffer.concat([Buffer.alloc(4 * wordBytes), wordOf(flags.lockByThreads), wordOf(0)]);
  checked('C_Initialize', await on.initialize(how), [already.initialized]);
  const slot = await slotOf(on, name);
  const into = wordOf(0);
  const opened = await on.openSession(slot, flags.serialSession, null, null, into);
  checked('C_OpenSession', opened);
  const session = into.readBigUInt64LE();
  try {
    const secret = Buffer.from(pin());
    const result = await on.login(session, user, secret, secret.length);
    secret.fill(0);
    checked('C_Login', result, [already.loggedIn]);
  } catch (error) {
    await on.closeSession(session);
    throw error;
  }
  return session;
}

async function slotOf(on: Cryptoki, name: string): Promise<bigint> {
  const [slots, count] = [Buffer.alloc(slotsMax * wordBytes), wordOf(slotsMax)];
  checked('C_GetSlotList', await on.slotList(1, slots, count));
  const wanted = Buffer.alloc(labelBytes, ' ');
  wanted.write(name);
  const found: bigint[] = [];
  for (let at = 0; at < Number(count.readBigUInt64LE()); at += 1) {
    const slot = slots.readBigUInt64LE(at * wordBytes);
    const info = Buffer.alloc(tokenInfoBytes);
    const isThere = (await on.tokenInfo(slot, info)) === 0;
    if (isThere && info.subarray(0, labelBytes).equals(wanted)) found.push(slot);
  }
  return theOne(found, 'token of this name');
}

export const privateObject = (
  on: Cryptoki,
  session: bigint,
  reference: TokenReference,
): Promise<bigint> => objectOf(on, session, classes.private, reference);

export const publicObject = (
  on: Cryptoki,
  session: bigint,
  reference: TokenReference,
): Promise<bigint> => objectOf(on, session, classes.public, reference);

async function objectOf(
  on: Cryptoki,
  session: bigint,
  kind: number,
  { object, id }: TokenReference,
): Promise<bigint> {
  const wanted: [number, Buffer][] = [[attribute.class, wordOf(kind)]];
  if (object !== undefined) wanted.push([attribute.label, Buffer.from(object)]);
  if (id) wanted.push([attribute.id, id]);
  checked('C_FindObjectsInit', await on.findBegin(session, on.rows(wanted), wanted.length));
  const [objects, count] = [Buffer.alloc(2 * wordBytes), wordOf(0)];
  const result = await on.find(session, objects, 2, count);
  checked('C_FindObjectsFinal', await on.findEnd(session));
  checked('C_FindObjects', result);
  const found = Array.from({ length: Number(count.readBigUInt64LE()) }, (_each, at) =>
    objects.readBigUInt64LE(at * wordBytes),
  );
  return theOne(found, `${kind === classes.private ? 'private' : 'public'} key of this name`);
}

function theOne(found: readonly bigint[], what: string): bigint {
  const [first, ...more] = found;
  if (first === undefined) throw new CustodyError('absent', `there is no ${what}`);
  if (more.length > 0) throw new CustodyError('ambiguous', `there is more than one ${what}`);
  return first;
}
