/** A black square that every reader of photographs accepts: 256 pixels wide, as PNG. */
export const blankImage: Uint8Array = new Uint8Array(
  Buffer.from(
    'iVBORw0KGgoAAAANSUhEUgAAAQAAAAEAAQAAAAB0CZXLAAAAH0lEQVR42u3BAQ0AAADCoPdPbQ43oAAAAAAA' +
      'AAAAvg0hAAABYOSdlwAAAABJRU5ErkJggg==',
    'base64',
  ),
);
