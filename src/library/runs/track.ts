import type { Json } from '../../../base/values/canonical-json.js'
import { readTracker, type NamedTracker } from '../../config/options/track-options.js'
import { openRun } from '../../reading/runs/run-reference.js'
import { readDestinations } from '../../tracking/destinations.js'
import { sendRun, type TrackOutcome } from '../../tracking/track-run.js'
import { processEnvironment } from '../../config/variables.js'
import { readRunName, type RunOrName } from '../options/run-or-name.js'
import { checkOptions, fields, storeField, type OptionFields } from '../options/check-options.js'
import { withReadStore, type StoreOption } from './runs.js'

/** Trackers with their settings: `mlflow=http://127.0.0.1:5000`, or `{ mlflow: { url: 'http://127.0.0.1:5000' } }`. */
export type GivenTrackers = string | readonly string[] | Readonly<Record<string, Readonly<Record<string, Json>>>>

/** Options of {@link track}. */
export interface RunTrackOptions extends StoreOption {
  /** True to send results again that the tracker already has. @default false */
  readonly again?: boolean
  /** The Python that has the tracker's package. @default $PIPELINE_PYTHON, else `python3` */
  readonly python?: string
  /** Stops sending. Results that were sent stay at the tracker. */
  readonly signal?: AbortSignal
}

const trackFields = {
  ...storeField,
  again: fields.flag,
  python: fields.text,
  signal: fields.signal,
} satisfies OptionFields<RunTrackOptions>

/**
 * Sends a stored run to experiment trackers, as `pipeline track` does. The failure of a tracker is in its outcome.
 *
 * @example await track('last', 'mlflow=http://127.0.0.1:5000')
 * @throws PipelineError if a tracker or a setting does not exist, or the run has no scores
 */
export async function track(
  run: RunOrName,
  trackers: GivenTrackers,
  options: RunTrackOptions = {},
): Promise<readonly TrackOutcome[]> {
  checkOptions(options, trackFields)
  const { again = false, python, signal = new AbortController().signal } = options
  const env = processEnvironment()
  const destinations = readDestinations(nameTrackers(trackers), env, 'to')
  return withReadStore(run, options, async store =>
    sendRun(store, await openRun(store, readRunName(run)), destinations, {
      env,
      signal,
      again,
      ...(python !== undefined && { python }),
    }),
  )
}

function nameTrackers(trackers: GivenTrackers): readonly NamedTracker[] {
  if (typeof trackers === 'string') return [readTracker(trackers)]
  if (isList(trackers)) return trackers.map(readTracker)
  return Object.entries(trackers).map(([name, settings]) => ({ name, given: settings }))
}

const isList = (trackers: Exclude<GivenTrackers, string>): trackers is readonly string[] => Array.isArray(trackers)
