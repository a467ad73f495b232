/** Turns an add-on on from a place that needs it; drawn only for those who may (12:333-334). */
import type { AppEntry } from '../../../src/contract/api.ts';
import { startOperation, useOperation } from '../api/operations.ts';
import { Icon } from '../parts/icons.tsx';
import { titleOf } from './names.ts';

export function TurnOn({ app }: { readonly app: AppEntry }) {
  const operation = useOperation(app.id);
  if (app.admin === undefined) return null;
  const { id: addonId, generation } = app;
  const title = titleOf(app);
  const held = operation !== undefined && operation.phase !== 'failed';
  return (
    <button
      type="button"
      className="btn btn-small"
      aria-disabled={held}
      onClick={() => startOperation({ addonId, title, action: 'enable', generation })}
    >
      <Icon name="play" size={16} />
      <span>
        Turn on <span className="visually-hidden">{title}</span>
      </span>
    </button>
  );
}
