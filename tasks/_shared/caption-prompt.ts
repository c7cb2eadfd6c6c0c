import type { Doc, TaskKwargs } from '../../stages/input/tasks/doc.js'
import { text } from './options.js'

/** What every picture is shown with: the `prompt` of the model. */
export const captionPrompt = (_doc: Doc, kwargs: TaskKwargs): string => text(kwargs['prompt'], 'prompt')
