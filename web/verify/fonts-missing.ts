import type { AffidavitVerdict } from '../../domain/affidavit/verify/verdict.ts';

/**
 * Skips the comparison of pages if it failed only because this page lacks fonts. Then the seal
 * alone vouches for the pages, as with pages of another version. A later failed check makes the
 * result `indeterminate`, or `invalid` if its detail is `revoked`: had an earlier check failed, the
 * later check would have been skipped.
 * @param missed features and files that the verifier requested and this page lacks
 */
export function withoutPages(
  verdict: AffidavitVerdict,
  missed: readonly string[],
): AffidavitVerdict {
  const isOfFonts = missed.length > 0 && missed.every((what) => what.startsWith('file '));
  const failed = verdict.checks.filter(({ result }) => result === 'failed');
  const [pages, ...others] = failed;
  if (!isOfFonts || pages?.name !== 'pages' || pages.detail !== 'malformed') return verdict;
  const [first] = others;
  const revoked = others.find(({ detail: why }) => why === 'revoked');
  const detail = 'not compared, because this page lacks fonts for some characters';
  return {
    ...verdict,
    result: revoked ? 'invalid' : first ? 'indeterminate' : 'valid',
    reason_code: ((revoked ?? first)?.detail ?? null) as AffidavitVerdict['reason_code'],
    checks: verdict.checks.map((check) =>
      check === pages ? { name: 'pages', result: 'skipped', detail } : check,
    ),
  };
}
