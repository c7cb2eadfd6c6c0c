import { describe, expect, test } from 'vitest'
import { withSecrets } from '../../../../src/service/policy/job-secrets.js'
import { jobSettings } from '../../../../src/service/policy/job-settings.js'
import { policyScene } from './scene.js'

const openai = (args: object) => ({ model: 'openai', model_args: { model: 'm', ...args } })

/** JSON as a client sends it: there, `__proto__` is a name like any other. */
const parsed = (text: string) => JSON.parse(text) as Readonly<Record<string, unknown>>

describe('a job is stored', () => {
  test('as given, with arguments as mappings and without null keys', async () => {
    const { stored } = await policyScene()
    const job = {
      gen_kwargs: 'temperature=0.7,until=["\\n\\n"]',
      limit: { mmlu: 5, some_key: 0.5 },
      max_time: '10m',
      shard: '1/2',
      system_instruction: 'Answer in one word.\nNo more.',
      prices: null,
      batch_size: 4,
      judge_model: 'openai',
      judge_args: 'model=j,api_key=secret:team',
      ...openai({ extra_body: { prompt: 'a\nb' }, timeout: 5 }),
    }
    expect(await stored(job)).toEqual({
      tasks: ['mmlu'],
      model: 'openai',
      model_args: { model: 'm', extra_body: { prompt: 'a\nb' }, timeout: 5 },
      gen_kwargs: { temperature: '0.7', until: '["\\n\\n"]' },
      limit: { mmlu: 5, some_key: 0.5 },
      max_time: '10m',
      shard: '1/2',
      system_instruction: 'Answer in one word.\nNo more.',
      batch_size: 4,
      judge_model: 'openai',
      judge_args: { model: 'j', api_key: 'secret:team' },
    })
  })

  test('in a form that a second check leaves unchanged', async () => {
    const { stored } = await policyScene()
    const once = await stored({ tasks: 'mine.yaml,mmlu', max_time: '10m', ...openai({ api_key: 'secret:team' }) })
    expect(await stored(once)).toEqual(once)
  })
})

describe('unsupported keys', () => {
  test.each([
    [{ env: { PATH: '/evil' } }, /^env: a job must not set variables/],
    [{ env: {} }, /^env: a job must not set variables/],
    [{ config: 'x.yaml' }, /^"config": there is no such key/],
    [{ allow_dir: '/' }, /^"allow_dir": there is no such key/],
    [{ 'model-args': {} }, /^"model-args": there is no such key/],
    [{ limit: 'all' }, /^limit: expected /],
    [{ tasks: { a: 1 } }, /^tasks: expected a task, or a list of tasks, given an object$/],
    [{ tasks: null }, /^tasks: a job must name it$/],
    [{ model_args: 'a' }, /^model_args: the text is not read as arguments/],
  ])('of %j are rejected', async (job, expected) => {
    const { problems } = await policyScene()
    expect(await problems(job)).toEqual([expect.stringMatching(expected)])
  })
})

describe('rejects names of JavaScript properties', () => {
  test.each([
    '{"__proto__":{"env":{}}}',
    '{"constructor":{"prototype":{}}}',
    '{"model_args":{"__proto__":{"base_url":"https://evil.example"}}}',
    '{"model_args":{"extra_body":{"__proto__":{"a":1}}}}',
    '{"model_args":{"x":[{"prototype":1}]}}',
    '{"gen_kwargs":{"constructor":1}}',
    '{"limit":{"__proto__":1}}',
    '{"model_args":"__proto__=1"}',
    '{"model_args":"{\\"__proto__\\":{\\"base_url\\":\\"https://evil.example\\"}}"}',
  ])('%s', async text => {
    const { problems } = await policyScene()
    expect(await problems(parsed(text))).toEqual([expect.stringMatching(/no value may have the name/)])
    expect(Reflect.get({}, 'base_url')).toBeUndefined()
  })
})

describe('rejects control characters', () => {
  test.each([
    { model: 'openai\u001b[2J' },
    { tasks: 'mmlu\r\nInjected: line' },
    { tasks: ['mmlu', 'a\u0085b'] },
    { code_version: 'a\u202eb' },
    { code_version: 'a\u2028b' },
    { code_version: '\ud800' },
    { 'a\nb': 1 },
    { gen_kwargs: { until: ['\u0000'] } },
    { gen_kwargs: { 'a\nb': 1 } },
    { system_instruction: 'a\u001bb' },
    openai({ api_version: 'a' }),
    openai({ reasoning_effort: 'low\r\nx-header: 1' }),
    { model: 'anthropic', model_args: { model: 'm', anthropic_version: 'v\r\nx-header: 1' } },
    { model: 'anthropic', model_args: { model: 'm', anthropic_beta: ['b\nx-header: 1'] } },
    { model: 'anthropic', model_args: { model: 'm\nx' } },
  ])('%j', async job => {
    const { problems } = await policyScene()
    const found = await problems(job)
    expect(found.length).toBeGreaterThan(0)
    for (const problem of found) expect(problem).toMatch(/^[ -~’]*$/)
  })

  test('accepts line breaks and tabs in texts that only the model reads', async () => {
    const { problems } = await policyScene()
    expect(await problems({ system_instruction: 'a\r\n\tb', gen_kwargs: { until: ['\n\n'] } })).toEqual([])
    expect(await problems({ model: 'dummy', model_args: { mode: 'fixed', text: 'a\nb' } })).toEqual([])
  })

  test('rejects values nested too deeply, and shortens long ones in messages', async () => {
    const { problems } = await policyScene()
    const deep = parsed(`{"gen_kwargs":${'{"a":'.repeat(5000)}1${'}'.repeat(5000)}}`)
    expect((await problems(deep))[0]).toMatch(/nested more than 20 deep$/)
    const [long = ''] = await problems({ prices: `/${'x'.repeat(10_000)}` })
    expect(long.length).toBeLessThan(300)
  })
})

