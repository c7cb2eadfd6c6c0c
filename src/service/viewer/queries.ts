/** Checks the parameters in the addresses of pages. */
import { z } from 'zod'
import type {
  DocsQuery,
  LeaderboardQuery,
  PowerQuery,
  RunsQuery,
  SampleFilter,
  SampleRowsQuery,
} from '../../present/page/data/index.js'
import { measures, parseRange, type RangeTexts } from '../../reading/samples/number-ranges.js'
import { sampleKinds } from '../../reading/samples/sample-kinds.js'
import { docKinds, docOrders, mostRuns } from '../../reading/samples/doc-kinds.js'
import { sampleOrders } from '../../present/page/data/samples.js'
import { mistakeLines } from '../../../base/errors/schema-mistakes.js'
import { present } from '../../../base/values/present.js'
import { without } from '../../../base/values/without.js'
import { ofClient } from '../client-wording.js'
import { RefusedError } from '../http/problems.js'

const offset = z.coerce.number().int().min(0).max(1e9).default(0)
const words = z.string().max(1000).optional()
const name = z.string().max(300).optional()

const runsQuery = z.object({
  q: words,
  state: z.enum(['running', 'complete', 'incomplete', 'not judged']).optional(),
  task: name,
  tag: name,
  sort: z.enum(['created', 'name', 'model']).optional(),
  offset,
  limit: z.coerce.number().int().min(1).max(500).default(100),
})

const filter = z.object({
  only: z.enum(sampleKinds).default('all'),
  against: name,
  task: name,
  marked: z.enum(['right', 'wrong', 'unclear']).optional(),
  q: words,
  sort: z.enum(sampleOrders).optional(),
  descending: z
    .enum(['true', 'false'])
    .transform(text => text === 'true')
    .optional(),
})

const page = z.object({ offset, limit: z.coerce.number().int().min(1).max(500).default(100) })

const samplePlace = z.object({
  task: z.coerce.number().int().min(0).max(1e6),
  index: z.coerce.number().int().min(0).max(1e12),
})

/** Parses the filter and the page of a list of runs. */
export function parseRunsQuery(url: string): RunsQuery {
  const { offset, limit, ...others } = checkParameters(runsQuery, parseParameters(url))
  return { offset, limit, ...present(others) }
}

/** Parses the selection of the leaderboard. */
export const parseLeaderboardQuery = (url: string): LeaderboardQuery =>
  present(checkParameters(z.object({ tag: name, task: name, model: name }), parseParameters(url)))

export const parsePlace = (parameters: Readonly<Record<string, string | undefined>>): z.output<typeof samplePlace> =>
  checkParameters(samplePlace, parameters)

/** Parses `?at=0/17`: the sample 17 of the first task. */
export function parseAt(url: string): z.output<typeof samplePlace> {
  const [task, index] = (parseParameters(url)['at'] ?? '').split('/')
  return parsePlace({ task, index })
}

/** Parses a sample filter: `?only=wrong&labels=field=label&labels=…`. */
export function parseSampleFilter(url: string): SampleFilter {
  const { only, ...others } = checkParameters(filter, parseParameters(url))
  return { only, ...present(others), ...parseLabelFilters(url), ...parseRangeFilters(url) }
}

/** Parses the filter and the page of a list of samples. */
export function parseSampleRows(url: string): SampleRowsQuery {
  const { offset, limit } = checkParameters(page, parseParameters(url))
  return { offset, limit, ...parseSampleFilter(url) }
}

const reference = z.string().min(1).max(200)

const docsQuery = z.object({
  runs: z.array(reference).min(1).max(mostRuns),
  only: z.enum(docKinds).default('all'),
  task: name,
  q: words,
  sort: z.enum(docOrders).optional(),
  offset,
  limit: z.coerce.number().int().min(1).max(200).default(50),
})

/** Parses the query of docs of several runs: `?run=A&run=B&only=disagree`. */
export function parseDocsQuery(url: string): DocsQuery {
  const runs = [...new Set(new URL(url).searchParams.getAll('run').filter(text => text !== ''))]
  const { only, offset, limit, ...others } = checkParameters(docsQuery, { ...parseParameters(url), runs })
  return { runs: others.runs, only, offset, limit, ...present(without(others, 'runs')) }
}

const share = z.coerce.number().gt(0).lt(1).optional()

const powerQuery = z.object({
  run: reference.optional(),
  against: reference.optional(),
  effect: z.coerce.number().positive().optional(),
  std: z.coerce.number().positive().optional(),
  correlation: z.coerce.number().min(-1).max(1).optional(),
  docs: z.coerce.number().int().min(2).max(1e9).optional(),
  clusterSize: z.coerce.number().min(1).max(1e6).optional(),
  icc: z.coerce.number().min(0).max(1).optional(),
  alpha: share,
  power: share,
})

/** Parses the runs and the assumptions of a plan. */
export const parsePowerQuery = (url: string): PowerQuery => present(checkParameters(powerQuery, parseParameters(url)))

/** Parses further runs: `?with=A&with=B`. */
export const parseOthers = (url: string): readonly string[] =>
  checkParameters(
    z.array(reference).max(mostRuns),
    new URL(url).searchParams.getAll('with').filter(text => text !== ''),
  )

/** Parses the names of two runs to compare. */
export const parsePair = (url: string): { readonly a: string; readonly b: string } =>
  checkParameters(z.object({ a: reference, b: reference }), parseParameters(url))

function checkParameters<Schema extends z.ZodType>(schema: Schema, parameters: unknown): z.output<Schema> {
  const parsed = schema.safeParse(parameters)
  if (parsed.success) return parsed.data
  throw new RefusedError(422, mistakeLines(parsed.error.issues, parameters, { ...ofClient, whole: 'the parameters' }))
}

/** Parses the parameters of an address. Empty ones are left out. */
export const parseParameters = (url: string): Readonly<Record<string, string>> =>
  Object.fromEntries([...new URL(url).searchParams].filter(([, value]) => value !== ''))

/** Maximum number of fields that one filter names. */
const mostLabels = 20

/** Parses number ranges: `?ranges=value=0.2..0.5&ranges=tokens=100..`. */
function parseRangeFilters(url: string): { readonly ranges?: RangeTexts } {
  const pairs = new URL(url).searchParams.getAll('ranges')
  if (pairs.length === 0) return {}
  const ranges = pairs.map(pair => {
    const [name = '', range = ''] = pair.split('=')
    const measure = measures.find(candidate => candidate === name)
    if (measure === undefined || parseRange(range) === undefined)
      throw new RefusedError(422, `ranges: expected ${measures.join(', ')} with a range, such as value=0.2..0.5`)
    return [measure, range] as const
  })
  return { ranges: Object.fromEntries(ranges) }
}

function parseLabelFilters(url: string): { readonly labels?: Readonly<Record<string, string>> } {
  const pairs = new URL(url).searchParams.getAll('labels')
  if (pairs.length === 0) return {}
  if (pairs.length > mostLabels) throw new RefusedError(422, `labels: at most ${mostLabels} are accepted`)
  return {
    labels: Object.fromEntries(
      pairs.map(pair => {
        const equals = pair.indexOf('=')
        if (equals < 1 || pair.length > 1000) throw new RefusedError(422, 'labels: expected field=label')
        return [pair.slice(0, equals), pair.slice(equals + 1)]
      }),
    ),
  }
}
