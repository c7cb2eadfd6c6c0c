import { dirname, resolve } from 'node:path'
import { pathToFileURL } from 'node:url'
import type { Command } from 'commander'
import { PipelineError } from '../../../base/errors/errors.js'
import { readPathKind } from '../../../base/files/path-kinds.js'
import { shownPath } from '../../../base/files/shown-path.js'
import { checkOutputFile, htmlFile } from '../../../cache/output-path.js'
import type { OpenedRun, Store } from '../../../cache/store.js'
import { formatQuantity, size } from '../../../base/text/numbers.js'
import { wholeNumber } from '../../config/values/option-values.js'
import { browserOpener } from '../open-browser.js'
import type { Tools } from '../command.js'

/** Flags that write a report in one file. */
export interface HtmlFlags {
  readonly html?: string
  readonly htmlSamples?: number
  readonly htmlMediaMb?: number
  readonly open?: boolean
}

export const withHtml = (command: Command): Command =>
  command
    .option('--html <file>', 'write a report with scores, plots, samples and pictures as one HTML file')
    .option(
      '--html-samples <n>',
      'with --html: maximum number of samples of each run, wrong, unparsed and failed ones first (10000)',
      wholeNumber('--html-samples', { min: 0 }),
    )
    .option(
      '--html-media-mb <n>',
      'with --html: maximum megabytes of pictures, sounds and videos (32)',
      wholeNumber('--html-media-mb', { min: 0 }),
    )
    .option('--open', 'with --html: open the report in the browser')

/**
 * Refuses a report that could not be written, before the work that it is of.
 *
 * @param store the location of the store that the command works on
 * @throws PipelineError if the folder is missing, or the file may not be replaced by a report
 */
export async function checkHtmlFile(
  { html, htmlSamples, htmlMediaMb, open }: HtmlFlags,
  store?: string,
): Promise<void> {
  if (html === undefined) {
    const [unused] = [
      ...(htmlSamples === undefined ? [] : ['--html-samples']),
      ...(htmlMediaMb === undefined ? [] : ['--html-media-mb']),
      ...(open === undefined ? [] : ['--open']),
    ]
    if (unused !== undefined) throw new PipelineError('usage', `${unused}: also give --html FILE`)
    return
  }
  const folder = dirname(resolve(html))
  if ((await readPathKind(folder)) !== 'folder')
    throw new PipelineError('usage', `--html ${html}: there is no folder ${folder}`)
  checkOutputFile({ path: html, label: `--html ${html}`, store }, htmlFile)
}

/** Writes the HTML report if a file is named. Prints its size and what it leaves out. */
export async function writeHtml(
  store: Store,
  runs: readonly OpenedRun[],
  flags: HtmlFlags & { readonly quiet?: boolean },
  { terminal, env }: Pick<Tools, 'terminal' | 'env'>,
): Promise<void> {
  const { html, htmlSamples: samples, htmlMediaMb: megabytes } = flags
  if (html === undefined) return
  // Only this flag needs the code that makes pictures smaller.
  const { writeReportFile } = await import('../../present/files/html/write-report.js')
  const report = await writeReportFile(store, runs, html, {
    ...(samples !== undefined && { samples }),
    ...(megabytes !== undefined && { mediaBytes: megabytes * 1_000_000 }),
  })
  if (flags.open === true) openReport(report.file, { terminal, env })
  if (flags.quiet === true) return
  terminal.tell([
    `written to ${shownPath(report.file)} (${size(report.bytes)}, ${formatQuantity(report.samples, 'sample')})`,
    ...report.leftOut.map(sentence => `  ${sentence}`),
  ])
}

function openReport(file: string, { terminal, env }: Pick<Tools, 'terminal' | 'env'>): void {
  const open = browserOpener(env)
  if (open === undefined) terminal.tell(`note: there is no display here to open ${shownPath(file)} on`)
  else open(pathToFileURL(resolve(file)).href)
}
