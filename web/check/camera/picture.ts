/** Takes a camera picture as JPEG. It is redrawn, so it contains no device data (no EXIF). */
export async function takePicture(video: HTMLVideoElement): Promise<Blob> {
  return draw(video, { width: video.videoWidth, height: video.videoHeight });
}

/** Size to which the service shrinks a picture. */
const sidePxMax = 2400;

/**
 * Converts a picture file to an upright JPEG. It is redrawn, so it contains no device data (no
 * EXIF).
 * @throws if the browser cannot read the file as a picture
 */
export async function pictureOfFile(file: Blob): Promise<Blob> {
  const bitmap = await createImageBitmap(file);
  const scale = Math.min(1, sidePxMax / Math.max(bitmap.width, bitmap.height));
  const width = Math.round(bitmap.width * scale);
  const height = Math.round(bitmap.height * scale);
  return draw(bitmap, { width, height }).finally(() => bitmap.close());
}

function draw(
  picture: HTMLVideoElement | ImageBitmap,
  { width, height }: { readonly width: number; readonly height: number },
): Promise<Blob> {
  const canvas = Object.assign(document.createElement('canvas'), { width, height });
  const context = canvas.getContext('2d');
  if (!context) return Promise.reject(new Error('the canvas has no context'));
  context.imageSmoothingQuality = 'high';
  // JPEG has no transparency: transparent areas would become black.
  context.fillStyle = '#fff';
  context.fillRect(0, 0, width, height);
  context.drawImage(picture, 0, 0, width, height);
  return encode(canvas, 0.92);
}

/** @throws if the browser cannot encode the canvas */
export function encode(canvas: HTMLCanvasElement, quality: number): Promise<Blob> {
  return new Promise((resolve, reject) => {
    canvas.toBlob(
      (blob) => (blob ? resolve(blob) : reject(new Error('the canvas gave no picture'))),
      'image/jpeg',
      quality,
    );
  });
}
