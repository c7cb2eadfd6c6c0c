/** A thread that receives signals while the main thread is blocked. */
import { writeSync } from 'node:fs'
import { Session } from 'node:inspector'
import { constants } from 'node:os'
import { isatty } from 'node:tty'
import { workerData } from 'node:worker_threads'
import { visibleText } from '../../../base/text/visible-text.js'
import { beats, dropListeners, placeLength, ready, sharedMemory } from './shared.js'

type Signal = 'SIGINT' | 'SIGTERM'

const { numbers, place } = sharedMemory(workerData as SharedArrayBuffer)
/** Milliseconds without a heartbeat after which the main thread counts as blocked. */
const blockedMs = 500
/** Milliseconds for the process to end by itself before it is killed. */
const endMs = 700

interface SignalHandle {
  onsignal: () => void
  start(signal: number): number
  close(): void
}

let handles: readonly SignalHandle[] = []
let toldAt: number | undefined

/** Node's internal signal handle, which also works in threads. Node 24 removed it. */
function signalHandle(): (new () => SignalHandle) | undefined {
  process.noDeprecation = true
  try {
    const binding = Reflect.get(process, 'binding') as (name: string) => { Signal: new () => SignalHandle }
    return binding.call(process, 'signal_wrap').Signal
  } catch {
    return undefined
  }
}

function listen(Handle: new () => SignalHandle): void {
  handles = (['SIGINT', 'SIGTERM'] as const).map(signal => {
    const handle = new Handle()
    handle.onsignal = () => handleSignal(signal)
    handle.start(constants.signals[signal])
    return handle
  })
}

/** Handles a signal, unless the main thread is alive and handles it itself. */
function handleSignal(signal: Signal): void {
  const before = Atomics.load(numbers, beats)
  if (toldAt === before) return end(signal)
  setTimeout(() => {
    if (Atomics.load(numbers, beats) !== before) return
    if (signal === 'SIGTERM' || toldAt === before) return end(signal)
    toldAt = before
    tell(
      `heard Ctrl-C, but ${describeRunning()} does not return. When it does, or when its time limit ends it, the program stops. Ctrl-C again ends it now; what was answered is kept.`,
    )
  }, blockedMs)
}

function describeRunning(): string {
  const length = Atomics.load(numbers, placeLength)
  if (length === 0) return 'code of a task or plugin'
  return new TextDecoder().decode(place.slice(0, length)).replace(/\s+/gu, ' ')
}

/** Ends the process by the signal's default action, and by SIGKILL if that does not help. */
function end(signal: Signal): void {
  tell(`ended by ${signal} in ${describeRunning()}. What was answered is kept; the same command continues from there.`)
  setTimeout(() => process.kill(process.pid, 'SIGKILL'), endMs)
  leaveSignals(() => {
    for (const handle of handles) handle.close()
    process.kill(process.pid, signal)
  })
}

/** Makes the main thread remove its signal listeners, even in a loop. */
function leaveSignals(then: () => void): void {
  const session = new Session()
  session.connectToMainThread()
  session.post('Runtime.evaluate', { expression: `globalThis[Symbol.for('${dropListeners}')]?.()` }, () => {
    session.disconnect()
    then()
  })
}

function tell(text: string): void {
  try {
    writeSync(2, `\n${visibleText(text)}\n`)
  } catch {
    // Standard error is closed.
  }
}

/**
 * The fallback if threads cannot receive signals. While the main thread is blocked, its listeners are removed, so that the first signal ends the
 * process, and a note says so.
 */
function watchWithoutSignals(): void {
  let last = -1
  let isTold = false
  setInterval(() => {
    const now = Atomics.load(numbers, beats)
    if (now !== last) isTold = false
    else if (!isTold) {
      isTold = true
      leaveSignals(() => tell(`${describeRunning()} has not returned for a second. ${howToEnd()}`))
    }
    last = now
  }, 2 * blockedMs)
}

/** A worker of a service or a scheduler has no terminal. */
const howToEnd = (): string =>
  isatty(0) || isatty(2)
    ? 'Ctrl-C ends the program now.'
    : `Until it does, SIGTERM ends process ${process.pid} at once.`

const Handle = signalHandle()
if (Handle === undefined) watchWithoutSignals()
else {
  listen(Handle)
  // A signal handle does not keep a thread alive.
  setInterval(() => undefined, 2 ** 30)
}
Atomics.store(numbers, ready, 1)
Atomics.notify(numbers, ready)
