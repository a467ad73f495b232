/**
 * `--local-confirm-code`: a one-time code shown in the terminal sets the cookie that confirmations then need, so that a
 * program on the machine that can reach the port cannot confirm for the person (wire, "Command line").
 */
import { createHash, timingSafeEqual } from 'node:crypto';
import type { Context } from 'hono';
import { getCookie, setCookie } from 'hono/cookie';
import type { Clock, Ids } from '../../commands/ports.js';

const LIFETIME_MS = 12 * 3_600_000;
const MAX_BROWSERS = 32;
const TRIES = 10;
/** After so many wrong tries nothing is taken for this long, so that guessing is slow and the terminal stays readable. */
const PAUSE_MS = 60_000;
/** No look-alike characters. */
const ALPHABET = 'abcdefghjkmnpqrstuvwxyz23456789';

const digest = (text: string) => createHash('sha256').update(text).digest();

export class ConfirmCodes {
  private code = '';
  private triesLeft = 0;
  private spentAt: number | undefined;
  private readonly sessions = new Map<string, number>();

  /** @param announce shows a fresh code to the person at the terminal; called at once and after each use. */
  constructor(
    private readonly clock: Clock,
    private readonly ids: Ids,
    private readonly announce: (code: string) => void,
    private readonly secure: boolean,
  ) {
    this.renew();
  }

  /** Seconds until a code is taken again; 0 when one is taken now. A clock that is set back ends the pause. */
  pauseSeconds(): number {
    if (this.spentAt === undefined) return 0;
    const gone = this.clock.now().getTime() - this.spentAt;
    return gone < 0 ? 0 : Math.max(0, Math.ceil((PAUSE_MS - gone) / 1000));
  }

  /**
   * Takes a code from the page; true sets the cookie. A used code, or one tried ten times wrongly, is replaced, and after
   * ten wrong tries no code is right, not even the new one, before the pause is over.
   */
  enter(context: Context, code: string): boolean {
    if (this.pauseSeconds() > 0) return false;
    const right = timingSafeEqual(digest(code.replace(/[-\s]/g, '').toLowerCase()), digest(this.code));
    this.triesLeft -= 1;
    if (!right && this.triesLeft <= 0) this.spentAt = this.clock.now().getTime();
    if (right || this.triesLeft <= 0) this.renew();
    if (!right) return false;
    const token = this.ids.hex(32);
    if (this.sessions.size >= MAX_BROWSERS) this.sessions.delete([...this.sessions.keys()][0] ?? '');
    this.sessions.set(digest(token).toString('hex'), this.clock.now().getTime() + LIFETIME_MS);
    setCookie(context, this.cookieName(context), token, {
      path: '/',
      httpOnly: true,
      sameSite: 'Strict',
      secure: this.secure,
      maxAge: LIFETIME_MS / 1000,
    });
    return true;
  }

  /** Whether the request's cookie came from an entered code. */
  holds(context: Context): boolean {
    const token = getCookie(context, this.cookieName(context));
    if (token === undefined) return false;
    const until = this.sessions.get(digest(token).toString('hex'));
    return until !== undefined && until > this.clock.now().getTime();
  }

  /** Cookies ignore ports, so on HTTP the name carries the port; on HTTPS the prefix binds it to this host. */
  private cookieName(context: Context): string {
    if (this.secure) return '__Host-castellan-confirm';
    return `castellan-confirm-${new URL(context.req.url).port || '80'}`;
  }

  private renew(): void {
    this.code = Array.from(this.ids.bytes(10), (byte) => ALPHABET[byte % ALPHABET.length]).join('');
    this.triesLeft = TRIES;
    this.announce(`${this.code.slice(0, 5)}-${this.code.slice(5)}`);
  }
}
