import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { evaluate, report } from '../../../src/index.js'
import { startFakeOpenai } from '../../support/fake-openai.js'
import { temporaryFolder } from '../../support/store.js'

test('thirty docs with the same prompt share one answer, which counts as one draw', async () => {
  const folder = await temporaryFolder()
  const docs = Array.from({ length: 30 }, () => JSON.stringify({ q: 'Heads or tails?', a: 'heads' }))
  await writeFile(join(folder, 'docs.jsonl'), `${docs.join('\n')}\n`)
  const task = join(folder, 'coin.yaml')
  await writeFile(
    task,
    'task: coin\ndataset_path: ./docs.jsonl\ndoc_to_text: q\ndoc_to_target: a\ngeneration_kwargs: {max_new_tokens: 16, temperature: 0}\nmetric_list: [{metric: exact_match}]\n',
  )
  const server = await startFakeOpenai({ keepBodies: true })
  const store = join(folder, 'store')
  const modelArgs = { model: 'm', base_url: server.url }
  const run = await evaluate({ store, model: 'openai', modelArgs, tasks: [task] })
  expect(server.seen.filter(({ text }) => text.includes('Heads or tails?'))).toHaveLength(1)
  const told = { n: 30, total: 30, draws: 1, stderr: null, interval: null }
  expect(run.judgement?.aggregates).toMatchObject([{ ...told, intervalMethod: 'none' }])
  const json = await report(run.run.name, { store })
  expect(json).toMatchObject({ tasks: { coin: { exact_match: told } } })
  const text = await report(run.run.name, { store, format: 'text' })
  expect(text).toMatch(/coin: exact_match is without an interval: the docs come in one cluster.*of 30 docs, 1 draw/s)
})
