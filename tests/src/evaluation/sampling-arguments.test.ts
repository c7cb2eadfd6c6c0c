import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { evaluate } from '../../../src/index.js'
import { startFakeOpenai } from '../../support/fake-openai.js'
import { temporaryFolder } from '../../support/store.js'

test('sends sampling parameters among model arguments, and generation kwargs of the run override them', async () => {
  const folder = await temporaryFolder()
  await writeFile(join(folder, 'docs.jsonl'), '{"q": "Which?", "a": "a"}\n')
  const task = join(folder, 't.yaml')
  await writeFile(
    task,
    'task: t\ndataset_path: ./docs.jsonl\ndoc_to_text: q\ndoc_to_target: a\ngeneration_kwargs: {max_new_tokens: 16, temperature: 0}\nmetric_list: [{metric: exact_match}]\n',
  )
  const server = await startFakeOpenai({ keepBodies: true })
  const modelArgs = { model: 'm', base_url: server.url, temperature: 0.7, max_new_tokens: 64 }
  await evaluate({
    store: join(folder, 'store'),
    model: 'openai',
    modelArgs,
    tasks: [task],
    genKwargs: { max_new_tokens: 32 },
  })
  const body = JSON.parse(server.seen.at(-1)?.text ?? '') as Record<string, unknown>
  expect(body['temperature']).toBe(0.7)
  expect(body['max_completion_tokens'] ?? body['max_tokens']).toBe(32)
})
