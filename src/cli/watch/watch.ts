import { Worker } from 'node:worker_threads'
import { watchCode } from '../../../base/time-limit.js'
import { beats, dropListeners, placeLength, ready, sharedMemory, type Shared } from './shared.js'

/** How the main thread's own listening to signals is turned off and on. */
export interface Listening {
  on(): void
  off(): void
}

/** How often the main thread says that it is not blocked, in milliseconds. */
const beatMs = 100

/**
 * Starts a thread, as soon as code of users runs, that hears signals while this thread is blocked by that code, tells what blocks
 * it, and ends the process when it is asked to a second time. See docs/decisions/users-code.md.
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
  // The thread calls this by the inspector, which also reaches a thread that is in a loop.
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

/** The longest wait for the thread, in milliseconds: it takes about fifty. */
const longestStartMs = 2_000

function startThread({ buffer, numbers }: Shared): Worker {
  const thread = new Worker(new URL('./watch-thread.js', import.meta.url), {
    workerData: buffer,
    resourceLimits: { maxYoungGenerationSizeMb: 1, maxOldGenerationSizeMb: 32 },
  })
  // Without it everything works but the answer to a signal while the program is blocked.
  thread.on('error', () => undefined)
  thread.unref()
  // A signal that came before the thread hears would be lost: the code that runs next may never return.
  Atomics.wait(numbers, ready, 0, longestStartMs)
  return thread
}
