import { canonicalJson, type Json } from '../base/values/canonical-json.js'
import type { Judgement, Run } from './records.js'
import type { Sample, SampleItem, JudgementStore } from './store.js'

/**
 * Writes the results of a run as lines of canonical JSON, so that two runs can be compared byte by byte. There is one
 * line a doc, in the order of task, doc, choice and sample, then one an aggregate of the judgement, if given. Times,
 * attempts, leases, messages of failures and the store's own numbers are left out. Two runs of the same command
 * therefore give the same bytes, even if one of them was interrupted.
 */
export async function* canonicalDump(
  store: { readonly judgements: Pick<JudgementStore, 'samples'> },
  run: Run,
  judgement?: Judgement,
): AsyncGenerator<string> {
  for await (const sample of store.judgements.samples(run, judgement)) yield line(docLine(run, sample))
  for (const aggregate of judgement?.aggregates ?? []) yield line({ aggregate })
}

/** The cast is safe because records hold only JSON: interfaces lack the index signature that `Json` needs. */
const line = (value: object): string => canonicalJson(value as Json)

const docLine = (run: Run, { task, index, id, record, items, score }: Sample) => ({
  task: run.asked.tasks[task]?.name,
  index,
  doc: id,
  target: record.target,
  items: items.map(makeDumpItem),
  score,
})

const makeDumpItem = ({ choice, sample, request, response, failure }: SampleItem) => ({
  choice,
  sample,
  key: request?.key,
  response: response?.body,
  failure: failure?.class,
})
