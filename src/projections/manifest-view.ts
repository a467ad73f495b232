/**
 * A manifest as the journal holds it, read back. It was parsed strictly before its package was published, and what
 * was admitted then stays readable, so this reader trusts its shape and fills in what is optional.
 */
import type { JsonObject } from '../contract/json.js';
import type { Capabilities, Manifest } from '../contract/manifest-types.js';

/** The manifest behind the text of a `PackagePublished` event. */
export function manifestOf(text: string): Manifest {
  const raw = JSON.parse(text) as JsonObject;
  const declared = (raw.capabilities ?? {}) as unknown as Partial<Capabilities>;
  const capabilities: Capabilities = {
    ...declared,
    service: declared.service ?? false,
    tools: declared.tools ?? [],
    toolDefinitions: declared.toolDefinitions ?? [],
    adminTools: declared.adminTools ?? [],
    undo: declared.undo ?? false,
    actions: (declared.toolDefinitions ?? []).some((tool) => tool.kind === 'action'),
  };
  return { ...(raw as unknown as Omit<Manifest, 'raw' | 'capabilities'>), capabilities, raw };
}
