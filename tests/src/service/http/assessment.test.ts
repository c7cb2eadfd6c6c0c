import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { evaluate } from '../../../../src/index.js'
import { temporaryFolder } from '../../../support/store.js'
import { appScene } from './scene.js'

test('checks a run against a baseline and gates, and rejects a file of the server as a baseline', async () => {
  const { service, request } = await appScene()
  const folder = await temporaryFolder()
  const task = join(folder, 'q.yaml')
  const rules = 'doc_to_text: "{{n}}"\ndoc_to_target: a\nmetric_list: [{metric: exact_match}]'
  await writeFile(task, `task: q\ndataset_path: ./docs.jsonl\n${rules}\n`)
  await writeFile(join(folder, 'docs.jsonl'), '{"n":"1","a":"yes"}\n{"n":"2","a":"no"}\n')
  const answer = (text: string) =>
    evaluate({ store: service.store, model: 'dummy', modelArgs: { mode: 'fixed', text }, tasks: [task] })
  const [first, second] = [(await answer('maybe')).run.name, (await answer('yes')).run.name]

  const path = `/runs/${second}/assessment?baseline=${first}&gate=${encodeURIComponent('q.exact_match >= baseline + 0.5')}`
  const found = await request(`${path}&gate=${encodeURIComponent('*.* better')}`)
  expect(found.status).toBe(200)
  expect(await found.json()).toMatchObject({
    baseline: { name: expect.stringContaining(first) as string },
    gates: [
      { gate: 'q.exact_match >= baseline + 0.5', passed: true, value: 0.5, bound: 0.5 },
      { gate: '*.* better', passed: false },
    ],
    differences: [{ task: 'q', metric: 'exact_match', baseline: 0, difference: 0.5, isPaired: true }],
  })

  expect((await request(`/runs/${second}/assessment?gate=nonsense`)).status).toBe(422)
  expect((await request('/runs/no-such-run/assessment')).status).toBe(404)
  const results = join(folder, 'results.json')
  await writeFile(results, '{"results":{"q":{"exact_match,none":1}}}')
  expect((await request(`/runs/${second}/assessment?baseline=${encodeURIComponent(results)}`)).status).toBe(422)
})
