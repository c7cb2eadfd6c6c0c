import { expect, test } from 'vitest'
import { headComment, taskPage } from '../../../../src/present/text/task-page.js'
import { plain } from '../../../../src/present/text/layout/paint.js'
import { renderTaskExample } from '../../../../src/authoring/task-example.js'
import { resolveTasks } from '../../../../stages/input/tasks/resolve-tasks.js'
import { temporaryFolder } from '../../../support/store.js'

const taskNamed = async (name: string) => {
  const [task] = await resolveTasks([name], { cacheDir: await temporaryFolder(), emit: () => undefined })
  return task!
}

test('shows a task with its source, prompt, metrics and a rendered doc', async () => {
  const task = await taskNamed('shapes_vqa')
  const page = taskPage(task, { about: 'Shapes.', example: await renderTaskExample(task), paint: plain }).join('\n')
  expect(page).toMatch(/^shapes_vqa\nShapes\.\n/)
  expect(page).toMatch(/source +\S+test\.parquet\n/)
  expect(page).toMatch(/metrics +exact_match \(ignore_case true\)\n/)
  expect(page).toContain('| <img_0000.png>Which color does the ring have?\n  target: orange')
})

test('says how to get missing data of a task, with a synthetic doc or without', async () => {
  const task = await taskNamed('ai2d')
  const why = 'its data are not here yet   (pipeline eval --tasks ai2d --limit 1 fetches them)'
  expect(await renderTaskExample({ ...task, file: '/own/ai2d/ai2d.yaml' })).toBe(why)
  const page = taskPage(task, { about: '', example: await renderTaskExample(task), paint: plain }).join('\n')
  expect(page).toContain(`an example, of a made-up doc; ${why}:\n  | <picture.png>What colour`)
})

test('shows the comment at the head of a file as the description of the task', () => {
  expect(headComment('# One thing\n#  and another.\ntask: x\n# not this\n')).toBe('One thing and another.')
  expect(headComment('task: x\n')).toBe('')
})

test('shows the keys that a parity replaces', async () => {
  const task = await taskNamed('mmlu_flan_cot_zeroshot_anatomy')
  const page = taskPage(task, { about: '', example: 'none', paint: plain }).join('\n')
  expect(page).toMatch(/parity lmms-eval +test_split validation\n/)
})
