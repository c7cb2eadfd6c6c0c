/** A stored run as trackers get it: facts that are read once, and files that are written when the first tracker asks for them. */
import { mkdir } from 'node:fs/promises'
import { join } from 'node:path'
import { PipelineError } from '../../base/errors/errors.js'
import type { Json } from '../../base/values/canonical-json.js'
import { isComplete } from '../../cache/facts/run-state.js'
import type { Aggregate, Judgement, Run } from '../../cache/records.js'
import type { OpenedRun, Store } from '../../cache/store.js'
import { modelPrice } from '../cost/model-price.js'
import { runStats } from '../reading/runs/run-stats.js'
import { writeRunFiles } from '../present/files/run-files.js'
import { resultsJson, type Results } from '../present/json/results-json.js'
import { collectMetrics, collectParameters, type TrackedMetrics } from './tracked-metrics.js'
import { readTrackedSamples, type TrackedSample } from './tracked-samples.js'

/** The files of a run that are wanted beside its results. */
export interface WantedFiles {
  /** A file of samples for each task. */
  readonly samples: boolean
  /** The report in one HTML file. */
  readonly report: boolean
}

export interface TrackedRun {
  /** `calm-heron-19c2@1`: the run and its judgement. */
  readonly name: string
  readonly run: Run
  readonly judgement: ScoredJudgement
  readonly store: Store
  readonly startedAt: number
  readonly finishedAt: number
  /** Whether every doc has an answer. */
  readonly isComplete: boolean
  readonly metrics: TrackedMetrics
  readonly parameters: ReadonlyMap<string, string>
  readonly results: Json
  /** Writes files once. @returns their paths */
  readonly files: (wanted: WantedFiles) => Promise<readonly string[]>
  readonly samples: (most: number) => AsyncIterable<TrackedSample>
}

/** A judgement whose aggregates are known. */
export type ScoredJudgement = Judgement & { readonly aggregates: readonly Aggregate[] }

/**
 * Reads what trackers get of a run.
 *
 * @param folder where files are written
 * @throws PipelineError if the run has no scores
 */
export async function readTrackedRun(store: Store, opened: OpenedRun, folder: string): Promise<TrackedRun> {
  const { run } = opened
  const judgement = requireScores(opened)
  const [counts, failures] = [await store.runs.counts(run), await store.requests.failures(run)]
  const figures = await runStats(store, run, { price: await modelPrice(run, undefined), counts })
  const read: Results = { run, counts, failures, judgement, figures }
  const results = resultsJson(read)
  const metrics = collectMetrics(judgement.aggregates, results)
  return {
    name: `${run.name}@${judgement.number}`,
    run,
    judgement,
    store,
    startedAt: run.createdAt,
    finishedAt: judgement.finishedAt ?? judgement.createdAt,
    isComplete: isComplete(counts),
    metrics,
    parameters: collectParameters(run),
    results,
    files: fileWriter(store, read, folder),
    samples: most => readTrackedSamples(store, { run, judgement }, most),
  }
}

function requireScores({ run, judgement }: OpenedRun): ScoredJudgement {
  const aggregates = judgement?.aggregates
  if (aggregates !== undefined) return { ...judgement, aggregates } as ScoredJudgement
  throw new PipelineError('usage', `run ${run.name} has no scores yet, and nothing of it was sent`)
}

function fileWriter(store: Store, read: Results, folder: string): TrackedRun['files'] {
  let results: Promise<readonly string[]> | undefined
  let samples: Promise<readonly string[]> | undefined
  let report: Promise<string> | undefined
  return async wanted => {
    await mkdir(folder, { recursive: true })
    const plain = wanted.samples
      ? await (samples ??= writeRunFiles(folder, read, store))
      : await (results ??= writeRunFiles(folder, read, undefined))
    if (!wanted.report) return plain
    return [...plain, await (report ??= writeReport(store, read, join(folder, 'report.html')))]
  }
}

async function writeReport(store: Store, { run, judgement }: Results, file: string): Promise<string> {
  // Only a report needs the code that makes pictures smaller.
  const { writeReportFile } = await import('../present/files/html/write-report.js')
  await writeReportFile(store, [{ run, ...(judgement && { judgement }) }], file)
  return file
}
