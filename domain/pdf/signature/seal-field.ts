import {
  PDFArray,
  PDFDict,
  PDFInvalidObject,
  PDFName,
  PDFNumber,
  PDFString,
  type PDFDocument,
} from 'pdf-lib';
import { rangePlaceholder, sealBytesMax } from './empty-seal.ts';

/**
 * Adds the certification signature's field, invisible, with an empty hole (ETSI EN 319 142-1 §5).
 */
export function addSealField(document: PDFDocument, signedAt: Date): void {
  const { context, catalog } = document;
  const moment = PDFString.fromDate(signedAt).toString();
  const signature = context.register(
    PDFInvalidObject.of(
      Buffer.from(
        `<< /Type /Sig /Filter /Adobe.PPKLite /SubFilter /ETSI.CAdES.detached ` +
          `${rangePlaceholder} ` +
          `/Contents <${'0'.repeat(sealBytesMax * 2)}> /M ${moment} ` +
          `/Reference [<< /Type /SigRef /TransformMethod /DocMDP ` +
          `/TransformParams << /Type /TransformParams /V /1.2 /P 2 >> >>] >>`,
      ),
    ),
  );
  const [first] = document.getPages();
  if (!first) throw new Error('an affidavit has pages');
  const widget = context.register(
    context.obj({
      Type: 'Annot',
      Subtype: 'Widget',
      FT: 'Sig',
      Rect: [0, 0, 0, 0],
      F: 132,
      T: PDFString.of('PlatformSeal'),
      V: signature,
      P: first.ref,
    }),
  );
  first.node.addAnnot(widget);
  const form = PDFDict.withContext(context);
  const fields = PDFArray.withContext(context);
  fields.push(widget);
  form.set(PDFName.of('Fields'), fields);
  form.set(PDFName.of('SigFlags'), PDFNumber.of(3));
  catalog.set(PDFName.of('AcroForm'), context.register(form));
  catalog.set(PDFName.of('Perms'), context.obj({ DocMDP: signature }));
}
