import { describe, expect, test } from 'vitest'
import { builtIns } from '../../../../stages/model/built-in-backends.js'
import { checkJob } from '../../../../src/service/policy/check-job.js'
import { findRefusal } from '../../../../src/service/policy/job-settings.js'

const policy = { allowDirs: [], allowUrls: [], secrets: new Map(), allowCommands: false }
const own = 'http://127.0.0.1:8000/v1'
const elsewhere = 'http://elsewhere.example:8000/v1'

/** The arguments that a model of the backend needs beside an address. */
const needed: Readonly<Record<string, Readonly<Record<string, unknown>>>> = {
  azure_openai: { deployment: 'd', api_version: '2024-10-21', model_version: 'v' },
}

/** Checks a job by the policy of a worker with an address of its own. */
async function check(
  model: string,
  args: Readonly<Record<string, unknown>>,
  workerArgs: Readonly<Record<string, unknown>>,
) {
  const request = { model, model_args: { model: 'm', ...needed[model], ...args }, tasks: 'mmlu' }
  return checkJob(request, policy, { cwd: '/', env: {}, workerArgs })
}

const addressed: string[] = []
for (const builtIn of builtIns) {
  const backend = await builtIn.load()
  if (Object.hasOwn(backend.args, 'base_url')) addressed.push(builtIn.id)
}

describe.each([...new Set(addressed)])('a worker with a server of its own does jobs of %s', model => {
  test.each([
    ['that name no address', {}],
    ['that name an address which the worker does not allow', { base_url: elsewhere }],
    ['that name its address', { base_url: own }],
  ])('%s', async (_, args) => {
    const outcome = await check(model, args, { base_url: own, num_concurrent: 4, api_key: 'k' })
    expect(outcome).toMatchObject({ isAllowed: true })
    // What is stored and part of keys stays as submitted.
    if (outcome.isAllowed) expect(outcome.request['model_args']).toMatchObject(args)
  })

  test('without it, addresses that the policy does not list are refused', async () => {
    expect(await check(model, { base_url: elsewhere }, {})).toMatchObject({ isAllowed: false })
  })
})

test.each(['vllm', 'sglang', 'lmdeploy'])(
  'a job that would start %s is refused by a worker without a server',
  async model => {
    expect(await check(model, {}, { num_concurrent: 4 })).toMatchObject({
      isAllowed: false,
      problems: [expect.stringContaining('would start a program on this server')],
    })
  },
)

test.each([
  ['max_frames', 3],
  ['model', 'another'],
])('a worker leaves a job to others if its %s would change the answers', async (name, value) => {
  const request = { model: 'openai', model_args: { model: 'm' }, tasks: 'mmlu' }
  const why = await findRefusal({ request }, { env: {}, policy, modelArgs: { base_url: own, [name]: value } })
  expect(why).toContain(`model_args.${name}: the --model-args of this worker would change the answers`)
})

test('a worker may repeat an argument of the job, and need not have a secret that it replaces', async () => {
  const request = { model: 'openai', model_args: { model: 'm', api_key: 'secret:other' }, tasks: 'mmlu' }
  const why = await findRefusal({ request }, { env: {}, policy, modelArgs: { model: 'm', api_key: 'k' } })
  expect(why).toBeUndefined()
})
