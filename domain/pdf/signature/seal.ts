import { createHash } from 'node:crypto';
import { attribute, oids, signCms } from '../../pki/cms/write-cms.ts';
import type { Signer } from '../../pki/signer.ts';
import type { Stamper } from '../../pki/timestamps/sign-token.ts';
import { sealBytesMax } from './empty-seal.ts';
import { openPlaceholder } from './signature-placeholder.ts';

/**
 * Seals a rendered affidavit: PAdES baseline with a signature time stamp (B-T), or without one
 * where nobody gives it (B-B). The byte range covers the whole file but the hole. Where there is
 * room beside the time stamp it brings the root, for whoever was given no more than its hash.
 * `archiveAffidavit` adds the rest as revisions after this one. Throws `HoleTooSmall`.
 */
export async function sealAffidavit(
  rendered: Uint8Array,
  signer: Signer,
  stamper: Stamper,
): Promise<Buffer> {
  const hole = openPlaceholder(rendered, sealBytesMax);
  const cms = await signCms({
    signer,
    content: hole.covered,
    contentType: oids.data,
    isDetached: true,
    withRootMax: sealBytesMax,
    unsigned: async (signature) => {
      const token = await stamper.stamp(createHash('sha256').update(signature).digest());
      return token ? [attribute(oids.timeStampToken, token)] : [];
    },
  });
  return hole.fill(cms);
}
