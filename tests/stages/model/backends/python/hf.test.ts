import { makeLastingFile } from '../../../../../cache/media/lasting-file.js'
import { execFile } from 'node:child_process'
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { projectRoot } from '../../../../../cache/code/project-root.js'
import { sha256 } from '../../../../../cache/digest.js'
import type { ContentPart } from '../../../../../cache/records/messages.js'
import { hf } from '../../../../../stages/model/backends/hf.js'
import type { BackendContext } from '../../../../../stages/model/define-backend.js'
import type { ModelRequest } from '../../../../../stages/model/model.js'
import { parseModelArgs } from '../../../../../stages/model/model-args.js'
import { picture } from '../../../../support/own-task.js'
import { hasPython, python } from '../../../../support/python-pool.js'

const never = new AbortController().signal
const run = promisify(execFile)

let folder: string

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'hf-model-'))
})
afterEach(() => rm(folder, { recursive: true }))

const build = (kind: 'text' | 'gpt2' | 'vision') =>
  run(python, [join(projectRoot, 'tests/fixtures/python-models/tiny_models.py'), kind, join(folder, kind)])

async function answers(given: Readonly<Record<string, unknown>>, requests: readonly ModelRequest[]) {
  const context: BackendContext = {
    env: { ...process.env, PIPELINE_PYTHON: python, HF_HUB_OFFLINE: '1', OMP_NUM_THREADS: '1' },
    readMedia: () => Promise.reject(new Error('media are read by their paths')),
    openMediaFile: () => Promise.resolve(makeLastingFile(join(folder, 'medium.png'))),
    fileDigest: async path => sha256(await readFile(path)),
  }
  const args = parseModelArgs(hf, { device: 'cpu', ...given }) as Parameters<typeof hf.open>[0]
  const model = await hf.open(args, context)
  try {
    const bodies = await Promise.all(requests.map(request => model.answer(request, never)))
    return bodies.map(({ body: { text, logprob } }) => ({ text, logprob }))
  } finally {
    await model.close?.()
  }
}

const request = (content: readonly ContentPart[], more: Partial<ModelRequest['input']> = {}, generation = {}) =>
  ({
    input: { type: 'generate_until', messages: [{ role: 'user', content }], ...more },
    generation: { max_new_tokens: 8, ...generation },
    sample: 0,
  }) satisfies ModelRequest
const text = (words: string): ContentPart => ({ type: 'text', text: words })
const image: ContentPart = { type: 'image', media: sha256('a picture') }

describe.skipIf(!hasPython('torch', 'transformers'))('hf (needs python3 with torch and transformers)', () => {
  const requests = [
    request([text('red')]),
    request([text('What is the colour of the third picture in the second row?')]),
    request([text('blue')], {
      messages: [
        { role: 'system', content: [text('Be brief')] },
        { role: 'user', content: [text('blue')] },
      ],
    }),
  ]

  test('gives the same answers to a batch as to single requests, without the prompt', async () => {
    await build('text')
    const pretrained = join(folder, 'text')
    const single = await answers({ pretrained }, requests)
    expect(new Set(single.map(one => one.text)).size).toBeGreaterThan(1)
    expect(single.every(one => !one.text.includes('assistant:'))).toBe(true)
    expect(await answers({ pretrained, batch_size: 3 }, requests)).toEqual(single)
  })

  test('scores a continuation, and ends an answer at a stop sequence', async () => {
    await build('text')
    const scored = { type: 'loglikelihood', continuation: ' blue' } as const
    const [likely, whole, ...stopped] = await answers({ pretrained: join(folder, 'text') }, [
      request([text('red')], scored),
      request([text('red')]),
      ...['a', 'e', 'r', ' '].map(stop => request([text('red')], {}, { until: [stop] })),
    ])
    expect(likely?.logprob).toBeLessThan(0)
    expect(likely?.logprob).toBeGreaterThan(-50)
    expect(stopped.map(one => one.text)).toEqual(['a', 'e', 'r', ' '].map(stop => whole?.text.split(stop)[0]))
  })

  test('passes no token types to GPT-2, which would change its likelihoods', async () => {
    const { stdout } = await build('gpt2')
    const scored = request([text('red')], { type: 'loglikelihood', continuation: ' blue' })
    const [likely] = await answers({ pretrained: join(folder, 'gpt2') }, [scored])
    expect(likely?.logprob).toBeCloseTo(Number(stdout), 4)
  })
})

describe.skipIf(!hasPython('torch', 'transformers', 'PIL'))(
  'hf (needs python3 with torch, transformers and Pillow)',
  () => {
    test('answers one batch of requests with one image, several and none', async () => {
      await build('vision')
      await writeFile(join(folder, 'medium.png'), await picture(10))
      const given = { pretrained: join(folder, 'vision'), task: 'image-text-to-text' }
      const mixed = [
        request([image, text('red')]),
        request([text('blue')]),
        request([image, text('or'), image, text('green?')]),
      ]
      const single = await answers(given, mixed)
      expect(single).toHaveLength(3)
      expect(await answers({ ...given, batch_size: 3 }, mixed)).toEqual(single)
    })
  },
)
