import { expect, test } from 'vitest'
import { variantLine } from '../../../../src/cli/flags/variant-line.js'

const settings = { model: 'onnx_vlm', modelArgs: { model: 'm' }, configFile: 'quick.yaml' }

test('a local model in full precision is offered in eight bits, by the file and on as many docs', () => {
  expect(variantLine(settings)).toBe('pipeline eval --config quick.yaml --model-args dtype=int8')
  expect(variantLine({ ...settings, limit: 30 })).toBe(
    'pipeline eval --config quick.yaml --limit 30 --model-args dtype=int8',
  )
})

test('the file is in quotes where a shell needs them', () => {
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
])('nothing is offered where the line would be another one: %j', other => {
  expect(variantLine(other)).toBeUndefined()
})
