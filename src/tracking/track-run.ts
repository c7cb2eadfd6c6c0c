/** Sends a stored run to experiment trackers. */
import { formatErrorText, messageOf, PipelineError } from '../../base/errors/errors.js'
import { withTemporaryFolder } from '../../base/files/temporary-folder.js'
import { present } from '../../base/values/present.js'
import { canonicalJson } from '../../base/values/canonical-json.js'
import { sha256 } from '../../cache/digest.js'
import type { OpenedRun, Store } from '../../cache/store.js'
import type { Environment } from '../config/settings.js'
import { variable } from '../config/variables.js'
import type { Destination } from './destinations.js'
import { keepPlace, readKeptPlaces, type KeptPlaces } from './kept-places.js'
import { readTrackedRun, type TrackedRun } from './tracked-run.js'

/** Settings of a sending. */
export interface TrackOptions {
  readonly env: Environment
  readonly signal: AbortSignal
  readonly python?: string
  /** Sends what is there already once more. @default false */
  readonly again?: boolean
}

/** The fate of a run at one destination. */
export interface TrackOutcome {
  readonly tracker: string
  /** `sent`, or `updated` where older results of the same judgement were; `unchanged` where these results are already. */
  readonly state: 'sent' | 'updated' | 'unchanged' | 'failed'
  /** The address or file where the run is. */
  readonly where?: string
  /** A text about what happened and what to do, of one that failed. */
  readonly problem?: string
  /** Sentences about what the tracker does not hold. */
  readonly notes: readonly string[]
}

/**
 * Sends a run to each destination, one after another. A destination that fails does not keep the others from getting it.
 *
 * @throws PipelineError if the run has no scores
 */
export const sendRun = (
  store: Store,
  opened: OpenedRun,
  destinations: readonly Destination[],
  options: TrackOptions,
): Promise<readonly TrackOutcome[]> =>
  withTemporaryFolder('pipeline-track', async folder => {
    const run = await readTrackedRun(store, opened, folder)
    const kept = await readKeptPlaces(store.workFolder, run.name)
    const outcomes: TrackOutcome[] = []
    for (const destination of destinations) outcomes.push(await sendTo(destination, run, kept, options))
    return outcomes
  })

async function sendTo(
  { tracker, settings, shown, place }: Destination,
  run: TrackedRun,
  kept: KeptPlaces,
  { env, signal, python, again = false }: TrackOptions,
): Promise<TrackOutcome> {
  const notes: string[] = []
  const destination = `${tracker.id} ${place}`
  const digest = sha256(canonicalJson({ metrics: Object.fromEntries(run.metrics), settings: shown }))
  const before = kept[destination]
  try {
    const sent = await tracker.send(run, {
      settings,
      digest,
      env,
      signal,
      python: python ?? variable(env, 'PIPELINE_PYTHON') ?? 'python3',
      again,
      note: text => notes.push(text),
      ...present({ before }),
    })
    notes.push(...(await tryToKeep(run, destination, { id: sent.id, where: sent.where, digest })))
    return { tracker: tracker.id, state: sent.state, where: sent.where, notes }
  } catch (error) {
    return { tracker: tracker.id, state: 'failed', problem: describeFailure(error), notes }
  }
}

/** A store on a read-only medium keeps nothing. */
async function tryToKeep(
  { store, name }: TrackedRun,
  destination: string,
  kept: Parameters<typeof keepPlace>[3],
): Promise<readonly string[]> {
  try {
    await keepPlace(store.workFolder, name, destination, kept)
    return []
  } catch (error) {
    return [`the store can't remember that the run was sent: ${messageOf(error)}`]
  }
}

/** A tracker's own code and its packages may throw anything, and the run is stored whatever it is. */
const describeFailure = (error: unknown): string =>
  error instanceof PipelineError ? formatErrorText(error) : messageOf(error)
