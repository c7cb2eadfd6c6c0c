import type { Emit } from '../../../../cache/events.js'

/** How the Hub, or a mirror of it, is reached. */
export interface HubSettings {
  /** Such as `https://huggingface.co`, without a slash at its end. */
  readonly endpoint: string
  /** Sent to the endpoint alone; never stored, never shown. */
  readonly token?: string
  /** Nothing is asked of the endpoint: the cache is all that there is. */
  readonly offline: boolean
  /** Takes what is downloaded. */
  readonly cacheDir: string
  readonly emit: Emit
  /** Aborted: downloads are broken off; what has come of them is kept. */
  readonly signal?: AbortSignal
  readonly patience?: HubTimeouts
}

/** When to give up. */
export interface HubTimeouts {
  /** Tries without a single byte between them. */
  readonly attempts: number
  /** Milliseconds before the second try; doubled before each later one. */
  readonly firstWaitMs: number
  /** Milliseconds without a byte after which a connection counts as lost. */
  readonly stallMs: number
}

export const usualPatience: HubTimeouts = { attempts: 5, firstWaitMs: 500, stallMs: 60_000 }
