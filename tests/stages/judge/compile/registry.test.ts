import { readdirSync } from 'node:fs'
import { expect, test } from 'vitest'
import { evaluateMetrics } from '../../../../stages/judge/metrics/evaluate/index.js'
import { isAggregation, isFilter, isMetric } from '../../../../stages/judge/compile/registry.js'
import { builtInJudges } from '../../../support/scorer.js'

const judge = new URL('../../../../stages/judge/', import.meta.url)

/** Everything that the files below a folder export. */
async function exportsBelow(folder: string): Promise<readonly unknown[]> {
  const files = readdirSync(new URL(`${folder}/`, judge), { recursive: true, encoding: 'utf8' })
  const modules = files
    .filter(file => file.endsWith('.ts'))
    .map(file => import(new URL(`${folder}/${file}`, judge).href) as Promise<Record<string, unknown>>)
  return (await Promise.all(modules)).flatMap(module => Object.values(module))
}

const kinds = {
  metrics: { folders: ['metrics'], is: isMetric },
  filters: { folders: ['filters'], is: isFilter },
  aggregations: { folders: ['metrics', 'aggregations'], is: isAggregation },
} as const

test.each(['metrics', 'filters', 'aggregations'] as const)(
  'every definition among the %s is registered',
  async kind => {
    const { folders, is } = kinds[kind]
    const defined = (await Promise.all(folders.map(exportsBelow))).flat().filter(is)
    const registered: unknown[] = [...builtInJudges[kind].values()]
    if (kind === 'metrics') for (const load of Object.values(evaluateMetrics)) registered.push(await load())
    expect(defined.length).toBeGreaterThan(10)
    expect(defined.filter(definition => !registered.includes(definition))).toEqual([])
  },
)

test.each(['metrics', 'filters', 'aggregations'] as const)(
  'each name among the %s is the id of the definition that it loads',
  kind => {
    const found = [...builtInJudges[kind]]
    expect(found.map(([, { id }]) => id)).toEqual(found.map(([name]) => name))
  },
)
