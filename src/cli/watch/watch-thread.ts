/** Runs beside the main thread: hears signals while that one is blocked. */
import { writeSync } from 'node:fs'
import { Session } from 'node:inspector'
import { constants } from 'node:os'
import { workerData } from 'node:worker_threads'
import { visibleText } from '../../../base/visible-text.js'
import { beats, dropListeners, placeLength, ready, sharedMemory } from './shared.js'

type Signal = 'SIGINT' | 'SIGTERM'

const { numbers, place } = sharedMemory(workerData as SharedArrayBuffer)
/** Milliseconds without a sign of life after which the main thread is blocked. */
const blockedMs = 500
/** Milliseconds in which it must end when it is told to by its own way. */
const endMs = 700

interface SignalHandle {
  onsignal: () => void
  start(signal: number): number
  close(): void
}

let handles: readonly SignalHandle[] = []
let toldAt: number | undefined

/** Node gives signals to the main thread alone, but for this. It is not there from Node 24 on. */
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
    handle.onsignal = () => heard(signal)
    handle.start(constants.signals[signal])
    return handle
  })
}

/** A thread that is not blocked hears the signal by itself. */
function heard(signal: Signal): void {
  const before = Atomics.load(numbers, beats)
  if (toldAt === before) return end(signal)
  setTimeout(() => {
    if (Atomics.load(numbers, beats) !== before) return
    if (signal === 'SIGTERM' || toldAt === before) return end(signal)
    toldAt = before
    tell(
      `heard Ctrl-C, but ${running()} does not return. When it does, or when its time limit ends it, the program stops. Ctrl-C again ends it now; what was answered is kept.`,
    )
  }, blockedMs)
}

function running(): string {
  const length = Atomics.load(numbers, placeLength)
  if (length === 0) return 'code of a task or plugin'
  return new TextDecoder().decode(place.slice(0, length)).replace(/\s+/gu, ' ')
}

/** As the system ends a process that listens to no signal; where even that does not help, by force. */
function end(signal: Signal): void {
  tell(`ended by ${signal} in ${running()}. What was answered is kept; the same command goes on from there.`)
  setTimeout(() => process.kill(process.pid, 'SIGKILL'), endMs)
  leaveSignals(() => {
    for (const handle of handles) handle.close()
    process.kill(process.pid, signal)
  })
}

/** The main thread drops its listeners, in the midst of whatever it does. */
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
    // Nobody reads it.
  }
}

/** Where signals can't be heard here, the system ends a blocked process by the first one: that is said, and made possible. */
function watchWithoutSignals(): void {
  let last = -1
  let isTold = false
  setInterval(() => {
    const now = Atomics.load(numbers, beats)
    if (now !== last) isTold = false
    else if (!isTold) {
      isTold = true
      leaveSignals(() => tell(`${running()} has not returned for a second. Ctrl-C ends the program now.`))
    }
    last = now
  }, 2 * blockedMs)
}

const Handle = signalHandle()
if (Handle === undefined) watchWithoutSignals()
else {
  listen(Handle)
  // A handle of a signal keeps no thread alive.
  setInterval(() => undefined, 2 ** 30)
}
Atomics.store(numbers, ready, 1)
Atomics.notify(numbers, ready)
