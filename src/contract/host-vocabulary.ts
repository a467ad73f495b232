/**
 * Every host operation there is. What is not listed is unknown, whatever is asked for or granted (02:283-297; 07:143-147,
 * 07:185-187). Admission asks this list and not what is wired, since services are wired while the owner starts (07:174-176).
 */
export const HOST_OPERATIONS: ReadonlySet<string> = new Set([
  'connector.inbound',
  'egress.audit',
  'egress.check',
  'finetune.checkpoints',
  'finetune.dataset',
  'finetune.export',
  'finetune.get',
  'finetune.list',
  'finetune.start',
  'finetune.stop',
  'quantize.get',
  'quantize.import',
  'quantize.list',
  'quantize.start',
  'quantize.stop',
  'workspace.admin',
  'workspace.changes',
  'workspace.commit',
  'workspace.export',
  'workspace.import',
  'workspace.materialize',
]);
