/** Computes the analysis of a job in a worker process. */
import type { PortableStore } from '../../../../cache/bundle/portable.js'
import type { JsonObject } from '../../../../cache/records.js'
import type { Store } from '../../../../cache/store.js'
import type { EvalSettings, Hooks, PythonSettings, RejudgeSettings } from '../../../config/settings.js'
import { judgeSettings } from '../../../config/eval-settings.js'
import { recheckRun } from '../../../evaluation/recheck.js'
import { compareReproduction } from '../../../preview/reproduction.js'
import { openRun } from '../../../reading/runs/run-reference.js'
import { blameRuns } from '../../../rescoring/blame/blame-runs.js'
import { readRunStability } from '../../../rescoring/run-stability.js'
import type { JobPolicy } from '../../policy/job-policy.js'
import { openRuns, refuseCode, type Analysis } from './analysis.js'

/** Options that a worker passes to each analysis. */
interface AnalysisSurroundings {
  readonly policy: JobPolicy
  readonly includePaths: readonly string[]
  readonly plugins: readonly string[]
  readonly python?: PythonSettings
  readonly env: Readonly<Record<string, string | undefined>>
}

/**
 * Computes an analysis.
 *
 * @param makeSettings makes evaluation settings of the run, checked by this worker's policy
 * @returns the JSON output of the command with the kind's name
 * @throws PipelineError (usage) if the runs do not fit the analysis, or the policy forbids something that they name
 */
export async function runAnalysis(
  store: Store & PortableStore,
  analysis: Analysis,
  {
    given,
    hooks,
    makeSettings,
  }: {
    readonly given: AnalysisSurroundings
    readonly hooks: Hooks
    readonly makeSettings: (run: string) => Promise<EvalSettings>
  },
): Promise<JsonObject> {
  const result = await computeAnalysis()
  return { format: 1, ...(JSON.parse(JSON.stringify(result)) as JsonObject) }

  async function computeAnalysis(): Promise<object> {
    switch (analysis.kind) {
      case 'stability':
      case 'blame':
        return scoreAnswers(store, analysis, { given, hooks })
      case 'repro': {
        const opened = await openRun(store, analysis.run)
        return compareReproduction(opened, await makeSettings(opened.run.id), hooks)
      }
      case 'recheck': {
        const { run } = await openRun(store, analysis.run)
        const { k: count, seed, tolerance } = analysis
        return recheckRun(store, run, { settings: await makeSettings(run.id), hooks, count, seed, tolerance })
      }
    }
  }
}

async function scoreAnswers(
  store: Store,
  analysis: Extract<Analysis, { kind: 'stability' | 'blame' }>,
  { given, hooks }: { readonly given: AnalysisSurroundings; readonly hooks: Hooks },
): Promise<object> {
  const { policy, includePaths, plugins, python, env } = given
  const [first, second] = await openRuns(store, analysis)
  if (first === undefined) throw new Error('internal error: an analysis without a run')
  for (const { run } of [first, ...(second === undefined ? [] : [second])])
    await refuseCode(run, { policy, includePaths }, { cwd: process.cwd(), env })
  const settings: RejudgeSettings = {
    ...judgeSettings({}, {}),
    ...python,
    ...{ store: store.location, includePaths, plugins, env },
    ...{ run: (second ?? first).run.id, trustBundle: false },
  }
  if (second !== undefined) return blameRuns(store, first, second, { settings, emit: hooks.emit })
  const references = analysis.kind === 'stability' ? (analysis.others ?? []) : []
  const others = await Promise.all(references.map(other => openRun(store, other)))
  return readRunStability(store, first, { settings, emit: hooks.emit, others })
}
