import { canonicalJson, type Json } from '../base/values/canonical-json.js'
import type { Judgement, Run } from './records.js'
import type { Sample, SampleItem, JudgementStore } from './store.js'

/**
 * What a run came to, as lines of canonical JSON: one a doc in the order of task, doc, choice and sample, then one an
 * aggregate of the judgement, if one is given. Two runs of the same line that ended in the same state give the same bytes,
 * wherever and however often interrupted they ran: times, attempts, leases, messages of failures and numbers that are the
 * store's own are left out.
 */
export async function* canonicalDump(
  store: { readonly judgements: Pick<JudgementStore, 'samples'> },
  run: Run,
  judgement?: Judgement,
): AsyncGenerator<string> {
  for await (const sample of store.judgements.samples(run, judgement)) yield line(docLine(run, sample))
  for (const aggregate of judgement?.aggregates ?? []) yield line({ aggregate })
}

/** Records hold JSON alone, but interfaces have no index signature that would say so. */
const line = (value: object): string => canonicalJson(value as Json)

const docLine = (run: Run, { task, index, id, record, items, score }: Sample) => ({
  task: run.asked.tasks[task]?.name,
  index,
  doc: id,
  target: record.target,
  items: items.map(itemOf),
  score,
})

const itemOf = ({ choice, sample, request, response, failure }: SampleItem) => ({
  choice,
  sample,
  key: request?.key,
  response: response?.body,
  failure: failure?.class,
})
