import { expect, test } from 'vitest'
import { prepareTask } from '../../../../stages/input/prepare-task.js'
import { loadTask } from '../../../../stages/input/tasks/load-task.js'
import { temporaryFolder } from '../temp-folder.js'

const folder = temporaryFolder()

/** Renders the docs of a task with the keys `doc_to_text` and `doc_to_target` of lm-evaluation-harness. */
async function renderTask(keys: string, docs: string) {
  await folder.write('docs.jsonl', docs)
  const file = await folder.write('t.yaml', `task: t\ndataset_path: ./docs.jsonl\n${keys}`)
  const task = await prepareTask(await loadTask(file, { cacheDir: folder.path('cache') }))
  const rendered = []
  for await (const doc of task.docs()) rendered.push(task.renderer.render(doc, []))
  return rendered.map(one => (one.type === 'failed' ? one.reason : one.continuations))
}

test.each([
  // lambada_openai, whose target brings the space before it.
  [`"{{' '+text.split(' ')[-1]}}"`, [' house']],
  // asdiv, whose target has none.
  [`"{{text.split(' ')[-1]}}"`, ['house']],
])('the target of loglikelihood %s has no delimiter, as in lm-evaluation-harness', async (target, asked) => {
  const text = `doc_to_text: "{{text.split(' ')[:-1]|join(' ')}}"`
  const keys = `output_type: loglikelihood\n${text}\ndoc_to_target: ${target}\nmetric_list: [{metric: acc}]\n`
  expect(await renderTask(keys, '{"text": "a red house"}')).toEqual([asked])
})

test('each choice begins with the delimiter', async () => {
  const keys = `output_type: multiple_choice\ndoc_to_text: q\ndoc_to_choice: [red, blue]\ndoc_to_target: a\nmetric_list: [{metric: acc}]\n`
  expect(await renderTask(keys, '{"q": "Which?", "a": 0}')).toEqual([[' red', ' blue']])
})
