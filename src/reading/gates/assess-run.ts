/** Reads and checks the conditions of a run: its baseline, and its gates. */
import { PipelineError } from '../../../base/errors/errors.js'
import { shownPath } from '../../../base/files/shown-path.js'
import { isFileSync } from '../../../base/files/path-kinds.js'
import { withTemporaryFolder } from '../../../base/files/temporary-folder.js'
import { command, option } from '../../../base/errors/option-words.js'
import { readManifest } from '../../../cache/bundle/bundle-file.js'
import { importBundle } from '../../../cache/bundle/import.js'
import { openScoresFile } from '../../../cache/bundle/scores-file.js'
import { openStore } from '../../../cache/open.js'
import type { Judgement, Run } from '../../../cache/records.js'
import type { Store } from '../../../cache/store.js'
import type { ForeignLog } from '../../exchange/foreign-log.js'
import { landLog } from '../../exchange/land-log.js'
import { findReader } from '../../exchange/readers.js'
import { compareWithRun, compareWithScores, type BaselineComparison } from '../comparing/baseline.js'
import { readBaselineScores, type BaselineScores } from '../comparing/baseline-scores.js'
import type { CompareHints } from '../comparing/compare-runs.js'
import { openRun, shownRunName } from '../runs/run-reference.js'
import { checkGates, type GateResult } from './check-gates.js'
import { needsBaseline, parseGate, type Gate } from './gate.js'

/** The conditions as the user wrote them. */
export interface AskedConditions {
  /** A run, an exported file, or a file of results. */
  readonly baseline?: string | undefined
  readonly gate?: readonly string[] | undefined
}

/** Conditions that were read and found usable, before any work starts. */
export interface Conditions {
  readonly baseline?: Baseline
  readonly gates: readonly Gate[]
}

type Baseline =
  | { readonly kind: 'run'; readonly reference: string; readonly label: string }
  | { readonly kind: 'bundle' | 'scores-bundle'; readonly file: string }
  | { readonly kind: 'log'; readonly log: ForeignLog; readonly file: string }
  | { readonly kind: 'scores'; readonly scores: BaselineScores }

/** A run beside its baseline, and the gates. */
export interface Assessment {
  readonly baseline?: BaselineComparison
  readonly gates: readonly GateResult[]
}

/**
 * Reads the conditions before any request is sent, so that mistakes are reported early. `last` is resolved to an id now, and means the last run
 * before this one.
 *
 * @param opened opens the store, in which the baseline may be a run
 * @param options `mayReadFiles`: whether a baseline may be a file of this machine. @default true
 * @throws PipelineError if a gate can't be read or needs a baseline that is not given, or there is no such baseline
 */
export async function readConditions(
  { baseline, gate = [] }: AskedConditions,
  opened: <Result>(work: (store: Store) => Promise<Result>) => Promise<Result>,
  { mayReadFiles = true }: { readonly mayReadFiles?: boolean } = {},
): Promise<Conditions> {
  const gates = gate.map(parseGate)
  const [needing] = gates.filter(needsBaseline)
  if (baseline === undefined && needing !== undefined)
    throw new PipelineError(
      'usage',
      `the gate ${JSON.stringify(needing.text)} compares with a baseline: also give ${option('baseline', 'RUN')}`,
    )
  if (baseline === undefined) return { gates }
  if (mayReadFiles && /\.(?:json|pipeline)$/.test(baseline) && !isFileSync(baseline))
    throw new PipelineError('usage', `the baseline ${shownPath(baseline)} is no file that is there`)
  if (!mayReadFiles || !isFileSync(baseline)) {
    const { run, judgement } = await opened(store => openRun(store, baseline))
    if (judgement?.aggregates !== undefined)
      return {
        gates,
        baseline: {
          kind: 'run',
          reference: `${run.id}@${judgement.number}`,
          label: `${shownRunName(baseline, run)}@${judgement.number}`,
        },
      }
    throw new PipelineError('usage', `the baseline ${run.name} has no scores: ${command('judge', [run.name])}`)
  }
  if (baseline.endsWith('.json')) {
    const log = await openLog(baseline)
    if (log !== undefined) return { gates, baseline: { kind: 'log', log, file: baseline } }
    return { gates, baseline: { kind: 'scores', scores: await readBaselineScores(baseline) } }
  }
  const { run, judgements, content } = await readManifest(baseline)
  if (judgements.some(({ aggregates }) => aggregates !== undefined))
    return { gates, baseline: { kind: content === 'scores' ? 'scores-bundle' : 'bundle', file: baseline } }
  throw new PipelineError('usage', `the baseline ${run.name} has no scores: ${command('judge', [baseline])}`)
}

/** @throws PipelineError if the run and its baseline have no metric in common */
export async function assessRun(
  store: Store,
  judged: { readonly run: Run; readonly judgement: Judgement },
  { baseline, gates }: Conditions,
  hints: CompareHints,
): Promise<Assessment> {
  const compared = baseline && (await compareWith(store, judged, baseline, hints))
  return {
    ...(compared && { baseline: compared }),
    gates: checkGates(gates, judged.judgement.aggregates ?? [], compared),
  }
}

async function compareWith(
  store: Store,
  judged: { readonly run: Run; readonly judgement: Judgement },
  baseline: Baseline,
  hints: CompareHints,
): Promise<BaselineComparison> {
  switch (baseline.kind) {
    case 'run':
      return {
        ...(await compareWithRun(store, judged, { store, reference: baseline.reference }, hints)),
        label: baseline.label,
      }
    case 'scores':
      return compareWithScores(judged, baseline.scores)
    case 'scores-bundle':
      return withTemporaryFolder('pipeline-baseline', async folder =>
        compareWithRun(store, judged, { scores: await openScoresFile(baseline.file, folder) }, hints),
      )
    case 'log':
      return {
        ...(await withLog(baseline.log, (other, reference) =>
          compareWithRun(store, judged, { store: other, reference }, hints),
        )),
        label: shownPath(baseline.file),
      }
    case 'bundle':
      return withBundle(baseline.file, (other, reference) =>
        compareWithRun(store, judged, { store: other, reference }, hints),
      )
  }
}

/**
 * Opens the log that a results file belongs to. Undefined if no reader recognises it or its sample files are missing. Then only the scores of the
 * file can be used.
 */
async function openLog(file: string): Promise<ForeignLog | undefined> {
  try {
    return await (await findReader(file))?.open(file)
  } catch (error) {
    if (error instanceof PipelineError) return undefined
    throw error
  }
}

type UseRun<Result> = (store: Store, reference: string) => Promise<Result>

const withBundle = <Result>(file: string, work: UseRun<Result>): Promise<Result> =>
  withOwnStore(async store => {
    const { run } = await importBundle(store, file, { onConflict: 'refuse' })
    return work(store, run.id)
  })

const withLog = <Result>(log: ForeignLog, work: UseRun<Result>): Promise<Result> =>
  withOwnStore(async store => {
    const [landed, ...others] = await landLog(store, log)
    if (landed !== undefined && others.length === 0) return work(store, landed.outcome.run.id)
    throw new PipelineError(
      'usage',
      `the baseline holds ${others.length + 1} models: import it, and name the run of one of them`,
    )
  })

/** Opens a temporary store for the content of a file, so that the user's store does not change. */
const withOwnStore = <Result>(work: (store: WholeStore) => Promise<Result>): Promise<Result> =>
  withTemporaryFolder('pipeline-baseline', async folder => {
    const store = await openStore(folder)
    try {
      return await work(store)
    } finally {
      await store.close()
    }
  })

type WholeStore = Awaited<ReturnType<typeof openStore>>
