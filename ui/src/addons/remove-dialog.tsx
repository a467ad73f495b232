/** Asks before an add-on is removed, and says what is kept (12, "Installed view"). */
import type { AppEntry } from '../../../src/contract/api.ts';
import { pending } from '../api/lists.ts';
import { startOperation } from '../api/operations.ts';
import { useQuery } from '../api/query.ts';
import { Dialog } from '../parts/dialog.tsx';
import { Foreign } from '../text/foreign.tsx';
import { titleOf } from './names.ts';

export function RemoveDialog({ app, onClose }: { readonly app: AppEntry; readonly onClose: () => void }) {
  const title = titleOf(app);
  const waiting = useQuery(pending).data?.proposals.filter(({ addonId }) => addonId === app.id).length ?? 0;
  const remove = () => {
    startOperation({ addonId: app.id, title, action: 'uninstall', generation: app.generation });
    onClose();
  };
  return (
    <Dialog title="Remove this add-on?" submit="Remove" danger onSubmit={remove} onClose={onClose}>
      <p>
        <strong>
          <Foreign text={title} max={80} />
        </strong>{' '}
        is turned off and its package is taken out of use.
      </p>
      {waiting > 0 && (
        <p>
          {waiting === 1 ? 'A change that waits' : `${waiting} changes that wait`} for you can then no longer be
          confirmed.
        </p>
      )}
      <p>Its data, its identity and who it is shared with are kept. Installing it again picks them up.</p>
    </Dialog>
  );
}
