/** The page's own small icon set: 20 px strokes, hidden from screen readers because words stand beside each. */
const PATHS = {
  grid: 'M3.5 3.5h5v5h-5zM11.5 3.5h5v5h-5zM3.5 11.5h5v5h-5zM11.5 11.5h5v5h-5z',
  shield:
    'M10 2.8l6 2.200v4.700c0 3.700-2.500 6.300-6 7.500-3.500-1.200-6-3.800-6-7.500V5zM7.400 9.900l1.900 1.900 3.500-3.700',
  search: 'M9 14.500a5.500 5.500 0 1 0 0-11 5.500 5.500 0 0 0 0 11zM13 13l3.800 3.800',
  dots: 'M4.500 10h.01M10 10h.01M15.500 10h.01',
  close: 'M5 5l10 10M15 5L5 15',
  check: 'M4 10.500l4 4 8-9',
  cross: 'M6 6l8 8M14 6l-8 8',
  clock: 'M10 17a7 7 0 1 0 0-14 7 7 0 0 0 0 14zM10 6v4.200l2.700 1.600',
  warn: 'M10 3.200l7.300 13H2.700zM10 8v3.800M10 14v.01',
  help: 'M10 17a7 7 0 1 0 0-14 7 7 0 0 0 0 14zM8 8a2 2 0 1 1 2.900 1.800c-.600.300-.900.700-.900 1.500M10 13.700v.01',
  info: 'M10 17a7 7 0 1 0 0-14 7 7 0 0 0 0 14zM10 9.200v4M10 6.500v.01',
  play: 'M6.500 4.500l8.500 5.500-8.500 5.500z',
  pause: 'M7 4.500v11M13 4.500v11',
  plus: 'M10 4v12M4 10h12',
  trash: 'M4 6h12M8 6V4h4v2M5.500 6l.7 10.500h7.600L14.500 6',
  refresh: 'M16 10a6 6 0 1 1-1.800-4.300L16 7.500M16 3.500v4h-4',
  down: 'M5.500 8l4.500 4.500L14.500 8',
  left: 'M12 5l-5 5 5 5',
  link: 'M11 4h5v5M16 4l-7.500 7.500M14 11.500V16H4V6h4.500',
  sun: 'M10 13.200a3.200 3.200 0 1 0 0-6.400 3.200 3.200 0 0 0 0 6.400zM10 2.500v1.700M10 15.800v1.700M2.500 10h1.700M15.800 10h1.700M4.700 4.700l1.200 1.200M14.100 14.100l1.200 1.200M4.700 15.300l1.200-1.200M14.100 5.900l1.200-1.200',
  moon: 'M16.500 12A7 7 0 0 1 8 3.500a7 7 0 1 0 8.500 8.500z',
  screen: 'M3 4.500h14v9H3zM7.500 16.500h5M10 13.500v3',
  stop: 'M10 17a7 7 0 1 0 0-14 7 7 0 0 0 0 14zM5.200 5.200l9.600 9.600',
  table: 'M3.500 4.500h13v11h-13zM3.500 8.200h13M3.500 11.900h13M8.300 4.500v11',
  source:
    'M4 5.500c0-1.100 2.700-2 6-2s6 .9 6 2-2.700 2-6 2-6-.9-6-2zM4 5.500v9c0 1.100 2.700 2 6 2s6-.9 6-2v-9M4 10c0 1.100 2.700 2 6 2s6-.9 6-2',
} as const;

export type IconName = keyof typeof PATHS;

export function Icon({ name, size = 20 }: { readonly name: IconName; readonly size?: number }) {
  return (
    <svg className="icon" width={size} height={size} viewBox="0 0 20 20" aria-hidden="true" focusable="false">
      <path d={PATHS[name]} />
    </svg>
  );
}

export function Mark() {
  return (
    <svg className="mark" width="28" height="28" viewBox="0 0 32 32" aria-hidden="true" focusable="false">
      <rect className="mark-ground" width="32" height="32" rx="7" />
      <path
        className="mark-keep"
        d="M8 8h3.400v3h3V8h3.200v3h3V8H24v7.200l-2.200 1.900V24H18v-3.200a2 2 0 0 0-4 0V24h-3.800v-6.900L8 15.200z"
      />
    </svg>
  );
}
