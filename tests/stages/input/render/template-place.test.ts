import { expect, test } from 'vitest'
import { makeRenderer } from '../../../../stages/input/render/renderer.js'
import { loadTask } from '../../../../stages/input/tasks/load-task.js'
import { temporaryFolder } from '../temp-folder.js'

const folder = temporaryFolder()

test.each([
  ['doc_to_text: "{{ q.a.b }}"\ndoc_to_target: q', '(t.yaml:3:14, doc_to_text)'],
  ['doc_to_text: q\ndoc_to_target: "{{ q.a.b }}"', '(t.yaml:4:16, doc_to_target)'],
  ['doc_to_text: q\ndoc_to_target: q\ndescription: "{{ q.a.b }}"', '(t.yaml:5:14, description)'],
  ['doc_to_text: q\ndoc_to_target: q\ndoc_to_choice: "{{ [q.a.b] }}"', '(t.yaml:5:16, doc_to_choice)'],
])('a template that fails for a doc names file, line, column and key: %s', async (lines, where) => {
  const file = await folder.write('t.yaml', `task: t\ndataset_path: d.jsonl\n${lines}\nmetric_list: []\n`)
  const task = await loadTask(file, { cacheDir: folder.path('cache') })
  const made = makeRenderer(task, ['q']).render({ q: 'x' })
  expect(made.type === 'failed' ? made.reason : 'rendered').toContain(where)
})
