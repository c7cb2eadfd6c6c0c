import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { evaluate } from '../../../../src/index.js'
import type { JobPolicy } from '../../../../src/service/policy/job-policy.js'
import { work } from '../../../../src/service/jobs/worker.js'
import { temporaryFolder } from '../../../support/store.js'
import { appScene, type AppScene } from './scene.js'

const rules = 'doc_to_text: "{{n}}"\ndoc_to_target: a\nmetric_list: [{metric: exact_match}]\n'

/** A service whose tasks are in a folder, which holds 8 docs with the target `yes` or `no`. */
async function analysedScene(given: { readonly isServed: boolean }) {
  const folder = await temporaryFolder()
  await writeFile(join(folder, 'q.yaml'), `task: q\ndataset_path: ./docs.jsonl\n${rules}`)
  const rows = Array.from({ length: 8 }, (_, n) => JSON.stringify({ n: String(n), a: n % 4 === 0 ? 'no' : 'yes' }))
  await writeFile(join(folder, 'docs.jsonl'), `${rows.join('\n')}\n`)
  const includePaths = given.isServed ? [folder] : []
  const scene = await appScene({ settings: { includePaths } })
  const { store, policy } = scene.service
  const answer = async (text: string): Promise<string> => {
    const modelArgs = { mode: 'fixed', text }
    const { run } = await evaluate({
      store,
      model: 'dummy',
      modelArgs,
      tasks: ['q'],
      includePaths: [folder],
      repeats: 2,
    })
    return run.name
  }
  return { scene, answer, submit: (kind: string, body: object) => submit(scene, { kind, body, includePaths, policy }) }
}

/** Submits an analysis, has a worker do it, and returns its job. */
async function submit(
  { request, service: { store } }: AppScene,
  {
    kind,
    body,
    includePaths,
    policy,
  }: { kind: string; body: object; includePaths: readonly string[]; policy: JobPolicy },
): Promise<{ readonly status: number; readonly text: string; readonly job?: object }> {
  const headers = { 'content-type': 'application/json' }
  const answer = await request(`/${kind}`, { method: 'POST', headers, body: JSON.stringify(body) })
  const text = await answer.text()
  if (answer.status !== 200) return { status: answer.status, text }
  const { job_id: id } = JSON.parse(text) as { readonly job_id: string }
  await work(store, {
    ...{ env: {}, includePaths, plugins: [], policy, limits: {}, maxJobs: 1 },
    shutdown: new AbortController().signal,
    now: () => performance.now(),
  })
  return { status: 200, text, job: (await (await request(`/jobs/${id}`)).json()) as object }
}

test('a worker runs stability, blame, repro and recheck', async () => {
  const { answer, submit: analyse } = await analysedScene({ isServed: true })
  const [first, second] = [await answer('no'), await answer('yes')]

  const stability = await analyse('stability', { run: 'last', others: [first] })
  expect(stability.job).toMatchObject({
    status: 'completed',
    error: null,
    result: {
      format: 1,
      run: second,
      with: [first],
      tasks: [{ task: 'q', metric: 'exact_match', samples: 2, docs: 8 }],
    },
  })
  const blame = await analyse('blame', { a: first, b: 'last' })
  expect(blame.job).toMatchObject({
    status: 'completed',
    result: { format: 1, a: first, b: second, metrics: [{ task: 'q', difference: 0.5 }] },
  })
  const repro = await analyse('repro', { run: second })
  expect(repro.job).toMatchObject({ status: 'completed', result: { format: 1, run: second, isSameRun: true } })
  const recheck = await analyse('recheck', { run: second, k: 3 })
  expect(recheck.job).toMatchObject({
    status: 'completed',
    run: expect.stringMatching(/^sha256:/) as string,
    result: { format: 1, run: second, n: 3, matches: 3, basis: 'repeats' },
  })
})

test('rejects unknown runs, runs with code elsewhere, and arguments of another kind', async () => {
  const { answer, submit: analyse } = await analysedScene({ isServed: false })
  const run = await answer('yes')
  expect(await analyse('stability', { run: 'no-such-run' })).toMatchObject({ status: 404 })
  expect(await analyse('stability', { run, k: 3 })).toMatchObject({ status: 422 })
  for (const [kind, body] of [
    ['stability', { run }],
    ['blame', { a: run, b: run }],
    ['repro', { run }],
    ['recheck', { run }],
  ] as const) {
    const refused = await analyse(kind, body)
    expect([kind, refused.status]).toEqual([kind, 422])
    expect(refused.text).toContain('--allow-dir')
  }
})
