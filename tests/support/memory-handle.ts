import type { MemoryData } from './memory-data.js'

/** What the groups of a memory store need from their handle. */
export interface MemoryHandle {
  readonly data: MemoryData
  readonly owner: string
  /** Resolves with the result of `work`. Rejects if `work` throws or the store is closed. */
  readonly read: <T>(work: () => T) => Promise<T>
  /** The same for a change. With `kept`, it resolves when the change is durable. */
  readonly write: <T>(work: () => T, kept?: () => void) => Promise<T>
}
