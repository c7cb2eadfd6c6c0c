/** Writes a report of runs as one HTML file that opens from disk without a network. */
import { createReadStream } from 'node:fs'
import { open, rm } from 'node:fs/promises'
import { dirname } from 'node:path'
import { messageOf, PipelineError } from '../../../../base/errors/errors.js'
import { option } from '../../../../base/errors/option-words.js'
import { makeFolder } from '../../../../cache/make-folder.js'
import { buildInfo } from '../../../../cache/code/build-info.js'
import { writeAtomically } from '../../../../cache/media/atomic-file.js'
import { checkOutputFile, htmlFile } from '../../../../cache/output-path.js'
import type { OpenedRun, Store } from '../../../../cache/store.js'
import { formatQuantity, formatCount } from '../../../../base/text/numbers.js'
import { leaderboardJson } from '../../json/leaderboard-json.js'
import { listedModel } from '../../text/results/run-header.js'
import { makePriceAdder } from '../../../cost/add-price.js'
import type { ScoredRun } from '../../../reading/comparing/scored-run.js'
import { makeLeaderboard } from '../../../reading/leaderboard/read-leaderboard.js'
import { compareView } from '../../page/compare-view.js'
import type { CompareView, LeaderboardView, ReportData, ReportedRun } from '../../page/data/index.js'
import { EmbeddedMedia } from './embedded-media.js'
import { pageEnd, pageStart, readPageCode, type PageCode } from './page-shell.js'
import { writeSamples } from './sample-chunks.js'
import { selectSamples, type DocName } from './select-samples.js'

/** Limits on the content of a report in one file. */
export interface ReportLimits {
  /** Samples of each run. @default 10,000 */
  readonly samples?: number
  /** Bytes of pictures, sounds and videos, before base64. @default 32,000,000 */
  readonly mediaBytes?: number
}

export interface WrittenReport {
  readonly file: string
  readonly bytes: number
  readonly samples: number
  /** The parts that the file leaves out, as sentences. */
  readonly leftOut: readonly string[]
}

/** The default maximum number of samples in a report. */
const defaultSamples = 10_000
/** The default maximum size of the media in a report, in bytes. */
const defaultMediaBytes = 32_000_000

/**
 * Writes the report file. The file gets its name when it is complete. Samples are streamed, so that memory holds only the list rows and one chunk of
 * samples.
 *
 * @param runs the others are compared with the first
 * @throws PipelineError if the file cannot be written, or the pages are not built
 */
export async function writeReportFile(
  store: Store,
  runs: readonly OpenedRun[],
  file: string,
  limits: ReportLimits = {},
): Promise<WrittenReport> {
  const code = await readPageCode()
  try {
    const path = checkOutputFile({ path: file, label: option('html', file), store: store.location }, htmlFile)
    makeFolder(dirname(path))
    return await writeReport(store, runs, path, { code, limits })
  } catch (error) {
    if (error instanceof PipelineError) throw error
    throw new PipelineError('usage', `${option('html', file)}: ${messageOf(error)}`, { cause: error })
  }
}

async function writeReport(
  store: Store,
  runs: readonly OpenedRun[],
  path: string,
  { code, limits }: { readonly code: PageCode; readonly limits: ReportLimits },
): Promise<WrittenReport> {
  // The first view's data comes first in the page, and is known last.
  const partsPath = `${path}.${process.pid}.parts.tmp`
  try {
    const data = await writeParts(store, runs, partsPath, limits)
    let bytes = 0
    await writeAtomically(path, async write => {
      const writeCounted = async (part: Uint8Array): Promise<void> => {
        bytes += part.length
        await write(part)
      }
      await writeCounted(Buffer.from(pageStart(formatTitle(runs), code, data)))
      for await (const part of createReadStream(partsPath)) await writeCounted(part as Buffer)
      await writeCounted(Buffer.from(pageEnd))
    })
    const samples = data.runs.reduce((sum, { rows }) => sum + rows.length, 0)
    return { file: path, bytes, samples, leftOut: data.leftOut }
  } finally {
    await rm(partsPath, { force: true })
  }
}

const formatTitle = (runs: readonly OpenedRun[]): string => `Report of ${runs.map(({ run }) => run.name).join(', ')}`

/** Writes the elements of samples and media, and returns what the first view needs. */
async function writeParts(
  store: Store,
  runs: readonly OpenedRun[],
  partsPath: string,
  { samples = defaultSamples, mediaBytes = defaultMediaBytes }: ReportLimits,
): Promise<ReportData> {
  const parts = await open(partsPath, 'w')
  const write = (text: string): Promise<void> => parts.appendFile(text)
  const media = new EmbeddedMedia(store.media)
  const reported: ReportedRun[] = []
  const leftOut: string[] = []
  let first: ReadonlySet<DocName> | undefined
  const addPrice = makePriceAdder()
  try {
    for (const [number, opened] of runs.entries()) {
      const selection = await selectSamples(store, opened, samples, first)
      const run = await writeSamples({ store, opened: await addPrice(opened), selection, number }, media, write)
      first ??= run.names
      reported.push(run.reported)
      if (selection.leftOut > 0) leftOut.push(samplesSentence(opened, selection.docs, samples))
    }
    leftOut.push(...(await media.write(write, mediaBytes)).leftOut)
  } finally {
    await parts.close()
  }
  return {
    version: buildInfo().version,
    made: new Date().toISOString(),
    runs: reported,
    comparisons: await collectComparisons(store, runs),
    ...(runs.length > 1 && { leaderboard: await collectLeaderboard(store, runs) }),
    leftOut,
  }
}

const samplesSentence = ({ run }: OpenedRun, docs: number, samples: number): string =>
  `Of run ${run.name}, the file holds ${formatQuantity(samples, 'sample')} of ${formatCount(docs)}: wrong, unparsed and failed ones first.`

async function collectLeaderboard(store: Store, runs: readonly OpenedRun[]): Promise<LeaderboardView> {
  const scored = runs.flatMap(({ run, judgement }): readonly ScoredRun[] =>
    judgement?.aggregates === undefined
      ? []
      : [{ store, run, judgement: { ...judgement, aggregates: judgement.aggregates } }],
  )
  return { ...leaderboardJson(await makeLeaderboard(scored, { labelModel: listedModel })), tags: [] }
}

async function collectComparisons(
  store: Store,
  [first, ...others]: readonly OpenedRun[],
): Promise<readonly CompareView[]> {
  const comparisons: CompareView[] = []
  if (first !== undefined) for (const other of others) comparisons.push(await compareView(store, first, other))
  return comparisons
}
