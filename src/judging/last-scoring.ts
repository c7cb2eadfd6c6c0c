import { canonicalJson } from '../../base/canonical-json.js'
import { judgeRecordKey } from '../../cache/keys.js'
import type { JudgeRecord, Run, TaskJudging } from '../../cache/records.js'
import type { Store } from '../../cache/store.js'
import type { StoredScoring } from './scoring.js'

/** A record that is not the run's own any more. */
export interface Revision {
  readonly index: number
  readonly record: JudgeRecord
}

/** The rules that came with a run. */
export interface LastScoring {
  readonly scoring: StoredScoring
  readonly revisions: readonly Revision[]
  /** The run was scored since by code of the task's own that did not come with it: these are the rules from before that. */
  readonly isOutdated: boolean
}

/** How a task was scored last, for where its folder is not: by its newest judgement, else as it was when the run was made. */
export async function lastScoring(
  store: Store,
  run: Run,
  { index, stored }: { readonly index: number; readonly stored: StoredScoring },
): Promise<LastScoring> {
  const judgement = (await store.judgements.list(run)).at(-1)
  const judging = judgement?.tasks[index]?.judging
  if (judgement === undefined || judging === undefined) return { scoring: stored, revisions: [], isOutdated: false }
  if (!hasCodeFor(judging, stored)) return { scoring: stored, revisions: [], isOutdated: true }
  const config = Object.fromEntries(Object.entries(judging.config).filter(([key]) => !added.includes(key)))
  const revisions = judging.config['records'] === undefined ? [] : await revisionsIn(store, run, { index, judgement })
  return { scoring: { ...stored, config }, revisions, isOutdated: false }
}

/** What a judgement's configuration holds beside the task's own. */
const added = ['output_type', 'process_results', 'records', 'parity']

/** Whether the code that came with the run is what the judgement was made by. */
function hasCodeFor({ config, scorer }: TaskJudging, stored: StoredScoring): boolean {
  const own = Object.entries(scorer.files).flatMap(([path, id]) =>
    path.startsWith('task/') ? [[path.slice('task/'.length), id] as const] : [],
  )
  return (
    config['process_results'] === stored.process_results &&
    canonicalJson(Object.fromEntries(own)) === canonicalJson(stored.closure ?? {})
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
    const own = await original.next()
    if (task !== index || own.done === true) continue
    if (judgeRecordKey(own.value.record).key !== judgeRecordKey(record).key) revisions.push({ index: doc, record })
  }
  return revisions
}
