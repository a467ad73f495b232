/** The client of Sigstore's update framework, in a module of its own so that only a server that needs the public keys loads it. */
export { getTrustedRoot } from '@sigstore/tuf';
