/** The events that the viewer receives while it is open (server-sent events). */
import type { RunProgress, RunState } from './runs.js'

/** A run moved. Whoever shows it reads anew what it needs. */
export interface RunMoved {
  readonly name: string
  readonly state: RunState
  readonly progress: RunProgress
}
