import { Wake } from '../../base/time/wake.js'
import type { StageEvent } from '../../cache/events.js'
import type { Failure, Run } from '../../cache/records.js'
import type { LeaseQuery, LeaseResult, StoredAnswer } from '../../cache/store.js'
import { addRun, MemoryStore } from './memory-store.js'
import { testAsked, testProvenance } from './store.js'

/** A store in memory with one run, whose requests are numbered in the order of their creation. */
export class InferStore extends MemoryStore {
  readonly run: Run
  isFinished = true
  /** Maximum number of leases held at the same time. */
  mostLeased = 0

  constructor() {
    super()
    this.run = addRun(this.data, testAsked(), testProvenance).run
    this.data.admit('elsewhere', 7)
    const lease = this.requests.lease.bind(this.requests)
    this.requests.lease = (run: Run, query: LeaseQuery): Promise<LeaseResult> =>
      lease(run, query).finally(() => {
        const held = [...this.data.leases.values()].filter(({ owner }) => owner === this.owner)
        this.mostLeased = Math.max(this.mostLeased, held.length)
      })
  }

  get responses(): ReadonlyMap<number, StoredAnswer> {
    return this.data.responses
  }

  /** The last failure of each request. */
  get failures(): ReadonlyMap<number, Failure> {
    return new Map(this.data.failures.map(({ request, failure }) => [request ?? 0, failure]))
  }

  get leased(): ReadonlyMap<number, unknown> {
    return this.data.leases
  }

  add(...texts: readonly string[]): void {
    const first = this.data.run(this.run).items.length
    const docs = texts.map((text, at) => ({
      index: first + at,
      id: String(first + at + 1),
      record: { target: null, doc: {} },
      requests: [
        {
          choice: 0,
          sample: 0,
          input: {
            type: 'generate_until' as const,
            messages: [{ role: 'user' as const, content: [{ type: 'text' as const, text }] }],
          },
          generation: { max_new_tokens: 16 },
        },
      ],
    }))
    this.data.addDocs(this.run, { task: 0, docs, finished: false })
  }

  /** Changes the store as another process would, with a notification to this one. */
  changeFromOutside(change: () => void): void {
    change()
    this.data.commits += 1
  }

  /** Gives the leases of requests to another process. */
  leaseElsewhere(...requests: readonly number[]): void {
    for (const request of requests) this.data.leases.set(request, { owner: 'elsewhere', token: 0 })
  }

  releaseElsewhere(): void {
    for (const [request, { owner }] of this.data.leases) if (owner === 'elsewhere') this.data.leases.delete(request)
  }
}

/** Makes all signals and events of a call of `inferRun`, for a test to control. */
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
