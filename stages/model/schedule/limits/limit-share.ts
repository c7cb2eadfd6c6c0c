import { paceRules } from './constants.js'
import type { ShareGrant, ShareReport } from './shared-limit.js'

/** The part of a shared limit that this process may use. Times are milliseconds of any monotonic clock. */
export class LimitShare {
  /** Undefined until the others are known. */
  #grant: ShareGrant | undefined
  #grantedAt = 0
  #reportedAt: number | undefined
  #accepted = 0
  #isHungry = false
  #isExceeded = false
  #nextAt = 0

  /** True if other processes share the limit. */
  get isShared(): boolean {
    return this.members > 1
  }

  get members(): number {
    return this.#grant?.members ?? 1
  }

  /** The number of processes that search for the limit together. Each of them starts with a part of the slots, so that there is no burst of all. */
  get searching(): number {
    return this.rate === undefined ? this.members : 1
  }

  /** True until the first grant. Nothing is sent before, because others may use the whole limit. */
  get isAwaited(): boolean {
    return this.#grant === undefined
  }

  /** The requests per second that this process may send. Undefined if no limit is known. */
  get rate(): number | undefined {
    return this.#grant?.rate
  }

  opensAt(now: number): number {
    return this.rate === undefined ? now : this.#nextAt
  }

  sent(now: number): void {
    const { rate } = this
    if (rate === undefined) return
    const gapMs = 1_000 / rate
    // A process with a small part would lose much of it to each timer that is late. One request more at a time is no burst.
    this.#nextAt = Math.max(this.#nextAt, now - Math.max(paceRules.catchUpMs, gapMs)) + gapMs
  }

  /** Notes that a request waits because of the rate. */
  heldBack(): void {
    this.#isHungry = true
  }

  accepted(): void {
    this.#accepted += 1
  }

  /** Notes that the server limited the rate of a request. */
  exceeded(sentAt: number): void {
    if (sentAt >= this.#grantedAt) this.#isExceeded = true
  }

  /** Notes that nothing is sent until a time. The others may wait until the same one, and must not all send then. */
  pause(until: number): void {
    const { rate, phase } = this.#grant ?? { phase: 0 }
    if (rate !== undefined) this.#nextAt = Math.max(this.#nextAt, until + (1_000 * phase) / rate)
  }

  /** Takes what is to be told to the others. */
  takeReport(now: number): Omit<ShareReport, 'member'> {
    const seconds = Math.max(100, now - (this.#reportedAt ?? now)) / 1_000
    const report = {
      accepted: this.#reportedAt === undefined ? 0 : this.#accepted / seconds,
      isHungry: this.#isHungry || this.rate === undefined,
      isExceeded: this.#isExceeded,
    }
    this.#reportedAt = now
    this.#accepted = 0
    this.#isHungry = false
    this.#isExceeded = false
    return report
  }

  grant(now: number, grant: ShareGrant): void {
    if (grant.rate !== this.rate) {
      this.#grantedAt = now
      if (grant.rate !== undefined)
        this.#nextAt =
          this.rate === undefined
            ? now + (1_000 * grant.phase) / grant.rate
            : Math.min(Math.max(this.#nextAt, now), now + 1_000 / grant.rate)
    }
    this.#grant = grant
  }

  /** Forgets the grant, because this process left. Its part is given to others. */
  leave(): void {
    this.#grant = undefined
  }
}
