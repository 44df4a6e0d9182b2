/** A picture of a camera as JPEG, drawn anew: it carries nothing of the device (no EXIF). */
export async function takePicture(video: HTMLVideoElement): Promise<Blob> {
  const canvas = document.createElement('canvas');
  canvas.width = video.videoWidth;
  canvas.height = video.videoHeight;
  canvas.getContext('2d')?.drawImage(video, 0, 0);
  return encode(canvas, 0.92);
}

/** What the service shrinks a picture to. */
const sidePxMax = 2400;

/**
 * A picture of a file as JPEG, upright and drawn anew: it carries nothing of the device (no EXIF).
 * @throws where the browser cannot read the file as a picture
 */
export async function pictureOfFile(file: Blob): Promise<Blob> {
  const bitmap = await createImageBitmap(file);
  const scale = Math.min(1, sidePxMax / Math.max(bitmap.width, bitmap.height));
  const canvas = document.createElement('canvas');
  canvas.width = Math.round(bitmap.width * scale);
  canvas.height = Math.round(bitmap.height * scale);
  canvas.getContext('2d')?.drawImage(bitmap, 0, 0, canvas.width, canvas.height);
  bitmap.close();
  return encode(canvas, 0.92);
}

/** @throws where the browser cannot encode the canvas */
export function encode(canvas: HTMLCanvasElement, quality: number): Promise<Blob> {
  return new Promise((resolve, reject) => {
    canvas.toBlob(
      (blob) => (blob ? resolve(blob) : reject(new Error('the canvas gave no picture'))),
      'image/jpeg',
      quality,
    );
  });
}
