import { PipelineError } from '../../../../base/errors/errors.js'
import { factsReader } from '../../../../cache/facts/sample-facts.js'
import type { DocPlace, OpenedRun, Sample, Store } from '../../../../cache/store.js'
import { readRunAbout } from '../../../reading/runs/run-about.js'
import { findSameDoc, type SameDoc } from '../../../reading/samples/same-doc.js'
import { sampleAt } from '../../../reading/samples/sample-at.js'
import { listedModel } from '../../text/results/run-header.js'
import type { DocRun, DocRuns } from '../data/index.js'
import { docCell } from './docs-page.js'
import { sampleRow } from './sample-row.js'

/** Returns what the other runs answered to a doc. @throws PipelineError if the run has no such doc */
export async function docRuns(store: Store, opened: OpenedRun, place: DocPlace): Promise<DocRuns> {
  const own = await sampleAt(store, opened, place)
  if (own === undefined)
    throw new PipelineError('usage', `run ${opened.run.name} has no doc ${place.index} in task ${place.task}`)
  const { found, left } = await findSameDoc(store, opened, own)
  const runs: DocRun[] = []
  for (const sameDoc of found) runs.push(await docRun(store, own, sameDoc))
  return { runs, left }
}

async function docRun(store: Store, own: Sample, { opened, sample }: SameDoc): Promise<DocRun> {
  const { run } = opened
  const { title } = readRunAbout(run)
  const request = sample.items[0]?.request
  const ownRequest = own.items[0]?.request
  return {
    name: run.name,
    model: listedModel(run),
    ...(title !== undefined && { title }),
    created: new Date(run.createdAt).toISOString(),
    cell: docCell(await sampleRow(store.media, opened, sample, { facts: factsReader(opened)(sample) })),
    isAskedSame: request === undefined || ownRequest === undefined ? null : request.inputKey === ownRequest.inputKey,
    isSameAnswer: request !== undefined && request.key === ownRequest?.key,
  }
}
