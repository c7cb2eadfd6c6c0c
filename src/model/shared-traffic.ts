import { randomUUID } from 'node:crypto'
import { pause } from '../../base/time/pause.js'
import type { Clock } from '../../base/time/clock.js'
import type { Json } from '../../base/values/canonical-json.js'
import type { Store } from '../../cache/store.js'
import type { AdaptiveLimiter } from '../../stages/model/schedule/limits/adaptive-limiter.js'
import { sharedRules } from '../../stages/model/schedule/limits/constants.js'
import type { LimitShare } from '../../stages/model/schedule/limits/limit-share.js'
import {
  shareLimit,
  type ShareGrant,
  type SharedLimit,
  type ShareReport,
} from '../../stages/model/schedule/limits/shared-limit.js'

interface SharedTraffic {
  readonly limiter: AdaptiveLimiter
  readonly share: LimitShare
  readonly store: Pick<Store, 'values'>
  /** The name of the value that all processes change. */
  readonly name: string
  readonly clock: Clock
}

/** Shares a limiter's rate with other processes on the store, while `use` reports that the limiter is in use. */
export function shareTraffic(traffic: SharedTraffic): (isUsed: boolean) => void {
  const member = randomUUID()
  let end: AbortController | undefined
  return isUsed => {
    end?.abort()
    traffic.share.leave()
    end = isUsed ? new AbortController() : undefined
    if (end !== undefined) void reportWhile(traffic, member, end.signal)
  }
}

/** Reports until the signal, and then reports that this process left. Never rejects, because writers of answers report errors of the store. */
async function reportWhile(traffic: SharedTraffic, member: string, end: AbortSignal): Promise<void> {
  const { limiter, share, clock } = traffic
  try {
    while (!end.aborted) {
      const report = { ...share.takeReport(clock.now()), member, learned: limiter.state.pace?.value }
      share.grant(clock.now(), await exchange(traffic, report))
      limiter.lookAgain()
      const interval = share.isShared ? sharedRules.reportMs : sharedRules.aloneMs
      await pause(interval * (0.9 + 0.2 * Math.random()), clock, [end])
    }
    await exchange(traffic, { member, accepted: 0, isHungry: false, isExceeded: false, isLeaving: true })
  } catch {
    // The store was closed, or cannot be written. The others notice the silence, and this process sends as if it were alone.
    share.grant(clock.now(), { members: 1, phase: 0 })
    limiter.lookAgain()
  }
}

const exchange = ({ store, name }: SharedTraffic, report: ShareReport): Promise<ShareGrant> =>
  store.values.update(name, (storedLimit, now) => {
    const { limit, grant } = shareLimit(storedLimit as SharedLimit | undefined, report, now)
    // Undefined fields are no JSON.
    return { value: JSON.parse(JSON.stringify(limit)) as Json, told: grant }
  })
