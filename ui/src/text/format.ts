/** Numbers, sizes and times in the words of the page. */
const numbers = new Intl.NumberFormat('en');
const days = new Intl.DateTimeFormat('en', { dateStyle: 'medium', timeStyle: 'short' });
const relative = new Intl.RelativeTimeFormat('en', { numeric: 'auto' });

export const count = (value: number): string => numbers.format(value);

/** `1 change`, `3,376 changes`. */
export const plural = (value: number, noun: string): string => `${count(value)} ${noun}${value === 1 ? '' : 's'}`;

const UNITS = ['B', 'kB', 'MB', 'GB', 'TB'] as const;
export function size(bytes: number): string {
  let value = bytes;
  let unit = 0;
  while (value >= 1000 && unit < UNITS.length - 1) {
    value /= 1000;
    unit += 1;
  }
  return `${value >= 10 || unit === 0 ? Math.round(value) : value.toFixed(1)} ${UNITS[unit]}`;
}

export function when(time: string): string {
  const parsed = Date.parse(time);
  return Number.isNaN(parsed) ? 'unknown time' : days.format(parsed);
}

const STEPS = [
  [86_400_000, 'day'],
  [3_600_000, 'hour'],
  [60_000, 'minute'],
] as const;

/** `3 minutes ago`; under a minute `just now`. */
export function ago(time: string, now = Date.now()): string {
  const passed = Date.parse(time) - now;
  if (Number.isNaN(passed)) return 'unknown time';
  for (const [ms, unit] of STEPS) if (Math.abs(passed) >= ms) return relative.format(Math.trunc(passed / ms), unit);
  return 'just now';
}

/** `4 min 05 s`, for a countdown. */
export function left(ms: number): string {
  const seconds = Math.max(0, Math.ceil(ms / 1000));
  const minutes = Math.floor(seconds / 60);
  if (minutes >= 60) return `${Math.floor(minutes / 60)} h ${minutes % 60} min`;
  return minutes > 0 ? `${minutes} min ${String(seconds % 60).padStart(2, '0')} s` : `${seconds} s`;
}

const LETTER_WORDS = new Set(['csv', 'sql', 'json', 'html', 'pdf', 'url', 'id', 'api', 'ai']);

/** `create-table-from-csv` becomes `Create table from CSV`. */
export function humanise(name: string): string {
  const words = name.split(/[-_.\s]+/).filter((word) => word !== '');
  const spoken = words.map((word) => (LETTER_WORDS.has(word) ? word.toUpperCase() : word)).join(' ');
  return spoken === '' ? name : spoken[0]?.toUpperCase() + spoken.slice(1);
}
