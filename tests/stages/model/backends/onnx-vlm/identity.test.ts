import { copyFile, cp, mkdtemp, readFile, rm, truncate, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { sha256 } from '../../../../../cache/digest.js'
import { onnxVlm } from '../../../../../stages/model/backends/onnx-vlm.js'
import { memoryContext, tinyvlm } from './tinyvlm.js'

const { context } = memoryContext()
const identify = (model: string, dtype: 'fp32' | 'int8' = 'fp32', threads = 1) =>
  onnxVlm.identify({ model, dtype, threads, workers: undefined }, context)

const configuration = [
  'chat_template.jinja',
  'config.json',
  'generation_config.json',
  'preprocessor_config.json',
  'processor_config.json',
  'tokenizer.json',
  'tokenizer_config.json',
]

let root: string
let copy: string
beforeEach(async () => {
  root = await mkdtemp(join(tmpdir(), 'onnx-vlm-'))
  copy = join(root, 'model')
  await cp(tinyvlm, copy, { recursive: true })
})
afterEach(() => rm(root, { recursive: true }))

async function edit(file: string, change: (config: Record<string, unknown>) => void): Promise<void> {
  const config = JSON.parse(await readFile(join(copy, file), 'utf8')) as Record<string, unknown>
  change(config)
  await writeFile(join(copy, file), JSON.stringify(config))
}

describe('the identity of the model', () => {
  test('contains the digests of the files that the dtype uses', async () => {
    const { args, files } = await identify(tinyvlm, 'int8')
    expect(args).toEqual({ dtype: 'int8' })
    expect(Object.keys(files!).sort()).toEqual([
      ...configuration.slice(0, 3),
      'onnx/decoder_model_merged_quantized.onnx',
      'onnx/embed_tokens_quantized.onnx',
      'onnx/vision_encoder_quantized.onnx',
      ...configuration.slice(3),
    ])
    expect(files!['config.json']).toBe(sha256(await readFile(join(tinyvlm, 'config.json'))))
  })

  test('does not depend on the location of the folder', async () => {
    expect(await identify(copy)).toEqual(await identify(tinyvlm))
  })

  test('changes with dtype, threads and each byte of a file', async () => {
    const before = await identify(copy)
    expect(await identify(copy, 'int8')).not.toEqual(before)
    expect(await identify(copy, 'fp32', 2)).not.toEqual(before)
    await copyFile(join(copy, 'onnx/embed_tokens_quantized.onnx'), join(copy, 'onnx/embed_tokens.onnx'))
    expect(await identify(copy)).not.toEqual(before)
  })

  test('includes weights stored beside a network', async () => {
    await writeFile(join(copy, 'onnx/vision_encoder.onnx_data'), 'weights')
    expect((await identify(copy)).files).toHaveProperty(['onnx/vision_encoder.onnx_data'])
  })
})

describe('rejected before any work', () => {
  test('a missing folder', async () => {
    await expect(identify(join(root, 'nowhere'))).rejects.toMatchObject({
      name: 'PipelineError',
      message: expect.stringContaining('nowhere: no such folder') as string,
    })
  })

  test('all missing files at once, by name', async () => {
    await rm(join(copy, 'tokenizer.json'))
    await rm(join(copy, 'chat_template.jinja'))
    await expect(identify(copy)).rejects.toMatchObject({
      problems: [`model=${copy}: tokenizer.json is missing`, `model=${copy}: chat_template.jinja is missing`],
    })
  })

  test('a dtype that the folder does not contain, with those that it does', async () => {
    await rm(join(copy, 'onnx/vision_encoder_quantized.onnx'))
    await expect(identify(copy, 'int8')).rejects.toThrow(
      `model=${copy}: onnx/vision_encoder_quantized.onnx is missing (in the folder: dtype=fp32)`,
    )
  })

  test('an unknown dtype, with the known ones', () => {
    const result = onnxVlm.args.dtype.safeParse('fp8')
    expect(result.error?.issues[0]?.message).toContain('"fp32"|"int8"')
  })

  test.each([
    ['config.json', 'model_type', 'qwen2_vl'],
    ['preprocessor_config.json', 'do_image_splitting', true],
    ['preprocessor_config.json', 'resample', 1],
    ['processor_config.json', 'image_seq_len', 'many'],
  ])('a model whose %s has another %s', async (file, field, value) => {
    await edit(file, config => (config[field] = value))
    await expect(identify(copy)).rejects.toThrow(`${join(copy, file)}: ${field}: onnx_vlm cannot run this model`)
  })

  test('a configuration that is not JSON', async () => {
    await truncate(join(copy, 'config.json'), 20)
    await expect(identify(copy)).rejects.toThrow(`${join(copy, 'config.json')}: it is not JSON`)
  })
})

test('names the damaged network file when the model is opened', { timeout: 60_000 }, async () => {
  await truncate(join(copy, 'onnx/vision_encoder.onnx'), 1_000)
  const opened = onnxVlm.open({ model: copy, dtype: 'fp32', threads: 1, workers: 1 }, context)
  await expect(opened).rejects.toMatchObject({
    name: 'PipelineError',
    message: expect.stringContaining('vision_encoder.onnx: onnxruntime cannot load it') as string,
  })
})
