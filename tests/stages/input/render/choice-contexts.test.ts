import { expect, test } from 'vitest'
import { draftDoc } from '../../../../stages/input/draft-doc.js'
import type { MediaIntake } from '../../../../stages/input/media/media-intake.js'
import { prepareTask } from '../../../../stages/input/prepare-task.js'
import type { DraftMessage } from '../../../../stages/input/render/messages.js'
import { loadTask } from '../../../../stages/input/tasks/load-task.js'
import type { Task } from '../../../../stages/input/tasks/task.js'
import { temporaryFolder } from '../temp-folder.js'

/** The contexts and the continuation are what lm-evaluation-harness 0.4.13 makes of WinoGrande (multiple_input_context). */
const folder = temporaryFolder()
const keys = `task: wino
dataset_path: ./data
test_split: test
fewshot_split: train
fewshot_config: {sampler: first_n}
output_type: multiple_choice
doc_to_choice: "{{ [before ~ a, before ~ b] }}"
doc_to_target: "{{ after }}"
metric_list: [{metric: acc}]
`

async function taskOf(yaml: string): Promise<Task> {
  const doc = (name: string, right: number): string =>
    JSON.stringify({ before: `${name}: because the `, a: 'cup', b: 'table', after: 'was wet.', right, word: 'one' })
  await folder.write('data/test.jsonl', doc('test', 1))
  await folder.write('data/train.jsonl', doc('train', 0))
  await folder.write('utils.ts', 'export const right = (doc: any) => doc.right\n')
  return loadTask(await folder.write('t.yaml', `${keys}${yaml}`), { cacheDir: folder.path('cache') })
}

async function firstDoc(task: Task) {
  const prepared = await prepareTask(task)
  const choose = prepared.examples?.()
  for await (const doc of prepared.docs()) return { doc, rendered: prepared.renderer.render(doc, choose?.(doc)) }
  throw new Error('there is no doc')
}

const textsIn = (messages: readonly DraftMessage[]): string =>
  messages.flatMap(({ content }) => content.map(part => (part.type === 'text' ? part.text : '<medium>'))).join('')

test.each(['right', '"{{ right }}"', '!function utils.right', '1'])(
  'choices are contexts of one continuation if doc_to_text gives an index: %s',
  async question => {
    const { rendered } = await firstDoc(await taskOf(`doc_to_text: ${question}\n`))
    if (rendered.type === 'failed') throw new Error(rendered.reason)
    expect(rendered.contexts?.map(textsIn)).toEqual(['test: because the cup', 'test: because the table'])
    expect(rendered.continuations).toEqual([' was wet.', ' was wet.'])
    expect(rendered.record).toMatchObject({
      target: 1,
      choices: ['test: because the cup', 'test: because the table'],
    })
  },
)

test('an example shows its right choice with its continuation', async () => {
  const { rendered } = await firstDoc(await taskOf('doc_to_text: right\nnum_fewshot: 1\n'))
  if (rendered.type === 'failed') throw new Error(rendered.reason)
  expect(rendered.contexts?.map(textsIn)).toEqual([
    'train: because the cup was wet.\n\ntest: because the cup',
    'train: because the cup was wet.\n\ntest: because the table',
  ])
})

test('each context becomes a separate request', async () => {
  const task = await taskOf('doc_to_text: right\n')
  const { doc, rendered } = await firstDoc(task)
  const draft = await draftDoc({ doc, index: 0, id: '0', rendered }, task, {
    media: {} as MediaIntake,
    generation: {},
  })
  const inputs = draft.requests.flatMap(request => ('input' in request ? [request.input] : []))
  expect(inputs.map(({ messages }) => textsIn(messages as readonly DraftMessage[]))).toEqual([
    'test: because the cup',
    'test: because the table',
  ])
  expect(inputs.map(({ continuation }) => continuation)).toEqual([' was wet.', ' was wet.'])
})

test('an index without a choice fails its doc, and a text is still a question', async () => {
  const { rendered } = await firstDoc(await taskOf('doc_to_text: 2\n'))
  expect(rendered).toMatchObject({ type: 'failed', reason: expect.stringContaining('doc_to_text gives 2') as string })
  const { rendered: asked } = await firstDoc(await taskOf('doc_to_text: word\n'))
  expect(asked).toMatchObject({ type: 'failed', reason: expect.stringContaining('doc_to_target gives') as string })
})
