/** The plain words for each failure, the same on every view (12:344-346). Says what happened, what did not, what to do. */
import type { ApiError } from './client.ts';

export interface Words {
  readonly title: string;
  readonly text: string;
}

const BY_TYPE: Readonly<Record<string, string>> = {
  package_unverified: 'The package could not be verified',
  sdk_incompatible: 'This add-on needs another version of Castellan',
  library_unavailable: 'The source cannot be reached',
  library_conflict: 'Two sources disagree about this add-on',
  release_not_found: 'This version is no longer offered',
  package_fetch_failed: 'The download did not finish',
  install_storage_failed: 'The package could not be stored',
  insufficient_storage: 'The disk is nearly full',
  identity_changed: 'This add-on now comes from someone else',
  upgrade_unsupported: 'This update is not possible yet',
  upgrade_failed: 'The update did not start; the earlier version stays',
  outcome_unknown: 'We do not know yet whether this happened',
  outcome_blocked: 'An earlier change is still unsettled',
  proposal_unavailable: 'This could not be done just now',
  proposal_closed: 'This proposal is already closed',
  digest_mismatch: 'The proposal is not the one you were shown',
  operation_conflict: 'This request was already used for something else',
  stale: 'It changed in the meantime',
  quota_reached: 'A limit is reached',
  busy: 'The server is busy',
  too_large: 'That is too large',
  wrong_host: 'This address is not allowed',
  resource_unreachable: 'This is not available to you',
  network: 'The server did not answer',
};

const AGAIN = 'Nothing was changed. What you see has been read again; try once more.';

/** What a look at a failed operation says, whatever its first answer was (05:175-181): of no use to a person. */
const GENERAL = 'Addon request denied';
const INSTEAD: Readonly<Record<string, string>> = {
  package_unverified:
    'Nothing was installed. It is not what its source lists, or it is not signed as that source requires. The log of the server says what was wrong.',
  package_fetch_failed: 'Nothing was installed. The log of the server says what failed. You can try again.',
  install_storage_failed: 'Nothing was installed. The log of the server says what failed.',
};

/** Words for one failure. The server's own sentence is kept, since it names the case; it is still shown as foreign text. */
export function wordsFor(error: ApiError): Words {
  const { type, code, message } = error.detail;
  const known = BY_TYPE[type];
  if (type === 'network') {
    return { title: 'The server did not answer', text: 'Check that Castellan is running and that you are connected.' };
  }
  if (known !== undefined) return { title: known, text: message === GENERAL ? (INSTEAD[type] ?? AGAIN) : message };
  if (error.status === 401 || code === 'unauthenticated') return { title: 'Please sign in', text: message };
  if (error.status === 403) {
    return { title: 'Not allowed', text: `You may not do this, or it changed since it was listed. ${AGAIN}` };
  }
  if (error.status === 503) {
    if (code === 'fenced') return { title: 'Castellan has stopped taking changes', text: message };
    if (code === 'starting') return { title: 'Castellan is starting', text: 'Try again in a moment.' };
    return { title: 'Not available just now', text: AGAIN };
  }
  return { title: 'That did not work', text: message };
}
