import { expect, test } from 'vitest'
import { z } from 'zod'
import { PipelineError } from '../../../base/errors/errors.js'
import { defineBackend } from '../../../stages/model/define-backend.js'
import { describeArgs, parseModelArgs, readScheduling } from '../../../stages/model/model-args.js'
import { findBackend, listBackends } from '../../../stages/model/registry.js'
import { affectsOutput, readEffect, outputArgs, transport } from '../../../stages/model/backend-args.js'

const shape = {
  model: affectsOutput(z.string().describe('its name')),
  detail: affectsOutput(z.enum(['low', 'high']).default('low')),
  frames: affectsOutput(z.number().int().min(1).default(8)),
  scale: affectsOutput(z.number().optional()),
  greedy: affectsOutput(z.boolean().default(true)),
  words: affectsOutput(z.array(z.string()).default([])),
  extra: affectsOutput(z.record(z.string(), z.json()).default({})),
  either: affectsOutput(z.union([z.number(), z.literal('auto')]).default('auto')),
  further: affectsOutput(
    z
      .record(
        z.string().refine(name => name !== 'n', 'must not set n'),
        z.json(),
      )
      .default({}),
  ),
  api_key: transport(z.string().optional()),
  num_concurrent: transport(z.number().int().optional()),
  max_retries: transport(z.number().int().optional()),
}

const backend = defineBackend({
  id: 'some',
  summary: 'for tests',
  args: shape,
  accepts: ['text'],
  requests: ['generate_until'],
  code: { files: [] },
  concurrency: 4,
  identify: () => Promise.reject(new Error('not needed')),
  open: () => Promise.reject(new Error('not needed')),
})

const parse = (raw: Record<string, unknown>) => parseModelArgs(backend, { model: 'm', ...raw })
const problems = (raw: Record<string, unknown>) => {
  try {
    parseModelArgs(backend, raw)
  } catch (error) {
    if (error instanceof PipelineError) return error.problems
  }
  return []
}

test.each([
  ['frames', '16', 16],
  ['scale', '1e-3', 0.001],
  ['scale', '-1', -1],
  ['greedy', 'False', false],
  ['greedy', 'yes', true],
  ['words', '["a","b c"]', ['a', 'b c']],
  ['words', '[a, b]', ['a', 'b']],
  ['words', 'a|b', ['a', 'b']],
  ['words', 'a', ['a']],
  ['extra', '{"top_k":5}', { top_k: 5 }],
  ['either', '3', 3],
  ['either', 'auto', 'auto'],
  ['detail', 'high', 'high'],
])('%s=%s from a command line is read as %j', (name, text, value) => {
  expect(parse({ [name]: text })[name]).toEqual(value)
})

test('the error names the mistake of a key, or of each of several forms', () => {
  expect(problems({ model: 'm', further: { n: 1 }, either: 'often' })).toEqual([
    'model some, argument "either": expected a number or "auto", given a text',
    'model some, argument "further.n": must not set n',
  ])
})

test('keeps names and keys of digits as texts, even if YAML made them numbers', () => {
  expect(parse({ model: '007', api_key: '123456' })).toMatchObject({ model: '007', api_key: '123456' })
  expect(parse({ model: 7 })['model']).toBe('7')
})

test('an error about an unknown argument names the nearest and all arguments', () => {
  expect(problems({ model: 'm', modle: 'x' })).toEqual([
    `model some has no argument "modle". Did you mean "model"?   (it takes ${Object.keys(shape).join(', ')})`,
  ])
})

test('one error names all mistakes, without values', () => {
  const said = problems({ frames: 'sk-secret', greedy: 'sk-secret', detail: 'sk-secret' })
  expect(said).toHaveLength(4)
  expect(said.join('\n')).toContain('needs the argument "model": its name')
  expect(said.join('\n')).toContain('argument "frames": expected a number')
  expect(said.join('\n')).not.toContain('sk-secret')
})

test('the identity contains only arguments that affect output and are not at their default', () => {
  const args = parse({ frames: '8', detail: 'high', api_key: 'k', num_concurrent: '2', words: [] })
  expect(outputArgs(backend, args)).toEqual({ model: 'm', detail: 'high' })
})

test('a new argument with a default does not change older identities', () => {
  const newer = { ...shape, crops: affectsOutput(z.number().default(1)) }
  const raw = { model: 'm', detail: 'high' }
  const args = parseModelArgs({ ...backend, args: newer }, raw)
  expect(args['crops']).toBe(1)
  expect(outputArgs({ args: newer }, args)).toEqual(outputArgs(backend, parse(raw)))
})

test('describes arguments by type, default, whether required, and effect', () => {
  const described = Object.fromEntries(describeArgs(backend).map(({ name, ...rest }) => [name, rest]))
  expect(described['model']).toEqual({ type: 'string', isRequired: true, effect: 'output', description: 'its name' })
  expect(described['detail']).toMatchObject({ type: 'low | high', default: '"low"', isRequired: false })
  expect(described['api_key']).toMatchObject({ type: 'string', effect: 'transport', isRequired: false })
})

test('reads the arguments for the scheduler', () => {
  expect(readScheduling(backend, parse({}))).toEqual({ concurrency: 4 })
  expect(readScheduling(backend, parse({ num_concurrent: '9', max_retries: '0' }))).toEqual({
    concurrency: 9,
    maxAttempts: 1,
  })
})

test('rejects a secret within a stored argument by its path, without its value', () => {
  const given = { model: 'm', api_key: 'sk-0', further: '{"api_key": "sk-1", "a": [{"hf_token": "sk-2"}]}' }
  expect(problems(given)).toEqual([
    expect.stringMatching(/^model some, argument "further\.api_key": its name is that of a secret.*api_key=…/),
    expect.stringMatching(/^model some, argument "further\.a\[0\]\.hf_token": /),
  ])
  expect(problems(given).join()).not.toContain('sk-')
})

test('every stored argument of a built-in backend rejects a secret within it', async () => {
  const taken: string[] = []
  for (const { id } of listBackends([])) {
    const known = await findBackend(id, [])
    for (const [name, schema] of Object.entries(known.args)) {
      if (readEffect(schema) === 'transport' || !schema.safeParse({ given: { api_key: 'sk-1' } }).success) continue
      taken.push(`${id}.${name}`)
      const refused = (): unknown => parseModelArgs(known, { [name]: { given: { api_key: 'sk-1' } } })
      expect(refused, `${id} ${name}`).toThrow(PipelineError)
      const others = Object.keys(known.args).filter(
        other => other !== name && !known.args[other]!.safeParse(undefined).success,
      )
      // Missing required arguments are rejected earlier.
      if (others.length === 0) expect(refused).toThrow(`${name}.given.api_key": its name is that of a secret`)
    }
  }
  expect(taken).toContain('openai.extra_body')
  expect(taken).toContain('python.args')
})
