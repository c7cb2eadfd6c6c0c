import { without } from '../../../base/values/without.js'
import type { ImportOutcome, Remarks } from '../../bundle/portable.js'
import { sortedLabels } from '../../bundle/remarks.js'
import { hexDigits } from '../../digest.js'
import type { Judgement, Run, StoredLabel } from '../../records.js'
import { checkTagCount, foreignLabelError } from '../../rows/merge.js'
import type { Context } from '../connection/context.js'
import type { Query } from '../connection/query.js'
import { insertMissing, placedLabels } from '../labels/labels.js'
import { changeTags, tagsOfRun } from '../labels/tags.js'

/** Reads what people said of the answers that a run has now, with the records of its inputs and of each judgement. */
export function readRemarks(context: Context, run: Run, judgements: readonly Judgement[]): Promise<Remarks> {
  return context.db.read(async query => {
    const labelsById = new Map<number, StoredLabel>()
    for (const judgement of [undefined, ...judgements])
      for (const { labels } of await placedLabels(context, query, run, judgement))
        for (const label of labels) labelsById.set(label.id, label)
    return {
      labels: sortedLabels([...labelsById.values()].map(label => without(label, 'id'))),
      tags: await tagsOfRun(context, query, run.ref),
    }
  })
}

/**
 * Adds labels and tags, inside the transaction of an import and after its docs.
 *
 * @throws PipelineError (bundle) if a label's doc is not in the run, or if there would be too many tags
 */
export async function mergeRemarks(
  context: Context,
  query: Query,
  run: number,
  { labels, tags }: Remarks,
): Promise<ImportOutcome['remarks']> {
  const placedRecords = await query<{ place: number }>(
    `SELECT u.place FROM unnest($1::text[]) WITH ORDINALITY u(record, place) JOIN record c ON c.key = decode(u.record, 'hex')
     WHERE EXISTS (SELECT 1 FROM item i WHERE i.record = c.id AND i.run = $2)
       OR EXISTS (SELECT 1 FROM revision o JOIN judgement j ON j.id = o.judgement WHERE o.record = c.id AND j.run = $2)`,
    [labels.map(({ record }) => hexDigits(record)), run],
  )
  const places = new Set(placedRecords.map(({ place }) => place - 1))
  const foreign = labels.find((_, place) => !places.has(place))
  if (foreign !== undefined) throw foreignLabelError(foreign)
  checkTagCount(await tagsOfRun(context, query, run), tags)
  const { before, after } = await changeTags(context, query, run, { add: tags })
  return { labels: await insertMissing(context, query, labels), tags: after.length - before.length }
}
