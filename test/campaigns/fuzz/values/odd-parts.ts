import fc from 'fast-check';
import type { BodyPlan, Who, Written } from '../plans.ts';
import { headerText } from './texts.ts';
import { oddValue } from './wrong-values.ts';

const rawPieces = [
  '%',
  '%zz',
  '%c3%28',
  '%ff',
  '%00',
  '%ed%a0%80',
  '..',
  '.',
  '%2e%2e',
  '%2f',
  '%252e%252e',
  '%5c',
  ';a=b',
  '//',
  '\u00fc',
  'a+b',
  '%20',
  '%0d%0aX-Injected:%201',
  '%e2%80%ae',
  '*',
  ':id',
  '{id}',
  '-',
  '%F0%9F%98%80',
  'A'.repeat(3000),
  '0',
  '00',
  '-1',
  '1e3',
  '9'.repeat(40),
  '2147483648',
  '9223372036854775808',
  '1.0',
  '+1',
  '0x1',
  '\u00b2',
];
export const rawPiece = fc
  .constantFrom(...rawPieces)
  .map((value): Written => ({ value, isRaw: true }));
export const asWritten = (values: fc.Arbitrary<unknown>): fc.Arbitrary<Written> =>
  values.map((value) => ({ value }));

/** Headers that any caller may send. */
export const anyHeader: fc.Arbitrary<readonly [string, string]> = fc.oneof(
  fc.tuple(
    fc.constant('accept'),
    fc.constantFrom(
      'text/html',
      'text/html,*/*;q=0.8',
      'image/svg+xml',
      'image/*',
      'application/jwt',
      '*/*',
      'application/json',
      'application/problem+json',
      'text/plain',
      ';;,',
      'a/b;q=nonsense',
      '',
    ),
  ),
  fc.tuple(
    fc.constant('user-agent'),
    fc.constantFrom(
      'Mozilla/5.0 (iPhone; CPU iPhone OS 18_0 like Mac OS X) Version/18.0 Mobile/15E148',
      'Mozilla/5.0 (Linux; Android 15; Pixel 9) Chrome/140.0.0.0 Mobile Safari/537.36',
      'okhttp/4.12.0',
      '\u00ff',
    ),
  ),
  fc.tuple(
    fc.constant('x-forwarded-for'),
    fc.constantFrom(
      'nonsense',
      '::1',
      '2001:db8::1',
      '::ffff:10.0.0.1',
      '10.0.0.1, 10.0.0.2',
      'fe80::1%eth0',
      '1'.repeat(300),
      '\u00ff, 1',
      '',
    ),
  ),
  fc.tuple(
    fc.constantFrom(
      'origin',
      'referer',
      'cookie',
      'range',
      'if-none-match',
      'if-match',
      'if-modified-since',
      'traceparent',
      'forwarded',
      'x-forwarded-host',
      'x-forwarded-proto',
      'x-http-method-override',
      'idempotency-key',
      'request-id',
      'attest',
      'content-language',
      'accept-language',
      'accept-encoding',
    ),
    headerText,
  ),
);

export const oddType: fc.Arbitrary<readonly [string, string]> = fc.oneof(
  fc.tuple(
    fc.constant('content-type'),
    fc.constantFrom(
      'text/plain',
      'application/xml',
      'application/x-www-form-urlencoded',
      'application/json; charset=utf-16',
      'application/json;charset=latin1',
      'APPLICATION/JSON',
      'application/vnd.a+json',
      'application/json,text/plain',
      'multipart/form-data; boundary=a',
      'json',
      '',
      ';',
      'application/octet-stream',
    ),
  ),
  fc.tuple(
    fc.constant('content-encoding'),
    fc.constantFrom('gzip', 'br', 'deflate', 'identity', 'nonsense', ''),
  ),
);

/** Other callers than that of the good call, with a valid or an invalid credential. */
export const whoElse: fc.Arbitrary<Who> = fc.oneof(
  fc.constantFrom<Who>({ kind: 'none' }, { kind: 'own-in-header' }, { kind: 'two' }),
  fc.record({ kind: fc.constant('other' as const), pick: fc.nat(20), inHeader: fc.boolean() }),
  fc
    .oneof(
      fc.constantFrom(
        'Bearer',
        'Bearer ',
        'bearer nonsense',
        'Basic YTpi',
        'Bearer a.b.c',
        'Bearer null',
        'Bearer tk_live_000000000000_00000000000000000000000000000000',
        `Bearer ${'a'.repeat(9000)}`,
        'Bearer eyJhbGciOiJub25lIn0.e30.',
        'Bearer a b',
        'DPoP x',
        'Bearer \u00e9',
        'Bearer,Bearer',
      ),
      headerText,
    )
    .map((authorization) => ({ kind: 'text' as const, authorization })),
);

/** Bodies unrelated to the operation. */
export const oddBody: fc.Arbitrary<BodyPlan> = fc.oneof(
  oddValue.map((value): BodyPlan => ({ kind: 'value', value, isOver: false })),
  fc.uint8Array({ maxLength: 64 }).map((bytes): BodyPlan => ({ kind: 'bytes', bytes })),
  fc
    .constantFrom('', ' ', '{', 'null', '[]', '""', '{"a":NaN}', "{'a':1}", '1e999', '{}{}')
    .map((text): BodyPlan => ({ kind: 'text', text })),
  fc.constant<BodyPlan>({ kind: 'none' }),
);
