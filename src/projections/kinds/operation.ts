/** The streams `operation-<id>`. A settled operation leaves memory; a repeat of its id is answered from its stream. */
import {
  type Operation,
  type OperationCommand,
  type OperationEvent,
  operation,
  settled,
} from '../../aggregates/operation.js';
import type { StreamKind } from '../owner-state.js';

export const operationKind: StreamKind<Operation, OperationCommand, OperationEvent> = {
  name: 'operation',
  decider: operation,
  gone: settled,
};
