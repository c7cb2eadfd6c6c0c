import { join } from 'node:path'
import { PipelineError } from '../../../../base/errors/errors.js'
import { shownPath } from '../../../../base/files/shown-path.js'
import { formatQuantity } from '../../../../base/text/numbers.js'
import { present } from '../../../../base/values/present.js'
import { shellWord } from '../../../../base/text/shell-word.js'
import { oneLine, visibleText } from '../../../../base/text/visible-text.js'
import type { DataTaskDraft } from '../../../authoring/task-from-data.js'
import { table } from '../../../present/text/layout/table.js'
import { previewLines } from '../../display/task-preview.js'
import type { Tools } from '../../command.js'
import type { OutputFlags } from '../../flags/evaluation-options.js'
import { openRun, locateStore, withOpenStore } from '../../open-run.js'

/** The flags of `tasks new`. */
export interface NewFlags extends OutputFlags {
  readonly dir?: string
  readonly ts?: boolean
  readonly from?: string
  readonly target?: string
  readonly question?: string
  readonly store?: string
  readonly fromRun?: string
  readonly samples?: string
  readonly against?: string
}

/** Writes a task that runs at once: one to be changed, or one for a data file. */
export async function writeNew(
  name: string,
  { dir = '.', ts = false, from, store, fromRun, samples, against, json = false, quiet = false, ...columns }: NewFlags,
  tools: Tools,
): Promise<void> {
  const print = makePrinter(tools, { json, quiet })
  if (fromRun !== undefined) {
    const [other] = Object.entries({ from, ...columns }).flatMap(([flag, value]) => (value === undefined ? [] : [flag]))
    if (other !== undefined) throw new PipelineError('usage', `--${other} is not for --from-run`)
    const chosen = { dir, run: fromRun, ...present({ store, samples, against }) }
    await writeForRun(name, chosen, { tools, print })
    return
  }
  if (samples !== undefined || against !== undefined)
    throw new PipelineError('usage', `--${samples === undefined ? 'against' : 'samples'}: also give --from-run RUN`)
  if (from !== undefined) {
    await writeForData(name, { dir, file: from, ...columns }, { tools, print, isSilent: json || quiet })
    return
  }
  const [unused] = Object.keys(columns)
  if (unused !== undefined) throw new PipelineError('usage', `--${unused}: also give --from FILE`)
  const { writeStarter } = await import('../../../authoring/task-starter.js')
  const files = await writeStarter(name, dir, { isCode: ts })
  const target = ts ? join(dir, name, `${name}.task.ts`) : join(dir, name)
  print({ files }, { lines: files.map(path => shownPath(path)), target })
}

/** Prints the written task: as JSON, or as lines with the command that tries it. */
type Printer = (
  task: object,
  texts: { readonly lines: readonly string[]; readonly notes?: readonly string[]; readonly target?: string },
) => void

const makePrinter =
  ({ terminal }: Tools, { json, quiet }: { readonly json: boolean; readonly quiet: boolean }): Printer =>
  (task, { lines, notes = [], target }) => {
    if (json) terminal.printData(JSON.stringify(task, undefined, 2))
    else if (!quiet) terminal.print(lines)
    if (json || quiet) return
    terminal.tell(notes.map(note => `note: ${note}`))
    if (target !== undefined) terminal.tell(`try it:  pipeline tasks validate ${shellWord(shownPath(target))} --docs 3`)
  }

/** The tools of a command with its printer. */
interface Printing {
  readonly tools: Tools
  readonly print: Printer
}

/** Writes a task for a data file, and prints what was detected and guessed. */
async function writeForData(
  name: string,
  data: { readonly dir: string; readonly file: string; readonly target?: string; readonly question?: string },
  { tools: { terminal }, print, isSilent }: Printing & { readonly isSilent: boolean },
): Promise<void> {
  const { writeTaskFromData } = await import('../../../authoring/task-from-data.js')
  const onDraft = ({ shape, guesses, preview, problems }: DataTaskDraft): void => {
    if (isSilent) return
    const rows = shape.columns.map(({ name: column, kind, example }) => [column, kind, oneLine(visibleText(example))])
    terminal.print([
      ...table(dataColumns, rows, terminal.paint.out),
      ...['', ...guesses, ''],
      ...previewLines(preview, terminal.paint.out),
      '',
    ])
    terminal.tell(problems.map(problem => `note: ${problem}`))
  }
  const { file, shape, guesses, preview, problems } = await writeTaskFromData(name, { ...data, onDraft })
  print(
    { files: [file], columns: shape.columns, guesses, preview, problems },
    { lines: [`written  ${shownPath(file)}`], target: join(data.dir, name) },
  )
}

const dataColumns = [
  { title: 'column', least: 10 },
  { title: 'kind', least: 6 },
  { title: 'example', least: 20 },
]

/** Writes docs of a run as a task, and prints what was written. */
async function writeForRun(
  name: string,
  chosen: {
    readonly dir: string
    readonly run: string
    readonly store?: string
    readonly samples?: string
    readonly against?: string
  },
  { tools, print }: Printing,
): Promise<void> {
  const [{ writeTaskFromRun }, { chooseSamples }] = await Promise.all([
    import('../../../authoring/task-from-run.js'),
    import('../../../reading/samples/choose-samples.js'),
  ])
  const task = await withOpenStore(locateStore(chosen, tools), 'read', async store => {
    const opened = await openRun(store, chosen.run)
    const against = chosen.against === undefined ? undefined : await openRun(store, chosen.against)
    const samples = await chooseSamples(store, opened, { samples: chosen.samples ?? 'all', against })
    return writeTaskFromRun(name, { dir: chosen.dir, opened, samples, media: store.media })
  })
  const { folder, docs, media, tasks, ids, left } = task
  const mediaText = media === 0 ? '' : ` with ${formatQuantity(media, 'medium', 'media')}`
  print(task, {
    lines: [
      `${formatQuantity(docs, 'doc')}${mediaText}`,
      ...[...tasks, ids].map(path => `written  ${shownPath(path)}`),
    ],
    notes: left,
    ...(tasks.length > 0 && { target: folder }),
  })
}
