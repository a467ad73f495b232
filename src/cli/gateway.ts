/** The owner gateway in this process: the lifecycle and the proposals part behind the one interface. */
import type { Backends } from '../commands/backends/index.js';
import type { OwnerGateway } from '../commands/gateway.js';
import type { Lifecycle } from '../commands/lifecycle/index.js';
import type { Proposals } from '../commands/proposals/index.js';
import type { Store } from '../commands/store.js';

export function createGateway(
  store: Store,
  lifecycle: Lifecycle,
  proposals: Proposals,
  backends: Backends,
): OwnerGateway {
  const { propose, proposal, confirm, cancel, reconcile, resolve, unresolved, resources, createResource } = proposals;
  return {
    dispatch: async (caller, request, options = {}) => {
      const { action } = request.value;
      if (action === 'read') return proposals.read(caller, request, options.signal);
      if (action === 'act') return proposals.act(caller, request, options.signal);
      return lifecycle.dispatch(caller, request, options);
    },
    operationStatus: (caller, operationId) => lifecycle.operationStatus(caller, operationId),
    apps: (caller) => lifecycle.apps(caller),
    icon: (caller, addonId, generation) => lifecycle.icon(caller, addonId, generation),
    startApp: (caller, addonId, body) => lifecycle.startApp(caller, addonId, body),
    addonLog: (caller, addonId) => lifecycle.addonLog(caller, addonId),
    addonLimits: (caller, addonId) => lifecycle.addonLimits(caller, addonId),
    limitAddon: (caller, addonId, limits) => lifecycle.limitAddon(caller, addonId, limits),
    toolProviders: (caller) => lifecycle.providers.view(caller),
    chooseProviders: (caller, change) => lifecycle.providers.change(caller, change),
    executionStatus: (caller) => lifecycle.providers.execution(caller),
    stopApp: (caller, addonId, body) => lifecycle.stopApp(caller, addonId, body),
    propose,
    proposal,
    proposals: proposals.proposals,
    confirm,
    cancel,
    reconcile,
    resolve,
    unresolved,
    resources,
    createResource,
    sources: (caller) => lifecycle.administration.sources(caller),
    addSource: (caller, source) => lifecycle.administration.add(caller, source),
    switchSource: (caller, id, to) => lifecycle.administration.switch(caller, id, to),
    removeSource: (caller, id) => lifecycle.administration.remove(caller, id),
    installBackend: (caller, request) => backends.install(caller, request),
    backendJob: (caller, id) => backends.job(caller, id),
    backendUpdates: (caller) => backends.updates(caller),
    settings: (caller) => lifecycle.administration.settings(caller),
    changeSettings: (caller, change) => lifecycle.administration.change(caller, change),
    subscribe: (caller, listener) => {
      const stopApps = lifecycle.onChange(() => listener('apps'));
      const stopProposals = proposals.onChange((kind, userId) => {
        if (userId === undefined || userId === caller.actor.userId) listener(kind);
      });
      return () => {
        stopApps();
        stopProposals();
      };
    },
    notReady: () =>
      store.journal.fenced() === undefined
        ? undefined
        : {
            code: 'fenced',
            message:
              'The journal stopped taking events after a storage fault. Reads go on; an operator must restart the server.',
          },
  };
}
