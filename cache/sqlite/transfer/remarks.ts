import { without } from '../../../base/values/without.js'
import type { ImportOutcome, Remarks } from '../../bundle/portable.js'
import { sortedLabels } from '../../bundle/remarks.js'
import { hexDigits } from '../../digest.js'
import type { Judgement, MadeLabel, Run, StoredLabel } from '../../records.js'
import { checkTagCount, foreignLabelError } from '../../rows/merge.js'
import type { Context } from '../connection/context.js'
import { insertMissing, placedLabels } from '../labels/labels.js'
import { changeTags, tagsOfRun } from '../labels/tags.js'

/** Reads what people said of the answers that a run has now, with the records of its inputs and of each judgement. */
export function readRemarks(context: Context, run: Run, judgements: readonly Judgement[]): Remarks {
  const labelsById = new Map<number, StoredLabel>()
  for (const judgement of [undefined, ...judgements])
    for (const { labels } of placedLabels(context, run, judgement))
      for (const label of labels) labelsById.set(label.id, label)
  return {
    labels: sortedLabels([...labelsById.values()].map(label => without(label, 'id'))),
    tags: tagsOfRun(context, run.ref),
  }
}

/**
 * Adds labels and tags, inside the transaction of an import and after its docs.
 *
 * @throws PipelineError (bundle) if a label's doc is not in the run, or if there would be too many tags
 */
export function mergeRemarks(context: Context, run: number, { labels, tags }: Remarks): ImportOutcome['remarks'] {
  for (const label of labels) if (!hasRecord(context, run, label.record)) throw foreignLabelError(label)
  checkTagCount(tagsOfRun(context, run), tags)
  const { before, after } = changeTags(context, run, { add: tags })
  return { labels: insertMissing(context, labels), tags: after.length - before.length }
}

const hasRecord = (context: Context, run: number, record: MadeLabel['record']): boolean =>
  context
    .sql(
      `SELECT 1 FROM record c WHERE c.key = unhex(@record) AND (
         EXISTS (SELECT 1 FROM item i WHERE i.record = c.id AND i.run = @run)
         OR EXISTS (SELECT 1 FROM revision o JOIN judgement j ON j.id = o.judgement WHERE o.record = c.id AND j.run = @run))`,
    )
    .get({ record: hexDigits(record), run }) !== undefined
