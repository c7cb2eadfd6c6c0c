/** Scorers that apply the rules of a stored judgement again. */
import { PipelineError } from '../../../base/errors/errors.js'
import { canonicalJson } from '../../../base/values/canonical-json.js'
import { ownValue } from '../../../base/values/named-values.js'
import { present } from '../../../base/values/present.js'
import { listConfiguredFacts, takeAttemptFacts } from '../../../cache/facts/attempt-facts.js'
import type { CodeRuntime } from '../../../cache/code/code-runtime.js'
import { judgeRecordKey } from '../../../cache/keys.js'
import { codeFolder } from '../../../cache/location.js'
import type { ScoreBody, ScoringRules, TaskJudging } from '../../../cache/records.js'
import type { OpenedRun, Sample, Store } from '../../../cache/store.js'
import type { Scorer } from '../../../stages/judge/scorer.js'
import type { Hooks, RejudgeSettings } from '../../config/settings.js'
import { makeTaskScorer, scoringOptions } from '../../judging/scoring.js'
import type { Plugins } from '../../model/plugins.js'
import { readAnswers, type MixedAnswer } from './mixed-answers.js'
import { listTaskRules } from '../revised-records.js'
import { tasksToJudge } from '../tasks-to-judge.js'

export interface ScorerOptions {
  readonly settings: RejudgeSettings
  readonly plugins: Plugins
  readonly emit: Hooks['emit']
  readonly runtime: CodeRuntime
}

/** Scores a doc's answers by the rules of a run. */
export type ScoreAnswers = (sample: Sample, answers: readonly MixedAnswer[]) => Promise<ScoreBody>

/**
 * Finds a scorer that has the rules of the judgement and gives each doc its values: of the task's present files, or of the rules that are stored with the run.
 * Undefined if neither does, for instance because a judge model would have to be asked, or because the code is not here any more.
 */
export async function findScorer(
  store: Store,
  opened: OpenedRun,
  {
    index,
    samples,
    present,
  }: { readonly index: number; readonly samples: readonly Sample[]; readonly present: PresentScorers },
  options: ScorerOptions,
): Promise<ScoreAnswers | undefined> {
  for (const make of [
    () => choosePresentScorer(opened, index, present),
    () => makeStoredScorer(store, opened, index, options),
  ]) {
    const score = await make().catch(ignoreMissing)
    if (score !== undefined && (await reproduces(score, samples))) return score
  }
  return undefined
}

/** Reads the scorers of a run's tasks by their present files, once. */
export type PresentScorers = () => Promise<readonly Scorer[]>

/** Returns a function that reads the scorers when they are first needed. */
export function readPresentScorers(store: Store, { run }: OpenedRun, options: ScorerOptions): PresentScorers {
  let scorers: Promise<readonly Scorer[]> | undefined
  return () =>
    (scorers ??= tasksToJudge(store, run, { ...options, emit: ignore, isForeign: false, judges: undefined }).then(
      tasks => tasks.map(({ scorer }) => scorer),
    ))
}

async function choosePresentScorer(
  { judgement }: OpenedRun,
  index: number,
  present: PresentScorers,
): Promise<ScoreAnswers | undefined> {
  const [scorer, judging] = [(await present())[index], judgement?.tasks[index]?.judging]
  const isSame =
    scorer !== undefined && judging !== undefined && describeRules(scorer.judging) === describeRules(judging)
  return isSame ? asFunction(scorer) : undefined
}

/** The rules and the code of a task. Code of the program may be newer, as long as it gives the same values. */
function describeRules(judging: TaskJudging): string {
  const own = Object.entries(judging.scorer.files).filter(([path]) => path.startsWith('task/'))
  return canonicalJson([listTaskRules(judging), Object.fromEntries(own)])
}

async function makeStoredScorer(
  store: Store,
  { run, judgement }: OpenedRun,
  index: number,
  { settings, plugins, runtime }: ScorerOptions,
): Promise<ScoreAnswers | undefined> {
  const name = run.asked.tasks[index]?.name ?? ''
  const stored = ownValue(run.provenance.scoring, name)
  const judging = judgement?.tasks[index]?.judging
  if (stored === undefined || judging === undefined) return undefined
  const isUsers = Object.values(stored.code ?? {}).some(code => !('builtin' in code))
  if (isUsers && !settings.trustBundle) return undefined
  const config: ScoringRules = listTaskRules(judging)
  const cacheDir = codeFolder(store.workFolder)
  const surroundings = { store, cacheDir, runtime, exported: plugins.exports, emit: ignore, judges: undefined }
  return asFunction(await makeTaskScorer(name, { ...stored, config }, scoringOptions(settings, surroundings)))
}

function asFunction(scorer: Scorer | undefined): ScoreAnswers | undefined {
  if (scorer === undefined) return undefined
  const facts = listConfiguredFacts(scorer.judging.config)
  return async ({ task, index, id, record }, answers) =>
    scorer.score({
      ...{ task, index, id, record, recordKey: judgeRecordKey(record).key },
      answers: answers.map(({ meta, ...answer }) => ({
        ...answer,
        ...present({ attempt: takeAttemptFacts(meta, facts) }),
      })),
    })
}

async function reproduces(score: ScoreAnswers, samples: readonly Sample[]): Promise<boolean> {
  for (const sample of samples) {
    const answers = readAnswers(sample)
    if (answers === undefined || sample.score === undefined) continue
    const { values } = await score(sample, answers)
    if (JSON.stringify(values) !== JSON.stringify(sample.score.values)) return false
  }
  return true
}

/** Rules that cannot be read any more are a reason to do without them. */
function ignoreMissing(error: unknown): undefined {
  if (!(error instanceof PipelineError)) throw error
}

const ignore = (): void => undefined
