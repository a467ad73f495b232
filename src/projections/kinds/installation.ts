/** The streams `installation-<addonId>`. */
import {
  type Installation,
  type InstallationCommand,
  type InstallationEvent,
  installation,
} from '../../aggregates/installation.js';
import type { StreamKind } from '../owner-state.js';

export const installationKind: StreamKind<Installation, InstallationCommand, InstallationEvent> = {
  name: 'installation',
  decider: installation,
};
