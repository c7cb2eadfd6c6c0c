import { setTimeout as sleep } from 'node:timers/promises'
import { messageOf } from '../../../../base/errors.js'

const firstPauseMs = 50
const longestPauseMs = 2_000
const longestLookMs = 10_000

/** What a look at a server's health came to: the status of its answer, or why there was none. */
type Look = { readonly status: number } | { readonly problem: string }

export interface Patience {
  /** Milliseconds in all. */
  readonly waitMs: number
  /** Aborted: waiting makes no sense any more. */
  readonly signal: AbortSignal
  /** Told once, when the first look shows that it takes longer; with what was seen. */
  readonly onWait?: (seen: string) => void
}

/**
 * Looks at a server again and again, in growing intervals, until it does not say any more that it is loading.
 *
 * @param isReady by the status of its answer
 * @returns undefined when it is ready, else what was seen last
 */
export async function untilReady(
  url: string,
  isReady: (status: number) => boolean,
  { waitMs, signal, onWait }: Patience,
): Promise<string | undefined> {
  let pause = firstPauseMs
  let seen: string | undefined
  for (let left = waitMs; !signal.aborted; left -= pause) {
    const look = await lookAt(url, AbortSignal.any([signal, AbortSignal.timeout(longestLookMs)]))
    if ('status' in look && isReady(look.status)) return undefined
    const isFirst = seen === undefined
    seen = 'status' in look ? `it answers with status ${look.status}` : look.problem
    if (left <= 0) return seen
    if (isFirst) onWait?.(seen)
    pause = Math.min(pause * 1.3, longestPauseMs, Math.max(left, 1))
    await sleep(pause, undefined, { signal }).catch(() => undefined)
  }
  return seen ?? 'nobody looked'
}

async function lookAt(url: string, signal: AbortSignal): Promise<Look> {
  try {
    const answer = await fetch(url, { signal, redirect: 'manual' })
    await answer.arrayBuffer()
    return { status: answer.status }
  } catch (error) {
    const { cause } = error instanceof Error ? error : {}
    return { problem: messageOf(cause ?? error) || 'it does not answer' }
  }
}
