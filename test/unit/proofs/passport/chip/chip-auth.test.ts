import { describe, expect, it } from 'vitest';
import {
  agreedKeysOf,
  chipCommandsOf,
  ephemeralKeyOf,
  isAnsweredBy,
} from '../../../../../domain/proofs/passport/chip/chip-auth.ts';
import { modularGroup } from '../../../../../domain/proofs/passport/chip/key-agreement.ts';
import {
  counterOf,
  openResponse,
  protectCommand,
  type Cipher,
} from '../../../../../domain/proofs/passport/chip/secure-messaging.ts';
import {
  chipAuthenticationOf,
  type ChipAuthentication,
} from '../../../../../domain/proofs/passport/chip/security-infos.ts';
import {
  verifyEmrtd,
  type EmrtdInput,
} from '../../../../../domain/proofs/passport/verify-emrtd.ts';
import { element, integer, oid, sequence, setOf } from '../../../../../simulator/der.ts';
import {
  mintChipAuth,
  newAgreementKey,
  type DevChipAuth,
} from '../../../../../simulator/passport/chip-auth.ts';
import { chipSession } from '../../../../../simulator/passport/chip-session.ts';
import {
  at,
  flipped,
  mint,
  outcome,
  vector,
  withGroup,
} from '../../../../support/fixtures/passports/fixtures.ts';

interface RealSession {
  readonly state: string;
  readonly cipher: Cipher;
  readonly dg14: string;
  readonly privateKey: string;
  readonly before: { cipher: Cipher; encryption: string; mac: string; counter: string };
  /** The commands as sent in the earlier session; null if that reader used another protocol. */
  readonly agreement: readonly string[] | null;
  readonly encryption: string;
  readonly mac: string;
  readonly command: string;
  readonly response: string;
}
const real: readonly RealSession[] = JSON.parse(vector('nfc-chip-auth.json').toString()).vectors;

const hex = (text: string): Buffer => Buffer.from(text, 'hex');
const word = (bytes: Uint8Array): string => Buffer.from(bytes).toString('hex');
const secret = Buffer.alloc(32, 3);
const challenge = { linkSessionId: 'tc_1', challengeId: 'ch_1' };

function authOf(dg14: Uint8Array | undefined): ChipAuthentication {
  const chip = dg14 && chipAuthenticationOf(dg14);
  if (!chip) throw new Error('no chip authentication');
  return chip;
}

describe.each(real)('a session with a real chip of $state', (session) => {
  const chip = authOf(hex(session.dg14));
  const keys = agreedKeysOf(chip, hex(session.privateKey));
  const counter = (count: number): Buffer => counterOf(chip.cipher, count);

  it('derives the keys that the chip derived', () => {
    expect(chip.cipher).toBe(session.cipher);
    const bits = (key: Buffer): string =>
      word(key.map((octet) => (chip.cipher === '3des' ? octet & 0xfe : octet)));
    expect(bits(keys.encryption)).toBe(bits(hex(session.encryption)));
    expect(bits(keys.mac)).toBe(bits(hex(session.mac)));
  });

  it('sends the agreement commands that the chip accepted', () => {
    // For 3DES, another reader agreed with one command as for AES, which chips may accept too.
    const { before, agreement: taken } = session;
    const old = {
      cipher: before.cipher,
      encryption: hex(before.encryption),
      mac: hex(before.mac),
    };
    const { agreement } = chipCommandsOf(chip, hex(session.privateKey));
    const sent = agreement.map((apdu, index) => {
      const [ins = 0, p1 = 0, p2 = 0, length = 0] = apdu.subarray(1, 5);
      const data = apdu.subarray(5, 5 + length);
      const expected = apdu.length > 5 + length ? { le: 0 } : {};
      const count = BigInt(`0x${before.counter}`) + BigInt(2 * index + 1);
      const command = { ins, p1, p2, data, ...expected };
      return word(protectCommand(old, counterOf(before.cipher, count), command));
    });
    expect(sent).toEqual(taken ?? [expect.stringMatching(/^0c2241a6/)]);
  });

  it('sends the command that the chip accepted, and accepts its answer once', () => {
    const select = { ins: 0xa4, p1: 0x02, p2: 0x0c, data: hex('010e') };
    expect(word(protectCommand(keys, counter(1), select))).toBe(session.command);
    const response = hex(session.response);
    expect(openResponse(keys, counter(2), response)).toMatchObject({ status: 0x9000 });
    expect(openResponse(keys, counter(4), response)).toBeNull();
    const other = agreedKeysOf(chip, flipped(hex(session.privateKey), 255));
    expect(openResponse(other, counter(2), response)).toBeNull();
  });
});

