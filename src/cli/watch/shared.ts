/** Memory that the main thread writes and the watching thread reads, without locks. */
export interface Shared {
  readonly buffer: SharedArrayBuffer
  readonly numbers: Int32Array
  /** The name of the running code, as UTF-8. */
  readonly place: Uint8Array
}

/** Index of a counter that grows while the main thread is not blocked. */
export const beats = 0
/** Index of the length of `place` in bytes, which is 0 while no user code runs. */
export const placeLength = 1
/** Index of a flag that is 1 once the thread hears signals. */
export const ready = 2

const placeAt = 12
const placeBytes = 1024

export function sharedMemory(buffer = new SharedArrayBuffer(placeAt + placeBytes)): Shared {
  return { buffer, numbers: new Int32Array(buffer, 0, 3), place: new Uint8Array(buffer, placeAt) }
}

/** The global symbol of the main thread's function that removes its signal listeners. */
export const dropListeners = 'pipeline.dropListeners'
