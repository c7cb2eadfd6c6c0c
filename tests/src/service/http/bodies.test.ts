import { gzipSync } from 'node:zlib'
import { expect, test } from 'vitest'
import { configSchema } from '../../../../src/config/file/config-schema.js'
import { appScene, plainJob } from './scene.js'

/** Far more than a request needs, and far less than quadratic work needs. */
const soonMs = 3000

const jobWith = (text: string): string => `{"model":"dummy","tasks":"mmlu",${text}}`
const nested = (depth: number): string => '['.repeat(depth) + ']'.repeat(depth)
const many = (count: number, one: (index: number) => string): string =>
  Array.from({ length: count }, (_, i) => one(i)).join()

test('rejects deep, huge or malformed bodies quickly, without a server error', async () => {
  const { submit, request, log } = await appScene()
  const bodies: readonly (readonly [string, string | Uint8Array, number])[] = [
    ['nothing', '', 400],
    ['half of JSON', '{', 400],
    ['a list', '[]', 422],
    ['null', 'null', 422],
    ['a text', '"x"', 422],
    ['deep lists', jobWith(`"num_gpus":${nested(400_000)}`), 422],
    ['deep objects', jobWith(`"model_args":${'{"a":'.repeat(90_000)}1${'}'.repeat(90_000)}`), 422],
    ['deep labels', jobWith(`"labels":{"a":${nested(1000)}}`), 422],
    ['many labels', jobWith(`"labels":{${many(50_000, index => `"k${index}":"v"`)}}`), 422],
    ['many keys', jobWith(many(50_000, index => `"k${index}":1`)), 422],
    ['many values', jobWith(`"num_gpus":[${many(200_000, () => '1')}]`), 422],
    ['many tasks', jobWith(`"include_path":[${many(50_000, index => `"./${index}"`)}]`), 422],
    ['many tasks in one text', jobWith(`"tasks":"${many(100_000, index => `t${index}`)}"`), 422],
    ['a long key', jobWith(`"${'m'.repeat(900_000)}":1`), 422],
    ['numbers without end', jobWith('"limit":1e999'), 422],
    ['a number within arguments', jobWith('"model_args":{"latency_ms":1e999}'), 422],
    ['a negative number without end', jobWith('"priority":-1e999'), 422],
    ['not UTF-8', Buffer.from(jobWith('"labels":{"a":"\xff\xfe"}'), 'latin1'), 400],
    ['an overlong slash', Buffer.from(jobWith('"labels":{"a":"\xc0\xaf"}'), 'latin1'), 400],
    ['half of a pair', jobWith('"labels":{"a":"\\ud83d"}'), 422],
    ['NUL in a task', jobWith('"tasks":"a\\u0000b"'), 422],
    ['NUL in a label', jobWith('"labels":{"a":"\\u0000"}'), 422],
    ['more than allowed', jobWith(`"num_gpus":"${'x'.repeat(1024 * 1024)}"`), 413],
  ]
  for (const [name, body, status] of bodies) {
    const began = performance.now()
    const answer = await submit(body)
    expect({ name, status: answer.status, text: (await answer.text()).slice(0, 200) }).toMatchObject({ name, status })
    expect({ name, isSoon: performance.now() - began < soonMs }).toEqual({ name, isSoon: true })
  }
  expect(log).toEqual([])
  expect((await request('/health')).status).toBe(200)
  expect(await (await request('/queue')).json()).toMatchObject({ queue_size: 0 })
})

test('every key of a job handles pathological texts quickly', async () => {
  const { submit, log } = await appScene({ policy: { allowDirs: ['/nowhere'], allowUrls: ['http://127.0.0.1:1'] } })
  const size = 120_000
  const texts = [
    `a${'/'.repeat(size)} x`,
    'a='.repeat(size / 2),
    `${' '.repeat(size)}x`,
    'key '.repeat(size / 4),
    `${'../'.repeat(size / 3)} x`,
    `{${'['.repeat(size)}`,
    `${'a.js#'.repeat(size / 5)} `,
    `http://${'a@'.repeat(size / 2)}`,
    `https://${'%2'.repeat(size / 2)}`,
    '*?'.repeat(size / 2),
  ]
  const slow: string[] = []
  for (const key of Object.keys(configSchema.shape))
    for (const text of texts) {
      const began = performance.now()
      const { status } = await submit({ ...plainJob, [key]: text })
      expect([200, 422]).toContain(status)
      if (performance.now() - began > soonMs) slow.push(`${key}: ${text.slice(0, 20)}`)
    }
  expect(slow).toEqual([])
  expect(log).toEqual([])
})

test('keys such as __proto__ and constructor have no effect', async () => {
  const { submit, request, service } = await appScene()
  for (const text of [
    '"__proto__":{"priority":5}',
    '"constructor":{"prototype":{"polluted":1}}',
    '"labels":{"__proto__":"x"}',
    '"labels":{"a":"b","__proto__":{"polluted":"1"}}',
    '"model_args":{"__proto__":{"polluted":1}}',
    '"model_args":{"constructor":{"prototype":{"polluted":1}}}',
    '"model_args":"{\\"__proto__\\":{\\"polluted\\":1}}"',
    '"gen_kwargs":"__proto__=1"',
  ])
    expect({ text, status: (await submit(jobWith(text))).status }).toEqual({ text, status: 422 })
  expect(Object.hasOwn(Object.prototype, 'polluted')).toBe(false)
  expect(await (await request('/jobs?label=__proto__:x')).json()).toEqual({ jobs: [], next_cursor: null })
  expect((await request('/jobs?__proto__=1&constructor=2')).status).toBe(422)
  for (const path of ['/tasks/__proto__', '/models/constructor', '/runs/__proto__', '/jobs/constructor'])
    expect((await request(path)).status).toBe(404)
  expect(await service.store.jobs.list({ limit: 10 })).toEqual([])
})

test('checks and stores the last of duplicate keys', async () => {
  const { submit, service } = await appScene()
  expect((await submit(jobWith('"include_path":"/etc","model":"dummy","include_path":null'))).status).toBe(200)
  expect((await submit(jobWith('"include_path":null,"include_path":"/etc"'))).status).toBe(422)
  const [job, ...others] = await service.store.jobs.list({ limit: 10 })
  expect(others).toEqual([])
  expect(job?.request).toEqual({ model: 'dummy', tasks: ['mmlu'] })
})

test('rejects compressed bodies and other types than JSON before reading them', async () => {
  const { submit, request } = await appScene()
  const bomb = gzipSync(Buffer.alloc(20 * 1024 * 1024))
  for (const encoding of ['gzip', 'br', 'deflate', 'zstd', 'identity', 'gzip, gzip'])
    expect((await submit(bomb, { 'content-encoding': encoding })).status).toBe(415)
  const types = [
    'text/plain',
    'application/x-www-form-urlencoded',
    'multipart/form-data; boundary=x',
    'text/plain; application/json',
    '',
  ]
  for (const type of types) expect((await submit(plainJob, { 'content-type': type })).status).toBe(415)
  const without = await request('/evaluate', { method: 'POST', body: Buffer.from(JSON.stringify(plainJob)) })
  expect(without.status).toBe(415)
})
