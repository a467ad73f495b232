/** Text that the host did not write, drawn so that it cannot pretend to be anything else. */

import { count } from './format.ts';
import { cut, segments } from './visible.ts';

interface Props {
  readonly text: string;
  /** Characters shown at most; a cut is said. */
  readonly max?: number;
  /** Keeps new lines, for text that is drawn as a block. */
  readonly lines?: boolean;
}

export function Foreign({ text, max = 400, lines = false }: Props) {
  const part = cut(text, max);
  return (
    <bdi className={lines ? 'foreign foreign-block' : 'foreign'}>
      {segments(part.shown, { lines }).map((segment, index) =>
        'plain' in segment ? (
          segment.plain
        ) : (
          <span
            // biome-ignore lint/suspicious/noArrayIndexKey: segments have no identity besides their place
            key={index}
            className="hidden-char"
            title={segment.name}
            role="img"
            aria-label={`${segment.times > 1 ? `${segment.times} times ` : ''}hidden character, ${segment.name}`}
          >
            {segment.times > 1 ? `${segment.code} ×${segment.times}` : segment.code}
          </span>
        ),
      )}
      {part.of !== undefined && (
        <span className="cut">
          {' '}
          … {count(part.kept)} of {count(part.of)} characters shown
        </span>
      )}
    </bdi>
  );
}
