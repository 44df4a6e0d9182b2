/** Width and height of the claim `photo`, in pixels. */
export const photoSides = { width: 320, height: 400 } as const;
/** A JPEG of that size is about 15 kB; noise at the same quality is under 90 kB. */
export const photoBytesMax = 96 * 1024;
