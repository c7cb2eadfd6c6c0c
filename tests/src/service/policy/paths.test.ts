import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { checkJob } from '../../../../src/service/policy/check-job.js'
import { pathKeys } from '../../../../src/service/policy/job-paths.js'
import { policyScene } from './scene.js'

const refusal = /is not below a folder that this server allows \(--allow-dir\)$/

describe('a path of a job', () => {
  test.each([
    ['an absolute path elsewhere', '/etc/passwd'],
    ['the root', '/'],
    ['a step out', '../outside/secret.yaml'],
    ['a step out of an inner folder', 'inner/../../outside/secret.yaml'],
    ['a step within', 'inner/../mine.yaml'],
    ['a step with backslashes', 'inner\\..\\..\\outside'],
    ['a link to a folder elsewhere', 'link/secret.yaml'],
    ['a new file behind a link to a folder elsewhere', 'link/new.yaml'],
    ['a link to a file elsewhere', 'link.yaml'],
    ['a link to what does not exist yet', 'dangling'],
    ['a new file behind such a link', 'dangling/new.yaml'],
    ['a file as a folder', 'mine.yaml/inner'],
    ['nothing', ''],
  ])('is rejected: %s', async (_, path) => {
    const { problems } = await policyScene()
    expect(await problems({ prices: path })).toEqual([expect.stringMatching(refusal)])
  })

  test('is rejected if it only begins like the allowed folder', async () => {
    const { problems, allowed } = await policyScene()
    expect(await problems({ prices: `${allowed}-other/p.yaml` })).toEqual([expect.stringMatching(refusal)])
  })

  test('is rejected with a null character', async () => {
    const { problems } = await policyScene()
    expect(await problems({ prices: 'mine.yaml\0.png' })).toEqual([
      'prices: "mine.yaml\\u0000.png" has control characters',
    ])
  })

  test('is rejected with the same message whether or not the file exists', async () => {
    const { problems, outside } = await policyScene()
    const [there] = await problems({ prices: join(outside, 'secret.yaml') })
    const [missing] = await problems({ prices: join(outside, 'missing.yaml') })
    expect(there?.replace('secret', 'missing')).toBe(missing)
  })

  test.each([
    ['a file', 'mine.yaml', 'mine.yaml'],
    ['a new file in new folders', 'a/b/c.yaml', 'a/b/c.yaml'],
    ['a link within', 'within/x.yaml', 'inner/x.yaml'],
    ['dots in a name', 'a..b.yaml', 'a..b.yaml'],
  ])('is accepted, absolute and without links: %s', async (_, path, real) => {
    const { stored, allowed } = await policyScene()
    expect(await stored({ prices: path })).toMatchObject({ prices: join(allowed, real) })
    expect(await stored({ prices: join(allowed, path) })).toMatchObject({ prices: join(allowed, real) })
  })

  test('is resolved from the working directory, which need not be allowed', async () => {
    const { policy, outside } = await policyScene()
    const job = { model: 'dummy', tasks: 'mmlu', prices: 'secret.yaml' }
    expect(await checkJob(job, policy, { cwd: outside, env: {} })).toEqual({
      isAllowed: false,
      problems: [expect.stringMatching(refusal)],
    })
  })

  test('is never accepted if no folder is allowed', async () => {
    const { problems } = await policyScene()
    expect(await problems({ prices: 'mine.yaml' }, { allowDirs: [] })).toEqual([expect.stringMatching(refusal)])
  })
})

describe('each key with a path', () => {
  test('is in the list', () => {
    expect([...pathKeys].sort()).toEqual([
      'include_path',
      'output_path',
      'plugin',
      'prices',
      'samples',
      'store',
      'tasks',
      'tools',
    ])
  })

  test.each(['include_path', 'output_path', 'plugin', 'prices', 'samples', 'tasks', 'tools'])(
    '%s rejects a file elsewhere',
    async key => {
      const { problems } = await policyScene()
      expect(await problems({ [key]: '/etc/passwd' })).toEqual([expect.stringMatching(`^${key}: `)])
    },
  )

  test.each(['include_path', 'plugin', 'tasks'])('%s is checked item by item, also between commas', async key => {
    const { problems, allowed } = await policyScene()
    const good = join(allowed, 'mine.task.ts')
    expect(await problems({ [key]: [good, `${good}, /etc/evil.ts ,${good}`] })).toEqual([
      `${key}: "/etc/evil.ts" is not below a folder that this server allows (--allow-dir)`,
    ])
  })

  test('store cannot be set by a job', async () => {
    const { problems, allowed } = await policyScene()
    expect(await problems({ store: allowed })).toEqual(['store: a job is kept in the store of the server (--store)'])
  })
})

describe('tasks', () => {
  test('by name, tag and pattern are accepted unchanged', async () => {
    const { stored } = await policyScene()
    const tasks = ['mmlu', 'mm*', '[ab]?', 'list']
    expect(await stored({ tasks: tasks.join(', ') })).toMatchObject({ tasks })
  })

  test('by file and folder become absolute, and keep the name of one task', async () => {
    const { stored, allowed } = await policyScene()
    expect(await stored({ tasks: 'mine.yaml,./inner,mine.task.ts#one' })).toMatchObject({
      tasks: [join(allowed, 'mine.yaml'), join(allowed, 'inner'), `${join(allowed, 'mine.task.ts')}#one`],
    })
  })

  test.each([
    'link/x.task.ts#one',
    'link.yaml',
    '/etc',
    '..',
    './link',
    'a/../../outside',
    '/etc/x.task.ts#../mine.ts',
  ])('outside are rejected: %s', async tasks => {
    const { problems } = await policyScene()
    expect(await problems({ tasks })).toEqual([expect.stringMatching(refusal)])
  })
})

test('samples may be JSON or a mapping, whose names are those of tasks', async () => {
  const { stored } = await policyScene()
  const samples = { some_token: [0, 'id-7'] }
  expect(await stored({ samples })).toMatchObject({ samples })
  expect(await stored({ samples: JSON.stringify(samples) })).toMatchObject({ samples: JSON.stringify(samples) })
})

test('rejects a plugin that is a package', async () => {
  const { problems } = await policyScene()
  for (const plugin of ['left-pad', '@scope/name', 'inner/name'])
    expect(await problems({ plugin })).toEqual([expect.stringMatching(/is a package/)])
})
