/** A search field with its label, a clear button by the browser, and the number of hits said politely. */
import type { ReactNode } from 'react';
import { Icon } from './icons.tsx';

interface Props {
  readonly label: string;
  readonly value: string;
  readonly onChange: (value: string) => void;
  /** How much is shown. */
  readonly children?: ReactNode;
}

export function SearchBox({ label, value, onChange, children }: Props) {
  return (
    <search className="search">
      <Icon name="search" size={18} />
      <input
        type="search"
        aria-label={label}
        placeholder={label}
        value={value}
        maxLength={200}
        autoComplete="off"
        spellCheck={false}
        onChange={(event) => onChange(event.target.value)}
      />
      <span className="search-count" role="status">
        {children}
      </span>
    </search>
  );
}
