/** The limits of one command, from flags or configuration file. */
import { resolve } from 'node:path'
import { z } from 'zod'
import { PipelineError } from '../../base/errors/errors.js'
import { option, type StoredContext, type SettingsOf } from './option.js'
import { text, whole } from './values/option-values.js'

const units: Readonly<Record<string, number>> = { '': 1_000, s: 1_000, m: 60_000, min: 60_000, h: 3_600_000 }
const expectedTime = 'a time such as 90s, 10m, 1.5h, 1h30m, or seconds'

/** Parses `90s`, `10m`, `1h30m` or a number of seconds to milliseconds; undefined if it is none of them. */
export function milliseconds(text: string): number | undefined {
  const parts = [...text.trim().matchAll(/(\d+(?:\.\d+)?)\s*(min|h|m|s|$)\s*/gy)]
  const isWhole = parts.map(([part]) => part).join('') === text.trim()
  const sum = parts.reduce((total, [, number, unit = '']) => total + Number(number) * (units[unit] ?? Number.NaN), 0)
  return isWhole && sum > 0 ? sum : undefined
}

const isTime = (text: string): boolean => milliseconds(text) !== undefined
const time = z
  .union([z.string(), z.number().positive().transform(String)])
  .refine(isTime)
  .transform(durationIn)

/** Reads `--max-time`. */
export function durationIn(text: string): number {
  const time = milliseconds(text)
  if (time !== undefined) return time
  throw new PipelineError('usage', `--max-time: expected ${expectedTime}, given "${text}"`)
}

/** Reads `--max-cost`: dollars, with a dollar sign or without. */
export function dollarsIn(text: string): number {
  const value = /^\$?(?:\d+(?:\.\d+)?|\.\d+)$/.test(text) ? Number(text.replace('$', '')) : Number.NaN
  if (Number.isFinite(value)) return value
  throw new PipelineError('usage', `--max-cost: expected dollars such as 2.50, given "${text}"`)
}

/** The options for limits. Every command that calls a model has them. */
export const limitOptions = {
  /** Maximum number of requests, retries and judge calls included. Requests over this or another limit fail with class `budget` and are sent at the next start. */
  maxRequests: option({
    flag: '--max-requests <n>',
    help: 'maximum number of requests, retries and judge calls included',
    docs: 'maximum number of requests, retries and judge calls included; see [limits](limits.md)',
    ...whole(0),
    isIdentity: false,
    stored: 'no',
  }),
  /** Maximum number of tokens, input and output together. */
  maxTokensTotal: option({
    flag: '--max-tokens-total <n>',
    help: 'maximum number of tokens, input and output together',
    ...whole(0),
    isIdentity: false,
    stored: 'no',
  }),
  /** Maximum cost in dollars. */
  maxCost: option({
    flag: '--max-cost <usd>',
    help: 'maximum cost in dollars',
    read: dollarsIn,
    file: z.number().nonnegative().describe('dollars, such as 2.50'),
    isIdentity: false,
    stored: 'no',
  }),
  /** Send nothing more after this time: milliseconds, or a text such as `90s`, `10m`, `2h`. */
  maxTime: option({
    flag: '--max-time <time>',
    help: 'send nothing more after this time: 90s, 10m, 2h, or seconds',
    read: durationIn,
    file: time.describe(expectedTime),
    program: {
      schema: z
        .union([z.number().positive(), z.string().refine(isTime)])
        .describe('milliseconds, or a time such as 90s, 10m'),
      read: (value: number | string): number => (typeof value === 'number' ? value : durationIn(value)),
    },
    isIdentity: false,
    stored: 'no',
  }),
  /** Stop after this many requests failed permanently. */
  failFast: option({
    flag: '--fail-fast <n>',
    help: 'stop after this many requests failed permanently',
    ...whole(1),
    isIdentity: false,
    stored: 'no',
  }),
  /** A YAML file of prices, which override the shipped ones. */
  prices: option({
    flag: '--prices <file>',
    help: 'prices of tokens, over those that come with the program (YAML)',
    ...text('a file of prices'),
    isPath: true,
    isIdentity: false,
    stored: (file: string, { cwd }: StoredContext) => resolve(cwd, file),
  }),
}

/** The limits of one command. Spending of earlier commands on the run does not count. Absent means no limit. Times are milliseconds. */
export type LimitSettings = SettingsOf<typeof limitOptions>
