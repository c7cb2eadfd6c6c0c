import { mkdir, writeFile } from 'node:fs/promises'
import { createRequire } from 'node:module'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { transformersJs } from '../../../../../stages/model/backends/transformers-js.js'
import { cosine } from '../../../../../stages/model/backends/transformers-js/embedding-model.js'
import { listModelFiles, readFolderConfig } from '../../../../../stages/model/backends/transformers-js/model-folder.js'
import { temporaryFolder } from '../../../../support/store.js'
import { memoryContext, tinyvlm } from '../onnx-vlm/tinyvlm.js'

const isInstalled = (() => {
  try {
    return createRequire(import.meta.url).resolve('@huggingface/transformers') !== ''
  } catch {
    return false
  }
})()

const tokenizer = ['tokenizer.json', 'tokenizer_config.json']
const required = ['config.json', ...tokenizer]

test('lists settings and the files of a dtype, without those of other dtypes', async () => {
  const folder = await temporaryFolder()
  await mkdir(join(folder, 'onnx'))
  for (const file of [...required, 'chat_template.jinja', 'README.md', 'model.safetensors'])
    await writeFile(join(folder, file), '{}')
  for (const file of ['model.onnx', 'model.onnx_data', 'model_q4.onnx', 'model_q4f16.onnx', 'model_quantized.onnx'])
    await writeFile(join(folder, 'onnx', file), '')
  const settings = ['chat_template.jinja', 'config.json']
  expect(await listModelFiles(folder, 'fp32')).toEqual([
    ...settings,
    'onnx/model.onnx',
    'onnx/model.onnx_data',
    ...tokenizer,
  ])
  expect(await listModelFiles(folder, 'q4')).toEqual([...settings, 'onnx/model_q4.onnx', ...tokenizer])
  await expect(listModelFiles(folder, 'fp16')).rejects.toThrow(
    /has no networks for dtype=fp16 .*dtype=fp32, dtype=q4, dtype=q4f16, dtype=q8/,
  )
  await expect(listModelFiles(join(folder, 'nowhere'), 'fp32')).rejects.toThrow('no such folder')
})

test('names each file without which the library loads no model, and folders in their place', async () => {
  for (const missing of required) {
    const folder = await temporaryFolder()
    await mkdir(join(folder, 'onnx'))
    await writeFile(join(folder, 'onnx/model.onnx'), '')
    for (const file of required.filter(name => name !== missing)) await writeFile(join(folder, file), '{}')
    await expect(listModelFiles(folder, 'fp32')).rejects.toThrow(`model=${folder}: ${missing} is missing`)
    await mkdir(join(folder, missing))
    await expect(listModelFiles(folder, 'fp32')).rejects.toThrow(`model=${folder}: ${missing} is missing`)
  }
  const empty = await temporaryFolder()
  await expect(listModelFiles(empty, 'fp32')).rejects.toMatchObject({
    problems: required.map(name => expect.stringContaining(`${name} is missing`) as string),
  })
})

test('the cosine of equal vectors is 1, however their lengths were rounded', () => {
  const vector = Float32Array.from({ length: 384 }, (_, index) => Math.sin(index + 1))
  const length = Math.sqrt(vector.reduce((sum, value) => sum + value * value, 0))
  for (const excess of [1, 1 + 1e-7, 1 + 1e-6]) {
    const unit = vector.map(value => (value / length) * excess)
    expect(cosine(unit, unit)).toBeLessThanOrEqual(1)
    expect(
      cosine(
        unit,
        unit.map(value => -value),
      ),
    ).toBeGreaterThanOrEqual(-1)
  }
  expect(cosine(Float32Array.of(1, 0), Float32Array.of(0.6, 0.8))).toBeCloseTo(0.6, 6)
})

test('reads type and positions of a model, and names an invalid configuration file', async () => {
  expect(await readFolderConfig(tinyvlm)).toEqual({ modelType: 'idefics3', maxPositions: 512, maxTokens: Infinity })
  const folder = await temporaryFolder()
  await writeFile(join(folder, 'config.json'), '{"architectures": []}')
  await expect(readFolderConfig(folder)).rejects.toThrow(`${join(folder, 'config.json')}: it is not the configuration`)
})

test('reads the pooling of a folder of sentence-transformers, and refuses vectors that are made in other ways', async () => {
  const folder = await temporaryFolder()
  const write = (file: string, content: unknown) => writeFile(join(folder, file), JSON.stringify(content))
  await Promise.all([mkdir(join(folder, 'onnx')), mkdir(join(folder, '1_Pooling'))])
  await write('config.json', { model_type: 'bert', max_position_embeddings: 512 })
  await write('onnx/model.onnx', '')
  for (const file of tokenizer) await write(file, {})
  await write('sentence_bert_config.json', { max_seq_length: 256 })
  await write('1_Pooling/config.json', { pooling_mode_cls_token: true, pooling_mode_mean_tokens: false })
  expect(await readFolderConfig(folder)).toMatchObject({ maxPositions: 512, maxTokens: 256, pooling: 'cls' })
  expect(await listModelFiles(folder, 'fp32')).toContain('1_Pooling/config.json')
  await write('1_Pooling/config.json', { pooling_mode_max_tokens: true })
  await expect(readFolderConfig(folder)).rejects.toThrow(
    'chooses pooling_mode_max_tokens. The poolings are mean, cls, last_token',
  )
  await write('1_Pooling/config.json', { pooling_mode_cls_token: true })
  await write('modules.json', [{ type: 'sentence_transformers.models.Dense' }])
  await expect(readFolderConfig(folder)).rejects.toThrow('models.Dense, which is in no network of onnx/')
})

test.skipIf(isInstalled)(
  `without the library, the message says what to install${isInstalled ? ' (skipped: it is installed)' : ''}`,
  async () => {
    const args = { model: tinyvlm, dtype: 'fp32', device: 'cpu', threads: 1 } as const
    await expect(transformersJs.identify(args, memoryContext().context)).rejects.toThrow(
      'npm install @huggingface/transformers@4 --ignore-scripts',
    )
  },
)
