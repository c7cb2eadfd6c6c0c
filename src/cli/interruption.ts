import { counted } from '../report/layout/numbers.js'
import { watchBlockedThread } from './watch/watch.js'

/** The first Ctrl-C finishes requests in flight, the second stops at once. */
export interface Interruption {
  readonly drain: AbortSignal
  readonly stop: AbortSignal
  /** Stops listening. The next signal ends the process. */
  release(): void
}

/**
 * Listens for SIGINT and SIGTERM.
 *
 * @param inFlight the number of requests in flight, if known
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

/** The message after the first Ctrl-C. */
export function endingLine(inFlight: number | undefined): string {
  const what = inFlight === undefined ? 'what is in flight' : `${counted(inFlight, 'request')} in flight`
  return `${inFlight === 0 ? 'stopping: no request is in flight' : `finishing ${what}`} (Ctrl-C again to stop now)`
}
