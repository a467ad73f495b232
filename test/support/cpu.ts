/** Processor time of this process: unlike the clock, it does not grow when the machine is busy with something else. */
export function cpuMs(work: () => unknown): number {
  const before = process.cpuUsage();
  work();
  const { user, system } = process.cpuUsage(before);
  return (user + system) / 1_000;
}
