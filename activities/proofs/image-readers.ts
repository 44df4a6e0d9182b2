import type { ImageReaders } from '../../domain/judging/verifiers.ts';

/** Reads images in this thread. The libraries load slowly, so the first image imports them. */
export const imageReaders: ImageReaders = {
  async readDocument(images) {
    const { readDocument } = await import('./document/read.ts');
    return readDocument(images);
  },
  async readFaces(images) {
    const { readFaces } = await import('./face/read.ts');
    return readFaces(images);
  },
};
