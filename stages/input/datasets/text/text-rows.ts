import { PipelineError } from '../../../../base/errors.js'
import { shownPath } from '../../../../base/shown-path.js'
import type { Dataset } from '../dataset.js'
import { textLines } from './text-lines.js'
import type { Doc } from '../../tasks/doc.js'

/** A text file: each line is a row with the column `text`. */
export async function openText(file: string): Promise<Dataset> {
  for await (const lines of textLines(file))
    if (lines.length > 0)
      return { files: [file], columns: [{ name: 'text', isMedia: false }], rows: () => readRows(file) }
  throw new PipelineError('dataset', `${shownPath(file)} is empty`)
}

async function* readRows(file: string): AsyncGenerator<Doc> {
  for await (const lines of textLines(file)) for (const text of lines) yield { text: text.replace(/\r$/, '') }
}
