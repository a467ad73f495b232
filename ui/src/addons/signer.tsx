/** Who signed an add-on, or who must have: the exact name the signature is checked for, and who vouches for it. */
import { Foreign } from '../text/foreign.tsx';

export function Signer({ identity, issuer }: { readonly identity: string; readonly issuer: string }) {
  return (
    <>
      <code>
        <Foreign text={identity} max={400} />
      </code>
      , vouched for by{' '}
      <code>
        <Foreign text={issuer} max={200} />
      </code>
    </>
  );
}
