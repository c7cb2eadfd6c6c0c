import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { canonicalJson } from '../../base/values/canonical-json.js'
import { sha256 } from '../../cache/digest.js'
import {
  answerDigest,
  codeKey,
  configKey,
  inputKey,
  judgeConfigKey,
  judgeRecordKey,
  responseKey,
  responsePreimage,
  runKey,
  scoreKey,
  scorePreimage,
} from '../../cache/keys.js'
import type { RunSpec, GenerationKwargs, Input, ModelIdentity } from '../../cache/records.js'
import {
  answerGolden,
  codeGolden,
  configGolden,
  conversationGolden,
  inputGolden,
  judgeConfigGolden,
  recordGolden,
  responseGolden,
  revisionGolden,
  runGolden,
  scoreGolden,
  stepGolden,
} from '../golden/keys/keys.js'

const input: Input = {
  type: 'generate_until',
  messages: [
    {
      role: 'user',
      content: [
        { type: 'image', media: sha256<'media'>('a picture') },
        { type: 'text', text: 'How many circles are there?\nAnswer with one word.' },
      ],
    },
  ],
}
const model: ModelIdentity = { backend: 'openai', args: { model: 'm-1' } }
const generation: GenerationKwargs = { max_new_tokens: 16, until: ['\n'] }
const parts = {
  input: inputKey(input).key,
  config: configKey(model, generation).key,
  code: codeKey({ files: { 'stages/model/backends/openai.ts': 'a'.repeat(40) }, packages: { undici: '7.30.2' } }).key,
  sample: 0,
}
const record = { target: 'three', choices: ['two', 'three'], doc: { question: 'How many?', difficulty: 2 } }
const revised = codeKey({
  files: {},
  packages: { 'onnxruntime-node': '1.30' },
  revision: { name: 'onnx_vlm', number: 1 },
})
const score = {
  answers: [answerDigest({ text: ' three', finishReason: 'stop' }).key],
  record: judgeRecordKey(record).key,
  config: judgeConfigKey({ metric_list: [{ metric: 'exact_match' }] }).key,
  scorer: codeKey({ files: { 'stages/judge/score-doc.ts': 'b'.repeat(40) } }).key,
}
const asked: RunSpec = {
  tasks: [
    {
      name: 't',
      identity: sha256<'task'>('t'),
      dataset: { path: 't.jsonl', split: 'test', files: { 't.jsonl': sha256<'file'>('rows') } },
    },
  ],
  model,
  code: parts.code,
  selection: { limit: 5 },
}

const conversation: Input = {
  type: 'generate_until_agentic',
  messages: [
    { role: 'user', content: [{ type: 'text', text: 'How many?' }] },
    {
      role: 'assistant',
      content: [],
      toolCalls: [{ id: 'c1', name: 'look', arguments: '{"at":1}' }],
      turn: [{ signed: true }],
    },
    {
      role: 'tool',
      toolCallId: 'c1',
      toolName: 'look',
      isToolError: true,
      content: [{ type: 'text', text: 'dark' }],
    },
  ],
  tools: [{ name: 'look', description: 'Looks.', parameters: { type: 'object' } }],
  conversation: {
    v: 1,
    maxToolRounds: 10,
    follow: { by: sha256<'task'>('t'), doc: { image: { type: 'image', media: sha256<'media'>('a picture') }, n: 2 } },
  },
}
const step: Input = {
  type: 'step',
  messages: [],
  step: { of: sha256<'response'>('r'), at: 'call 0', after: sha256('') },
}

describe('every kind of key is pinned: a change here invalidates all stored answers', () => {
  test.each([
    ['input', inputKey(input).preimage, inputKey(input).key, inputGolden],
    ['conversation', inputKey(conversation).preimage, inputKey(conversation).key, conversationGolden],
    ['step', inputKey(step).preimage, inputKey(step).key, stepGolden],
    ['config', configKey(model, generation).preimage, parts.config, configGolden],
    [
      'code',
      codeKey({ files: { 'stages/model/backends/openai.ts': 'a'.repeat(40) }, packages: { undici: '7.30.2' } })
        .preimage,
      parts.code,
      codeGolden,
    ],
    ['revision of code', revised.preimage, revised.key, revisionGolden],
    ['response', responsePreimage(parts), responseKey(parts), responseGolden],
    ['answer', answerDigest({ text: ' three', finishReason: 'stop' }).preimage, score.answers[0], answerGolden],
    ['judge record', judgeRecordKey(record).preimage, score.record, recordGolden],
    [
      'judge config',
      judgeConfigKey({ metric_list: [{ metric: 'exact_match' }] }).preimage,
      score.config,
      judgeConfigGolden,
    ],
    ['score', scorePreimage(score), scoreKey(score), scoreGolden],
    ['run', runKey(asked).preimage, runKey(asked).key, runGolden],
  ])('%s', (_, preimage, key, golden) => {
    expect({ preimage, key }).toEqual(golden)
  })
})

