import type { ImageReaders } from '../../domain/judging/verifiers.ts';

/** Reads images in this thread. Their libraries are loaded for the first image: that takes long. */
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
