/** Selects single docs of a run: by id, group, score and answer. */
import { messageOf, PipelineError } from '../../../base/errors/errors.js'
import { option } from '../../../base/errors/option-words.js'
import { compileNamePatterns, listMissing } from '../../../base/text/name-patterns.js'
import { didYouMean } from '../../../base/text/suggest.js'
import { wildcard } from '../../../base/text/wildcard.js'
import { numberIn, readScoreKey } from '../../../cache/facts/sample-facts.js'
import type { OpenedRun, Sample } from '../../../cache/store.js'
import type { SampleTest } from './sample-tests.js'

/** Conditions that select docs. A doc must meet all of them. */
export interface SampleConditions {
  /** Comma-separated ids or shell patterns (`*`, `?`, `[abc]`). `TASK/ID` selects within one task. */
  readonly docs?: string
  /** `FIELD=VALUE` of the task's breakdown, or else of the doc. The value may be a shell pattern. */
  readonly where?: readonly string[]
  /** Conditions on a metric: `acc<1`, `f1 >= 0.5`; also `<=`, `>`, `=` and `!=`. */
  readonly score?: readonly string[]
  /** A regular expression that an answer contains. */
  readonly answer?: string
}

/** The test of some conditions. */
export interface SampleFilter {
  readonly passes: SampleTest
  /** Rejects names that matched nothing. Call it after all docs were read. @throws PipelineError (usage) if a requested doc, field or metric is unknown */
  readonly checkNames: () => void
}

/**
 * Prepares conditions for the samples of a run.
 *
 * @throws PipelineError (usage) if a condition cannot be read
 */
export function makeSampleFilter({ run }: OpenedRun, conditions: SampleConditions): SampleFilter {
  const names = run.asked.tasks.map(({ name }) => name)
  const filters: readonly SampleFilter[] = [
    ...(conditions.docs === undefined ? [] : [matchDocs(conditions.docs, names)]),
    ...(conditions.where ?? []).map(text => matchGroup(text)),
    ...(conditions.score ?? []).map(text =>
      matchScore(
        text,
        names.map(name => readScoreKey(run, name)),
      ),
    ),
    ...(conditions.answer === undefined ? [] : [matchAnswer(conditions.answer)]),
  ]
  return {
    // Each condition sees each doc, so that it knows the names that docs have.
    passes: sample => filters.map(({ passes }) => passes(sample)).every(Boolean),
    checkNames: () => {
      for (const { checkNames } of filters) checkNames()
    },
  }
}

function matchDocs(text: string, tasks: readonly string[]): SampleFilter {
  const { findHits } = compileNamePatterns([text])
  const matchedNames = new Set<string>()
  return {
    passes: ({ task, id }) => {
      const hits = findHits(tasks[task] ?? '', id)
      for (const hit of hits) matchedNames.add(hit)
      return hits.length > 0
    },
    checkNames: () => {
      const missing = listMissing(text, matchedNames)
      if (missing.length > 0)
        throw new PipelineError(
          'usage',
          `no doc of the run has the id ${missing.map(part => JSON.stringify(part)).join(', ')}   (ids and patterns such as 'shapes_vqa/*' are matched)`,
        )
    },
  }
}

function matchGroup(text: string): SampleFilter {
  const [, field = '', value = ''] = /^([^=]+)=([\s\S]*)$/.exec(text) ?? []
  if (field === '') throw new PipelineError('usage', `${option('where')}: expected FIELD=VALUE, given "${text}"`)
  const test = wildcard(value)
  const fieldNames = new Set<string>()
  const values = new Set<string>()
  let isFound = false
  return {
    passes: sample => {
      const label = readField(sample, field, fieldNames)
      if (label === undefined) return false
      if (values.size < 1_000) values.add(label)
      const isWanted = label === value || test.test(label)
      isFound ||= isWanted
      return isWanted
    },
    checkNames: () => {
      if (isFound) return
      if (values.size === 0)
        throw new PipelineError('usage', [
          `${option('where')}: no doc of the run has a field "${field}".${didYouMean(field, fieldNames)}`,
          ...(fieldNames.size === 0 ? [] : [`  fields: ${[...fieldNames].join(', ')}`]),
        ])
      throw new PipelineError('usage', [
        `${option('where')}: no doc has ${field} "${value}".${didYouMean(value, values)}`,
        `  values: ${[...values].slice(0, 12).join(', ')}${values.size > 12 ? ', …' : ''}`,
      ])
    },
  }
}

/** The value of a doc's field as a text: its breakdown label, or else a text, number or boolean of the row. */
export function readField(
  { score, record }: Pick<Sample, 'score' | 'record'>,
  field: string,
  names = new Set<string>(),
): string | undefined {
  for (const name of Object.keys(score?.groups ?? {})) names.add(name)
  for (const name of Object.keys(record.doc)) names.add(name)
  const label = score?.groups?.[field]
  if (label !== undefined) return label
  const value = record.doc[field]
  return typeof value === 'string' || typeof value === 'number' || typeof value === 'boolean' ? `${value}` : undefined
}

const operators: Readonly<Record<string, (a: number, b: number) => boolean>> = {
  '<=': (a, b) => a <= b,
  '>=': (a, b) => a >= b,
  '!=': (a, b) => a !== b,
  '==': (a, b) => a === b,
  '<': (a, b) => a < b,
  '>': (a, b) => a > b,
  '=': (a, b) => a === b,
}

const scorePattern = /^\s*(.+?)\s*(<=|>=|!=|==|<|>|=)\s*([-+]?(?:\d+\.?\d*|\.\d+)(?:e[-+]?\d+)?)\s*$/i

function matchScore(text: string, scoreKeys: readonly string[]): SampleFilter {
  const [, metric = '', operator = '', digits = ''] = scorePattern.exec(text) ?? []
  const compare = operators[operator]
  if (compare === undefined)
    throw new PipelineError('usage', `${option('score')}: expected a condition such as "acc<1", given "${text}"`)
  const bound = Number(digits)
  const metricNames = new Set<string>()
  const isMeant = (name: string): boolean => name === metric || name.startsWith(`${metric},`)
  return {
    passes: ({ task, score }) => {
      const values = Object.entries(score?.values ?? {})
      for (const [name] of values) metricNames.add(name)
      return values.some(([name, value]) => {
        if (!isMeant(name)) return false
        const number = numberIn(value, scoreKeys[task] ?? 'score')
        return number !== undefined && compare(number, bound)
      })
    },
    checkNames: () => {
      if ([...metricNames].some(isMeant)) return
      const has = metricNames.size === 0 ? 'no doc has a score' : `metrics: ${[...metricNames].join(', ')}`
      throw new PipelineError('usage', [
        `${option('score')}: no doc of the run has the metric "${metric}".${didYouMean(metric, metricNames)}`,
        `  ${has}`,
      ])
    },
  }
}

function matchAnswer(text: string): SampleFilter {
  const pattern = compilePattern(text)
  return {
    passes: ({ items }) => items.some(({ response }) => response !== undefined && pattern.test(response.body.text)),
    checkNames: () => undefined,
  }
}

function compilePattern(text: string): RegExp {
  try {
    return new RegExp(text, 'u')
  } catch (error) {
    throw new PipelineError(
      'usage',
      `${option('answer')}: ${JSON.stringify(text)} is no regular expression: ${messageOf(error)}`,
    )
  }
}
