import { PipelineError } from '../base/errors.js'
import { prepareTask } from '../stages/input/prepare-task.js'
import type { Task } from '../stages/input/tasks/task.js'
import type { TaskExample } from './report/task-page.js'
import { promptText } from './task-trial.js'

/** The first doc of a task as a model would be asked it, or why it can't be shown. Nothing is downloaded for it. */
export async function exampleOf(task: Task): Promise<TaskExample | string> {
  try {
    const prepared = await prepareTask(task)
    for await (const doc of prepared.docs()) {
      const rendered = prepared.renderer.render(doc, prepared.examples?.()(doc))
      if (rendered.type === 'failed') return `the first doc can't be asked: ${rendered.reason}`
      const { target } = rendered.record
      return {
        prompt: promptText(rendered.messages),
        target: typeof target === 'string' ? target : JSON.stringify(target),
      }
    }
    return 'there are no docs'
  } catch (error) {
    if (!(error instanceof PipelineError)) throw error
    return `its data are not here yet   (pipeline eval --tasks ${task.name} --limit 1 fetches them)`
  }
}
