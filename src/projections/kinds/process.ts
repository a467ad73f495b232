/** The streams `process-<addonId>`; the last launch stays in memory, one for each add-on. */
import { type ProcessCommand, type ProcessEvent, type ProcessState, processDecider } from '../../aggregates/process.js';
import type { StreamKind } from '../owner-state.js';

export const processKind: StreamKind<ProcessState, ProcessCommand, ProcessEvent> = {
  name: 'process',
  decider: processDecider,
};
