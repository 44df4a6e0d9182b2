import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { verifyBundle } from '../../../activities/tokens/verify-bundle.ts';
import { randomIds } from '../../../db/ids.ts';
import { BundleRefused, type BundleRule } from '../../../domain/tokens/bundle-refused.ts';
import type { Device } from '../../../simulator/device/device.ts';
import { enrolledPhone, newChallenge } from '../../support/checks/phone.ts';
import {
  encode,
  goodBundle,
  plainParts,
  platformKeys,
  signSegments,
} from '../../support/keys/bundles.ts';
import { openTestDb } from '../../support/platform/harness.ts';
import { ownPlatform } from '../../support/platform/own-platform.ts';
import { claimsOf } from '../../support/wrong-bundles/tokens.ts';

const { baseUrl, databaseUrl } = ownPlatform();
const db = openTestDb(databaseUrl);
const keys = platformKeys();
let phone: Device;

beforeAll(async () => {
  phone = await enrolledPhone('ios');
});
afterAll(() => db.end());

const newJti = (): string => randomIds.bytes(16).toString('base64url');

/** Returns the rule that a bundle breaks, or null when it passes. Throws any other failure. */
async function brokenBy(token: string): Promise<BundleRule | null> {
  try {
    await verifyBundle({ db, keys, baseUrl }, token, new Date());
    return null;
  } catch (error) {
    if (error instanceof BundleRefused) return error.rule;
    throw error;
  }
}

describe('a hostile bundle', () => {
  it('is refused by a rule with any changed, cut or inserted character', async () => {
    const nonce = await newChallenge();
    const good = await goodBundle(phone, { nonce, verifiedClaims: await claimsOf(phone) });
    const changed = (at: number): string =>
      `${good.slice(0, at)}${good[at] === 'A' ? 'B' : 'A'}${good.slice(at + 1)}`;
    const step = 11;
    for (let at = 0; at < good.length; at += step) {
      expect(await brokenBy(changed(at)), `changed at ${at}`).not.toBeNull();
      expect(await brokenBy(good.slice(0, at)), `cut at ${at}`).not.toBeNull();
      expect(await brokenBy(`${good.slice(0, at)}A${good.slice(at)}`), `grown at ${at}`).not.toBe(
        null,
      );
    }
    expect(await brokenBy(good)).toBeNull();
  });

  it('is refused by a rule for any JSON in header and claims, signed by the phone', async () => {
    const { header, claims } = plainParts(phone);
    const members = [...Object.keys(claims), '_claim_names', '_claim_sources', 'nonce', 'azp'];
    const runs = fc.asyncProperty(
      fc.constantFrom(...members),
      fc.jsonValue({ maxDepth: 3 }),
      async (name, value) => {
        const body = encode({ ...claims, jti: newJti(), [name]: value });
        await brokenBy(signSegments(encode(header), body, phone.signingKey));
      },
    );
    await fc.assert(runs, { numRuns: 300 });
    const heads = fc.asyncProperty(
      fc.constantFrom(...Object.keys(header)),
      fc.jsonValue({ maxDepth: 3 }),
      async (name, value) => {
        const head = encode({ ...header, [name]: value });
        const body = encode({ ...claims, jti: newJti() });
        expect(await brokenBy(signSegments(head, body, phone.signingKey))).not.toBeNull();
      },
    );
    await fc.assert(heads, { numRuns: 200 });
  });
});
