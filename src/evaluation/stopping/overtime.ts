import type { Spending } from '../../cost/spending.js'
import { realClock } from '../../clock.js'

/** The time that requests in flight and code may still take when `--max-time` is over. */
const overtimeMs = 60_000

/** Calls `stop` a minute after the time of the command is over. @returns a function that cancels it */
export function limitOvertime(
  { docsOver, requestsOver }: Pick<Spending, 'docsOver' | 'requestsOver'>,
  stop: () => void,
): () => void {
  let cancel = (): void => undefined
  // Both are over when time is up; a limit of requests or money lets the docs be read to their end.
  const onOver = (): void => {
    if (requestsOver.aborted && docsOver.aborted) cancel = realClock.after(overtimeMs, stop)
  }
  docsOver.addEventListener('abort', onOver, { once: true })
  if (docsOver.aborted) onOver()
  return () => {
    docsOver.removeEventListener('abort', onOver)
    cancel()
  }
}