/** A passport with answers of a chip that has its own key or another one. */
function answered(chipAuth: DevChipAuth, changes: { isCopy?: boolean; dg14?: Uint8Array } = {}) {
  const { passport, policy, input } = mint({ chipKey: 'none', chipAuth });
  const files = input.dataGroups;
  const asked = changes.dg14 ?? files['DG14'] ?? new Uint8Array();
  const chip = authOf(asked);
  const privateKey = ephemeralKeyOf(secret, challenge, asked, chip);
  const { agreement, reading } = chipCommandsOf(chip, privateKey);
  const own = passport.agreementPrivateKey ?? new Uint8Array();
  const transceive = chipSession(files, changes.isCopy ? newAgreementKey(chipAuth) : own);
  const statuses = agreement.map((apdu) => word(transceive(apdu)).slice(-4));
  const responses = reading.map((apdu) => transceive(apdu));
  const judge = (answer: Partial<EmrtdInput> = {}, require: ('active' | 'chip')[] = ['chip']) =>
    verifyEmrtd(
      { ...policy, require },
      { ...input, chipAuth: { privateKey, responses }, ...answer },
      at,
    );
  return { judge, statuses, responses, privateKey, policy, input };
}

const brainpool: DevChipAuth = { group: 'brainpoolP256r1', cipher: 'aes-128' };

describe('chip authentication', () => {
  it.each<DevChipAuth>([
    brainpool,
    { group: 'prime256v1', cipher: '3des', isNamed: false },
    { group: 'prime256v1', cipher: '3des', keyId: 300 },
    { group: 'secp521r1', cipher: 'aes-256', keyId: 2 },
    { group: 'dh-2048', cipher: 'aes-192' },
    { group: 'dh-2048-pkcs3', cipher: '3des' },
  ])('passes a chip with its key, and fails a copy: $group $cipher', (chipAuth) => {
    const genuine = answered(chipAuth);
    expect(genuine.statuses.every((status) => status === '9000')).toBe(true);
    const verdict = genuine.judge();
    expect(outcome(verdict)).toBe('passed');
    expect(verdict.checks.at(-1)).toEqual({
      name: 'chip_auth',
      result: 'ok',
      detail: chipAuth.cipher,
    });
    expect(verdict.facts).toMatchObject({
      levels: { passive: 'ok', active: 'absent', chip: 'ok' },
      clonable: false,
    });
    const copy = answered(chipAuth, { isCopy: true }).judge();
    expect(outcome(copy)).toBe('chip_auth_invalid at chip_auth');
    expect(copy.facts).toMatchObject({ levels: { chip: 'failed' }, clonable: true });
  });

  it('refuses primes longer than those of ICAO', () => {
    const prime = (bits: number): Buffer => Buffer.alloc(bits / 8, 0xff);
    const sizes = [1024, 2048, 3072, 4096].map((bits) => modularGroup(prime(bits), Buffer.of(2)));
    expect(sizes.map((group) => group !== null)).toEqual([true, true, false, false]);
  });

  it('is required only by the policy', () => {
    const { judge } = answered(brainpool);
    expect(outcome(judge({ chipAuth: undefined }))).toBe('chip_auth_missing at chip_auth');
    const without = judge({ chipAuth: undefined }, []);
    expect(outcome(without)).toBe('passed');
    expect(without.facts).toMatchObject({ levels: { chip: 'absent' }, clonable: true });
    expect(outcome(judge({}, []))).toBe('passed');
  });

  it('needs every response in order, with every bit unchanged', () => {
    const { judge, responses, privateKey } = answered(brainpool);
    const by = (changed: readonly Uint8Array[]): string =>
      outcome(judge({ chipAuth: { privateKey, responses: changed } }));
    const [selected = Buffer.of(), read = Buffer.of()] = responses;
    expect(by([read, selected])).toBe('chip_auth_invalid at chip_auth');
    expect(by([selected, selected])).toBe('chip_auth_invalid at chip_auth');
    expect(by([hex('6988'), hex('6988')])).toBe('chip_auth_invalid at chip_auth');
    expect(by([selected])).toBe('malformed at chip_auth');
    expect(by([])).toBe('malformed at chip_auth');
    expect(by([selected, read, read])).toBe('malformed at chip_auth');
    for (let bit = 0; bit < read.length * 8; bit += 7) {
      expect(by([selected, flipped(read, bit)]), `bit ${bit}`).not.toBe('passed');
    }
  });

  it('fails with the keys of another challenge, session or DG14', () => {
    const { judge, responses, input } = answered(brainpool);
    const dg14 = input.dataGroups['DG14'] ?? Buffer.of();
    const by = (of: Partial<typeof challenge>, file = dg14): string => {
      const privateKey = ephemeralKeyOf(secret, { ...challenge, ...of }, file, authOf(dg14));
      return outcome(judge({ chipAuth: { privateKey, responses } }));
    };
    expect(by({})).toBe('passed');
    expect(by({ challengeId: 'ch_2' })).toBe('chip_auth_invalid at chip_auth');
    expect(by({ linkSessionId: 'tc_2' })).toBe('chip_auth_invalid at chip_auth');
    expect(by({}, Buffer.of())).toBe('chip_auth_invalid at chip_auth');
  });

  it('needs the key that the State signed, not that of a forger’s DG14', () => {
    const forged = answered(brainpool);
    const victim = mint({ chipKey: 'none', chipAuth: brainpool });
    const dg14 = forged.input.dataGroups['DG14'] ?? Buffer.of();
    const swapped = withGroup(victim.input, 'DG14', dg14);
    const chipAuth = { privateKey: forged.privateKey, responses: forged.responses };
    const verdict = verifyEmrtd(victim.policy, { ...swapped, chipAuth }, at);
    expect(outcome(verdict)).toBe('dg_hash_mismatch at dg_hashes');
    expect(verdict.facts).toMatchObject({ levels: { chip: 'failed' }, clonable: true });
    const { DG14: _, ...others } = victim.input.dataGroups;
    const without = { ...victim.input, dataGroups: others, chipAuth };
    expect(outcome(verifyEmrtd(victim.policy, without, at))).toBe(
      'chip_auth_unsupported at chip_auth',
    );
  });

  it('needs a chip with the same DG1, not the chip of another holder', () => {
    const chip = authOf(answered(brainpool).input.dataGroups['DG14']);
    const { privateKey, responses, input } = answered(brainpool);
    const dg1 = input.dataGroups['DG1'] ?? Buffer.of();
    const by = (file: Uint8Array): boolean =>
      isAnsweredBy(authOf(input.dataGroups['DG14']), privateKey, responses, file);
    expect([by(dg1), by(flipped(dg1, 80)), by(Buffer.of())]).toEqual([true, false, false]);
    expect(isAnsweredBy(chip, privateKey, responses, dg1)).toBe(false);
  });
});

