/** How far running operations are, in memory only; nothing durable follows from it (09, "Public API"). */
import type { Progress } from '../ports.js';

export class ProgressBoard {
  private readonly entries = new Map<string, Progress>();

  set(operationId: string, progress: Progress): void {
    this.entries.set(operationId, progress);
  }

  get(operationId: string): Progress | undefined {
    return this.entries.get(operationId);
  }

  clear(operationId: string): void {
    this.entries.delete(operationId);
  }
}
