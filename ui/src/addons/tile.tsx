/** An add-on's icon from the host's icon route, or the first letter of its name. */
import { useState } from 'react';
import { segments } from '../text/visible.ts';

export function Tile({ title, src, size = 44 }: { title: string; src?: string | undefined; size?: 44 | 56 }) {
  const [broken, setBroken] = useState<string>();
  const [first] = segments(title.trim());
  const letter = first !== undefined && 'plain' in first ? (Array.from(first.plain)[0] ?? '?') : '?';
  return (
    <span className={`tile tile-${size}`} aria-hidden="true">
      {src !== undefined && broken !== src ? (
        <img src={src} alt="" width={size} height={size} onError={() => setBroken(src)} />
      ) : (
        letter.toUpperCase()
      )}
    </span>
  );
}
