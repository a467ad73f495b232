/** The choice of providers as a body and as a payload. */
import { closed, t } from './fp.js';
import { id } from './identifiers.js';

const choice = t.union([id, t.null]);

const choices = closed(
  'choices',
  {},
  { bash: choice, web_search: choice, web_fetch: choice, xlsx: choice, docx: choice, pptx: choice, pdf: choice },
);

const revision = t.refinement(t.number, (value) => Number.isSafeInteger(value) && value >= 0, 'a revision from 0');

/** The body of the PUT. */
export const providersBody = closed('tool providers', { operationId: id, revision, choices });

export const policyPayload = closed('HostPolicyChanged', { revision }, { chats_tool_providers: choices });
