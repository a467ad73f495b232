/** The names behind a proposal's ids, from the lists the host itself gives. */
import type { ProposalView } from '../../../src/contract/api.ts';
import { titleOf } from '../addons/names.ts';
import { apps, resourcesOf } from '../api/lists.ts';
import { useQuery } from '../api/query.ts';

export function useAddonTitle(addonId: string): string {
  const app = useQuery(apps).data?.find(({ id }) => id === addonId);
  return app === undefined ? addonId : titleOf(app);
}

export function useResourceName({ addonId, resourceId }: ProposalView): string | undefined {
  return useQuery(resourcesOf(addonId)).data?.find((entry) => entry.resourceId === resourceId)?.name;
}
