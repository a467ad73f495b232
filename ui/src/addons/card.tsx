/** One card of My add-ons. A click anywhere opens the details, never the add-on's own page (12:309-311). */
import type { AppEntry } from '../../../src/contract/api.ts';
import { useOperation } from '../api/operations.ts';
import { Link, navigate } from '../app/router.tsx';
import { Icon } from '../parts/icons.tsx';
import { Menu } from '../parts/menu.tsx';
import { Foreign } from '../text/foreign.tsx';
import { plural } from '../text/format.ts';
import { detailAddress } from './address.ts';
import { descriptionOf, iconOf, titleOf } from './names.ts';
import { OperationNote } from './operation-note.tsx';
import { StateChip } from './state-chip.tsx';
import { Tile } from './tile.tsx';

interface Props {
  readonly app: AppEntry;
  readonly selected: boolean;
  readonly onRemove: () => void;
}

export function Card({ app, selected, onRemove }: Props) {
  const operation = useOperation(app.id);
  const title = titleOf(app);
  const items = [
    { label: 'Details', act: () => navigate(detailAddress(app.id)) },
    ...(app.admin === undefined
      ? []
      : [{ label: 'Remove…', danger: true, disabled: operation !== undefined, act: onRemove }]),
  ];
  return (
    <li className={selected ? 'card card-selected' : 'card'} data-addon={app.id}>
      <div className="card-head">
        <Tile title={title} src={iconOf(app)} />
        <div className="card-name">
          <h2>
            <Link
              href={detailAddress(app.id)}
              className="card-link"
              id={`card-${app.id}`}
              aria-current={selected || undefined}
            >
              <Foreign text={title} max={80} />
            </Link>
          </h2>
          <StateChip app={app} operation={operation} />
        </div>
        <Menu label={`More for ${title}`} items={items} />
      </div>
      <p className="card-text">
        <Foreign text={descriptionOf(app) || 'No description.'} max={240} />
      </p>
      <div className="card-foot">
        {app.mainPage !== undefined && <span>Adds a page</span>}
        {app.toolCount > 0 && <span>{plural(app.toolCount, 'chat tool')}</span>}
        <UpdateMark app={app} />
        {app.state === 'running' && app.mainPage !== undefined && (
          <a className="card-open" href={app.mainPage}>
            Open <Icon name="link" size={14} />
          </a>
        )}
      </div>
      {operation !== undefined && operation.phase !== 'working' && <OperationNote operation={operation} />}
    </li>
  );
}

function UpdateMark({ app }: { readonly app: AppEntry & { readonly update?: string } }) {
  return app.update === 'update-pending' ? <span className="chip chip-accent">Update pending</span> : null;
}
