import { visibleText } from '../../../base/text/visible-text.js'
import type { DataTaskDraft } from '../../authoring/task-from-data.js'
import type { Paint } from '../../present/text/layout/paint.js'

/** The number of lines of a prompt that are shown. */
const mostLines = 30

/** Shows the first doc of a task that is about to be written: the prompt as a model gets it, and the target. */
export function previewLines({ prompt, target }: DataTaskDraft['preview'], paint: Paint): readonly string[] {
  const lines = visibleText(prompt).split('\n')
  const left = lines.length - mostLines
  return [
    paint.dim('the first doc:'),
    ...lines.slice(0, mostLines).map(line => `  | ${line}`),
    ...(left > 0 ? [`  | … ${left} more lines`] : []),
    `  target  ${visibleText(JSON.stringify(target))}`,
  ]
}
