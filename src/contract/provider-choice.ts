/** Which add-on serves a built-in tool or a document skill that several can (09:108-122; 05:130-135). Pure. */

export interface Candidate {
  readonly addonId: string;
  /** RFC 3339; absent for an add-on from before the time was kept. */
  readonly installedAt?: string;
  /** Whether it can serve this chat now: running, on, granted. */
  readonly canServe: boolean;
}

/** `chats_tool_providers`: from the tool or skill to the add-on an administrator chose. */
export type ProviderChoices = Readonly<Record<string, string>>;

/** Installed first comes first; an unknown time comes last; equal times go by add-on id. */
export function byInstallation(a: Candidate, b: Candidate): number {
  const [left, right] = [a.installedAt, b.installedAt].map((at) =>
    at === undefined ? Number.POSITIVE_INFINITY : Date.parse(at),
  );
  if (left !== right && left !== undefined && right !== undefined) return left < right ? -1 : 1;
  return a.addonId < b.addonId ? -1 : 1;
}

/**
 * The add-on that replaces a built-in tool, or undefined when the built-in serves. A chosen add-on that cannot serve
 * gives the built-in and no other; a choice of one that is not installed is ignored.
 */
export function toolProvider(
  tool: string,
  candidates: readonly Candidate[],
  choices: ProviderChoices,
): string | undefined {
  const chosen = candidates.find(({ addonId }) => Object.hasOwn(choices, tool) && addonId === choices[tool]);
  if (chosen !== undefined) return chosen.canServe ? chosen.addonId : undefined;
  return firstInstalled(candidates);
}

/**
 * The provider of a document skill, or undefined. Unlike a tool, a pin holds even when its add-on is gone: nobody else
 * serves in silence, and no built-in procedure comes back (05:131-135).
 */
export function skillProvider(
  skill: string,
  candidates: readonly Candidate[],
  choices: ProviderChoices,
): string | undefined {
  if (!Object.hasOwn(choices, skill)) return firstInstalled(candidates);
  return candidates.find(({ addonId, canServe }) => canServe && addonId === choices[skill])?.addonId;
}

const firstInstalled = (candidates: readonly Candidate[]): string | undefined =>
  candidates.filter(({ canServe }) => canServe).sort(byInstallation)[0]?.addonId;
