import { Wake } from '../../base/wake.js'
import type { StageEvent } from '../../cache/events.js'
import type { Failure, GenerationKwargs, Input, ResponseBody, ResponseMeta, Run } from '../../cache/records.js'
import type { AskingStore, Lease, LeaseQuery, LeaseResult } from '../../cache/store.js'
import type { ResponseKey, RunKey } from '../../cache/digest.js'

export interface StoredResponse {
  readonly body: ResponseBody
  readonly meta: ResponseMeta
}

/** The part of a store that the scheduler uses, in memory: one item a request. */
export class MemoryStore implements AskingStore {
  readonly requests: AskingStore['requests'] = {
    lease: (run, query) => this.lease(run, query),
    holds: lease => this.holds(lease),
    commitResponse: (lease, body, meta, kept) => this.commitResponse(lease, body, meta, kept),
    commitFailure: (lease, failure) => this.commitFailure(lease, failure),
    release: leases => this.release(leases),
  }
  readonly responses = new Map<number, StoredResponse>()
  readonly failures = new Map<number, Failure>()
  readonly leased = new Map<number, 'here' | 'elsewhere'>()
  /** The most leases that were ever held at once. */
  mostLeased = 0
  isFinished = true
  /** For how long the process elsewhere was not heard of. */
  silentMs = 0
  /** An answer is durable when this resolves. */
  disk: Promise<void> = Promise.resolve()
  #items: { input: Input; generation: GenerationKwargs }[] = []
  #version = 0

  add(...texts: readonly string[]): void {
    for (const text of texts) {
      const content = [{ type: 'text', text }] as const
      this.#items.push({
        input: { type: 'generate_until', messages: [{ role: 'user', content }] },
        generation: { max_new_tokens: 16 },
      })
    }
  }

  /** As another process would. */
  changeFromOutside(change: () => void): void {
    change()
    this.#version += 1
  }

  lease(_run: Run, { after, limit }: LeaseQuery): Promise<LeaseResult> {
    const leases: Lease[] = []
    let elsewhere = 0
    let next = after
    while (next < this.#items.length && next - after < limit) {
      const request = ++next
      if (this.responses.has(request) || this.failures.has(request)) continue
      const holder = this.leased.get(request)
      if (holder === 'elsewhere') elsewhere += 1
      if (holder !== undefined) continue
      this.leased.set(request, 'here')
      leases.push(this.#leaseOf(request))
    }
    const holder = { host: 'here', pid: 7, isHere: true, items: elsewhere, silentMs: this.silentMs }
    this.mostLeased = Math.max(this.mostLeased, [...this.leased.values()].filter(who => who === 'here').length)
    return Promise.resolve({
      leases,
      next,
      exhausted: next >= this.#items.length,
      elsewhere,
      holders: elsewhere > 0 ? [holder] : [],
    })
  }

  #leaseOf(request: number): Lease {
    const item = this.#items[request - 1]!
    const key = `sha256:${String(request)}` as ResponseKey
    return {
      request,
      token: request,
      key,
      ...item,
      sample: 0,
      item: { run: 1, id: request, task: 't', doc: String(request) },
    }
  }

  async commitResponse(lease: Lease, body: ResponseBody, meta: ResponseMeta, kept?: () => void): Promise<boolean> {
    const isFirst = !this.responses.has(lease.request)
    if (isFirst) this.responses.set(lease.request, { body, meta })
    this.leased.delete(lease.request)
    kept?.()
    await this.disk
    return isFirst
  }

  commitFailure(lease: Lease, failure: Failure): Promise<void> {
    this.failures.set(lease.request, failure)
    this.leased.delete(lease.request)
    return Promise.resolve()
  }

  release(leases: readonly Lease[]): Promise<void> {
    for (const { request } of leases) this.leased.delete(request)
    return Promise.resolve()
  }

  holds({ request }: Lease): boolean {
    return this.leased.get(request) === 'here'
  }

  dataVersion(): number {
    return this.#version
  }
}

/** A run that nothing is known of but that it is one. */
export const someRun: Run = {
  ref: 1,
  id: 'sha256:0' as RunKey,
  name: 'brave-otter-0000',
  asked: {
    tasks: [],
    model: { backend: 'test', args: {} },
    code: 'sha256:0' as Run['asked']['code'],
    selection: {},
  },
  provenance: { version: '0', node: process.version, config: {}, scoring: {} },
  createdAt: 0,
}

/** Everything that a call of `inferRun` is told or tells, for a test to hold. */
export const controls = () => {
  const events: StageEvent[] = []
  return {
    wake: new Wake(),
    answered: new Wake(),
    drain: new AbortController(),
    stop: new AbortController(),
    events,
    emit: (event: StageEvent) => void events.push(event),
  }
}
