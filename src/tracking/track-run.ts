/** Sends a stored run to experiment trackers. */
import { formatErrorText, messageOf, PipelineError } from '../../base/errors/errors.js'
import { withTemporaryFolder } from '../../base/files/temporary-folder.js'
import { present } from '../../base/values/present.js'
import { canonicalJson } from '../../base/values/canonical-json.js'
import { sha256 } from '../../cache/digest.js'
import type { OpenedRun, Store } from '../../cache/store.js'
import type { Environment } from '../config/settings.js'
import { variable } from '../config/variables.js'
import { refuseStoreFolders, type Destination } from './destinations.js'
import { storeSentResult, readSentResults, type SentResults } from './sent-results.js'
import { readTrackedRun, type TrackedRun } from './tracked-run.js'

/** Options for sending a run. */
export interface TrackOptions {
  readonly env: Environment
  readonly signal: AbortSignal
  readonly python?: string
  /** True to send results again that the tracker already has. @default false */
  readonly again?: boolean
}

/** The outcome of a run at one destination. */
export interface TrackOutcome {
  readonly tracker: string
  /** `sent`: new. `updated`: replaced older results of the same judgement. `unchanged`: the tracker already has these results. */
  readonly state: 'sent' | 'updated' | 'unchanged' | 'failed'
  /** The address or file of the run. */
  readonly where?: string
  /** The failure and its remedy. */
  readonly problem?: string
  /** Notes about facts that the tracker does not store. */
  readonly notes: readonly string[]
}

/**
 * Sends a run to each destination, one after another. A failed destination does not affect the others.
 *
 * @throws PipelineError if the run has no scores, or a tracker would write into the store
 */
export const sendRun = (
  store: Store,
  opened: OpenedRun,
  destinations: readonly Destination[],
  options: TrackOptions,
): Promise<readonly TrackOutcome[]> =>
  withTemporaryFolder('pipeline-track', async folder => {
    refuseStoreFolders(destinations, store.location)
    const run = await readTrackedRun(store, opened, folder)
    const sentResults = await readSentResults(store.workFolder, run.name)
    const outcomes: TrackOutcome[] = []
    for (const destination of destinations) outcomes.push(await sendTo(destination, run, sentResults, options))
    return outcomes
  })

async function sendTo(
  { tracker, settings, shown, place }: Destination,
  run: TrackedRun,
  sentResults: SentResults,
  { env, signal, python, again = false }: TrackOptions,
): Promise<TrackOutcome> {
  const notes: string[] = []
  const destination = `${tracker.id} ${place}`
  const digest = sha256(canonicalJson({ metrics: Object.fromEntries(run.metrics), settings: shown }))
  const before = sentResults[destination]
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

/** Records a sent result, or returns a note if the store is read-only. */
async function tryToKeep(
  { store, name }: TrackedRun,
  destination: string,
  sentResult: Parameters<typeof storeSentResult>[3],
): Promise<readonly string[]> {
  try {
    await storeSentResult(store.workFolder, name, destination, sentResult)
    return []
  } catch (error) {
    return [`the store can't remember that the run was sent: ${messageOf(error)}`]
  }
}

/** Describes any error of a tracker's code or packages. */
const describeFailure = (error: unknown): string =>
  error instanceof PipelineError ? formatErrorText(error) : messageOf(error)
