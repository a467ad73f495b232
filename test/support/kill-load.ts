/** Concurrent clients that propose, confirm, cancel and read until the server dies, and remember what they were told. */
import { AMOUNT, call, Gone, type ProposalView } from './main-job.js';
import { clientOf } from './server.js';

/** What a client was told of one proposal, and what it had asked for. */
export interface Told {
  asked: 'propose' | 'confirm' | 'cancel';
  answered: 'nothing' | 'pending' | 'applied' | 'cancelled';
  digest: string;
}

export class KillLoad {
  readonly told = new Map<string, Told>();
  /** Answers that no client may get, however the server ends. */
  readonly wrong: string[] = [];
  private next = 1;
  /** Answers until `onEnough` is called; a slow machine is so given as much to do as a fast one. */
  private left = Number.POSITIVE_INFINITY;
  private onEnough = () => {};

  constructor(
    private readonly resourceIds: readonly string[],
    private readonly random: () => number,
  ) {}

  /** Calls `act` once, when the clients got so many more answers. */
  after(answers: number, act: () => void): void {
    [this.left, this.onEnough] = [answers, act];
  }

  private async answered<T>(reply: Promise<T>): Promise<T> {
    const answer = await reply;
    this.left -= 1;
    if (this.left < 0) {
      this.left = Number.POSITIVE_INFINITY;
      this.onEnough();
    }
    return answer;
  }

  /** Runs one client for each resource until every connection is cut. */
  async run(address: string): Promise<void> {
    await Promise.all(this.resourceIds.map((resourceId) => this.client(address, resourceId)));
  }

  private async client(address: string, resourceId: string): Promise<void> {
    const client = clientOf(address);
    try {
      for (;;) {
        await this.change(client, resourceId);
        const seen = await this.answered(call(client.get('/api/addons/proposals?state=all&limit=5')));
        if (seen.status !== 200) this.wrong.push(JSON.stringify(seen.body));
      }
    } catch (error) {
      if (!(error instanceof Gone)) throw error;
    }
  }

  /** One proposal from its first call to its last. */
  private async change(client: ReturnType<typeof clientOf>, resourceId: string): Promise<void> {
    const id = `p-${this.next++}`;
    const told: Told = { asked: 'propose', answered: 'nothing', digest: '' };
    this.told.set(id, told);
    const change = { action: 'write', arguments: { tool: 'add', amount: AMOUNT } };
    const body = { addonId: 'counter', resourceId, operationId: id, generation: 1, ...change };
    const stored = await this.answered(call(client.post<ProposalView>('/api/addons/proposals', body)));
    if (stored.status !== 201) return this.refused(stored.status, stored.body);
    [told.answered, told.digest] = ['pending', stored.body.digest];
    const way = this.random();
    if (way < 0.1) return;
    const confirms = way < 0.8;
    told.asked = confirms ? 'confirm' : 'cancel';
    const path = `/api/addons/proposals/${id}/${told.asked}`;
    const asking = confirms
      ? client.own<ProposalView>(path, id, { digest: told.digest })
      : client.post<ProposalView>(path, {});
    const done = await this.answered(call(asking));
    if (done.status !== 200) return this.refused(done.status, done.body);
    told.answered = done.body.state as 'applied' | 'cancelled';
  }

  /**
   * The add-on may still be starting, its places may be taken (the lookups of the owner take some too), and its resource may
   * be held by a change that is looked up; nothing else may refuse.
   */
  private async refused(status: number, body: object): Promise<void> {
    const text = JSON.stringify(body);
    if (
      !/"type":"(proposal_unavailable|outcome_unknown|outcome_blocked|quota_reached|stale|busy)"|"unavailable"/.test(
        text,
      )
    )
      this.wrong.push(`${status} ${text}`);
    await new Promise((resume) => setTimeout(resume, 20));
  }
}
