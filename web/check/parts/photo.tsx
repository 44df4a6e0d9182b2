import { useEffect, useState } from 'preact/hooks';
import { useWords } from './say.ts';

/** A picture that was taken here. Its object URL is revoked when the element unmounts. */
export function Photo({ picture, label }: { readonly picture: Blob; readonly label: string }) {
  const [source, setSource] = useState('');
  useEffect(() => {
    const url = URL.createObjectURL(picture);
    setSource(url);
    return () => URL.revokeObjectURL(url);
  }, [picture]);
  return <img class="taken" src={source || undefined} alt={label} />;
}

export const sides = ['front', 'back'] as const;
export type Side = (typeof sides)[number];
export type Pictures = Partial<Record<Side, Blob>>;

/** The pictures of the last attempt. The service does not report which of two it rejected. */
export function RefusedPictures({ pictures }: { readonly pictures: Pictures }) {
  const { sayOf } = useWords();
  return (
    <div class="refused">
      {sides.map((side) => {
        const picture = pictures[side];
        if (!picture) return null;
        return (
          <figure key={side} data-side={side}>
            <Photo picture={picture} label="" />
            <figcaption>{sayOf('refused', pictures.back ? side : 'page')}</figcaption>
          </figure>
        );
      })}
    </div>
  );
}