const digests = fc.string().map(text => sha256<'input'>(text))

describe('a hand-written preimage equals the canonical JSON of its object', () => {
  test('response', () => {
    fc.assert(
      fc.property(digests, digests, digests, fc.nat(), (a, b, c, sample) => {
        const fields = { input: a, config: b as never, code: c as never, sample }
        expect(responsePreimage(fields)).toBe(canonicalJson({ v: 1, ...fields }))
      }),
    )
  })

  test('score', () => {
    fc.assert(
      fc.property(fc.array(digests), digests, (answers, other) => {
        const fields = {
          answers: answers as never[],
          record: other as never,
          config: other as never,
          scorer: other as never,
        }
        expect(scorePreimage(fields)).toBe(canonicalJson({ v: 1, ...fields }))
      }),
    )
  })
})

describe('what can change an output changes the key', () => {
  const change = (changed: Input): boolean => inputKey(changed).key !== parts.input

  test('each byte of a medium', () => {
    fc.assert(
      fc.property(
        fc.uint8Array({ minLength: 1, maxLength: 64 }),
        fc.nat(),
        fc.integer({ min: 1, max: 255 }),
        (bytes, at, by) => {
          const other = Uint8Array.from(bytes)
          other[at % bytes.length]! ^= by
          const withMedium = (medium: Uint8Array) =>
            inputKey({
              type: 'generate_until',
              messages: [{ role: 'user', content: [{ type: 'image', media: sha256<'media'>(medium) }] }],
            }).key
          expect(withMedium(bytes)).not.toBe(withMedium(other))
        },
      ),
    )
  })

  test('any change of a text, even a trailing blank', () => {
    fc.assert(
      fc.property(fc.string(), fc.string(), (a, b) => {
        const asking = (text: string) =>
          inputKey({ type: 'generate_until', messages: [{ role: 'user', content: [{ type: 'text', text }] }] }).key
        expect(asking(a) === asking(b)).toBe(a === b)
      }),
    )
  })

  test.each<[string, Input]>([
    ['request type', { ...input, type: 'loglikelihood' }],
    ['role', { ...input, messages: [{ ...input.messages[0]!, role: 'system' }] }],
    ['continuation', { ...input, continuation: ' three' }],
    ['tools', { ...input, tools: [{ name: 'look' }] }],
    ['order of parts', { ...input, messages: [{ role: 'user', content: [...input.messages[0]!.content].reverse() }] }],
    [
      'derivation of a medium',
      {
        ...input,
        messages: [
          {
            role: 'user',
            content: [{ type: 'image', media: sha256<'media'>('a picture'), derive: { longest_side: 64 } }],
          },
        ],
      },
    ],
  ])('%s', (_, changed) => expect(change(changed)).toBe(true))

  test.each<[string, ModelIdentity, GenerationKwargs]>([
    ['model', { backend: 'openai', args: { model: 'm-2' } }, generation],
    ['backend', { backend: 'other', args: { model: 'm-1' } }, generation],
    ['a file of the model', { ...model, files: { 'model.onnx': sha256<'file'>('weights') } }, generation],
    ['length', model, { ...generation, max_new_tokens: 17 }],
    ['stop texts', model, { ...generation, until: ['\n', '.'] }],
    ['temperature', model, { ...generation, temperature: 0.5 }],
    ['seed', model, { ...generation, seed: 1 }],
  ])('%s', (_, otherModel, kwargs) => expect(configKey(otherModel, kwargs).key).not.toBe(parts.config))

  test.each([
    ['sample', { ...parts, sample: 1 }],
    ['code', { ...parts, code: codeKey({ files: {} }).key }],
  ])('%s', (_, changed) => expect(responseKey(changed)).not.toBe(responseKey(parts)))
})

describe('what cannot change an output does not change the key', () => {
  test('generation kwargs at their first default', () => {
    const spelled = { ...generation, temperature: 0, do_sample: false, top_p: 1, num_beams: 1, repetition_penalty: 1 }
    expect(configKey(model, spelled).key).toBe(parts.config)
    expect(configKey(model, { until: [] }).key).toBe(configKey(model, {}).key)
  })

  test('a new optional field that is not used', () => {
    expect(inputKey({ ...input, ...({ newField: undefined } as object) }).key).toBe(parts.input)
  })

  test('the order of fields', () => {
    const shuffled: Input = { messages: input.messages, type: input.type }
    expect(inputKey(shuffled).key).toBe(parts.input)
  })
})
