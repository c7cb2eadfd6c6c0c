import { PipelineError } from '../../base/errors.js'
import { inputKey, judgeRecordKey } from '../../cache/keys.js'
import type { Input, Run } from '../../cache/records.js'
import type { Sample, Store } from '../../cache/store.js'
import { readRecords } from '../../stages/input/ingest.js'
import type { Prompting } from '../../stages/input/prompting.js'
import type { Task } from '../../stages/input/tasks/task.js'
import type { Revision } from './last-scoring.js'
import { dataOf } from '../evaluation/plan.js'
import { scoringOf, type StoredScoring } from './scoring.js'
import type { Hooks } from '../evaluation/settings.js'
import { selectionOf } from '../evaluation/stages.js'

/**
 * The records whose doc has another target, choices or fields now than when the run was made. A doc that would be asked
 * otherwise now keeps its record, since its answer is one to the old question.
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
    source = scoringOf(task, await dataOf(task, prompting, store)).records
  } catch (error) {
    if (!(error instanceof PipelineError)) throw error
    emit({ type: 'note', text: `the dataset of ${task.name} is not here: its targets are those of the run` })
    return []
  }
  if (source === stored?.records) return []
  const revisions: Revision[] = []
  let otherwise = 0
  const now = readRecords({ store, task, selection: selectionOf(run), prompting })[Symbol.asyncIterator]()
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
  const asked = sample.items.flatMap(({ request, choice }, place) =>
    request === undefined || sample.items[place - 1]?.choice === choice ? [] : [questionKey(request.input)],
  )
  return asked.length === inputs.length && inputs.every((input, index) => questionKey(input) === asked[index])
}

/** Of what is asked first: the code that asks on, and tools, are not looked at. */
const questionKey = ({ type, messages, continuation }: Input): string =>
  inputKey({ type, messages, ...(continuation === undefined ? {} : { continuation }) }).key
