import { witnessConfig } from '../../../activities/transparency/witnesses.ts';
import { signLogCheckpoint } from '../../../domain/transparency/checkpoint.ts';
import { judgeProof, openCheckpoint } from '../../../domain/transparency/judge-proof.ts';
import { createLogSigner } from '../../../domain/transparency/log-signer.ts';
import { leafHash, nodeHash } from '../../../domain/transparency/merkle.ts';
import { encodeNoteKey, parseNoteKey, signatureTypes } from '../../../domain/transparency/note.ts';
import { encodeProof } from '../../../domain/transparency/proof-file.ts';
import { goesOn } from '../../../domain/transparency/tile-tree.ts';
import { parseTile } from '../../../domain/transparency/tile.ts';
import type { Parser } from './parser.ts';

/** Parsers of public log inputs: notes, proofs, keys, paths of tiles, tiles and witnesses. */
export async function logParsers(): Promise<Parser[]> {
  const signer = createLogSigner(Buffer.alloc(32, 7), 'log.example/mutants');
  const [leaf, sibling] = [leafHash('0'), leafHash('1')];
  const head = { size: 2, root: nodeHash(leaf, sibling) };
  const checkpoint = await signLogCheckpoint(signer, head);
  const proof = encodeProof({ index: 0, path: [sibling], checkpoint });
  const witness = { ...signer.key, type: signatureTypes.cosignature };
  const cosigned = `${checkpoint}— w.example ${Buffer.alloc(76, 1).toString('base64')}\n`;
  const affidavit = { affidavit_id: 'aff_1', sha256: '', sealed_at: new Date(0) };
  const textOf = (bytes: Uint8Array): string => Buffer.from(bytes).toString();
  const seedsOf = (...texts: string[]): Buffer[] => texts.map((text) => Buffer.from(text));
  return [
    {
      name: 'log-note',
      seeds: seedsOf(checkpoint, cosigned),
      read: (bytes) => openCheckpoint(textOf(bytes), signer.key),
      throws: [],
    },
    {
      name: 'log-proof',
      seeds: seedsOf(proof, proof.replace('\nindex', '\nextra AAAA\nindex')),
      read: (bytes) =>
        judgeProof(textOf(bytes), affidavit, {
          log: signer.key,
          witnesses: [witness],
          known: head,
        }),
      throws: [],
    },
    {
      name: 'log-key',
      seeds: seedsOf(encodeNoteKey(signer.key), encodeNoteKey(witness)),
      read: (bytes) => parseNoteKey(textOf(bytes)),
      throws: [],
    },
    {
      name: 'log-tile-path',
      seeds: seedsOf('0/x001/234', '1/x001/x234/067.p/17', 'entries/000.p/255'),
      read: (bytes) => parseTile(textOf(bytes).split('/')),
      throws: [],
    },
    {
      name: 'log-tile',
      seeds: [Buffer.concat([leaf, sibling])],
      read: async (bytes) => {
        const isOne = await goesOn({ size: 1, root: leaf }, head, async () => bytes);
        if (!isOne) throw new Error('tiles that make the root are of this tree');
      },
      throws: ['TilesUnusable'],
    },
    {
      name: 'log-witnesses',
      seeds: seedsOf(`${encodeNoteKey(witness)} https://w.example/w`),
      read: (bytes) => witnessConfig.safeParse({ LOG_WITNESSES: textOf(bytes) }),
      throws: [],
    },
  ];
}
