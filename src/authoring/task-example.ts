import { PipelineError } from '../../base/errors/errors.js'
import { prepareTask } from '../../stages/input/prepare-task.js'
import type { Rendered } from '../../stages/input/render/renderer.js'
import type { Task } from '../../stages/input/tasks/task.js'
import { renderedSampleDoc } from './sample-doc.js'
import { promptText } from './task-trial.js'

export interface TaskExample {
  readonly prompt: string
  readonly target: string
  /** A note about the doc. */
  readonly note?: string
}

/**
 * Renders the prompt of a task's first doc, or returns the reason why it cannot be shown. It downloads nothing: for a built-in task without local
 * data, it uses an invented doc.
 */
export async function renderTaskExample(task: Task): Promise<TaskExample | string> {
  try {
    const prepared = await prepareTask(task)
    for await (const doc of prepared.docs()) {
      const rendered = prepared.renderer.render(doc, prepared.examples?.()(doc))
      if (rendered.type === 'failed') return `the first doc can't be asked: ${rendered.reason}`
      return exampleText(rendered)
    }
    return 'there are no docs'
  } catch (error) {
    if (!(error instanceof PipelineError)) throw error
    const reason = `its data are not here yet   (pipeline eval --tasks ${task.name} --limit 1 fetches them)`
    const rendered = await renderedSampleDoc(task)
    return rendered === undefined ? reason : { ...exampleText(rendered), note: sampleDocNote(task, reason) }
  }
}

function exampleText({ messages, record: { target } }: Extract<Rendered, { type: 'rendered' }>): TaskExample {
  const targetText =
    target === null ? 'none that is public' : typeof target === 'string' ? target : JSON.stringify(target)
  return { prompt: promptText(messages), target: targetText }
}

function sampleDocNote({ config: { num_fewshot: numFewshot = 0 } }: Task, reason: string): string {
  const without =
    numFewshot === 0 ? '' : `, without the ${numFewshot === 1 ? 'example' : `${numFewshot} examples`} before it`
  return `of a made-up doc${without}; ${reason}`
}
