import { paceRules } from './constants.js'
import type { ShareGrant, ShareReport } from './shared-limit.js'

/** The part of a shared limit that this process may use. Times are milliseconds of any monotonic clock. */
export class LimitShare {
  #grant: ShareGrant = { members: 1 }
  #grantedAt = 0
  #reportedAt: number | undefined
  #accepted = 0
  #isHungry = false
  #isExceeded = false
  #nextAt = 0

  /** True if other processes share the limit. */
  get isShared(): boolean {
    return this.#grant.members > 1
  }

  get members(): number {
    return this.#grant.members
  }

  /** The requests per second that this process may send. Undefined if no limit is known. */
  get rate(): number | undefined {
    return this.#grant.rate
  }

  opensAt(now: number): number {
    return this.#grant.rate === undefined ? now : this.#nextAt
  }

  sent(now: number): void {
    const { rate } = this.#grant
    if (rate !== undefined) this.#nextAt = Math.max(this.#nextAt, now - paceRules.catchUpMs) + 1_000 / rate
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

  /** Takes what is to be told to the others. */
  takeReport(now: number): Omit<ShareReport, 'member'> {
    const seconds = Math.max(100, now - (this.#reportedAt ?? now)) / 1_000
    const report = {
      accepted: this.#reportedAt === undefined ? 0 : this.#accepted / seconds,
      isHungry: this.#isHungry || this.#grant.rate === undefined,
      isExceeded: this.#isExceeded,
    }
    this.#reportedAt = now
    this.#accepted = 0
    this.#isHungry = false
    this.#isExceeded = false
    return report
  }

  grant(now: number, grant: ShareGrant): void {
    if (grant.rate !== this.#grant.rate) {
      this.#grantedAt = now
      // Processes that begin at the same time must not send at the same instants.
      if (grant.rate !== undefined) this.#nextAt = Math.min(Math.max(this.#nextAt, now), now + 1_000 / grant.rate)
    }
    this.#grant = grant
  }
}
