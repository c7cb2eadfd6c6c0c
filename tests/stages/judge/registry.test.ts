import { readdirSync } from 'node:fs'
import { expect, test } from 'vitest'
import { builtInJudges } from '../../support/scorer.js'

const filesIn = (folder: string): readonly string[] =>
  readdirSync(new URL(`../../../stages/judge/${folder}/`, import.meta.url))
    .filter(name => name.endsWith('.ts') && name !== 'index.ts')
    .map(name => name.replace(/\.ts$/, '').replaceAll('-', '_'))
    .sort()

/** What the package `evaluate` calls metrics that have another name here. */
const otherNames = ['matthews_corrcoef', 'matthews_correlation', 'rouge1', 'rouge2', 'rougeL', 'rougeLsum', 'sacrebleu']

test.each(['metrics', 'filters', 'aggregations'] as const)('every file in %s is registered under its name', kind => {
  const others = kind === 'metrics' ? otherNames : []
  expect([...builtInJudges[kind].keys()].sort()).toEqual([...filesIn(kind), ...others].sort())
})
