/** Who asks and from where. Every name in it was chosen by the other side, and is drawn that way. */
import type { ProposalView } from '../../../src/contract/api.ts';
import { Foreign } from '../text/foreign.tsx';
import { ago, humanise, when } from '../text/format.ts';
import { personOf, wayOf } from './words.ts';

export function Asker({ view, addon }: { readonly view: ProposalView; readonly addon: string }) {
  const way = wayOf(view.via);
  return (
    <dl className="asker">
      <div>
        <dt>Asked by</dt>
        <dd>
          <strong>
            <Foreign text={personOf(view.proposer.userId, view.proposer.displayName)} max={80} />
          </strong>
          , through {way.words}
          {way.name !== undefined && (
            <>
              {' '}
              “<Foreign text={way.name} max={80} />”
            </>
          )}
          ,{' '}
          <time dateTime={view.createdAt} title={when(view.createdAt)}>
            {ago(view.createdAt)}
          </time>
        </dd>
      </div>
      <div>
        <dt>Done by</dt>
        <dd>
          <strong>
            <Foreign text={addon} max={80} />
          </strong>
          {addon !== view.addonId && (
            <>
              {' '}
              <code className="tool-name">
                <Foreign text={view.addonId} max={80} />
              </code>
            </>
          )}
          , with its tool “<Foreign text={humanise(view.tool)} max={80} />”{' '}
          <code className="tool-name">
            <Foreign text={view.tool} max={80} />
          </code>
        </dd>
      </div>
    </dl>
  );
}
