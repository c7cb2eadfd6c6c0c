/** The report in one HTML file, for programs. */
import type { OpenedRun } from '../../../cache/store.js'
import { PipelineError } from '../../../base/errors/errors.js'
import { present } from '../../../base/values/present.js'
import { openRun } from '../../reading/runs/run-reference.js'
import type { WrittenReport } from '../../present/files/html/write-report.js'
import { readRunName, toRunList, type RunOrName } from '../options/run-or-name.js'
import { checkOptions, fields, storeField, type OptionFields } from '../options/check-options.js'
import { withReadStore, type StoreOption } from './runs.js'

/** Options that limit the content of a report in one file. */
export interface HtmlReportOptions extends StoreOption {
  /** Samples of each run; wrong, unparsed and failed ones come first. @default 10,000 */
  readonly samples?: number
  /** Megabytes of pictures, sounds and videos. @default 32 */
  readonly mediaMb?: number
}

const reportFields = {
  ...storeField,
  samples: fields.number,
  mediaMb: fields.number,
} satisfies OptionFields<HtmlReportOptions>

/**
 * Writes a report of one or several runs of a store as one HTML file, as `pipeline report --html` does. It opens from disk and loads nothing.
 *
 * @param runs the others are compared with the first
 * @returns the file, its size, and notes about what it leaves out
 * @throws PipelineError if there is no such run, or the file cannot be written
 */
export async function htmlReport(
  runs: RunOrName | readonly RunOrName[],
  file: string,
  options: HtmlReportOptions = {},
): Promise<WrittenReport> {
  checkOptions(options, reportFields)
  const { samples, mediaMb } = options
  const names = toRunList(runs)
  const [first] = names
  if (first === undefined) throw new PipelineError('usage', 'htmlReport: no run is given')
  // Only this function needs the code that makes pictures smaller.
  const { writeReportFile } = await import('../../present/files/html/write-report.js')
  return withReadStore(first, options, async store => {
    const opened: OpenedRun[] = []
    for (const name of names) opened.push(await openRun(store, readRunName(name)))
    const mediaBytes = mediaMb === undefined ? undefined : mediaMb * 1_000_000
    return writeReportFile(store, opened, file, present({ samples, mediaBytes }))
  })
}
