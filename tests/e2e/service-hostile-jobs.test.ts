/** Jobs whose tasks contain hostile data. They fail or are ended, and the server and other jobs continue. */
import { mkdir, mkdtemp, realpath, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { everythingIn } from '../support/everything-in.js'
import { startFakeOpenai, type FakeOpenai } from '../support/fake-openai.js'
import { startService, yesTask, type RunningService } from '../support/service.js'

const secret = 'sk-very-secret-7f3a9b+/x'
let folder: string
let service: RunningService
let server: FakeOpenai

interface Ended {
  readonly job_id: string
  readonly status: string
  readonly job: { readonly status: string; readonly error: string | null }
}

beforeAll(async () => {
  folder = await realpath(await mkdtemp(join(tmpdir(), 'pipeline-hostile-')))
  // Its errors repeat the request.
  server = await startFakeOpenai({
    fault: ({ headers, index }) =>
      index % 2 === 0
        ? undefined
        : { status: 400, body: { error: { message: `bad key ${String(headers['authorization'])}` } } },
  })
  const tasks = await yesTask(join(folder, 'common'), 4)
  await mkdir(join(folder, 'allowed'))
  const flags = ['--include-path', tasks, '--allow-dir', join(folder, 'allowed'), '--allow-url', server.url]
  service = await startService(
    ['--store', join(folder, 'store'), ...flags, '--secret', 'team=TEAM_KEY', '--max-jobs', '2'],
    {
      env: { TEAM_KEY: secret, PIPELINE_CODE_TIMEOUT: '5' },
    },
  )
})

afterAll(async () => {
  await service.stop()
  await server.close()
  await rm(folder, { recursive: true, force: true })
})

const wait = { prefer: 'wait=50' }
const dummy = { model: 'dummy', model_args: { mode: 'fixed', text: 'yes' } }
const evaluate = (job: object): Promise<Ended> => service.json<Ended>('/evaluate', { json: job, headers: wait })

async function taskOf(name: string, yaml: string): Promise<string> {
  const own = join(folder, 'allowed', name)
  await mkdir(own)
  await writeFile(join(own, 'docs.jsonl'), '{"question":"q","answer":"yes"}\n')
  await writeFile(join(own, `${name}.yaml`), `task: ${name}\n${yaml}`)
  return own
}

test('uses a secret of the server, which appears in no response, event, log or file', async () => {
  const job = {
    model: 'openai',
    model_args: { model: 'm', base_url: server.url, api_key: 'secret:team', max_retries: 0 },
    tasks: 'yes_task',
  }
  const ended = await evaluate(job)
  expect(server.seen[0]?.headers['authorization']).toBe(`Bearer ${secret}`)
  const paths = ['', '/events', '/results', '/samples'].map(part => `/jobs/${ended.job_id}${part}`)
  const said = await Promise.all(
    [...paths, '/jobs', '/runs', '/openapi.json', '/docs', '/metrics', '/models/openai'].map(async path =>
      (await service.request(path)).text(),
    ),
  )
  said.push(JSON.stringify(ended), service.told())
  for (const text of said) for (const form of formsOf(secret)) expect(text).not.toContain(form)
  expect(said.join('')).toContain('secret:team')
  for (const { where, bytes } of await everythingIn(join(folder, 'store')))
    for (const form of formsOf(secret))
      expect({ where, isThere: bytes.includes(form) }).toEqual({ where, isThere: false })
})

test('a secret cannot be sent to a disallowed address, nor be echoed by a task or another key', async () => {
  const args = { model: 'm', base_url: server.url, api_key: 'secret:team' }
  const jobs: readonly object[] = [
    { model: 'openai', model_args: { ...args, base_url: 'https://evil.example/v1' }, tasks: 'yes_task' },
    { model: 'openai', model_args: { ...args, base_url: 'http://169.254.169.254/latest' }, tasks: 'yes_task' },
    { model: 'openai', model_args: { ...args, base_url: `${server.url}@evil.example` }, tasks: 'yes_task' },
    { model: 'openai', model_args: { ...args, api_key: 'secret:other' }, tasks: 'yes_task' },
    { model: 'openai', model_args: { ...args, api_key: 'sk-literal' }, tasks: 'yes_task' },
    { model: 'openai', model_args: { ...args, extra_body: { api_key: 'secret:team' } }, tasks: 'yes_task' },
    { ...dummy, tasks: 'yes_task', webhook: 'http://169.254.169.254/' },
    { ...dummy, tasks: 'yes_task', webhook: 'http://127.0.0.1:1/' },
    { ...dummy, tasks: '/etc/passwd.yaml' },
    { ...dummy, tasks: 'yes_task', include_path: join(folder, 'allowed/../store') },
    { ...dummy, tasks: 'yes_task', env: { NODE_OPTIONS: '--inspect' } },
    { ...dummy, tasks: 'yes_task', store: '/tmp' },
  ]
  for (const json of jobs) {
    const answer = await service.request('/evaluate', { json })
    expect({ json, status: answer.status }).toEqual({ json, status: 422 })
    expect(await answer.text()).not.toContain('sk-')
  }
})

test('a YAML alias bomb fails its job', async () => {
  const levels = 'abcdefghi'.split('').map((name, index, all) => {
    const inner = index === 0 ? '"x"' : `*${all[index - 1] ?? ''}`
    return `${name}: &${name} [${Array.from({ length: 10 }, () => inner).join(',')}]`
  })
  const bomb = await taskOf('bomb', `${levels.join('\n')}\ndataset_path: ./docs.jsonl\n`)
  const ended = await evaluate({ ...dummy, tasks: bomb })
  expect(ended.job.status).toBe('failed')
  expect(ended.job.error).toContain('aliases')
  const deep = await taskOf(
    'deep',
    `metadata: ${'['.repeat(20_000)}${']'.repeat(20_000)}\ndataset_path: ./docs.jsonl\n`,
  )
  expect((await evaluate({ ...dummy, tasks: deep })).job.status).toBe('failed')
})

test('a filter that never ends fails its job, and the server and other jobs continue', async () => {
  const endless = await taskOf(
    'endless',
    `dataset_path: ./docs.jsonl
doc_to_text: "{{question}}"
doc_to_target: answer
filter_list:
  - name: slow
    filter: [{function: regex, regex_pattern: "(a+)+$"}, {function: take_first}]
metric_list: [{metric: exact_match}]
`,
  )
  const text = `${'a'.repeat(60)}!`
  const hostile = evaluate({ model: 'dummy', model_args: { mode: 'fixed', text }, tasks: endless })
  expect((await evaluate({ ...dummy, tasks: 'yes_task' })).job.status).toBe('completed')
  expect((await hostile).job).toMatchObject({
    status: 'failed',
    error: expect.stringContaining('the judge could not score 1 docs') as string,
  })
})

/** The encodings in which a key may appear. */
const formsOf = (text: string): readonly string[] => [
  text,
  encodeURIComponent(text),
  text.replaceAll('/', '\\/'),
  Buffer.from(text).toString('base64').replace(/=+$/, ''),
]
