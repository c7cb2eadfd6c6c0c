import type { Run } from '../../../cache/records.js'
import type { Hooks, EvalOutcome } from '../../config/settings.js'
import type { Tools } from '../command.js'
import type { OutputFlags } from '../flags/evaluation-options.js'
import { storeFlag } from '../flags/store-flag.js'
import type { Tracking } from '../flags/tracking.js'
import type { StoreLocation } from '../open-run.js'
import type { ShownStages } from './progress-lines.js'

/** The evaluation to display, and the command it belongs to. */
export interface DisplayedWork {
  readonly store: string
  readonly stages: ShownStages
  readonly flags: OutputFlags
  /** The trackers that get the results when the work ends. */
  readonly tracking?: Tracking
  /** The command line that evaluates another variant of the model, for a comparison. */
  readonly variant?: string
  /** The names of what the run combines, if it is one of an experiment, which ends with a table of all. */
  readonly cell?: string
  work(hooks: Hooks): Promise<EvalOutcome>
}

/** The store of the work, for a command that opens it. */
export const locateAskedStore = (
  { store }: DisplayedWork,
  { terminal }: Pick<Tools, 'terminal'>,
  signals?: StoreLocation['signals'],
): StoreLocation => ({ dir: store, terminal, signals })

/** Returns the run's name for use in a command. */
export const referenceTo = (run: Run, { store }: DisplayedWork, { env }: Tools): string =>
  `${run.name}${storeFlag(store, env)}`
