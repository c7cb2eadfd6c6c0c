/** The fields of definitions. Most values are checked where they are used; a misspelt name would be ignored there. */
import { z } from 'zod'
import { checkFields } from '../../../base/errors/check-fields.js'
import type { AggregationDefinition } from '../../../stages/judge/define/define-aggregation.js'
import type { defineTextFilter, FilterDefinition } from '../../../stages/judge/define/define-filter.js'
import type { MetricDefinition } from '../../../stages/judge/define/define-metric.js'
import type { BackendArgs } from '../../../stages/model/backend-args.js'
import type { BackendDraft } from '../../../stages/model/define-backend.js'
import { fields, kinds } from './check-options.js'

const { text, callback: work } = kinds
const { any } = fields
const object = z.custom(value => typeof value === 'object' && value !== null).describe('an object of arguments')
/** A plugin may have a zod of its own. */
const isSchema = (value: unknown): boolean =>
  typeof value === 'object' && value !== null && 'safeParse' in value && typeof value.safeParse === 'function'
const schema = z.custom(isSchema).describe('a schema, such as z.strictObject({…})')

type Keys<T> = T extends unknown ? keyof T : never
type Table<T> = Readonly<Record<Keys<T>, z.ZodType>>

const definitions = {
  backend: {
    ...{ id: text, args: object, accepts: z.array(z.string()).describe("a list such as ['text']"), open: work },
    ...{ module: any, version: any, aliases: any, summary: any, form: any, acceptsWith: any, requests: any },
    ...{ requestsWith: any, takesTools: any, code: any, apart: any, concurrency: any, concurrencyWith: any },
    ...{ gathers: any, isSequential: any, samples: any, answersTargets: any, identify: any, ready: any },
    ...{ startsProgram: any, batch: any },
  } satisfies Table<BackendDraft<BackendArgs> & { readonly module: string; readonly version: string }>,
  metric: {
    ...{ id: text, args: schema, higherIsBetter: kinds.flag, judge: work, reads: any },
    ...{ range: any, findRange: any, readsMetrics: any, readsAttempt: any, asksJudge: any, needsTimeLimit: any },
    ...{ resources: any, aggregation: any, pool: any, readAnswer: any },
  } satisfies Table<MetricDefinition>,
  filter: { id: text, args: schema, needsTimeLimit: any, apply: work } satisfies Table<FilterDefinition>,
  textFilter: { id: text, args: schema, read: work } satisfies Table<Parameters<typeof defineTextFilter>[0]>,
  aggregation: {
    ...{ id: text, of: z.enum(['numbers', 'values', 'folded']).describe("'numbers', 'values' or 'folded'") },
    ...{ args: any, start: work.optional(), summarise: work.optional(), summariseClustered: any, bounds: any },
  } satisfies Table<AggregationDefinition>,
}

/** Checks the fields of a definition, by their names. @throws PipelineError (usage) that names every mistake */
export function checkDefinition(kind: keyof typeof definitions, definition: unknown): void {
  checkFields(definition, definitions[kind], { label: kind })
}
