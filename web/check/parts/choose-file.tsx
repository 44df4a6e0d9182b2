import { useRef } from 'preact/hooks';
import { useWords } from './say.ts';

/** A button that opens a picture file. */
export function ChooseFile({ take }: { readonly take: (file: File) => void }) {
  const { say } = useWords();
  const input = useRef<HTMLInputElement>(null);
  return (
    <p class="move small">
      <button type="button" class="quiet" onClick={() => input.current?.click()}>
        {say('check.document.file')}
      </button>
      <input
        ref={input}
        type="file"
        accept="image/*"
        hidden
        onChange={({ currentTarget }) => {
          const [file] = currentTarget.files ?? [];
          // Allows the same file to be chosen again after a fault.
          currentTarget.value = '';
          if (file) take(file);
        }}
      />
    </p>
  );
}
