import { expect, test } from 'vitest'
import { variantLine } from '../../../../src/cli/flags/variant-line.js'

const settings = { model: 'onnx_vlm', modelArgs: { model: 'm' }, configFile: 'quick.yaml' }

test('suggests int8 for a local model in full precision, with the same file and limit', () => {
  expect(variantLine(settings)).toBe('pipeline eval --config quick.yaml --model-args dtype=int8')
  expect(variantLine({ ...settings, limit: 30 })).toBe(
    'pipeline eval --config quick.yaml --limit 30 --model-args dtype=int8',
  )
})

test('quotes the file if a shell needs it', () => {
  expect(variantLine({ ...settings, configFile: '/my runs/quick.yaml' })).toBe(
    "pipeline eval --config '/my runs/quick.yaml' --model-args dtype=int8",
  )
})

test.each([
  { ...settings, model: 'dummy' },
  { ...settings, modelArgs: { dtype: 'int8' } },
  { model: 'onnx_vlm', modelArgs: {} },
  { ...settings, offset: 5 },
  { ...settings, subset: 10 },
  { ...settings, shard: { index: 1, of: 2 } },
  { ...settings, limit: { shapes_vqa: 3 } },
])('suggests nothing if the command line would be another one: %j', other => {
  expect(variantLine(other)).toBeUndefined()
})