describe('secrets', () => {
  const literal = 'sk-very-secret'

  test.each([
    openai({ api_key: literal }),
    { model: 'openai', model_args: `model=m,api_key=${literal}` },
    {
      model: 'openai',
      model_args: { model: 'm' },
      judge_model: 'openai',
      judge_args: { model: 'j', api_key: literal },
    },
    openai({ apiKey: literal }),
    openai({ 'api-key': literal }),
    openai({ api_key: 12_345 }),
    openai({ api_key: [literal] }),
    openai({ api_key: { value: literal } }),
    openai({ api_key: ` secret:team ${literal}` }),
    openai({ extra_body: { headers: { authorization: literal } } }),
    openai({ extra_body: { deep: [{ access_token: literal }] } }),
    openai({ extra_body: { api_key: 'secret:team' } }),
    { gen_kwargs: { api_key: literal } },
    { gen_kwargs: 'api_key=secret:team' },
    { wandb_args: { api_key: literal } },
    { wandb_args: `project=p,api_key=${literal}` },
    { hf_hub_log_args: `hub_token=${literal}` },
    { use_cache: `https://me:${literal}@host.example/` },
    openai({ proxy: `http://me:${literal}@127.0.0.1:8000` }),
    openai({ base_url: `https://models.example/v1?key=${literal}` }),
    { mcp: `http://127.0.0.1:8000/mcp?token=${literal}` },
    { mcp: `tool --api-key ${literal}` },
  ])('in a job are rejected and not shown: %j', async job => {
    const { problems } = await policyScene()
    const found = await problems(job, { allowCommands: true })
    expect(found.length).toBeGreaterThan(0)
    for (const problem of found) expect(problem).not.toContain(literal)
  })

  test('are stored by name, and only the process that runs the job reads their values', async () => {
    const { stored, policy } = await policyScene()
    const request = await stored(openai({ api_key: 'secret:team' }))
    expect(JSON.stringify(request)).not.toContain('sk-value-of-team')
    expect(withSecrets(request, policy)).toMatchObject({ model_args: { api_key: 'sk-value-of-team' } })
    expect(request).toMatchObject({ model_args: { api_key: 'secret:team' } })
  })

  test('arguments with unknown names are rejected when the job is submitted and when it runs', async () => {
    const { problems, stored } = await policyScene()
    expect(await problems(openai({ api_key: 'secret:other' }))).toEqual([
      'model_args.api_key: this server has no secret "other" (--secret other=VARIABLE)',
    ])
    const request = await stored(openai({ api_key: 'secret:team' }))
    expect(() => withSecrets(request, { secrets: new Map() })).toThrow(/has no secret "team"/)
  })

  test('are replaced only in secret arguments', async () => {
    const { stored, policy } = await policyScene()
    const request = await stored({ model: 'dummy', model_args: { mode: 'fixed', text: 'secret:team' } })
    expect(withSecrets(request, policy)).toEqual(request)
  })
})

describe('a system instruction', () => {
  test.each([
    '/etc/passwd',
    '/etc/a file with spaces',
    './notes.txt',
    '../notes',
    '~/.ssh/id_rsa',
    'inner/notes',
    'mine.yaml',
    'a b/../../outside/secret.yaml',
    'C:\\notes.txt',
  ])('that looks like a path is rejected: %s', async system_instruction => {
    const { problems } = await policyScene()
    expect(await problems({ system_instruction })).toEqual([expect.stringMatching(/is written like a path/)])
  })

  test.each(['Answer.', 'Answer yes/no only.', 'You are helpful. Use e.g. JSON.', 'Concise', ''])(
    'that is a text is accepted: %s',
    async system_instruction => {
      const { stored } = await policyScene()
      expect(await stored({ system_instruction })).toMatchObject({ system_instruction })
    },
  )

  test('is read as a text even if a file of the working directory has that name', async () => {
    const { stored, policy, surroundings } = await policyScene()
    // The tests run in the folder of the project, which has this file.
    const settings = jobSettings(await stored({ system_instruction: 'LICENSE' }), policy, surroundings)
    expect(settings.systemInstruction).toBe('LICENSE')
  })
})

test('jobSettings equal those of a configuration file, with the values of secrets', async () => {
  const { stored, policy, surroundings } = await policyScene()
  const request = await stored({ max_time: '10m', limit: 3, tasks: 'a,b', ...openai({ api_key: 'secret:team' }) })
  expect(jobSettings(request, policy, surroundings)).toMatchObject({
    model: 'openai',
    modelArgs: { model: 'm', api_key: 'sk-value-of-team' },
    tasks: ['a', 'b'],
    limit: 3,
    maxTime: 600_000,
  })
})
