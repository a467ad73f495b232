/** The state of an add-on as a person says it: On, Off, or what the host observed (12:302-305). */
import type { AppEntry } from '../../../src/contract/api.ts';
import { doing, type Operation } from '../api/operations.ts';
import { Chip } from '../parts/chip.tsx';

export function StateChip({ app, operation }: { app: AppEntry; operation: Operation | undefined }) {
  if (operation?.phase === 'working') {
    return (
      <Chip tone="accent" icon="refresh">
        {`${doing(operation.action)}…`}
      </Chip>
    );
  }
  if (app.state === 'failed') {
    return (
      <Chip tone="bad" icon="warn">
        Failed
      </Chip>
    );
  }
  if (!app.enabled) {
    return (
      <Chip tone="quiet" icon="pause">
        Off
      </Chip>
    );
  }
  if (app.state === 'running') {
    return (
      <Chip tone="good" icon="check">
        On
      </Chip>
    );
  }
  return app.state === 'starting' ? (
    <Chip tone="warn" icon="clock">
      Starting
    </Chip>
  ) : (
    <Chip tone="warn" icon="pause">
      Stopped
    </Chip>
  );
}
