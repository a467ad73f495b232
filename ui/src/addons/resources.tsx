/** An add-on's resources. */
import type { AppEntry } from '../../../src/contract/api.ts';
export function Resources(_: { readonly app: AppEntry; readonly resourceId: string | null }) {
  return null;
}
