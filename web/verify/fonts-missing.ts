import type { AffidavitVerdict } from '../../domain/affidavit/verify/verdict.ts';

/**
 * A verdict without the comparison of pages, where that alone failed for fonts that are not in this
 * page: as with pages of another version, the seal alone vouches for them. What failed after it makes
 * a file indeterminate, but for what a list of today has revoked; had a check before it failed, it
 * would have been skipped.
 * @param missed what was asked for and is not here
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