describe('the SecurityInfos of EF.DG14', () => {
  const eac = '0.4.0.127.0.7.2.2';
  const file = (...infos: Buffer[]): Buffer => element(0x6e, setOf(...infos));
  const [key = Buffer.of()] = mintChipAuth(brainpool).infos;
  const protocol = (arcs: string, ...rest: Buffer[]): Buffer =>
    sequence(oid(`${eac}.${arcs}`), ...rest);

  it.each([
    ['the strongest cipher', [key, protocol('3.2.2', integer(1)), protocol('3.2.4', integer(1))]],
    [
      'protocols of other kinds ignored',
      [key, protocol('3.2.4', integer(1)), protocol('3.1.4', integer(1))],
    ],
    [
      'unknown versions ignored',
      [key, protocol('3.2.4', integer(1)), protocol('3.2.3', integer(2))],
    ],
  ])('are read, with %s', (_what, infos) => {
    expect(chipAuthenticationOf(file(...infos))?.cipher).toBe('aes-256');
  });

  it.each([
    ['a protocol without a key', [protocol('3.2.2', integer(1))]],
    ['a protocol that names another key', [key, protocol('3.2.2', integer(1), integer(7))]],
    ['an unknown cipher', [key, protocol('3.2.9', integer(1))]],
    ['no protocol for it', [protocol('2', integer(1))]],
  ])('contain no chip authentication with %s', (_what, infos) => {
    expect(chipAuthenticationOf(file(...infos))).toBeNull();
  });

  it.each([
    ['a member that is not a sequence', file(integer(1))],
    ['an extra member in a protocol', file(protocol('3.2.2', integer(1), integer(1), integer(1)))],
    ['a negative key identifier', file(protocol('3.2.2', integer(1), hex('0201ff')))],
    [
      'a key identifier that is too long',
      file(protocol('3.2.2', integer(1), integer(Buffer.alloc(9, 1)))),
    ],
    ['a missing key', file(protocol('1.2', sequence()))],
    ['nine keys', file(...Array.from({ length: 9 }, () => key))],
    ['another tag', element(0x6f, setOf(key))],
    ['trailing bytes', Buffer.concat([file(key), Buffer.of(0)])],
    ['64 KiB', Buffer.alloc(64 * 1024 + 1, 0x6e)],
  ])('are refused with %s', (_what, dg14) => {
    const read = (): unknown => chipAuthenticationOf(dg14);
    expect(read).toThrow(expect.objectContaining({ name: 'MalformedDer' }));
  });
});
