import { afterEach, describe, expect, it, vi } from 'vitest';

// Imported by URL, because this test has no types of a browser.
const module = new URL('../../../web/check/camera/faults.ts', import.meta.url).href;
const { faultBeforeRequest, faultOf } = (await import(module)) as {
  faultBeforeRequest(): string | null;
  faultOf(error: unknown): string;
};

const safari = 'Mozilla/5.0 (iPhone; CPU iPhone OS 19_0 like Mac OS X) AppleWebKit/605.1.15';
const inApps = [
  `${safari} Mobile/15E148 [FBAN/FBIOS;FBAV/500.0.0]`,
  `${safari} Mobile/15E148 Instagram 350.0`,
  'Mozilla/5.0 (Linux; Android 16; Pixel 9; wv) AppleWebKit/537.36 Chrome/140.0 Mobile',
];

interface Place {
  readonly userAgent?: string | undefined;
  readonly isSecure?: boolean;
  /** Whether the browser has an interface to cameras. */
  readonly hasDevices?: boolean;
  /**
   * The permissions policy of the embedding page; undefined where the browser does not report it.
   */
  readonly isAllowed?: boolean;
}

function openIn({ userAgent = safari, isSecure = true, hasDevices = true, isAllowed }: Place) {
  vi.stubGlobal('isSecureContext', isSecure);
  vi.stubGlobal('navigator', { userAgent, mediaDevices: hasDevices ? {} : undefined });
  const featurePolicy = { allowsFeature: () => isAllowed };
  vi.stubGlobal('document', isAllowed === undefined ? {} : { featurePolicy });
}

const named = (name: string): Error => Object.assign(new Error('refused'), { name });

describe('camera faults', () => {
  afterEach(() => vi.unstubAllGlobals());

  it.each([
    ['none in a usual browser', {}, null],
    ['none when the policy allows the camera', { isAllowed: true }, null],
    ['insecure without TLS', { isSecure: false, hasDevices: false }, 'insecure'],
    ['blocked by the policy of the embedding page', { isAllowed: false }, 'blocked'],
    ['unsupported without a camera interface', { hasDevices: false }, 'unsupported'],
    [
      'in_app inside an app without a camera interface',
      { hasDevices: false, userAgent: inApps[0] },
      'in_app',
    ],
    ['none inside an app with a camera interface', { userAgent: inApps[0] }, null],
  ] as const)('before camera access is requested is %s', (_what, place, fault) => {
    openIn(place);
    expect(faultBeforeRequest()).toBe(fault);
  });

  it.each([
    ['NotAllowedError', 'denied'],
    ['SecurityError', 'denied'],
    ['NotFoundError', 'missing'],
    ['OverconstrainedError', 'missing'],
    ['NotReadableError', 'busy'],
    ['AbortError', 'busy'],
    ['TypeError', 'unsupported'],
  ])('maps the error %s to %s', (name, fault) => {
    openIn({});
    expect(faultOf(named(name))).toBe(fault);
    expect(faultOf('no error')).toBe('unsupported');
  });

  it.each(inApps)('maps a refusal inside an app to in_app: %s', (userAgent) => {
    openIn({ userAgent });
    expect(faultOf(named('NotAllowedError'))).toBe('in_app');
    expect(faultOf(named('NotReadableError'))).toBe('busy');
  });

  it('maps a refusal by the policy of the embedding page to blocked, inside an app too', () => {
    openIn({ isAllowed: false, userAgent: inApps[0] });
    expect(faultOf(named('NotAllowedError'))).toBe('blocked');
  });
});
