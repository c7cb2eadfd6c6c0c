import { counted } from '../report/layout/numbers.js'
import { watchBlockedThread } from './watch/watch.js'

/** Ctrl-C, once: finish what is in flight; twice: stop now. */
export interface Interruption {
  readonly drain: AbortSignal
  readonly stop: AbortSignal
  /** Stops listening: the next signal ends the process as usual. */
  release(): void
}

/**
 * Listens for SIGINT and SIGTERM.
 *
 * @param inFlight how many requests are under way, where that is known
 */
export function listenForInterruption(tell: (line: string) => void, inFlight: () => number | undefined): Interruption {
  const drain = new AbortController()
  const stop = new AbortController()
  const onSignal = (): void => {
    if (drain.signal.aborted) {
      stop.abort()
      return
    }
    drain.abort()
    tell(endingLine(inFlight()))
  }
  const listening = {
    on: () => void process.on('SIGINT', onSignal).on('SIGTERM', onSignal),
    off: () => void process.off('SIGINT', onSignal).off('SIGTERM', onSignal),
  }
  listening.on()
  const endWatch = watchBlockedThread(listening)
  return {
    drain: drain.signal,
    stop: stop.signal,
    release() {
      endWatch()
      listening.off()
    },
  }
}

/** What follows the first Ctrl-C, where it is known how many requests are in flight. */
export function endingLine(inFlight: number | undefined): string {
  const what = inFlight === undefined ? 'what is in flight' : `${counted(inFlight, 'request')} in flight`
  return `${inFlight === 0 ? 'stopping: no request is in flight' : `finishing ${what}`} (Ctrl-C again to stop now)`
}
