/** The events that the viewer receives while it is open (server-sent events). */
import type { RunProgress, RunState } from './runs.js'

/** A run changed. Pages that show the run load their data again. */
export interface RunMoved {
  readonly name: string
  readonly state: RunState
  readonly progress: RunProgress
}
