import { abortBecause } from '../../evaluation/stopping/why-stopped.js'
import { formatQuantity } from '../../../base/text/numbers.js'
import type { Tools } from '../command.js'
import { watchBlockedThread } from '../watch/watch.js'

/** The first Ctrl-C finishes requests in flight, the second stops at once. */
export interface Interruption {
  readonly drain: AbortSignal
  readonly stop: AbortSignal
  /** Stops listening. The next signal ends the process. */
  release(): void
}

/** The time that the program may take to end after the second signal. */
const leaveMs = 5_000

/**
 * Listens for SIGINT and SIGTERM.
 *
 * @param inFlight the number of requests in flight, if known
 * @param leave ends the process. It is called if code outside the program keeps it from ending after the second signal, and at the third.
 */
export function listenForInterruption(
  tell: (line: string) => void,
  inFlight: () => number | undefined,
  leave: () => void,
): Interruption {
  const drain = new AbortController()
  const stop = new AbortController()
  let lastResort: NodeJS.Timeout | undefined
  const onSignal = (signal: NodeJS.Signals): void => {
    if (stop.signal.aborted) leave()
    if (drain.signal.aborted) {
      stop.abort()
      lastResort ??= setTimeout(leave, leaveMs)
      return
    }
    drain.abort(abortBecause(signal === 'SIGINT' ? 'Ctrl-C (SIGINT)' : `the signal ${signal}`))
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
      clearTimeout(lastResort)
      endWatch()
      listening.off()
    },
  }
}

/**
 * Runs work that SIGINT and SIGTERM interrupt, and then stops listening.
 *
 * @param onFirst is called at the first signal. @default says on the terminal that the work comes to an end
 */
export async function withInterruption<T>(
  { terminal, leave }: Pick<Tools, 'terminal' | 'leave'>,
  work: (signals: Pick<Interruption, 'drain' | 'stop'>) => Promise<T>,
  onFirst: (line: string) => void = line => terminal.tell(line),
): Promise<T> {
  const interruption = listenForInterruption(onFirst, () => undefined, leave)
  try {
    return await work(interruption)
  } finally {
    interruption.release()
  }
}

/** The message after the first Ctrl-C. */
export function endingLine(inFlight: number | undefined): string {
  const what = inFlight === undefined ? 'what is in flight' : `${formatQuantity(inFlight, 'request')} in flight`
  return `${inFlight === 0 ? 'stopping: no request is in flight' : `finishing ${what}`} (Ctrl-C again to stop now)`
}
