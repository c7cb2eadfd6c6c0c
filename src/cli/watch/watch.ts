import { Worker } from 'node:worker_threads'
import { watchCode } from '../../../base/time/time-limit.js'
import { beats, dropListeners, placeLength, ready, sharedMemory, type Shared } from './shared.js'

/** Turns the main thread's signal listeners on and off. */
export interface Listening {
  on(): void
  off(): void
}

/** Milliseconds between two heartbeats of the main thread. */
const beatMs = 100

/**
 * Starts a thread as soon as users' code runs. While that code blocks the main thread, the thread handles signals, names the running code, and ends
 * the process at the second signal. See docs/decisions/users-code.md.
 *
 * @returns a function that ends the watch
 */
export function watchBlockedThread(listening: Listening): () => void {
  let thread: Worker | undefined
  let isOff = false
  const shared = sharedMemory()
  const encoder = new TextEncoder()
  const beat = setInterval(() => {
    Atomics.add(shared.numbers, beats, 1)
    if (!isOff) return
    isOff = false
    listening.on()
  }, beatMs).unref()
  // The thread calls this through the inspector, which also reaches a looping thread.
  Reflect.set(globalThis, Symbol.for(dropListeners), () => {
    isOff = true
    listening.off()
  })
  watchCode({
    began(place) {
      thread ??= startThread(shared)
      const { written } = encoder.encodeInto(place, shared.place)
      Atomics.store(shared.numbers, placeLength, written)
    },
    ended: () => void Atomics.store(shared.numbers, placeLength, 0),
  })
  return () => {
    clearInterval(beat)
    watchCode(undefined)
    Reflect.deleteProperty(globalThis, Symbol.for(dropListeners))
    void thread?.terminate()
  }
}

/** Maximum wait for the thread in milliseconds. Its start takes about 50. */
const longestStartMs = 2_000

function startThread({ buffer, numbers }: Shared): Worker {
  const thread = new Worker(new URL('./watch-thread.js', import.meta.url), {
    workerData: buffer,
    resourceLimits: { maxYoungGenerationSizeMb: 1, maxOldGenerationSizeMb: 32 },
  })
  // Without the thread, only signals to a blocked program get no answer.
  thread.on('error', () => undefined)
  thread.unref()
  // An earlier signal would be lost, and the code that runs next may never return.
  Atomics.wait(numbers, ready, 0, longestStartMs)
  return thread
}
