import { createHash } from 'node:crypto';
import { attribute, oids, signCms } from '../../pki/cms/write-cms.ts';
import type { Signer } from '../../pki/signer.ts';
import type { Stamper } from '../../pki/timestamps/sign-token.ts';
import { sealBytesMax } from './empty-seal.ts';
import { openPlaceholder } from './signature-placeholder.ts';

/**
 * Seals a rendered affidavit: PAdES baseline with a signature time stamp (B-T), or without one if
 * no authority provides it (B-B). The byte range covers the whole file except the hole. If there is
 * space next to the time stamp, the seal includes the root, for verifiers that have only its hash.
 * `archiveAffidavit` adds the rest as later revisions.
 * @throws `PlaceholderTooSmall`
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
