import { canonicalJson } from '../../base/values/canonical-json.js'
import { PipelineError } from '../../base/errors/errors.js'
import { inputKey, judgeRecordKey } from '../../cache/keys.js'
import type { Input, JudgeRecord, Run, ScoringRules, TaskJudging, StoredScoring } from '../../cache/records.js'
import type { Sample, Store } from '../../cache/store.js'
import { readRecords } from '../../stages/input/read-records.js'
import type { Prompting } from '../../stages/input/prompting.js'
import type { Task } from '../../stages/input/tasks/task.js'
import { computeDataIdentity } from '../evaluation/plan.js'
import type { Hooks } from '../config/settings.js'
import { readRunSelection } from '../evaluation/stages.js'
import { makeStoredScoring } from '../judging/scoring.js'

/** A judge record that differs from the run's own. */
export interface Revision {
  readonly index: number
  readonly record: JudgeRecord
}

/** The stored scoring rules of a task. */
export interface LastScoring {
  readonly scoring: StoredScoring
  readonly revisions: readonly Revision[]
  /** True if a later judgement used task code that is not stored with the run; these rules are older than it. */
  readonly isOutdated: boolean
}

/** The stored rules of a task without files: those of its newest judgement, else those of the run's creation. */
export async function lastScoring(
  store: Store,
  run: Run,
  { index, stored }: { readonly index: number; readonly stored: StoredScoring },
): Promise<LastScoring> {
  const judgement = (await store.judgements.list(run)).at(-1)
  const judging = judgement?.tasks[index]?.judging
  if (judgement === undefined || judging === undefined) return { scoring: stored, revisions: [], isOutdated: false }
  if (!hasCodeFor(judging, stored)) return { scoring: stored, revisions: [], isOutdated: true }
  const config = listTaskRules(judging)
  const revisions = judging.config.records === undefined ? [] : await revisionsIn(store, run, { index, judgement })
  return { scoring: { ...stored, config }, revisions, isOutdated: false }
}

/** Keys of a judgement's configuration that the program adds to the task's. */
const added = ['output_type', 'process_results', 'records', 'parity']

/** The rules of a judgement that come from its task. */
export const listTaskRules = ({ config }: TaskJudging): ScoringRules =>
  Object.fromEntries(Object.entries(config).filter(([key]) => !added.includes(key)))

/** Tells whether the judgement used the code that is stored with the run. */
function hasCodeFor({ config, scorer }: TaskJudging, stored: StoredScoring): boolean {
  const taskFiles = Object.entries(scorer.files).flatMap(([path, id]) =>
    path.startsWith('task/') ? [[path.slice('task/'.length), id] as const] : [],
  )
  return (
    config.process_results === stored.process_results &&
    canonicalJson(Object.fromEntries(taskFiles)) === canonicalJson(stored.closure ?? {})
  )
}

async function revisionsIn(
  store: Store,
  run: Run,
  { index, judgement }: { readonly index: number; readonly judgement: Parameters<Store['judgements']['samples']>[1] },
): Promise<readonly Revision[]> {
  const revisions: Revision[] = []
  const original = store.judgements.samples(run)[Symbol.asyncIterator]()
  for await (const { task, index: doc, record } of store.judgements.samples(run, judgement)) {
    const originalDoc = await original.next()
    if (task !== index || originalDoc.done === true) continue
    if (judgeRecordKey(originalDoc.value.record).key !== judgeRecordKey(record).key)
      revisions.push({ index: doc, record })
  }
  return revisions
}

/**
 * Reads the docs again and returns the records whose target, choices or fields changed since the run was made. A doc with another request keeps its
 * record, because its answer belongs to the old question.
 */
export async function revisedRecords(
  store: Store,
  run: Run,
  parts: {
    readonly index: number
    readonly task: Task
    readonly stored: StoredScoring | undefined
    readonly prompting: Prompting
    readonly emit: Hooks['emit']
  },
): Promise<readonly Revision[]> {
  const { index: taskIndex, task, stored, prompting, emit } = parts
  let source: string | undefined
  try {
    source = makeStoredScoring(task, await computeDataIdentity(task, prompting, store)).records
  } catch (error) {
    if (!(error instanceof PipelineError)) throw error
    emit({ type: 'note', text: `the dataset of ${task.name} is not here: its targets are those of the run` })
    return []
  }
  if (source === stored?.records) return []
  const revisions: Revision[] = []
  let otherwise = 0
  const now = readRecords({ store, task, selection: readRunSelection(run), prompting })[Symbol.asyncIterator]()
  let next = await now.next()
  for await (const sample of store.judgements.samples(run)) {
    if (sample.task !== taskIndex) continue
    while (next.done !== true && next.value.index < sample.index) next = await now.next()
    if (next.done === true || next.value.index !== sample.index) continue
    const { record, inputs } = next.value
    if (!asksTheSame(sample, inputs)) otherwise += 1
    else if (judgeRecordKey(record).key !== judgeRecordKey(sample.record).key)
      revisions.push({ index: sample.index, record })
  }
  if (otherwise > 0)
    emit({
      type: 'note',
      text: `${otherwise} docs of ${task.name} would be asked otherwise now: they keep their old targets. Start the line again to ask them.`,
    })
  return revisions
}

function asksTheSame(sample: Sample, inputs: readonly Input[]): boolean {
  const questions = sample.items.flatMap(({ request, choice }, position) =>
    request === undefined || sample.items[position - 1]?.choice === choice ? [] : [questionKey(request.input)],
  )
  return questions.length === inputs.length && inputs.every((input, index) => questionKey(input) === questions[index])
}

/** The key of the first question. Code for further rounds and tools are ignored. */
const questionKey = ({ type, messages, continuation }: Input): string =>
  inputKey({ type, messages, ...(continuation === undefined ? {} : { continuation }) }).key
