/** Who acts: a person (or the local owner), through which credential, in which ownership mode (05:243-250). */
export type OwnershipMode = 'named-user' | 'local-owner';

export interface Actor {
  readonly userId: string;
  readonly credentialId: string;
  readonly mode: OwnershipMode;
}

/** How a request came in; shown to the person who decides (wire.md, proposal view). */
export interface Via {
  readonly kind: 'session' | 'key' | 'mcp' | 'chat' | 'local';
  readonly name?: string;
}

/** The one synthetic principal of local-owner mode (09, "Explicit local-owner mode"). */
export const LOCAL_OWNER: Actor = { userId: 'local-owner', credentialId: 'local-owner', mode: 'local-owner' };
