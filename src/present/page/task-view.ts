import { readFile } from 'node:fs/promises'
import { stringify } from 'yaml'
import { without } from '../../../base/values/without.js'
import type { Task } from '../../../stages/input/tasks/task.js'
import { renderTaskExample } from '../../authoring/task-example.js'
import type { Store } from '../../../cache/store.js'
import { readTaskSize } from '../../reading/tasks/task-size.js'
import { headComment, taskFacts } from '../text/task-page.js'
import type { TaskView } from './data/catalogue.js'

/** Describes a task with the prompt of its first doc. Nothing is downloaded for it. */
export async function taskView(task: Task, store: Pick<Store, 'values'>): Promise<TaskView> {
  const about = /\.ya?ml$/.test(task.file) ? headComment(await readFile(task.file, 'utf8')) : ''
  const config = without(JSON.parse(JSON.stringify(task.config)) as Record<string, unknown>, 'metadata')
  return {
    name: task.name,
    kind: 'task',
    ...(about !== '' && { about }),
    facts: taskFacts(task, await readTaskSize(store, task.name, task.config)),
    example: await renderTaskExample(task),
    yaml: stringify(config, { lineWidth: 100 }),
  }
}
