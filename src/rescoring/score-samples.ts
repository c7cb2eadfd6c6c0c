import { present } from '../../base/values/present.js'
import { listConfiguredFacts, takeAttemptFacts } from '../../cache/facts/attempt-facts.js'
import { answerDigest, judgeRecordKey } from '../../cache/keys.js'
import type { Answer, AnsweredDoc, AttemptFact, ScoreBody } from '../../cache/records.js'
import type { OpenedRun, Sample, Store } from '../../cache/store.js'
import type { Scorer } from '../../stages/judge/scorer.js'
import { codeFolder } from '../../cache/location.js'
import { withRuntime } from '../evaluation/code-runtime.js'
import { taskFolders, tasksToJudge } from './tasks-to-judge.js'
import type { Hooks, RejudgeSettings } from '../config/settings.js'
import { loadPlugins } from '../model/plugins.js'

/** The scores that each sample of a doc has alone, in the order of the samples. */
export interface SeparateScores {
  readonly sample: Sample
  readonly scores: readonly ScoreBody[]
}

/**
 * Scores each sample of each doc alone, by the rules that `judge` would use now, and stores nothing. A run's own scores
 * combine the samples of a doc. Docs with an unanswered request are left out, and a scorer that needs a judge model
 * gives `judge_failed`.
 *
 * @param use gets the docs, while the code of the tasks is loaded
 * @throws PipelineError if rules cannot be read
 */
export async function withSeparateScores<Result>(
  store: Store,
  opened: OpenedRun,
  { settings, emit }: { readonly settings: RejudgeSettings; readonly emit: Hooks['emit'] },
  use: (docs: AsyncIterable<SeparateScores>) => Promise<Result>,
): Promise<Result> {
  const { run } = opened
  const plugins = await loadPlugins(settings.plugins, { cacheDir: codeFolder(store.workFolder) })
  return withRuntime({ ...settings, includePaths: taskFolders(run, settings) }, async runtime => {
    const rules = { settings, plugins, isForeign: false, emit, judges: undefined, runtime }
    const tasks = await tasksToJudge(store, run, rules)
    return use(
      scoreEach(
        store,
        opened,
        tasks.map(({ scorer, revisions }) => ({
          scorer,
          records: new Map(revisions.map(({ index, record }) => [index, record])),
        })),
      ),
    )
  })
}

interface TaskScorer {
  readonly scorer: Scorer
  /** Records that changed since the run began, by doc. */
  readonly records: ReadonlyMap<number, Sample['record']>
}

async function* scoreEach(
  store: Store,
  { run, judgement }: OpenedRun,
  scorers: readonly TaskScorer[],
): AsyncGenerator<SeparateScores> {
  for await (const sample of store.judgements.samples(run, judgement)) {
    const task = scorers[sample.task]
    const answers = groupAnswers(sample, listConfiguredFacts(task?.scorer.judging.config))
    if (task === undefined || answers === undefined) continue
    const record = task.records.get(sample.index) ?? sample.record
    const doc = {
      ...{ task: sample.task, index: sample.index, id: sample.id },
      record,
      recordKey: judgeRecordKey(record).key,
    }
    const scores: ScoreBody[] = []
    for (const own of answers) scores.push(await task.scorer.score({ ...doc, answers: own } satisfies AnsweredDoc))
    yield { sample, scores }
  }
}

/** The answers of each sample; undefined if a request has no answer. */
function groupAnswers({ items }: Sample, facts: readonly AttemptFact[]): readonly (readonly Answer[])[] | undefined {
  const samples = new Map<number, Answer[]>()
  for (const { choice, sample, request, response } of items) {
    if (request === undefined || response === undefined) return undefined
    const own = samples.get(sample) ?? []
    const { body, meta } = response
    const attempt = takeAttemptFacts(meta, facts)
    own.push({ ...{ choice, sample, key: request.key, digest: answerDigest(body).key, body }, ...present({ attempt }) })
    samples.set(sample, own)
  }
  return [...samples].sort(([a], [b]) => a - b).map(([, answers]) => answers)
}
