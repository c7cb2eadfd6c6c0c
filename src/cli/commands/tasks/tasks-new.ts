import { join } from 'node:path'
import { PipelineError } from '../../../../base/errors/errors.js'
import { shownPath } from '../../../../base/files/shown-path.js'
import { shellWord } from '../../../../base/text/shell-word.js'
import { oneLine, visibleText } from '../../../../base/text/visible-text.js'
import { table } from '../../../present/text/layout/table.js'
import type { Tools } from '../../command.js'

/** The flags of `tasks new`. */
export interface NewFlags {
  readonly dir?: string
  readonly ts?: boolean
  readonly from?: string
  readonly target?: string
  readonly question?: string
}

/** Writes a task that runs at once: one to be changed, or one for a data file. */
export async function writeNew(
  name: string,
  { dir = '.', ts = false, from, ...columns }: NewFlags,
  tools: Tools,
): Promise<void> {
  if (from !== undefined) {
    await writeForData(name, { dir, file: from, ...columns }, tools)
    return
  }
  const [unused] = Object.keys(columns)
  if (unused !== undefined) throw new PipelineError('usage', `--${unused}: also give --from FILE`)
  const { writeStarter } = await import('../../../authoring/task-starter.js')
  tools.terminal.print((await writeStarter(name, dir, { isCode: ts })).map(path => shownPath(path)))
  const target = ts ? join(dir, name, `${name}.task.ts`) : join(dir, name)
  tools.terminal.tell(`try it:  pipeline tasks validate ${shellWord(shownPath(target))} --docs 3`)
}

/** Writes a task for a data file, and tells what was found and guessed. */
async function writeForData(
  name: string,
  data: { readonly dir: string; readonly file: string; readonly target?: string; readonly question?: string },
  { terminal }: Tools,
): Promise<void> {
  const { writeTaskFromData } = await import('../../../authoring/task-from-data.js')
  const { file, shape, guesses } = await writeTaskFromData(name, data)
  const columns = [
    { title: 'column', least: 10 },
    { title: 'kind', least: 6 },
    { title: 'example', least: 20 },
  ]
  const rows = shape.columns.map(({ name: column, kind, example }) => [column, kind, oneLine(visibleText(example))])
  terminal.print([...table(columns, rows, terminal.paint.out), '', ...guesses, '', `written  ${shownPath(file)}`])
  terminal.tell(`try it:  pipeline tasks validate ${shellWord(shownPath(join(data.dir, name)))} --docs 3`)
}
