/** What the main thread writes and the watching thread reads, without either waiting for the other. */
export interface Shared {
  readonly buffer: SharedArrayBuffer
  readonly numbers: Int32Array
  /** What runs now, as UTF-8. */
  readonly place: Uint8Array
}

/** Index of the number that grows as long as the main thread is not blocked. */
export const beats = 0
/** Index of the number of bytes of `place`; 0 where no code of users runs. */
export const placeLength = 1
/** Index of the number that is 1 as soon as the thread hears signals. */
export const ready = 2

const placeAt = 12
const placeBytes = 1024

export function sharedMemory(buffer = new SharedArrayBuffer(placeAt + placeBytes)): Shared {
  return { buffer, numbers: new Int32Array(buffer, 0, 3), place: new Uint8Array(buffer, placeAt) }
}

/** The name of the global symbol under which the main thread keeps the function that drops its listeners to signals. */
export const dropListeners = 'pipeline.dropListeners'
