import { promisify } from 'node:util'
import { gzip } from 'node:zlib'
import type { OpenedRun, Store } from '../../../../cache/store.js'
import { labelsOfRun, placeKey } from '../../../../cache/facts/current-labels.js'
import { factsReader } from '../../../../cache/facts/sample-facts.js'
import { openJudgeExchanges } from '../../../reading/samples/judge-exchanges.js'
import type { ReportedRun, SampleRow, SampleView } from '../../page/data/index.js'
import { runView } from '../../page/runs/run-view.js'
import { sampleRow } from '../../page/samples/sample-row.js'
import { viewOfSample } from '../../page/samples/sample-view.js'
import type { EmbeddedMedia } from './embedded-media.js'
import { dataElement } from './page-shell.js'
import { docName, type DocName, type Selection } from './select-samples.js'

const compressed = promisify(gzip)

/** Samples in one element. A browser unpacks them all to show one. */
const chunk = 50

export interface WrittenSamples {
  readonly reported: ReportedRun
  readonly names: ReadonlySet<DocName>
}

/** Writes the selected samples of a run, one chunk in memory at a time, and returns their rows. */
export async function writeSamples(
  { store, opened, selection, number }: { store: Store; opened: OpenedRun; selection: Selection; number: number },
  media: EmbeddedMedia,
  write: (text: string) => Promise<void>,
): Promise<WrittenSamples> {
  const { run, judgement } = opened
  const factsOf = factsReader(opened)
  const people = await labelsOfRun(store, run, judgement)
  const exchanges = await openJudgeExchanges(store, opened)
  const rows: SampleRow[] = []
  const labels: Readonly<Record<string, string>>[] = []
  const names = new Set<DocName>()
  let pending: SampleView[] = []
  let chunks = 0
  const flush = async (): Promise<void> => {
    if (pending.length === 0) return
    await write(dataElement(`samples-${number}-${chunks}`, await compressed(JSON.stringify(pending))))
    chunks += 1
    pending = []
  }
  for await (const sample of store.judgements.samples(run, judgement)) {
    if (!selection.has(sample)) continue
    const view = await viewOfSample(store, opened, sample, exchanges)
    const marked = people.get(placeKey(sample))?.at(-1)?.label
    rows.push({
      ...(await sampleRow(store.media, opened, sample, { facts: factsOf(sample) })),
      ...(marked && { marked }),
    })
    labels.push(sample.score?.groups ?? {})
    names.add(docName(opened, sample))
    media.add(view)
    pending.push(view)
    if (pending.length === chunk) await flush()
  }
  await flush()
  const reported = { view: await runView(store, opened), labels, rows, chunk, whole: rows.length }
  return { reported, names }
}
