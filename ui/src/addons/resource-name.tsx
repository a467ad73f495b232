/** The name of a resource. Only the add-on knows it; while it does not run, the server has the id alone. */
import type { AppEntry } from '../../../src/contract/api.ts';
import { Foreign } from '../text/foreign.tsx';
import { humanise } from '../text/format.ts';
import { nounOf } from './names.ts';

interface Props {
  readonly app: AppEntry;
  readonly resourceId: string;
  readonly name: string | undefined;
}

const SHORT_ID = 10;
const shortId = (id: string): string => (id.length <= SHORT_ID + 1 ? id : `${id.slice(0, SHORT_ID)}…`);

export function ResourceName({ app, resourceId, name }: Props) {
  if (name !== undefined && name !== '' && name !== resourceId) return <Foreign text={name} max={120} />;
  return (
    <>
      <Foreign text={humanise(nounOf(app))} max={40} />{' '}
      <code>
        <Foreign text={shortId(resourceId)} max={12} />
      </code>
    </>
  );
}
