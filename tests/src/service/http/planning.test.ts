import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { evaluate } from '../../../../src/index.js'
import { temporaryFolder } from '../../../support/store.js'
import { appScene } from './scene.js'

test('plans a comparison from one or two runs, shows the leaderboard, and says why the judge cannot be calibrated', async () => {
  const { service, request } = await appScene()
  const folder = await temporaryFolder()
  const task = join(folder, 'q.yaml')
  const rules = 'doc_to_text: "{{n}}"\ndoc_to_target: a\nmetric_list: [{metric: exact_match}]'
  await writeFile(task, `task: q\ndataset_path: ./docs.jsonl\n${rules}\n`)
  const rows = Array.from({ length: 40 }, (_, n) => JSON.stringify({ n: String(n), a: n % 4 === 0 ? 'no' : 'yes' }))
  await writeFile(join(folder, 'docs.jsonl'), `${rows.join('\n')}\n`)
  const answer = (text: string) =>
    evaluate({ store: service.store, model: 'dummy', modelArgs: { mode: 'fixed', text }, tasks: [task] })
  const [first, second] = [(await answer('no')).run.name, (await answer('yes')).run.name]

  const alone = await request(`/runs/${second}/power?effect=0.1`)
  expect(alone.status).toBe(200)
  expect(await alone.json()).toMatchObject({
    tasks: [
      { task: 'q', metric: 'exact_match', docs: 40, meanA: 0.75, plan: { neededDocs: expect.any(Number) as number } },
    ],
  })
  const both = await request(`/runs/${first}/power?against=${second}&effect=0.1`)
  expect(await both.json()).toMatchObject({ tasks: [{ docs: 40, meanA: 0.25, meanB: 0.75 }] })

  const board = (await (await request('/leaderboard?task=Q')).json()) as { readonly rows: readonly object[] }
  expect(board.rows).toMatchObject([{ task: 'q', cells: [{ value: 0.25 }, { value: 0.75, mark: 'best' }] }])
  expect((await request('/leaderboard?tsk=q')).status).toBe(422)

  expect((await request('/runs/no-such-run/power')).status).toBe(404)
  expect((await request(`/runs/${first}/power?alpha=2`)).status).toBe(422)
  expect((await request(`/runs/${first}/power?against=no-such-run`)).status).toBe(404)
  const unlabelled = await request(`/runs/${first}/calibration`)
  expect(unlabelled.status).toBe(422)
  expect(await unlabelled.text()).toContain('label')
})
