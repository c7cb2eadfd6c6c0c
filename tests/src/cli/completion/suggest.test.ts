import { expect, test } from 'vitest'
import { commandTable } from '../../../../src/cli/command-table.js'
import { suggestWords, type NameKind } from '../../../../src/cli/completion/suggest.js'

const names: Readonly<Record<NameKind, readonly string[]>> = {
  models: ['openai', 'onnx_vlm'],
  tasks: ['mme', 'mmmu_val', 'pope'],
  runs: ['last', 'calm-heron-19c2'],
  tags: ['draft'],
}

const lookUp = (kind: NameKind) => Promise.resolve(names[kind].map(word => ({ word })))

const suggest = async (...words: readonly string[]): Promise<readonly string[]> =>
  (await suggestWords(words, { commands: commandTable, lookUp })).map(({ word }) => word)

test('commands, subcommands and flags come from the commands themselves', async () => {
  expect(await suggest('ev')).toEqual(['eval'])
  expect(await suggest('runs', 'r')).toEqual(['rm'])
  expect(await suggest('eval', '--fewshot-s')).toEqual(['--fewshot-seed'])
  expect(await suggest('runs', 'rm', '--older')).toEqual(['--older-than'])
  expect(await suggest('nothing', '')).toEqual([])
})

test('does not suggest flags of lmms-eval without effect', async () => {
  expect(await suggest('eval', '--batch')).toEqual(['--batch', '--batch-requests'])
})

test('completes models, tasks and runs as values of flags, and tasks of a list one by one', async () => {
  expect(await suggest('eval', '--model', 'o')).toEqual(['openai', 'onnx_vlm'])
  expect(await suggest('eval', '--limit', '5', '--tasks', 'mme,m')).toEqual(['mme,mmmu_val'])
  expect(await suggest('judge', 'last', '--baseline', 'c')).toEqual(['calm-heron-19c2'])
  expect(await suggest('eval', '--limit', '')).toEqual([])
})

test('completes values joined to their flags, and values of a fixed list', async () => {
  expect(await suggest('eval', '--model=o')).toEqual(['--model=openai', '--model=onnx_vlm'])
  expect(await suggest('eval', '--limit=5', '--tasks=mme,p')).toEqual(['--tasks=mme,pope'])
  expect(await suggest('eval', '--nothing=o')).toEqual([])
  expect(await suggest('runs', 'list', '--state', 'in')).toEqual(['incomplete'])
  expect(await suggest('eval', '--parity=')).toEqual(['--parity=lmms-eval'])
  expect(await suggest('report', 'last', '--samples', 'w')).toEqual(['wrong', 'worsened'])
  expect(await suggest('eval', '--samples', 'w')).toEqual([])
  expect(await suggest('labels', 'add', 'last', 'mme/1', 'w')).toEqual(['wrong'])
})

test('completes runs, tasks or models as arguments, by the command', async () => {
  expect(await suggest('report', '')).toEqual(['last', 'calm-heron-19c2'])
  expect(await suggest('compare', 'last', 'c')).toEqual(['calm-heron-19c2'])
  expect(await suggest('tasks', 'show', 'p')).toEqual(['pope'])
  expect(await suggest('models', 'show', 'on')).toEqual(['onnx_vlm'])
  expect(await suggest('runs', 'tag', 'last', 'd')).toEqual(['draft'])
  expect(await suggest('tasks', 'new', '')).toEqual([])
})
